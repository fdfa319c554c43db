#include "collector/postgresql/metric.h"
#include "collector/server/exchange_metric.h"

static const struct field fields[] = {
	TURN_DISCRETE("command", "how it was asked for"),
	TURN_DISCRETE("statement", "kind of statement"),
	TURN_DISCRETE("digest", "statement without its literals"),
	TURN_DISCRETE("table", "first table that is named"),
	TURN_DISCRETE("status", "ok, or the error's SQLSTATE"),
	TURN_DISCRETE("database", "database"),
	TURN_DISCRETE("user", "who logged in"),
	TURN_FIELDS
};

const struct metric postgresql_metric = {
	"postgresql", "queries", "PostgreSQL queries", "queries", fields, sizeof(fields) / sizeof(fields[0]),
	SCOPE_INTERVAL, "age", TURN_WEIGHTS, "digest"
};
