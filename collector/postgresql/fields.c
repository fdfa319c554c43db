#include "collector/postgresql/fields.h"
#include "collector/postgresql/postgresql.h"
#include "collector/postgresql/statement.h"
#include "collector/core/slice.h"
#include "collector/server/exchange_metric.h"

#include <stdio.h>
#include <string.h>

static const struct field fields[] = {
	TURN_DISCRETE("command", "command"),
	TURN_DISCRETE("statement", "statement"),
	TURN_DISCRETE("digest", "statement without literals"),
	TURN_DISCRETE("table", "first table"),
	TURN_DISCRETE("status", "status"),
	TURN_DISCRETE("database", "database"),
	TURN_DISCRETE("user", "user"),
	TURN_FIELDS
	TURN_ROWS
};

const struct metric postgresql_metric = {
	"postgresql", "queries", "PostgreSQL queries", "queries", fields, sizeof(fields) / sizeof(fields[0]),
	SCOPE_INTERVAL, "age", TURN_WEIGHTS, "digest"
};

/* ---- commands ---- */

static const char *const command_names[N_COMMANDS] = {
	[COMMAND_NOTHING] = "none", [COMMAND_SIMPLE] = "simple", [COMMAND_EXECUTE] = "execute", [COMMAND_PREPARE] = "prepare",
	[COMMAND_FUNCTION] = "function", [COMMAND_ENCRYPTED] = "encrypted", [COMMAND_OPAQUE] = "opaque",
};

const struct field_codes postgresql_command_codes = CODES_NAMES(command_names, COMMAND_NOTHING);

static const struct code_name statements[] = { STATEMENT_NAMES };
const struct field_codes postgresql_statement_codes = CODES_NAMED(statements, STATEMENT_MISC);

/* ---- status ---- */

static void status_label(__u64 code, char *out)
{
	if (code == STATUS_OK || code == STATUS_UNKNOWN)
		snprintf(out, LABEL_MAX + 1, "%s", code == STATUS_OK ? "ok" : "unknown");
	else
		snprintf(out, LABEL_MAX + 1, "%c%c%c%c%c", (char)(code >> 8), (char)(code >> 16), (char)(code >> 24), (char)(code >> 32),
			 (char)(code >> 40));
}

static int is_sqlstate(const char *text)
{
	return strlen(text) == 5 && strspn(text, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 5;
}

static int status_codes(const char *text, __u64 *ret_code, size_t max)
{
	__u64 state = 0;

	if (strcmp(text, "ok") && strcmp(text, "unknown") && !is_sqlstate(text))
		return 0;
	for (size_t i = 0; i < 5 && is_sqlstate(text); i++)
		state |= (__u64)text[i] << (8 * i);
	return codes_one(state ? STATUS_ERROR(state) : !strcmp(text, "ok") ? STATUS_OK : STATUS_UNKNOWN, ret_code, max);
}

const struct field_codes postgresql_status_codes = { .label = status_label, .codes = status_codes };
