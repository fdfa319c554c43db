#include "collector/mysql.h"
#include "collector/mysql_label.h"
#include "collector/mysql_statement.h"
#include "collector/slice.h"
#include "check.h"

static void commands_have_names(void **state)
{
	static const struct { __u64 code; const char *name; } cases[] = {
		{ COM_QUIT, "quit" }, { COM_INIT_DB, "init_db" }, { COM_QUERY, "query" }, { 14, "ping" },
		{ COM_CHANGE_USER, "change_user" }, { COM_STMT_PREPARE, "prepare" }, { COM_STMT_EXECUTE, "execute" },
		{ COM_STMT_SEND_LONG_DATA, "send_long_data" }, { COM_STMT_CLOSE, "close" }, { 26, "reset" },
		{ COM_STMT_FETCH, "fetch" }, { 31, "reset_connection" }, { COM_BULK_EXECUTE, "bulk_execute" },
		{ COMMAND_ENCRYPTED, "encrypted" }, { COMMAND_COMPRESSED, "compressed" }, { COMMAND_OPAQUE, "opaque" },
		{ 99, "command 99" },
	};
	char out[LABEL_MAX + 1];
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		mysql_label_command(cases[i].code, out);
		assert_string_equal(out, cases[i].name);
	}
}

static void statements_have_their_whole_word(void **state)
{
	char out[LABEL_MAX + 1];

	mysql_label_statement(STATEMENT_CODE("select"), out);
	assert_string_equal(out, "select");
	mysql_label_statement(STATEMENT_CODE("savepoin"), out);
	assert_string_equal(out, "savepoint");
	mysql_label_statement(STATEMENT_NONE, out);
	assert_string_equal(out, "none");
	mysql_label_statement(STATEMENT_UNKNOWN, out);
	assert_string_equal(out, "unknown");
	mysql_label_statement(STATEMENT_MISC, out);
	assert_string_equal(out, "misc");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(commands_have_names),
	cmocka_unit_test(statements_have_their_whole_word),
};

CHECK_MAIN(tests)
