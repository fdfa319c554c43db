#include "collector/postgresql/label.h"
#include "collector/postgresql/postgresql.h"
#include "collector/postgresql/statement.h"
#include "collector/probe/programs.h"
#include "collector/core/slice.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *const command_names[N_COMMANDS] = {
	[COMMAND_NOTHING] = "none", [COMMAND_SIMPLE] = "simple", [COMMAND_EXECUTE] = "execute", [COMMAND_PREPARE] = "prepare",
	[COMMAND_FUNCTION] = "function", [COMMAND_ENCRYPTED] = "encrypted", [COMMAND_OPAQUE] = "opaque",
};

void postgresql_label_command(__u64 code, char *out)
{
	snprintf(out, LABEL_MAX + 1, "%s", command_names[code < N_COMMANDS ? code : COMMAND_NOTHING]);
}

int postgresql_codes_command(const char *text, __u64 *ret_code, size_t max)
{
	return programs_code_of(command_names, N_COMMANDS, text, ret_code, max);
}

/* ---- statements ---- */

static const struct statement_name {
	const char *name;
	__u64 code;
} statements[] = {
	{ "none", STATEMENT_NONE }, { "unknown", STATEMENT_UNKNOWN }, { "misc", STATEMENT_MISC },
#define STATEMENT_NAME(text, letters) { text, STATEMENT_CODE(letters) },
	STATEMENT_KEYWORDS(STATEMENT_NAME)
#undef STATEMENT_NAME
};

#define N_STATEMENTS (sizeof(statements) / sizeof(*statements))

void postgresql_label_statement(__u64 code, char *out)
{
	const char *name = "misc";

	for (size_t i = 0; i < N_STATEMENTS; i++)
		if (statements[i].code == code)
			name = statements[i].name;
	snprintf(out, LABEL_MAX + 1, "%s", name);
}

int postgresql_codes_statement(const char *text, __u64 *ret_code, size_t max)
{
	for (size_t i = 0; i < N_STATEMENTS; i++) {
		if (strcmp(statements[i].name, text))
			continue;
		if (!max)
			return -E2BIG;
		*ret_code = statements[i].code;
		return 1;
	}
	return 0;
}

/* ---- status ---- */

void postgresql_label_status(__u64 code, char *out)
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

int postgresql_codes_status(const char *text, __u64 *ret_code, size_t max)
{
	__u64 state = 0;

	if (strcmp(text, "ok") && strcmp(text, "unknown") && !is_sqlstate(text))
		return 0;
	if (!max)
		return -E2BIG;
	for (size_t i = 0; i < 5 && is_sqlstate(text); i++)
		state |= (__u64)text[i] << (8 * i);
	*ret_code = state ? STATUS_ERROR(state) : !strcmp(text, "ok") ? STATUS_OK : STATUS_UNKNOWN;
	return 1;
}
