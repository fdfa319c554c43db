#include "aggregator/notify/reports.h"
#include "test/kit/alerts_kit.h"
#include "test/kit/check.h"

#include <dirent.h>
#include <stdio.h>
#include <time.h>

#define BEGIN 1700000000ll		/* 22:13:20 UTC; next: 22:15:00 */
#define QUARTER 900
#define NS 1000000000ll

static struct alerts_bench bench;
static struct services services;
static struct conf_report conf;
static struct reports *reports;

/* A report every quarter of an hour, of an instrumentation that does not exist: so each attempt fails at once. */
static int start(void **state)
{
	char reason[REASON_MAX];

	setenv("TZ", "UTC", 1);
	tzset();
	conf = (struct conf_report){ .name = "quarterly", .line = 7, .format = "png", .to = "/nonexistent", .instrumentation = { "queries" },
					       .n_instrumentations = 1 };
	assert_int_equal(schedule_parse("15min", NULL, &conf.when, reason), 0);
	alerts_bench_open(&bench);
	return 0;
}

static int stop(void **state)
{
	reports_free(reports);
	reports = NULL;
	alerts_bench_close(&bench);
	return 0;
}

static void begin(__s64 at_s)
{
	struct reports_parts parts = { .services = &services, .conf = &conf, .n = 1, .page_url = "" };

	reports_free(reports);
	alerts_bench_lend(&bench, &services);
	assert_int_equal(reports_new(&parts, &reports), 0);
	assert_int_equal(reports_load(reports, bench.store, at_s * NS), 0);
}

static void tick(__s64 at_s)
{
	reports_tick(reports, at_s * NS);
	uv_run(services.loop, UV_RUN_DEFAULT);
}

static json_int_t number(const char *which)
{
	json_t *all = reports_json(reports), *n = json_object_get(json_array_get(all, 0), which);
	json_int_t value = json_integer_value(n);

	assert_non_null(n);
	json_decref(all);
	return value;
}

TEST_WITH(it_is_made_once_when_it_is_due, start, stop)
{
	begin(BEGIN);
	assert_int_equal(number("next"), BEGIN + 100);
	tick(BEGIN + 100);
	assert_int_equal(number("failed"), 0);
	tick(BEGIN + 100 + REPORTS_LATE_S);
	tick(BEGIN + 120);
	assert_int_equal(number("failed"), 1);
	assert_int_equal(number("last"), BEGIN + 100);
	assert_int_equal(number("next"), BEGIN + 100 + QUARTER);
}

TEST_WITH(missed_reports_are_made_once, start, stop)
{
	begin(BEGIN);
	tick(BEGIN);
	begin(BEGIN + 10 * QUARTER);
	tick(BEGIN + 10 * QUARTER);
	tick(BEGIN + 10 * QUARTER + 1);
	assert_int_equal(number("failed"), 1);
	assert_int_equal(number("next"), BEGIN + 100 + 10 * QUARTER);
}

TEST_WITH(a_clock_that_is_set_back_delays_nothing, start, stop)
{
	__s64 back = BEGIN - 7200;

	begin(BEGIN);
	tick(BEGIN + 110);
	assert_int_equal(number("failed"), 1);
	tick(back);
	assert_int_equal(number("failed"), 1);
	assert_int_equal(number("next"), back + 100);
	tick(back + 110);
	assert_int_equal(number("failed"), 2);
	assert_int_equal(number("next"), back + 100 + QUARTER);
}

TEST_WITH(one_that_is_set_back_a_little_makes_nothing_twice, start, stop)
{
	begin(BEGIN);
	tick(BEGIN + 110);
	for (__s64 s = 60; s < 200; s++)
		tick(BEGIN + s);
	assert_int_equal(number("failed"), 1);
}

/* No start makes an earlier report again. */
TEST_WITH(no_start_makes_an_earlier_report_again, start, stop)
{
	begin(BEGIN);
	tick(BEGIN + 110);
	begin(BEGIN + 110 - REPORTS_BACK_S);
	for (__s64 s = 110 - REPORTS_BACK_S; s < 200; s++)
		tick(BEGIN + s);
	assert_int_equal(number("failed"), 0);
	assert_int_equal(number("next"), BEGIN + 100 + QUARTER);
}

TEST_WITH(the_reason_names_the_instrumentation_with_any_characters, start, stop)
{
	static const char *const characters[] = { "\xe2\x82\xac", "\xc3\xb6", "x\xe2\x82\xac", "x\xc3\xb6" };
	json_t *all;

	for (size_t i = 0; i < sizeof(characters) / sizeof(*characters); i++) {
		char *name = conf.instrumentation[0];

		for (*name = 0; strlen(name) + strlen(characters[i]) < CONF_NAME_MAX;)
			strcat(name, characters[i]);
		begin(BEGIN);
		tick(BEGIN + 110);
		all = reports_json(reports);
		assert_non_null(strstr(json_string_value(json_object_get(json_array_get(all, 0), "reason")), name));
		json_decref(all);
	}
}

static void reason_is(const char *part)
{
	json_t *all = reports_json(reports);
	const char *reason = json_string_value(json_object_get(json_array_get(all, 0), "reason"));

	if (*part ? !strstr(reason, part) : *reason)
		fail_msg("it says \"%s\", not \"%s\"", reason, part);
	json_decref(all);
}

static void empty_folder(const char *path)
{
	DIR *folder = opendir(path);
	char name[PATH_MAX];

	for (struct dirent *e; (e = readdir(folder)); )
		if (e->d_name[0] != '.') {
			snprintf(name, sizeof(name), "%s/%s", path, e->d_name);
			unlink(name);
		}
	closedir(folder);
	assert_int_equal(rmdir(path), 0);
}

TEST_WITH(a_report_that_is_made_again_has_no_reason_any_more, start, stop)
{
	char folder[] = "/tmp/heatscope-reports-XXXXXX";

	begin(BEGIN);
	tick(BEGIN + 100);
	tick(BEGIN + 110);
	reason_is("queries: the instrumentation does not exist yet");
	assert_int_equal(catalog_adopt(bench.catalog, 1, &catalog_find(bench.catalog, 1)->in, "queries"), 0);
	uv_run(services.loop, UV_RUN_DEFAULT);
	snprintf(conf.to, sizeof(conf.to), "/proc/none");
	tick(BEGIN + 110 + QUARTER);
	reason_is("queries: there is no folder /proc/none");
	assert_int_equal(number("made"), 0);
	assert_non_null(mkdtemp(folder));
	snprintf(conf.to, sizeof(conf.to), "%s", folder);
	tick(BEGIN + 110 + 2 * QUARTER);
	reason_is("");
	assert_int_equal(number("made"), 1);
	assert_int_equal(number("failed"), 2);
	empty_folder(folder);
}

TEST_MAIN()
