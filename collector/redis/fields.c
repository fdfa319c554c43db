#include "collector/redis/fields.h"
#include "collector/redis/redis.h"
#include "collector/core/slice.h"
#include "collector/server/exchange_metric.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct field fields[] = {
	TURN_DISCRETE("command", "command"),
	TURN_DISCRETE("prefix", "key prefix"),
	TURN_DISCRETE("status", "status"),
	TURN_DISCRETE("waits", "waits for data"),
	TURN_DISCRETE("database", "database"),
	TURN_FIELDS
};

const struct metric redis_metric = {
	"redis", "commands", "Redis commands", "commands", fields, sizeof(fields) / sizeof(fields[0]),
	SCOPE_INTERVAL, "age", TURN_WEIGHTS, "command"
};

/* The name of a code: one of the special ones, or one of a table. */
struct name_table {
	const char *const *special;
	__u32 n_special, otherwise;
	const char *(*name)(__u64 code);
};

static const char *name_in(const struct name_table *t, __u64 code)
{
	const char *name = code < t->n_special ? t->special[code] : t->name(code);

	return name ? name : t->special[t->otherwise];
}

static void name_label(const struct name_table *t, __u64 code, char *out)
{
	snprintf(out, LABEL_MAX + 1, "%s", name_in(t, code));
}

static int name_codes(const struct name_table *t, const char *text, __u64 *ret_code, size_t max)
{
	for (__u64 code = 0; code < t->n_special || t->name(code); code++)
		if (!strcmp(name_in(t, code), text))
			return codes_one(code, ret_code, max);
	return 0;
}

/* ---- commands ---- */

static const char *const special_commands[COMMAND_FIRST] = {
	[COMMAND_UNKNOWN] = "unknown", [COMMAND_MISC] = "misc",
	[COMMAND_ENCRYPTED] = "encrypted", [COMMAND_OPAQUE] = "opaque",
};

static const struct name_table command_table = { special_commands, COMMAND_FIRST, COMMAND_MISC, command_name };

static void command_label(__u64 code, char *out)
{
	name_label(&command_table, code, out);
}

static int command_codes(const char *text, __u64 *ret_code, size_t max)
{
	return name_codes(&command_table, text, ret_code, max);
}

const struct field_codes redis_command_codes = { .label = command_label, .codes = command_codes };

/* ---- status ---- */

static const char *const special_status[STATUS_FIRST] = {
	[STATUS_UNKNOWN] = "unknown", [STATUS_OK] = "ok", [STATUS_QUEUED] = "queued", [STATUS_OTHER] = "misc",
};

static const struct name_table status_table = { special_status, STATUS_FIRST, STATUS_OTHER, error_name };

static void status_label(__u64 code, char *out)
{
	name_label(&status_table, code, out);
}

static int status_codes(const char *text, __u64 *ret_code, size_t max)
{
	return name_codes(&status_table, text, ret_code, max);
}

const struct field_codes redis_status_codes = { .label = status_label, .codes = status_codes };

static const char *const waits_names[N_WAITS] = { [WAITS_NO] = "no", [WAITS_READY] = "ready", [WAITS_DATA] = "waited" };

const struct field_codes redis_waits_codes = CODES_NAMES(waits_names, WAITS_NO);

/* ---- database ---- */

static void database_label(__u64 code, char *out)
{
	if (code >= DATABASE_FIRST)
		snprintf(out, LABEL_MAX + 1, "%llu", code - DATABASE_FIRST);
	else
		snprintf(out, LABEL_MAX + 1, "%s", code == DATABASE_ENCRYPTED ? "encrypted" : "unknown");
}

static int database_codes(const char *text, __u64 *ret_code, size_t max)
{
	size_t n = strspn(text, "0123456789");

	if (!strcmp(text, "unknown") || !strcmp(text, "encrypted"))
		return codes_one(text[0] == 'e' ? DATABASE_ENCRYPTED : DATABASE_UNKNOWN, ret_code, max);
	if (!n || text[n] || n > 10 || (n > 1 && text[0] == '0'))
		return 0;
	return codes_one(strtoull(text, NULL, 10) + DATABASE_FIRST, ret_code, max);
}

const struct field_codes redis_database_codes = { .label = database_label, .codes = database_codes };
