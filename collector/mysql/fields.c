#include "collector/mysql/fields.h"
#include "collector/mysql/mysql.h"
#include "collector/mysql/statement.h"
#include "collector/core/slice.h"
#include "collector/server/exchange_metric.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct field fields[] = {
	TURN_DISCRETE("command", "command"),
	TURN_DISCRETE("statement", "statement"),
	TURN_DISCRETE("digest", "statement without literals"),
	TURN_DISCRETE("table", "first table"),
	TURN_DISCRETE("status", "status"),
	TURN_DISCRETE("user", "user"),
	TURN_DISCRETE("database", "database"),
	TURN_FIELDS
	TURN_ROWS
};

const struct metric mysql_metric = {
	"mysql", "queries", "MySQL queries", "queries", fields, sizeof(fields) / sizeof(fields[0]),
	SCOPE_INTERVAL, "age", TURN_WEIGHTS, "digest"
};

/* ---- commands ---- */

static const char *const command_names[] = {
	"sleep", "quit", "init_db", "query", "field_list", "create_db", "drop_db", "refresh", "shutdown",
	"statistics", "process_info", "connect", "process_kill", "debug", "ping", "time", "delayed_insert",
	"change_user", "binlog_dump", "table_dump", "connect_out", "register_slave", "prepare", "execute",
	"send_long_data", "close", "reset", "set_option", "fetch", "daemon", "binlog_dump_gtid",
	"reset_connection", "clone", "group_replication",
};

static void command_label(__u64 code, char *out)
{
	const char *name = code < sizeof(command_names) / sizeof(*command_names) ? command_names[code] :
			   code == COM_BULK_EXECUTE ? "bulk_execute" :
			   code == COMMAND_ENCRYPTED ? "encrypted" :
			   code == COMMAND_COMPRESSED ? "compressed" :
			   code == COMMAND_OPAQUE ? "opaque" :
			   code == COMMAND_UNKNOWN ? "unknown_command" :
			   code == COMMAND_MYSQLX ? "mysqlx" : NULL;

	if (name)
		snprintf(out, LABEL_MAX + 1, "%s", name);
	else
		snprintf(out, LABEL_MAX + 1, "command %llu", (unsigned long long)code);
}

const struct field_codes mysql_command_codes = { .label = command_label, .n = COMMAND_MYSQLX + 1 };

static const struct code_name statements[] = { STATEMENT_NAMES };
const struct field_codes mysql_statement_codes = CODES_NAMED(statements, STATEMENT_MISC);

static const char *const status_names[] = { [STATUS_NONE] = "none", [STATUS_UNKNOWN] = "unknown", [STATUS_OK] = "ok" };

static void status_label(__u64 code, char *out)
{
	if (code <= STATUS_OK)
		snprintf(out, LABEL_MAX + 1, "%s", status_names[code]);
	else
		snprintf(out, LABEL_MAX + 1, "%u", (unsigned)code & 0xffff);
}

static int status_codes(const char *text, __u64 *ret_code, size_t max)
{
	char shown[LABEL_MAX + 1];
	__u64 code;

	for (code = 0; code <= STATUS_OK; code++)
		if (!strcmp(text, status_names[code]))
			break;
	if (code > STATUS_OK)
		code = STATUS_ERROR(strtoul(text, NULL, 10) & 0xffff);
	status_label(code, shown);
	return strcmp(shown, text) ? 0 : codes_one(code, ret_code, max);
}

const struct field_codes mysql_status_codes = { .label = status_label, .codes = status_codes };
