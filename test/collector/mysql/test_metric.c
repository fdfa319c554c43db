#include "collector/mysql/fields.h"
#include "collector/mysql/mysql.h"
#include "test/kit/check.h"

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
	assert_int_equal(metric_index(&mysql_metric, "command", FIELD_NUMERIC), -1);
}

static __u64 watched_for(const char *const *name, size_t n)
{
	__u64 watched = 0;

	for (size_t i = 0; i < n; i++)
		watched |= WANTED_MEASURE(metric_index(&mysql_metric, name[i], FIELD_NUMERIC));
	return watched;
}

/* Time is measured without it, and age is no event's. */
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

/* Time is in ns and bytes are bytes, and all else is a number, of which small ones are told apart. */
static void counts_are_numbers(void **state)
{
	for (size_t i = 0; i < mysql_metric.n_fields; i++) {
		const struct field *f = &mysql_metric.field[i];

		if (f->arity != FIELD_NUMERIC)
			continue;
		assert_int_equal(f->unit, !strncmp(f->name, "n_", 2) || !strcmp(f->name, "rows") ? UNIT_NONE : strstr(f->name, "bytes") ? UNIT_BYTES : UNIT_NS);
		assert_string_equal(f->type, f->unit == UNIT_NONE ? "number" : f->unit == UNIT_BYTES ? "size" : "time");
		assert_int_equal(f->low == 0, f->unit != UNIT_NS);
	}
}

/* Whatever the metric offers can be gathered: in the kernel, or as the host's name. */
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

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(names_are_the_events_fields),
	cmocka_unit_test(names_are_the_events_measures),
	cmocka_unit_test(the_scheduler_is_watched_for_parts_and_counts),
	cmocka_unit_test(system_calls_are_watched_for_files),
	cmocka_unit_test(counts_are_numbers),
	cmocka_unit_test(every_field_has_an_index),
};

CHECK_MAIN(tests)
