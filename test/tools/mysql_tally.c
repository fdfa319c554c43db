#include "test/tools/mysql_tally.h"

#include <stdio.h>

static const char *const statement_name[N_STATEMENTS] = {
	[STATEMENT_NONE] = "none", [STATEMENT_SELECT] = "select", [STATEMENT_INSERT] = "insert",
	[STATEMENT_UPDATE] = "update", [STATEMENT_DELETE] = "delete", [STATEMENT_REPLACE] = "replace",
	[STATEMENT_SET] = "set", [STATEMENT_BEGIN] = "begin", [STATEMENT_COMMIT] = "commit",
	[STATEMENT_ROLLBACK] = "rollback", [STATEMENT_SHOW] = "show", [STATEMENT_KILL] = "kill",
	[STATEMENT_LOAD] = "load", [STATEMENT_CREATE] = "create", [STATEMENT_DROP] = "drop",
	[STATEMENT_DO] = "do", [STATEMENT_WITH] = "with", [STATEMENT_MISC] = "misc",
	[STATEMENT_UNKNOWN] = "unknown",
};

void mysql_tally_count(struct tally *t, enum channel channel, unsigned command, enum statement statement)
{
	t->command[channel][command]++;
	t->statement[channel][command][statement]++;
}

/* Every member is a __u64 and adds. */
void mysql_tally_add(struct tally *t, const struct tally *other)
{
	const __u64 *from = (const __u64 *)other;
	__u64 *to = (__u64 *)t;

	for (size_t i = 0; i < sizeof(*t) / sizeof(*to); i++)
		to[i] += from[i];
}

/* Sent over all channels. */
static __u64 sent(const struct tally *t, unsigned command)
{
	__u64 n = 0;

	for (int channel = 0; channel < N_CHANNELS; channel++)
		n += t->command[channel][command];
	return n;
}

static __u64 sent_statements(const struct tally *t, unsigned command, enum statement statement)
{
	__u64 n = 0;

	for (int channel = 0; channel < N_CHANNELS; channel++)
		n += t->statement[channel][command][statement];
	return n;
}

__u64 mysql_tally_commands(const struct tally *t)
{
	__u64 n = 0;

	for (int command = 0; command < 256; command++)
		n += sent(t, command);
	return n;
}

/* The rules are in mysql_load.c, as a table. */
static __u64 queries(const struct tally *t)
{
	return mysql_tally_commands(t) + t->extra_statements - sent(t, MYSQL_PING) - sent(t, MYSQL_STATISTICS);
}

__u64 mysql_tally_questions(const struct tally *t)
{
	return queries(t) - sent(t, MYSQL_PREPARE) - sent(t, MYSQL_STMT_CLOSE) - sent(t, MYSQL_STMT_RESET);
}

int mysql_tally_variable(const struct tally *t, unsigned i, const char **ret_name, __u64 *ret_value)
{
	const struct { const char *name; __u64 value; } all[] = {
		{ "Queries", queries(t) },
		{ "Com_admin_commands", sent(t, MYSQL_PING) + sent(t, MYSQL_CHANGE_USER) +
					sent(t, MYSQL_RESET_CONNECTION) + sent(t, MYSQL_BINLOG_DUMP) },
		{ "Com_change_db", sent(t, MYSQL_INIT_DB) },
		{ "Com_kill", sent(t, MYSQL_PROCESS_KILL) + sent_statements(t, MYSQL_QUERY, STATEMENT_KILL) },
		{ "Com_load", sent_statements(t, MYSQL_QUERY, STATEMENT_LOAD) },
		{ "Com_set_option", sent(t, MYSQL_SET_OPTION) + sent_statements(t, MYSQL_QUERY, STATEMENT_SET) },
		{ "Com_show_fields", sent(t, MYSQL_FIELD_LIST) },
		{ "Com_show_processlist", sent(t, MYSQL_PROCESS_INFO) },
		{ "Com_stmt_prepare", sent(t, MYSQL_PREPARE) },
		{ "Com_stmt_execute", sent(t, MYSQL_EXECUTE) + sent(t, MYSQL_BULK_EXECUTE) -
				      sent_statements(t, MYSQL_EXECUTE, STATEMENT_UNKNOWN) },
		{ "Com_stmt_close", sent(t, MYSQL_STMT_CLOSE) },
		{ "Com_stmt_fetch", sent(t, MYSQL_STMT_FETCH) },
		{ "Com_stmt_reset", sent(t, MYSQL_STMT_RESET) },
		{ "Com_stmt_send_long_data", sent(t, MYSQL_SEND_LONG_DATA) },
	};

	if (i >= sizeof(all) / sizeof(*all))
		return 0;
	*ret_name = all[i].name;
	*ret_value = all[i].value;
	return 1;
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void put(json_t *object, const char *name, __u64 value)
{
	json_object_set_new(object, name, json_integer((json_int_t)value));
}

static void put_commands(json_t *object, const struct tally *t, enum channel channel)
{
	for (int command = 0; command < 256; command++)
		if (t->command[channel][command] && mysql_command_name(command))
			put(object, mysql_command_name(command), t->command[channel][command]);
}

/* {"select": n, ...} of the commands that execute a text. */
static json_t *statements(const struct tally *t, enum channel channel)
{
	json_t *object = json_object();

	for (int s = STATEMENT_SELECT; s < N_STATEMENTS; s++) {
		__u64 n = t->statement[channel][MYSQL_QUERY][s] + t->statement[channel][MYSQL_EXECUTE][s] +
			  t->statement[channel][MYSQL_BULK_EXECUTE][s];

		if (n)
			put(object, statement_name[s], n);
	}
	return object;
}

/* {"query/select": n, ...}: the keys of a decomposition by command and statement. */
static json_t *keys(const struct tally *t, enum channel channel)
{
	json_t *object = json_object();
	char key[64];

	for (int command = 0; command < 256; command++)
		for (int s = 0; s < N_STATEMENTS; s++)
			if (t->statement[channel][command][s] && mysql_command_name(command)) {
				snprintf(key, sizeof(key), "%s/%s", mysql_command_name(command), statement_name[s]);
				put(object, key, t->statement[channel][command][s]);
			}
	return object;
}

static json_t *channel_to_json(const struct tally *t, enum channel channel)
{
	json_t *object = json_object(), *commands = json_object();

	put_commands(commands, t, channel);
	put(object, "connections", t->connections[channel]);
	put(object, "turns", t->turns[channel]);
	json_object_set_new(object, "commands", commands);
	json_object_set_new(object, "statements", statements(t, channel));
	json_object_set_new(object, "keys", keys(t, channel));
	return object;
}

json_t *mysql_tally_to_json(const struct tally *t)
{
	json_t *object = json_object();

	put_commands(object, t, CHANNEL_PLAIN);
	json_object_set_new(object, "statements", statements(t, CHANNEL_PLAIN));
	json_object_set_new(object, "keys", keys(t, CHANNEL_PLAIN));
	json_object_set_new(object, "plain", channel_to_json(t, CHANNEL_PLAIN));
	json_object_set_new(object, "compressed", channel_to_json(t, CHANNEL_COMPRESSED));
	json_object_set_new(object, "tls", channel_to_json(t, CHANNEL_TLS));
	put(object, "connections", t->connections[CHANNEL_PLAIN]);
	put(object, "commands", mysql_tally_commands(t));
	put(object, "extra_statements", t->extra_statements);
	put(object, "aborted", t->cut_in_header + t->cut_in_body);
	put(object, "cut_in_header", t->cut_in_header);
	put(object, "cut_in_body", t->cut_in_body);
	put(object, "unread", t->unread);
	put(object, "killed", t->killed);
	put(object, "errors", t->n_errors);
	put(object, "expected_questions", mysql_tally_questions(t));
	return object;
}
