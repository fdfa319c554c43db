#include "collector/redis/redis.h"
#include "collector/redis/fields.h"
#include "collector/core/slice.h"
#include "test/kit/check.h"
#include "test/kit/redis_driver.h"

#include <errno.h>

TEST(fields_are_in_the_events_order)
{
	static const char *const fields[REDIS_N_FIELDS] = {
		[REDIS_COMMAND] = "command", [REDIS_PREFIX] = "prefix", [REDIS_STATUS] = "status", [REDIS_WAITS] = "waits",
		[REDIS_DATABASE] = "database", [REDIS_CLIENT] = "client", [REDIS_INSTANCE] = "instance", [REDIS_PID] = "pid",
		[REDIS_EXECNAME] = "execname", [REDIS_BLOCKED_IN] = "blocked_in",
		[REDIS_CGROUP] = "cgroup", [REDIS_CONTAINER] = "container", [REDIS_POD] = "pod", [REDIS_CONTAINER_NAME] = "containername",
	};

	for (int i = 0; i < REDIS_N_FIELDS; i++)
		assert_int_equal(metric_index(&redis_metric, fields[i], FIELD_DISCRETE), i);
	assert_int_equal(metric_index(&redis_metric, "latency", FIELD_NUMERIC), TURN_LATENCY);
	assert_int_equal(metric_index(&redis_metric, "n_fs", FIELD_NUMERIC), TURN_N_FS);
	assert_int_equal(redis_metric.n_fields, REDIS_N_FIELDS + 1 + TURN_N_MEASURES);
}

TEST(labels_have_their_codes)
{
	const struct {
		const struct field_codes *codes;
		__u64 code;
		const char *text;
	} cases[] = {
		{ &redis_command_codes, COMMAND_MISC, "misc" },
		{ &redis_command_codes, COMMAND_ENCRYPTED, "encrypted" },
		{ &redis_command_codes, COMMAND_OPAQUE, "opaque" },
		{ &redis_command_codes, drive_code("get"), "get" },
		{ &redis_command_codes, drive_code("config get"), "config get" },
		{ &redis_command_codes, drive_code("zunionstore"), "zunionstore" },
		{ &redis_status_codes, STATUS_OK, "ok" },
		{ &redis_status_codes, STATUS_QUEUED, "queued" },
		{ &redis_status_codes, STATUS_OTHER, "misc" },
		{ &redis_status_codes, drive_error("WRONGTYPE"), "WRONGTYPE" },
		{ &redis_waits_codes, WAITS_DATA, "waited" },
		{ &redis_database_codes, DATABASE_UNKNOWN, "unknown" },
		{ &redis_database_codes, DATABASE_ENCRYPTED, "encrypted" },
		{ &redis_database_codes, DATABASE_FIRST, "0" },
		{ &redis_database_codes, DATABASE_FIRST + 15, "15" },
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

TEST(every_command_and_error_is_found_by_its_word)
{
	for (__u64 code = COMMAND_FIRST; command_name(code); code++)
		assert_int_equal(drive_code(command_name(code)), code);
	for (__u64 code = STATUS_FIRST; error_name(code); code++)
		assert_int_equal(drive_error(error_name(code)), code);
	assert_int_equal(drive_code("nothing"), COMMAND_MISC);
	assert_int_equal(drive_error("ERRO"), STATUS_OTHER);
}

TEST_MAIN()
