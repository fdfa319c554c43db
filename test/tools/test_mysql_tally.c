#include "test/kit/check.h"
#include "test/tools/mysql_compare.h"
#include "test/tools/mysql_tally.h"

#include <errno.h>

static struct tally a, b;

static int setup(void **state)
{
	memset(&a, 0, sizeof(a));
	memset(&b, 0, sizeof(b));
	return 0;
}

/* The table of mysql_load.c, for one command each: Questions, Queries. */
static void every_command_adds_what_the_table_says(void **state)
{
	static const struct { enum mysql_command command; int questions, queries; } rules[] = {
		{ MYSQL_QUERY, 1, 1 }, { MYSQL_EXECUTE, 1, 1 }, { MYSQL_BULK_EXECUTE, 1, 1 },
		{ MYSQL_PREPARE, 0, 1 }, { MYSQL_STMT_CLOSE, 0, 1 }, { MYSQL_STMT_RESET, 0, 1 },
		{ MYSQL_SEND_LONG_DATA, 1, 1 }, { MYSQL_STMT_FETCH, 1, 1 }, { MYSQL_INIT_DB, 1, 1 },
		{ MYSQL_FIELD_LIST, 1, 1 }, { MYSQL_PROCESS_INFO, 1, 1 }, { MYSQL_PROCESS_KILL, 1, 1 },
		{ MYSQL_SET_OPTION, 1, 1 }, { MYSQL_CHANGE_USER, 1, 1 }, { MYSQL_RESET_CONNECTION, 1, 1 },
		{ MYSQL_BINLOG_DUMP, 1, 1 }, { MYSQL_QUIT, 1, 1 }, { MYSQL_PING, 0, 0 }, { MYSQL_STATISTICS, 0, 0 },
	};
	const char *name;
	__u64 queries;

	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		memset(&a, 0, sizeof(a));
		mysql_tally_count(&a, i % N_CHANNELS, rules[i].command, STATEMENT_NONE);
		assert_int_equal(mysql_tally_commands(&a), 1);
		assert_int_equal(mysql_tally_questions(&a), rules[i].questions);
		assert_true(mysql_tally_variable(&a, 0, &name, &queries));
		assert_string_equal(name, "Queries");
		assert_int_equal(queries, rules[i].queries);
	}
}

static void a_statement_beyond_the_first_is_a_question_and_no_command(void **state)
{
	mysql_tally_count(&a, CHANNEL_PLAIN, MYSQL_QUERY, STATEMENT_SELECT);
	a.extra_statements += 2;
	assert_int_equal(mysql_tally_commands(&a), 1);
	assert_int_equal(mysql_tally_questions(&a), 3);
}

static void adding_keeps_every_count(void **state)
{
	mysql_tally_count(&a, CHANNEL_PLAIN, MYSQL_QUERY, STATEMENT_SELECT);
	mysql_tally_count(&b, CHANNEL_TLS, MYSQL_EXECUTE, STATEMENT_UPDATE);
	b.killed = 3;
	b.n_errors = 4;
	mysql_tally_add(&a, &b);
	assert_int_equal(a.command[CHANNEL_PLAIN][MYSQL_QUERY], 1);
	assert_int_equal(a.statement[CHANNEL_TLS][MYSQL_EXECUTE][STATEMENT_UPDATE], 1);
	assert_int_equal(a.killed, 3);
	assert_int_equal(a.n_errors, 4);
	assert_int_equal(mysql_tally_commands(&a), 2);
}

static json_int_t number(json_t *object, const char *name)
{
	return json_integer_value(json_object_get(object, name));
}

static void only_what_an_observer_can_read_is_counted_by_command(void **state)
{
	json_t *object;

	mysql_tally_count(&a, CHANNEL_PLAIN, MYSQL_QUERY, STATEMENT_SELECT);
	mysql_tally_count(&a, CHANNEL_TLS, MYSQL_QUERY, STATEMENT_SELECT);
	mysql_tally_count(&a, CHANNEL_COMPRESSED, MYSQL_PING, STATEMENT_NONE);
	object = mysql_tally_to_json(&a);
	assert_int_equal(number(object, "query"), 1);
	assert_int_equal(number(object, "ping"), 0);
	assert_int_equal(number(object, "commands"), 3);
	assert_int_equal(number(object, "expected_questions"), 2);
	assert_int_equal(number(json_object_get(object, "keys"), "query/select"), 1);
	assert_int_equal(number(json_object_get(object, "statements"), "select"), 1);
	assert_int_equal(number(json_object_get(json_object_get(object, "tls"), "commands"), "query"), 1);
	assert_int_equal(number(json_object_get(json_object_get(object, "compressed"), "commands"), "ping"), 1);
	json_decref(object);
}

/* A load of 2 selects, 1 prepare, 1 ping and a compressed ping, against what a collector may say. */
static void every_difference_to_the_collector_is_found(void **state)
{
	static const struct { const char *seen; int n_different; } cases[] = {
		{ "{\"query\": 2, \"prepare\": 1, \"ping\": 2}", 0 },
		{ "{\"query\": 2, \"prepare\": 1, \"ping\": 2, \"opaque\": 9}", 0 },
		{ "{\"value\": {\"query\": 2, \"prepare\": 1, \"ping\": 2}}", 0 },
		{ "{\"query/select\": 2, \"prepare/insert\": 1, \"ping/none\": 2}", 0 },
		{ "{\"keys\": [{\"key\": \"query\", \"count\": 2}, {\"key\": \"prepare\", \"count\": 1},"
		  "{\"key\": \"ping\", \"count\": 2}]}", 0 },
		{ "{\"query\": 2, \"prepare\": 1, \"ping\": 2, \"encrypted\": 9}", 2 },
		{ "{\"query\": 3, \"prepare\": 1, \"ping\": 2}", 1 },
		{ "{\"query\": 2, \"prepare\": 1, \"ping\": 2, \"quit\": 1}", 1 },
		{ "{\"query/select\": 1, \"query/update\": 1, \"prepare/insert\": 1, \"ping/none\": 1}", 2 },
		{ "{}", 4 },
		{ "[]", -EINVAL },
	};
	FILE *nowhere = fopen("/dev/null", "w");
	json_t *load;

	mysql_tally_count(&a, CHANNEL_PLAIN, MYSQL_QUERY, STATEMENT_SELECT);
	mysql_tally_count(&a, CHANNEL_PLAIN, MYSQL_QUERY, STATEMENT_SELECT);
	mysql_tally_count(&a, CHANNEL_PLAIN, MYSQL_PREPARE, STATEMENT_INSERT);
	mysql_tally_count(&a, CHANNEL_PLAIN, MYSQL_PING, STATEMENT_NONE);
	mysql_tally_count(&a, CHANNEL_PLAIN, MYSQL_BINLOG_DUMP, STATEMENT_NONE);
	mysql_tally_count(&a, CHANNEL_COMPRESSED, MYSQL_PING, STATEMENT_NONE);
	mysql_tally_count(&a, CHANNEL_COMPRESSED, MYSQL_QUIT, STATEMENT_NONE);
	load = mysql_tally_to_json(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		json_t *seen = json_loads(cases[i].seen, 0, NULL);

		assert_non_null(seen);
		assert_int_equal(mysql_compare(seen, load, nowhere), cases[i].n_different);
		assert_int_equal(mysql_compare(seen, seen, nowhere), -EINVAL);
		json_decref(seen);
	}
	json_decref(load);
	fclose(nowhere);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(every_command_adds_what_the_table_says, setup),
		cmocka_unit_test_setup(a_statement_beyond_the_first_is_a_question_and_no_command, setup),
		cmocka_unit_test_setup(adding_keeps_every_count, setup),
		cmocka_unit_test_setup(only_what_an_observer_can_read_is_counted_by_command, setup),
		cmocka_unit_test_setup(every_difference_to_the_collector_is_found, setup),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
