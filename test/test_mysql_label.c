#include "collector/mysql.h"
#include "collector/mysql_label.h"
#include "collector/mysql_statement.h"
#include "collector/slice.h"
#include "check.h"

#include <errno.h>

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

/* What is shown is found again, and nothing else is. */
static void names_have_their_codes(void **state)
{
	static const struct { const char *name; __u64 code; } statuses[] = {
		{ "none", STATUS_NONE }, { "unknown", STATUS_UNKNOWN }, { "ok", STATUS_OK }, { "1062", STATUS_ERROR(1062) },
		{ "65534", STATUS_ERROR(65534) },
	};
	static const char *const reasons[] = { "other", "io", "futex", "net", "sleep", "fault", "cpu", "none" };
	char out[LABEL_MAX + 1];
	__u64 code, back;

	for (code = 0; code <= COMMAND_OPAQUE; code++) {
		mysql_label_command(code, out);
		assert_int_equal(mysql_codes_command(out, &back, 1), 1);
		assert_true(back == code);
		assert_int_equal(mysql_codes_command(out, &back, 0), -E2BIG);
	}
	assert_int_equal(mysql_codes_command("command 3", &back, 1), 0);	/* that is `query` */
	assert_int_equal(mysql_codes_command("command 099", &back, 1), 0);
	assert_int_equal(mysql_codes_command("", &back, 1), 0);
#define STATEMENT_BACK(name, letters)                                             \
	assert_int_equal(mysql_codes_statement(name, &back, 1), 1);                \
	assert_true(back == STATEMENT_CODE(letters));
	STATEMENT_KEYWORDS(STATEMENT_BACK)
#undef STATEMENT_BACK
	for (code = STATEMENT_NONE; code <= STATEMENT_MISC; code++) {
		mysql_label_statement(code, out);
		assert_int_equal(mysql_codes_statement(out, &back, 1), 1);
		assert_true(back == code);
	}
	assert_int_equal(mysql_codes_statement("savepoin", &back, 1), 0);
	for (size_t i = 0; i < sizeof(statuses) / sizeof(*statuses); i++) {
		mysql_label_status(statuses[i].code, out);
		assert_string_equal(out, statuses[i].name);
		assert_int_equal(mysql_codes_status(statuses[i].name, &back, 1), 1);
		assert_true(back == statuses[i].code);
	}
	for (code = 0; code <= MYSQL_ENDED; code++) {
		mysql_label_blocked_in(code, out);
		assert_string_equal(out, reasons[code]);
		assert_int_equal(mysql_codes_blocked_in(out, &back, 1), 1);
		assert_true(back == code);
	}
	assert_int_equal(mysql_codes_blocked_in("locks", &back, 1), 0);
	assert_int_equal(mysql_codes_status("OK", &back, 1), 0);
	assert_int_equal(mysql_codes_status("01062", &back, 1), 0);
	assert_int_equal(mysql_codes_status("99999", &back, 1), 0);
	assert_int_equal(mysql_codes_status("", &back, 1), 0);
	assert_int_equal(mysql_codes_status("ok", &back, 0), -E2BIG);
	assert_int_equal(mysql_codes_statement("SELECT", &back, 1), 0);
	assert_int_equal(mysql_codes_statement("select", &back, 0), -E2BIG);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(commands_have_names),
	cmocka_unit_test(statements_have_their_whole_word),
	cmocka_unit_test(names_have_their_codes),
};

CHECK_MAIN(tests)
