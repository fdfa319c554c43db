#include "collector/mysql_metric.h"
#include "collector/mysql.h"
#include "check.h"

static void names_are_the_events_fields(void **state)
{
	assert_int_equal(metric_index(&mysql_metric, "command", FIELD_DISCRETE), MYSQL_COMMAND);
	assert_int_equal(metric_index(&mysql_metric, "statement", FIELD_DISCRETE), MYSQL_STATEMENT);
	assert_int_equal(metric_index(&mysql_metric, "digest", FIELD_DISCRETE), MYSQL_DIGEST);
	assert_int_equal(metric_index(&mysql_metric, "status", FIELD_DISCRETE), MYSQL_STATUS);
	assert_int_equal(metric_index(&mysql_metric, "instance", FIELD_DISCRETE), MYSQL_INSTANCE);
	assert_int_equal(metric_index(&mysql_metric, "pid", FIELD_DISCRETE), MYSQL_PID);
	assert_int_equal(metric_index(&mysql_metric, "execname", FIELD_DISCRETE), MYSQL_EXECNAME);
	assert_int_equal(metric_index(&mysql_metric, "hostname", FIELD_DISCRETE), -1);
	assert_int_equal(metric_index(&mysql_metric, "latency", FIELD_DISCRETE), -1);
}

static void names_are_the_events_measures(void **state)
{
	assert_int_equal(metric_index(&mysql_metric, "latency", FIELD_NUMERIC), MYSQL_LATENCY);
	assert_int_equal(metric_index(&mysql_metric, "cputime", FIELD_NUMERIC), MYSQL_CPUTIME);
	assert_int_equal(metric_index(&mysql_metric, "runqwait", FIELD_NUMERIC), MYSQL_RUNQWAIT);
	assert_int_equal(metric_index(&mysql_metric, "blocked", FIELD_NUMERIC), MYSQL_BLOCKED);
	assert_int_equal(metric_index(&mysql_metric, "unsplit", FIELD_NUMERIC), MYSQL_UNSPLIT);
	assert_int_equal(metric_index(&mysql_metric, "offcpu", FIELD_NUMERIC), MYSQL_OFFCPU);
	assert_int_equal(metric_index(&mysql_metric, "command", FIELD_NUMERIC), -1);
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
	cmocka_unit_test(every_field_has_an_index),
};

CHECK_MAIN(tests)
