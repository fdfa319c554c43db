#include "collector/mysql/label.h"
#include "collector/ring/clean.h"
#include "collector/mysql/mysql.h"
#include "collector/mysql/statement.h"
#include "collector/core/slice.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const command_names[] = {
	"sleep", "quit", "init_db", "query", "field_list", "create_db", "drop_db", "refresh", "shutdown",
	"statistics", "process_info", "connect", "process_kill", "debug", "ping", "time", "delayed_insert",
	"change_user", "binlog_dump", "table_dump", "connect_out", "register_slave", "prepare", "execute",
	"send_long_data", "close", "reset", "set_option", "fetch", "daemon", "binlog_dump_gtid",
	"reset_connection",
};

void mysql_label_command(__u64 code, char *out)
{
	const char *name = code < sizeof(command_names) / sizeof(*command_names) ? command_names[code] :
			   code == COM_BULK_EXECUTE ? "bulk_execute" :
			   code == COMMAND_ENCRYPTED ? "encrypted" :
			   code == COMMAND_COMPRESSED ? "compressed" :
			   code == COMMAND_OPAQUE ? "opaque" :
			   code == COMMAND_UNKNOWN ? "unknown_command" : NULL;

	if (name)
		snprintf(out, LABEL_MAX + 1, "%s", name);
	else
		snprintf(out, LABEL_MAX + 1, "command %llu", (unsigned long long)code);
}

void mysql_label_statement(__u64 code, char *out)
{
	const char *name = code == STATEMENT_NONE ? "none" : code == STATEMENT_UNKNOWN ? "unknown" : "misc";

#define STATEMENT_NAME(text, letters) if (code == STATEMENT_CODE(letters)) name = text;
	STATEMENT_KEYWORDS(STATEMENT_NAME)
#undef STATEMENT_NAME
	snprintf(out, LABEL_MAX + 1, "%s", name);
}

static const char *const status_names[] = { [STATUS_NONE] = "none", [STATUS_UNKNOWN] = "unknown", [STATUS_OK] = "ok" };

void mysql_label_status(__u64 code, char *out)
{
	if (code <= STATUS_OK)
		snprintf(out, LABEL_MAX + 1, "%s", status_names[code]);
	else
		snprintf(out, LABEL_MAX + 1, "%u", (unsigned)code & 0xffff);
}

/* The first code up to `last` that is shown so. */
static int codes_shown(void (*label)(__u64, char *), __u64 last, const char *text, __u64 *ret_code, size_t max)
{
	char shown[LABEL_MAX + 1];
	__u64 code;

	for (code = 0; code <= last; code++) {
		label(code, shown);
		if (strcmp(shown, text))
			continue;
		if (!max)
			return -E2BIG;
		*ret_code = code;
		return 1;
	}
	return 0;
}

int mysql_codes_command(const char *text, __u64 *ret_code, size_t max)
{
	return codes_shown(mysql_label_command, COMMAND_UNKNOWN, text, ret_code, max);
}

int mysql_codes_statement(const char *text, __u64 *ret_code, size_t max)
{
	__u64 code = ~0ull;

	code = !strcmp(text, "none") ? STATEMENT_NONE : !strcmp(text, "unknown") ? STATEMENT_UNKNOWN :
	       !strcmp(text, "misc") ? STATEMENT_MISC : code;
#define STATEMENT_NAMED(name, letters) if (!strcmp(text, name)) code = STATEMENT_CODE(letters);
	STATEMENT_KEYWORDS(STATEMENT_NAMED)
#undef STATEMENT_NAMED
	if (code == ~0ull)
		return 0;
	if (!max)
		return -E2BIG;
	*ret_code = code;
	return 1;
}

int mysql_codes_status(const char *text, __u64 *ret_code, size_t max)
{
	char shown[LABEL_MAX + 1];
	__u64 code;

	for (code = 0; code <= STATUS_OK; code++)
		if (!strcmp(text, status_names[code]))
			break;
	if (code > STATUS_OK)
		code = STATUS_ERROR(strtoul(text, NULL, 10) & 0xffff);
	mysql_label_status(code, shown);
	if (strcmp(shown, text))
		return 0;
	if (!max)
		return -E2BIG;
	*ret_code = code;
	return 1;
}
