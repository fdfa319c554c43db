#include "check.h"

#include "aggregator/conf.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

/* Reads a file with this text; what it said is in `reason`. */
static int read_text(const char *text, struct conf *conf, char *reason)
{
	char path[] = "/tmp/heatscope-test-XXXXXX";
	int fd = mkstemp(path), err;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	reason[0] = 0;
	err = conf_read(conf, path, reason);
	unlink(path);
	return err;
}

static void the_file_overrides_the_defaults_it_speaks_of(void **state)
{
	struct conf conf;
	char reason[CONF_REASON_MAX];

	conf_init(&conf);
	assert_int_equal(read_text("# a comment\nlisten: unix:/tmp/x\ncube-slots: 60\nverbose: true\n", &conf, reason), 0);
	assert_string_equal(conf.listen, "unix:/tmp/x");
	assert_int_equal(conf.cube_slots, 60);
	assert_true(conf.verbose);
	assert_false(conf.keep);
	assert_string_equal(conf.socket, "/run/heatscope/ingest.sock");
}

static void an_empty_file_changes_nothing(void **state)
{
	static struct conf conf, before;
	char reason[CONF_REASON_MAX];

	conf_init(&conf);
	conf_init(&before);
	assert_int_equal(read_text("{}\n", &conf, reason), 0);
	assert_memory_equal(&conf, &before, sizeof(conf));
}

static void the_file_we_ship_holds_the_defaults(void **state)
{
	static struct conf conf, before;
	char path[1024], reason[CONF_REASON_MAX] = "";

	snprintf(path, sizeof(path), "%s/conf/heatscoped.yaml", getenv("srcdir") ? getenv("srcdir") : ".");
	conf_init(&conf);
	conf_init(&before);
	conf.cube_slots = 1;
	strcpy(conf.listen, "127.0.0.1:1");
	if (conf_read(&conf, path, reason))
		fail_msg("%s", reason);
	assert_memory_equal(&conf, &before, sizeof(conf));
}

static void what_is_wrong_is_named_and_changes_nothing(void **state)
{
	static const char *const cases[][2] = {
		{ "cube-slots: many\n", "line: 1" },
		{ "verbose: true\ncube-slots: 0\n", "value \"0\" for \"cube-slots\" is invalid" },
		{ "cube-slots: 4000000\n", "value \"4000000\" for \"cube-slots\" is invalid" },
		{ "port: 80\n", "port" },
		{ "listen: [1, 2]\n", "listen" },
		{ "listen: ''\n", "is not understood" },
		{ "- a\n", "is not understood" },
		{ "listen: \"\n", "is not understood" },
	};
	static struct conf conf, before;
	char reason[CONF_REASON_MAX];

	conf_init(&before);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		conf_init(&conf);
		assert_int_equal(read_text(cases[i][0], &conf, reason), -EINVAL);
		if (!strstr(reason, cases[i][1]))
			fail_msg("it says \"%s\", not \"%s\"", reason, cases[i][1]);
		assert_memory_equal(&conf, &before, sizeof(conf));
	}
}

static void a_file_that_is_missing_is_named(void **state)
{
	struct conf conf;
	char reason[CONF_REASON_MAX];

	conf_init(&conf);
	assert_int_equal(conf_read(&conf, "/nonexistent.yaml", reason), -ENOENT);
	assert_string_equal(reason, "/nonexistent.yaml cannot be read: No such file or directory");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_file_overrides_the_defaults_it_speaks_of),
	cmocka_unit_test(an_empty_file_changes_nothing),
	cmocka_unit_test(the_file_we_ship_holds_the_defaults),
	cmocka_unit_test(what_is_wrong_is_named_and_changes_nothing),
	cmocka_unit_test(a_file_that_is_missing_is_named),
};

CHECK_MAIN(tests)
