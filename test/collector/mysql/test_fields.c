#include "collector/mysql/mysql.h"
#include "collector/mysql/fields.h"
#include "collector/server/exchange_label.h"
#include "collector/mysql/statement.h"
#include "collector/core/slice.h"
#include "test/kit/check.h"

#include <errno.h>

/* ---- the metric ---- */

static void names_are_the_events_fields(void **state)
{
	assert_int_equal(metric_index(&mysql_metric, "command", FIELD_DISCRETE), MYSQL_COMMAND);
	assert_int_equal(metric_index(&mysql_metric, "statement", FIELD_DISCRETE), MYSQL_STATEMENT);
	assert_int_equal(metric_index(&mysql_metric, "digest", FIELD_DISCRETE), MYSQL_DIGEST);
	assert_int_equal(metric_index(&mysql_metric, "table", FIELD_DISCRETE), MYSQL_TABLE);
	assert_int_equal(metric_index(&mysql_metric, "status", FIELD_DISCRETE), MYSQL_STATUS);
	assert_int_equal(metric_index(&mysql_metric, "user", FIELD_DISCRETE), MYSQL_USER);
	assert_int_equal(metric_index(&mysql_metric, "database", FIELD_DISCRETE), MYSQL_DATABASE);
	assert_int_equal(metric_index(&mysql_metric, "client", FIELD_DISCRETE), MYSQL_CLIENT);
	assert_int_equal(metric_index(&mysql_metric, "instance", FIELD_DISCRETE), MYSQL_INSTANCE);
	assert_int_equal(metric_index(&mysql_metric, "pid", FIELD_DISCRETE), MYSQL_PID);
	assert_int_equal(metric_index(&mysql_metric, "execname", FIELD_DISCRETE), MYSQL_EXECNAME);
	assert_int_equal(metric_index(&mysql_metric, "blocked_in", FIELD_DISCRETE), MYSQL_BLOCKED_IN);
	assert_int_equal(metric_index(&mysql_metric, "cgroup", FIELD_DISCRETE), MYSQL_CGROUP);
	assert_int_equal(metric_index(&mysql_metric, "container", FIELD_DISCRETE), MYSQL_CONTAINER);
	assert_int_equal(metric_index(&mysql_metric, "pod", FIELD_DISCRETE), MYSQL_POD);
	assert_int_equal(metric_index(&mysql_metric, "containername", FIELD_DISCRETE), MYSQL_CONTAINER_NAME);
	assert_int_equal(metric_index(&mysql_metric, "hostname", FIELD_DISCRETE), -1);
	assert_int_equal(metric_index(&mysql_metric, "latency", FIELD_DISCRETE), -1);
}

static void names_are_the_events_measures(void **state)
{
	assert_int_equal(metric_index(&mysql_metric, "latency", FIELD_NUMERIC), TURN_LATENCY);
	assert_int_equal(metric_index(&mysql_metric, "cputime", FIELD_NUMERIC), TURN_CPUTIME);
	assert_int_equal(metric_index(&mysql_metric, "runqwait", FIELD_NUMERIC), TURN_RUNQWAIT);
	assert_int_equal(metric_index(&mysql_metric, "blocked", FIELD_NUMERIC), TURN_BLOCKED);
	assert_int_equal(metric_index(&mysql_metric, "unsplit", FIELD_NUMERIC), TURN_UNSPLIT);
	assert_int_equal(metric_index(&mysql_metric, "offcpu", FIELD_NUMERIC), TURN_OFFCPU);
	assert_int_equal(metric_index(&mysql_metric, "io", FIELD_NUMERIC), TURN_IO);
	assert_int_equal(metric_index(&mysql_metric, "futex", FIELD_NUMERIC), TURN_FUTEX);
	assert_int_equal(metric_index(&mysql_metric, "net", FIELD_NUMERIC), TURN_NET);
	assert_int_equal(metric_index(&mysql_metric, "sleep", FIELD_NUMERIC), TURN_SLEEP);
	assert_int_equal(metric_index(&mysql_metric, "fault", FIELD_NUMERIC), TURN_FAULT);
	assert_int_equal(metric_index(&mysql_metric, "other", FIELD_NUMERIC), TURN_OTHER);
	assert_int_equal(metric_index(&mysql_metric, "n_switches", FIELD_NUMERIC), TURN_N_SWITCHES);
	assert_int_equal(metric_index(&mysql_metric, "n_io", FIELD_NUMERIC), TURN_N_IO);
	assert_int_equal(metric_index(&mysql_metric, "rows", FIELD_NUMERIC), MYSQL_ROWS);
	assert_int_equal(metric_index(&mysql_metric, "age", FIELD_NUMERIC), TURN_AGE);
	assert_int_equal(metric_index(&mysql_metric, "fs", FIELD_NUMERIC), TURN_FS);
	assert_int_equal(metric_index(&mysql_metric, "io_bytes", FIELD_NUMERIC), TURN_IO_BYTES);
	assert_int_equal(metric_index(&mysql_metric, "n_fs", FIELD_NUMERIC), TURN_N_FS);
	assert_int_equal(metric_index(&mysql_metric, "arrival", FIELD_NUMERIC), TURN_ARRIVAL);
	assert_int_equal(metric_index(&mysql_metric, "response", FIELD_NUMERIC), TURN_RESPONSE);
	assert_int_equal(metric_index(&mysql_metric, "first", FIELD_NUMERIC), TURN_FIRST);
	assert_int_equal(metric_index(&mysql_metric, "n_unseen", FIELD_NUMERIC), TURN_N_UNSEEN);
	assert_int_equal(metric_index(&mysql_metric, "command", FIELD_NUMERIC), -1);
}

static __u64 watched_for(const char *const *name, size_t n)
{
	__u64 watched = 0;

	for (size_t i = 0; i < n; i++)
		watched |= WANTED_MEASURE(metric_index(&mysql_metric, name[i], FIELD_NUMERIC));
	return watched;
}

/* Time can be measured without the scheduler, and age is no part of an event. */
static void the_scheduler_is_watched_for_parts_and_counts(void **state)
{
	static const char *const names[] = { "io", "futex", "net", "sleep", "fault", "other", "n_switches", "n_io" };

	assert_true(watched_for(names, sizeof(names) / sizeof(*names)) == TURN_PARTS);
}

static void system_calls_are_watched_for_files(void **state)
{
	static const char *const names[] = { "fs", "io_bytes", "n_fs" };

	assert_true(watched_for(names, 3) == TURN_FILES);
	assert_false(TURN_FILES & TURN_PARTS);
}

static void queues_are_watched_for_arrivals(void **state)
{
	static const char *const names[] = { "arrival", "response", "n_unseen" };

	assert_true(watched_for(names, 3) == TURN_ARRIVALS);
	assert_false(TURN_ARRIVALS & (TURN_PARTS | TURN_FILES));
}

/* They are before the latency or a time within it: the parts alone add up to it. */
static void arrival_and_first_are_no_parts(void **state)
{
	static const char *const names[] = { "arrival", "response", "first", "n_unseen" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_false(metric_is_part(&mysql_metric, names[i]));
	assert_true(metric_is_part(&mysql_metric, "cputime"));
}

/* Time is in ns and sizes are in bytes; all others are numbers, whose small values are distinguished. */
static void counts_are_numbers(void **state)
{
	for (size_t i = 0; i < mysql_metric.n_fields; i++) {
		const struct field *f = &mysql_metric.field[i];

		assert_true(strlen(f->label) < NAME_MAX_LEN);	/* heatscoped refuses a longer one */
		if (f->arity != FIELD_NUMERIC)
			continue;
		assert_int_equal(f->unit, !strncmp(f->name, "n_", 2) || !strcmp(f->name, "rows") ? UNIT_NONE : strstr(f->name, "bytes") ? UNIT_BYTES : UNIT_NS);
		assert_string_equal(f->type, f->unit == UNIT_NONE ? "number" : f->unit == UNIT_BYTES ? "size" : "time");
		assert_int_equal(f->low == 0, f->unit != UNIT_NS);
	}
}

/* Every field that the metric offers can be gathered: in the kernel, or as the host's name. */
static void every_field_has_an_index(void **state)
{
	size_t i;

	assert_int_equal(mysql_metric.n_fields, MYSQL_N_FIELDS + 1 + MYSQL_N_MEASURES);
	for (i = 0; i < mysql_metric.n_fields; i++) {
		const struct field *f = &mysql_metric.field[i];

		if (f->arity == FIELD_NUMERIC)
			assert_true(metric_index(&mysql_metric, f->name, FIELD_NUMERIC) >= 0);
		else if (strcmp(f->name, "hostname"))
			assert_true(metric_index(&mysql_metric, f->name, FIELD_DISCRETE) >= 0);
	}
}

/* ---- codes ---- */

static void commands_have_names(void **state)
{
	static const struct { __u64 code; const char *name; } cases[] = {
		{ COM_QUIT, "quit" }, { COM_INIT_DB, "init_db" }, { COM_QUERY, "query" }, { 14, "ping" },
		{ COM_CHANGE_USER, "change_user" }, { COM_STMT_PREPARE, "prepare" }, { COM_STMT_EXECUTE, "execute" },
		{ COM_STMT_SEND_LONG_DATA, "send_long_data" }, { COM_STMT_CLOSE, "close" }, { 26, "reset" },
		{ COM_STMT_FETCH, "fetch" }, { 31, "reset_connection" }, { COM_BULK_EXECUTE, "bulk_execute" },
		{ COMMAND_ENCRYPTED, "encrypted" }, { COMMAND_COMPRESSED, "compressed" }, { COMMAND_OPAQUE, "opaque" },
		{ COMMAND_UNKNOWN, "unknown_command" }, { COMMAND_MYSQLX, "mysqlx" },
		{ 99, "command 99" },
	};
	char out[LABEL_MAX + 1];
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		codes_label(&mysql_command_codes, NULL, 0, cases[i].code, out);
		assert_string_equal(out, cases[i].name);
	}
}

static void statements_have_their_whole_word(void **state)
{
	char out[LABEL_MAX + 1];

	codes_label(&mysql_statement_codes, NULL, 0, STATEMENT_CODE("select"), out);
	assert_string_equal(out, "select");
	codes_label(&mysql_statement_codes, NULL, 0, STATEMENT_CODE("savepoin"), out);
	assert_string_equal(out, "savepoint");
	codes_label(&mysql_statement_codes, NULL, 0, STATEMENT_NONE, out);
	assert_string_equal(out, "none");
	codes_label(&mysql_statement_codes, NULL, 0, STATEMENT_UNKNOWN, out);
	assert_string_equal(out, "unknown");
	codes_label(&mysql_statement_codes, NULL, 0, STATEMENT_MISC, out);
	assert_string_equal(out, "misc");
}

/* Each name that is shown finds its code, and no other text does. */
static void names_have_their_codes(void **state)
{
	static const struct { const char *name; __u64 code; } statuses[] = {
		{ "none", STATUS_NONE }, { "unknown", STATUS_UNKNOWN }, { "ok", STATUS_OK }, { "1062", STATUS_ERROR(1062) },
		{ "65534", STATUS_ERROR(65534) },
	};
	static const char *const reasons[] = { "other", "io", "futex", "net", "sleep", "fault", "cpu", "none" };
	char out[LABEL_MAX + 1];
	__u64 code, back;

	for (code = 0; code <= COMMAND_MYSQLX; code++) {
		codes_label(&mysql_command_codes, NULL, 0, code, out);
		assert_int_equal(codes_find(&mysql_command_codes, NULL, 0, out, &back, 1), 1);
		assert_true(back == code);
		assert_int_equal(codes_find(&mysql_command_codes, NULL, 0, out, &back, 0), -E2BIG);
	}
	assert_int_equal(codes_find(&mysql_command_codes, NULL, 0, "command 3", &back, 1), 0);	/* that is `query` */
	assert_int_equal(codes_find(&mysql_command_codes, NULL, 0, "command 099", &back, 1), 0);
	assert_int_equal(codes_find(&mysql_command_codes, NULL, 0, "", &back, 1), 0);
#define STATEMENT_BACK(name, letters)                                             \
	assert_int_equal(codes_find(&mysql_statement_codes, NULL, 0, name, &back, 1), 1);                \
	assert_true(back == STATEMENT_CODE(letters));
	STATEMENT_KEYWORDS(STATEMENT_BACK)
#undef STATEMENT_BACK
	for (code = STATEMENT_NONE; code <= STATEMENT_MISC; code++) {
		codes_label(&mysql_statement_codes, NULL, 0, code, out);
		assert_int_equal(codes_find(&mysql_statement_codes, NULL, 0, out, &back, 1), 1);
		assert_true(back == code);
	}
	assert_int_equal(codes_find(&mysql_statement_codes, NULL, 0, "savepoin", &back, 1), 0);
	for (size_t i = 0; i < sizeof(statuses) / sizeof(*statuses); i++) {
		codes_label(&mysql_status_codes, NULL, 0, statuses[i].code, out);
		assert_string_equal(out, statuses[i].name);
		assert_int_equal(codes_find(&mysql_status_codes, NULL, 0, statuses[i].name, &back, 1), 1);
		assert_true(back == statuses[i].code);
	}
	for (code = 0; code <= TURN_ENDED; code++) {
		codes_label(&turn_blocked_in, NULL, 0, code, out);
		assert_string_equal(out, reasons[code]);
		assert_int_equal(codes_find(&turn_blocked_in, NULL, 0, out, &back, 1), 1);
		assert_true(back == code);
	}
	assert_int_equal(codes_find(&turn_blocked_in, NULL, 0, "locks", &back, 1), 0);
	assert_int_equal(codes_find(&mysql_status_codes, NULL, 0, "OK", &back, 1), 0);
	assert_int_equal(codes_find(&mysql_status_codes, NULL, 0, "01062", &back, 1), 0);
	assert_int_equal(codes_find(&mysql_status_codes, NULL, 0, "99999", &back, 1), 0);
	assert_int_equal(codes_find(&mysql_status_codes, NULL, 0, "", &back, 1), 0);
	assert_int_equal(codes_find(&mysql_status_codes, NULL, 0, "ok", &back, 0), -E2BIG);
	assert_int_equal(codes_find(&mysql_statement_codes, NULL, 0, "SELECT", &back, 1), 0);
	assert_int_equal(codes_find(&mysql_statement_codes, NULL, 0, "select", &back, 0), -E2BIG);
}

static __u64 name_of(struct name *name, const char *text, size_t n)
{
	name_begin(name);
	for (size_t i = 0; i < n; i++)
		name_byte(name, (__u8)text[i]);
	return name_code(name);
}

/* A client's name may have any bytes: its label is safe, and stands for it alone. */
static void any_name_is_shown_and_found_again(void **state)
{
	static const struct { const char *text; size_t n; const char *shown; } cases[] = {
		{ "bob", 3, "bob" }, { "caf\xc3\xa9", 5, "caf\xc3\xa9" }, { "a b/c,d", 7, "a b/c,d" },
		/* a code at the end */
		{ "caf\xe9", 4, "caf? #" }, { "\xc3", 1, "? #" }, { "a\nb\033[1m", 7, "a?b?[1m #" }, { "a\0b", 3, "a?b #" }, { "\xc2\x85", 2, "?? #" },
		{ "none", 4, "none #" }, { "unknown", 7, "unknown #" }, { "encrypted", 9, "encrypted #" }, { "shed", 4, "shed #" },
		{ "a #0123456789abcdef", 19, "a #0123456789abcdef #" },
	};
	char out[LABEL_MAX + 1];
	struct name name;
	__u64 code, back;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		size_t n = strlen(cases[i].shown);

		code = name_of(&name, cases[i].text, cases[i].n);
		turn_label_name(code, &name, out);
		if (cases[i].shown[n - 1] == '#' ? strncmp(out, cases[i].shown, n) || strlen(out) != n + 16 : strcmp(out, cases[i].shown))
			fail_msg("\"%s\", not \"%s\"", out, cases[i].shown);
		assert_int_equal(turn_codes_name(out, &back, 1), 1);
		assert_true(back == code);
		assert_int_equal(turn_codes_name(out, &back, 0), -E2BIG);
		turn_label_name(code, NULL, out);	/* its text is forgotten */
		assert_int_equal(turn_codes_name(out, &back, 1), 1);
		assert_true(back == code);
	}
}

/* Its entry was reused for another name while it was read. */
static void the_text_of_another_name_is_not_shown(void **state)
{
	char out[LABEL_MAX + 1], code_shown[LABEL_MAX + 1];
	__u64 code, other;
	struct name name;

	code = name_of(&name, "shop", 4);
	turn_label_name(code, NULL, code_shown);
	other = name_of(&name, "mail", 4);
	turn_label_name(code, &name, out);
	assert_string_equal(out, code_shown);
	name.hash = code;		/* half of the entry is the old one */
	turn_label_name(code, &name, out);
	assert_string_equal(out, code_shown);
	name.n = NAME_ROOM + 1;
	turn_label_name(other, &name, out);
	turn_label_name(other, NULL, code_shown);
	assert_string_equal(out, code_shown);
}

static void a_name_is_cut_after_name_room_bytes(void **state)
{
	char text[NAME_ROOM + 9], out[LABEL_MAX + 1];
	struct name name;
	__u64 code, back;

	memset(text, 'x', sizeof(text));
	code = name_of(&name, text, sizeof(text) - 1);
	assert_true(code == name_of(&name, text, NAME_ROOM));
	turn_label_name(code, &name, out);
	assert_int_equal(strlen(out), NAME_ROOM);
	assert_int_equal(turn_codes_name(out, &back, 1), 1);
	assert_true(back == code);
	text[sizeof(text) - 1] = 0;
	assert_int_equal(turn_codes_name(text, &back, 1), 1);		/* the complete text has the same meaning */
	assert_true(back == code);
	memcpy(text + NAME_ROOM - 1, "\xc3\xa9", 2);		/* cut within a character */
	code = name_of(&name, text, NAME_ROOM + 1);
	turn_label_name(code, &name, out);
	assert_int_equal(turn_codes_name(out, &back, 1), 1);
	assert_true(back == code);
}

static void codes_without_a_name_have_a_word(void **state)
{
	static const char *const words[] = { "unknown", "none", "encrypted" };
	char out[LABEL_MAX + 1];
	__u64 code, back;

	for (code = 0; code < 3; code++) {
		turn_label_name(code, NULL, out);
		assert_string_equal(out, words[code]);
		assert_int_equal(turn_codes_name(out, &back, 1), 1);
		assert_true(back == code);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(names_are_the_events_fields),
	cmocka_unit_test(names_are_the_events_measures),
	cmocka_unit_test(the_scheduler_is_watched_for_parts_and_counts),
	cmocka_unit_test(system_calls_are_watched_for_files),
	cmocka_unit_test(queues_are_watched_for_arrivals),
	cmocka_unit_test(arrival_and_first_are_no_parts),
	cmocka_unit_test(counts_are_numbers),
	cmocka_unit_test(every_field_has_an_index),
	cmocka_unit_test(commands_have_names),
	cmocka_unit_test(statements_have_their_whole_word),
	cmocka_unit_test(names_have_their_codes),
	cmocka_unit_test(any_name_is_shown_and_found_again),
	cmocka_unit_test(the_text_of_another_name_is_not_shown),
	cmocka_unit_test(a_name_is_cut_after_name_room_bytes),
	cmocka_unit_test(codes_without_a_name_have_a_word),
};

CHECK_MAIN(tests)
