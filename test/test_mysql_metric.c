#include "collector/mysql_metric.h"
#include "collector/mysql.h"
#include "check.h"

static void names_are_the_events_fields(void **state)
{
	assert_int_equal(mysql_field_index("command"), MYSQL_COMMAND);
	assert_int_equal(mysql_field_index("statement"), MYSQL_STATEMENT);
	assert_int_equal(mysql_field_index("instance"), MYSQL_INSTANCE);
	assert_int_equal(mysql_field_index("pid"), MYSQL_PID);
	assert_int_equal(mysql_field_index("execname"), MYSQL_EXECNAME);
	assert_int_equal(mysql_field_index("hostname"), -1);
	assert_int_equal(mysql_field_index("latency"), -1);
}

static void names_are_the_events_measures(void **state)
{
	assert_int_equal(mysql_measure_index("latency"), MYSQL_LATENCY);
	assert_int_equal(mysql_measure_index("cputime"), MYSQL_CPUTIME);
	assert_int_equal(mysql_measure_index("runqwait"), MYSQL_RUNQWAIT);
	assert_int_equal(mysql_measure_index("blocked"), MYSQL_BLOCKED);
	assert_int_equal(mysql_measure_index("unsplit"), MYSQL_UNSPLIT);
	assert_int_equal(mysql_measure_index("offcpu"), MYSQL_OFFCPU);
	assert_int_equal(mysql_measure_index("command"), -1);
}

/* Whatever the metric offers can be gathered: in the kernel, or as the host's name. */
static void every_field_has_an_index(void **state)
{
	size_t i;

	assert_int_equal(mysql_metric.n_fields, MYSQL_N_FIELDS + 1 + MYSQL_N_MEASURES);
	for (i = 0; i < mysql_metric.n_fields; i++) {
		const struct field *f = &mysql_metric.field[i];

		if (f->arity == FIELD_NUMERIC)
			assert_true(mysql_measure_index(f->name) >= 0);
		else if (strcmp(f->name, "hostname"))
			assert_true(mysql_field_index(f->name) >= 0);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(names_are_the_events_fields),
	cmocka_unit_test(names_are_the_events_measures),
	cmocka_unit_test(every_field_has_an_index),
};

CHECK_MAIN(tests)
