#include "collector/mysql/metric.h"
#include "collector/server/exchange_metric.h"

static const struct field fields[] = {
	TURN_DISCRETE("command", "protocol command"),
	TURN_DISCRETE("statement", "kind of statement"),
	TURN_DISCRETE("digest", "statement without its literals"),
	TURN_DISCRETE("table", "first table that is named"),
	TURN_DISCRETE("status", "ok, or the error's number"),
	TURN_DISCRETE("user", "user"),
	TURN_DISCRETE("database", "default database"),
	TURN_FIELDS
};

const struct metric mysql_metric = {
	"mysql", "queries", "MySQL queries", "queries", fields, sizeof(fields) / sizeof(fields[0]),
	SCOPE_INTERVAL, "age", TURN_WEIGHTS, "digest"
};
