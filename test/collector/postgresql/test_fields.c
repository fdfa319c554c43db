#include "collector/postgresql/postgresql.h"
#include "collector/postgresql/fields.h"
#include "collector/postgresql/statement.h"
#include "collector/core/slice.h"
#include "test/kit/check.h"

#include <errno.h>

TEST(fields_are_in_the_events_order)
{
	static const char *const fields[POSTGRESQL_N_FIELDS] = {
		[POSTGRESQL_COMMAND] = "command", [POSTGRESQL_STATEMENT] = "statement", [POSTGRESQL_DIGEST] = "digest",
		[POSTGRESQL_TABLE] = "table", [POSTGRESQL_STATUS] = "status", [POSTGRESQL_DATABASE] = "database",
		[POSTGRESQL_USER] = "user", [POSTGRESQL_CLIENT] = "client", [POSTGRESQL_INSTANCE] = "instance", [POSTGRESQL_PID] = "pid", [POSTGRESQL_EXECNAME] = "execname",
		[POSTGRESQL_BLOCKED_IN] = "blocked_in",
		[POSTGRESQL_CGROUP] = "cgroup", [POSTGRESQL_CONTAINER] = "container", [POSTGRESQL_POD] = "pod", [POSTGRESQL_CONTAINER_NAME] = "containername",
	};

	for (int i = 0; i < POSTGRESQL_N_FIELDS; i++)
		assert_int_equal(metric_index(&postgresql_metric, fields[i], FIELD_DISCRETE), i);
	assert_int_equal(metric_index(&postgresql_metric, "latency", FIELD_NUMERIC), TURN_LATENCY);
	assert_int_equal(metric_index(&postgresql_metric, "io_bytes", FIELD_NUMERIC), TURN_IO_BYTES);
	assert_int_equal(metric_index(&postgresql_metric, "n_fs", FIELD_NUMERIC), TURN_N_FS);
	assert_int_equal(metric_index(&postgresql_metric, "arrival", FIELD_NUMERIC), TURN_ARRIVAL);
	assert_int_equal(metric_index(&postgresql_metric, "response", FIELD_NUMERIC), TURN_RESPONSE);
	assert_int_equal(metric_index(&postgresql_metric, "first", FIELD_NUMERIC), TURN_FIRST);
	assert_int_equal(metric_index(&postgresql_metric, "n_unseen", FIELD_NUMERIC), TURN_N_UNSEEN);
	assert_int_equal(metric_index(&postgresql_metric, "rows", FIELD_NUMERIC), POSTGRESQL_ROWS);
	assert_int_equal(postgresql_metric.n_fields, POSTGRESQL_N_FIELDS + 1 + POSTGRESQL_N_MEASURES);
}

static __u64 state_of(const char *text)
{
	__u64 state = 0;

	for (int i = 0; i < 5; i++)
		state |= (__u64)text[i] << (8 * i);
	return STATUS_ERROR(state);
}

TEST(labels_have_their_codes)
{
	const struct {
		const struct field_codes *codes;
		__u64 code;
		const char *text;
	} cases[] = {
		{ &postgresql_command_codes, COMMAND_SIMPLE, "simple" },
		{ &postgresql_command_codes, COMMAND_EXECUTE, "execute" },
		{ &postgresql_command_codes, COMMAND_ENCRYPTED, "encrypted" },
		{ &postgresql_statement_codes, STATEMENT_CODE("select"), "select" },
		{ &postgresql_statement_codes, STATEMENT_CODE("dealloca"), "deallocate" },
		{ &postgresql_statement_codes, STATEMENT_UNKNOWN, "unknown" },
		{ &postgresql_status_codes, STATUS_OK, "ok" },
		{ &postgresql_status_codes, STATUS_UNKNOWN, "unknown" },
		{ &postgresql_status_codes, state_of("42P01"), "42P01" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char out[LABEL_MAX + 1];
		__u64 code = 99;

		codes_label(cases[i].codes, NULL, 0, cases[i].code, out);
		assert_string_equal(out, cases[i].text);
		assert_int_equal(codes_find(cases[i].codes, NULL, 0, cases[i].text, &code, 1), 1);
		assert_true(code == cases[i].code);
		assert_int_equal(codes_find(cases[i].codes, NULL, 0, cases[i].text, &code, 0), -E2BIG);
		assert_int_equal(codes_find(cases[i].codes, NULL, 0, "no such thing", &code, 1), 0);
	}
}

TEST_MAIN()
