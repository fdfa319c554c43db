#include "collector/postgresql/metric.h"
#include "collector/server/exchange_metric.h"

static const struct field fields[] = {
	{ "command", "how it was asked for", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "statement", "kind of statement", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "digest", "statement without its literals", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "table", "first table that is named", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "status", "ok, or the error's SQLSTATE", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "database", "database", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "user", "who logged in", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "client", "client's address", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "instance", "listening address or socket", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "pid", "process id", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "execname", "process name", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "blocked_in", "what it is blocked in now", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "hostname", "host", "string", FIELD_DISCRETE, 0, 0, 0 },
	TURN_FIELDS
	{ "rows", "rows affected or returned", "number", FIELD_NUMERIC, UNIT_NONE, 0, 32 },
};

const struct metric postgresql_metric = {
	"postgresql", "queries", "PostgreSQL queries", "queries", fields, sizeof(fields) / sizeof(fields[0]),
	SCOPE_INTERVAL, "age", TURN_WEIGHTS, "digest"
};
