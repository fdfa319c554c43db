#include "test/kit/check.h"
#include "aggregator/params/params.h"
#include "render/color/shade.h"

#include <errno.h>

#define NS 1000000000ll

static int read_one(enum value_kind_id kind, const char *name, const char *value, struct params *p, char *reason)
{
	const struct http_param param[] = { { name, value } };

	return params_read(kind, param, 1, p, reason);
}

TEST(defaults_are_those_of_the_manual)
{
	static const struct { enum value_kind_id kind; int duration_s, width, height, transfer; } cases[] = {
		{ VALUE_RAW, 1, 600, 300, SHADE_LOG }, { VALUE_KEYS, 60, 600, 300, SHADE_LOG },
		{ VALUE_IMAGE, 60, 600, 300, SHADE_RANK }, { VALUE_FIGURE, 60, 1200, 500, SHADE_LOG },
		{ VALUE_REPORT, 60, 1200, 0, SHADE_LOG }, { VALUE_GRID, 60, 600, 300, SHADE_LOG },
	};
	char reason[PARAMS_REASON_MAX];
	struct params p;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(params_read(cases[i].kind, NULL, 0, &p, reason), 0);
		assert_int_equal(p.duration_ns, cases[i].duration_s * NS);
		assert_int_equal(p.width, cases[i].width);
		assert_int_equal(p.height, cases[i].height);
		assert_int_equal(p.transfer, cases[i].transfer);
		assert_int_equal(p.weighted, 0);
		assert_int_equal(p.ncols, 600);
		assert_int_equal(p.row_bits, 3);
		assert_int_equal(p.yscale, AXIS_LOG);
		params_fini(&p);
	}
}

/* Uses the system's database; an unknown zone is refused, unless utc_offset is given, too. */
TEST(a_zone_is_looked_up_by_its_name)
{
	static const struct { const char *name; __s64 at_s; int before_s, after_s; } known[] = {
		{ "Europe/Berlin", 1792890000, 7200, 3600 }, { "America/New_York", 1793512800, -14400, -18000 },
		{ "Australia/Lord_Howe", 1791041400, 37800, 39600 }, { "Europe/London", 1806195600, 0, 3600 },
		/* in 2100: from the rule */
		{ "Asia/Kolkata", 1792890000, 19800, 19800 }, { "America/New_York", 4129250400, -14400, -18000 },
	};
	static const char *const unknown[] = { "Mars/Olympus", "Berlin", "tzdata", "Europe", "UTC+3", "EST5", "../../../etc/passwd", "", "Europe/Berlin ", "leapseconds" };
	struct http_param param[] = { { "time_zone", NULL }, { "utc_offset", "-3600" } };
	char reason[PARAMS_REASON_MAX];
	struct params p;
	struct zone z;

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		assert_int_equal(read_one(VALUE_FIGURE, "time_zone", known[i].name, &p, reason), 0);
		assert_int_equal(params_zone(&p, known[i].at_s - 86400, known[i].at_s + 86400, &z, reason), 0);
		assert_string_equal(z.name, known[i].name);
		assert_int_equal(zone_offset(&z, known[i].at_s - 1), known[i].before_s);
		assert_int_equal(zone_offset(&z, known[i].at_s), known[i].after_s);
		params_fini(&p);
	}
	for (size_t i = 0; i < sizeof(unknown) / sizeof(*unknown); i++) {
		assert_int_equal(read_one(VALUE_FIGURE, "time_zone", unknown[i], &p, reason), 0);
		assert_int_equal(params_zone(&p, 0, 1, &z, reason), -EINVAL);
		assert_non_null(strstr(reason, "for parameter \"time_zone\" is invalid: "));
		params_fini(&p);
	}
	param[0].value = "Mars/Olympus";
	assert_int_equal(params_read(VALUE_FIGURE, param, 2, &p, reason), 0);
	assert_int_equal(params_zone(&p, 0, 1, &z, reason), 0);
	assert_int_equal(zone_offset(&z, 0), -3600);
	params_fini(&p);
}

TEST(numbers_are_kept_in_their_ranges)
{
	static const struct { enum value_kind_id kind; const char *name, *value, *says; } cases[] = {
		{ VALUE_IMAGE, "width", "10", NULL }, { VALUE_IMAGE, "width", "9", "minimum is 10" },
		{ VALUE_IMAGE, "width", "4000", NULL }, { VALUE_IMAGE, "width", "4001", "maximum is 4000" },
		{ VALUE_IMAGE, "width", "", "not a number" }, { VALUE_IMAGE, "width", " 20", "not a number" },
		{ VALUE_IMAGE, "width", "20.5", NULL }, { VALUE_IMAGE, "width", "0x20", "not a number" },
		{ VALUE_IMAGE, "width", "9.99", "minimum is 10" }, { VALUE_IMAGE, "width", "4000.9", NULL },
		{ VALUE_IMAGE, "width", "99999999999999999999", "maximum is 4000" }, { VALUE_IMAGE, "width", "1e99999", "maximum is 4000" },
		{ VALUE_IMAGE, "ymax", "-1e400", "minimum is 0" }, { VALUE_IMAGE, "ymax", "1e\t5", "not a number" },
		{ VALUE_IMAGE, "ymax", "1e", "not a number" }, { VALUE_IMAGE, "ymax", ".", "not a number" },
		{ VALUE_IMAGE, "ymax", "1.2.3", "not a number" }, { VALUE_IMAGE, "hues", "212.647,359.9", NULL },
		{ VALUE_IMAGE, "hues", "360.1", "maximum is 359" },
		{ VALUE_COMPARE, "b_instrumentation", "9223372036854775808", "63 bits" },
		{ VALUE_GRID, "row_bits", "-1", "minimum is 0" }, { VALUE_GRID, "row_bits", "8", "maximum is 7" },
		{ VALUE_GRID, "duration", "5", NULL }, { VALUE_GRID, "duration", "315360001", "maximum is 315360000" },
		{ VALUE_GRID, "duration", "1.", NULL }, { VALUE_GRID, "duration", ".", "not a number of seconds" },
		{ VALUE_GRID, "duration", "-1", "not a number" }, { VALUE_GRID, "start_time", "1e18", "maximum is" },
		{ VALUE_GRID, "duration", "1.5s", "not a number" }, { VALUE_GRID, "duration", "", "not a number" },
		{ VALUE_GRID, "transfer", "lin", "must be one of: linear log rank" }, { VALUE_GRID, "transfer", "", "must be" },
		{ VALUE_GRID, "transfer", "linear log", "must be" },
		{ VALUE_FIGURE, "crop", "0.05", NULL }, { VALUE_FIGURE, "crop", "0.051", "a number from 0 to 0.05" },
		{ VALUE_IMAGE, "crop", "5", "a number from 0 to 0.05" },
		{ VALUE_GRID, "exclude", "1", "true or false" }, { VALUE_GRID, "nonsense", "1", "unknown" },
		{ VALUE_GRID, "x", "nonsense", NULL },			/* a parameter of another value: ignored */
	};
	char reason[PARAMS_REASON_MAX];
	struct params p;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int err = read_one(cases[i].kind, cases[i].name, cases[i].value, &p, reason);

		assert_int_equal(err, cases[i].says ? -EINVAL : 0);
		if (cases[i].says)
			assert_non_null(strstr(reason, cases[i].says));
		else
			params_fini(&p);
	}
}

/* A parameter of another value is ignored. */
TEST(a_report_and_exemplars_go_by_the_first_measure)
{
	static const struct http_param param = { "measure", "cputime" };
	char reason[PARAMS_REASON_MAX];

	for (int kind = 0; kind < VALUE_KINDS; kind++) {
		const struct http_param share[] = { param, { "percentile", "0.5" }, { "x", "1" }, { "y", "1" },
							   { "b_measure", "latency" } };
		struct params p;

		assert_int_equal(params_read(kind, share, 5, &p, reason), 0);
		assert_int_equal(p.measure == NULL, kind == VALUE_REPORT || kind == VALUE_EXEMPLARS);
		params_fini(&p);
	}
}

TEST(a_weight_goes_with_what_it_can)
{
	static const struct { enum value_kind_id kind; const char *name, *value, *says; } cases[] = {
		{ VALUE_GRID, "weights", "count", NULL }, { VALUE_RAW, "stats", "false", NULL }, { VALUE_RAW, "measure", "latency", NULL },
		{ VALUE_GRID, "weights", "weight", "give weight or weights" }, { VALUE_RAW, "stats", "true", "leave weight out" },
		{ VALUE_RAW, "measure", "*", "leave weight out" },
	};
	char reason[PARAMS_REASON_MAX];
	struct params p;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct http_param param[] = { { "weight", "io" }, { cases[i].name, cases[i].value } };

		assert_int_equal(params_read(cases[i].kind, param, 2, &p, reason), cases[i].says ? -EINVAL : 0);
		if (cases[i].says) {
			assert_non_null(strstr(reason, cases[i].says));
			continue;
		}
		assert_string_equal(p.weight, "io");
		params_fini(&p);
	}
}

TEST(coloring_is_another_word_for_the_transfer)
{
	static const struct { const char *coloring, *transfer; int is; } cases[] = {
		{ NULL, NULL, SHADE_RANK }, { "linear", NULL, SHADE_LINEAR }, { "rank", NULL, SHADE_RANK },
		{ "linear", "linear", SHADE_LINEAR }, { NULL, "sqrt", SHADE_SQRT }, { NULL, "percent", SHADE_PERCENT },
		{ "linear", "rank", -1 },
	};
	char reason[PARAMS_REASON_MAX];
	struct params p;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct http_param param[2];
		size_t n = 0;

		if (cases[i].coloring)
			param[n++] = (struct http_param){ "coloring", cases[i].coloring };
		if (cases[i].transfer)
			param[n++] = (struct http_param){ "transfer", cases[i].transfer };
		assert_int_equal(params_read(VALUE_IMAGE, param, n, &p, reason), cases[i].is < 0 ? -EINVAL : 0);
		if (cases[i].is < 0)
			continue;
		assert_int_equal(p.transfer, cases[i].is);
		params_fini(&p);
	}
}

TEST(decimals_of_whole_numbers_are_cut)
{
	static const struct { const char *text; __s64 is; } cases[] = {
		{ "665.95", 665 }, { "60.0", 60 }, { "60.", 60 }, { "1e7", 10000000 }, { "1.25e1", 12 }, { "0.999e3", 999 }, { "-0.9", 0 },
		{ "10000000.0", 10000000 }, { "5e-1", 0 }, { "0e99999", 0 }, { "1E+3", 1000 }, { "000000000000000000000012", 12 },
	};
	char reason[PARAMS_REASON_MAX];
	struct params p;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		if (read_one(VALUE_IMAGE, "ymin", cases[i].text, &p, reason))
			fail_msg("%s: %s", cases[i].text, reason);
		assert_int_equal(p.ymin, cases[i].is);
		params_fini(&p);
	}
}

TEST(only_a_list_has_several_values)
{
	static const struct { const char *name, *value; bool list; } cases[] = {
		{ "selected", "a", true }, { "hues", "1,2,3", true }, { "width", "20", false }, { "start_time", "1", false }, { "by", "a", false },
		{ "theme", "dark", false }, { "format", "png", false }, { "exclude", "true", false }, { "crop", "0", false },
	};
	char reason[PARAMS_REASON_MAX];
	struct params p;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct http_param twice[] = { { cases[i].name, cases[i].value }, { cases[i].name, cases[i].value } };

		assert_int_equal(params_read(VALUE_IMAGE, twice, 2, &p, reason), cases[i].list ? 0 : -EINVAL);
		if (!cases[i].list)
			assert_non_null(strstr(reason, "given more than once"));
		else
			assert_int_equal(p.n_select + p.n_hues, *cases[i].name == 's' ? 2 : 6);
		if (cases[i].list)
			params_fini(&p);
	}
}

TEST(unknown_parameters_of_a_url_are_left_out)
{
	struct http_param param[] = { { "_", "1" }, { "width", "20" }, { "callback", "f" }, { "x", "1" } };

	assert_int_equal(params_known(param, 4, param), 2);
	assert_string_equal(param[0].name, "width");
	assert_string_equal(param[1].name, "x");
}

TEST(seconds_are_read_to_the_nanosecond)
{
	static const struct { const char *text; __s64 ns; } cases[] = {
		{ "0", 0 }, { "1700000000", 1700000000 * NS }, { "1700000000.1", 1700000000 * NS + NS / 10 },
		{ "0.000000001", 1 }, { "0.0000000019", 1 }, { "5.250", 5 * NS + NS / 4 }, { "1.7e9", 1700000000 * NS }, { ".5", NS / 2 }, { "25e-1", 5 * NS / 2 }, { "9000000000", 9000000000 * NS },
	};
	char reason[PARAMS_REASON_MAX];
	struct params p;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(read_one(VALUE_GRID, "start_time", cases[i].text, &p, reason), 0);
		assert_true(p.has_start && !p.has_end);
		assert_int_equal(p.start_ns, cases[i].ns);
		params_fini(&p);
	}
}

TEST(keys_are_split_at_commas)
{
	static const struct { const char *text; size_t n; const char *key[3]; } cases[] = {
		{ "", 0, { NULL } }, { "a", 1, { "a" } }, { "a,b/c", 2, { "a", "b/c" } }, { "a\\,b,c", 2, { "a,b", "c" } },
		{ "a\\\\,b", 2, { "a\\", "b" } }, { ",", 2, { "", "" } }, { "a\\", 1, { "a\\" } },
	};
	char reason[PARAMS_REASON_MAX];
	struct params p;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(read_one(VALUE_GRID, "selected", cases[i].text, &p, reason), 0);
		assert_int_equal(p.n_select, cases[i].n);
		for (size_t j = 0; j < p.n_select; j++)
			assert_string_equal(p.select[j], cases[i].key[j]);
		params_fini(&p);
	}
}

TEST(intervals_follow_from_what_is_given)
{
	static const struct { const char *name[3], *value[3]; __s64 from, to; const char *says; } cases[] = {
		{ { NULL }, { NULL }, 999940, 1000000 - 0, NULL },
		{ { "duration" }, { "10" }, 999990, 1000000, NULL },
		{ { "start_time" }, { "999000" }, 999000, 999060, NULL },
		{ { "end_time" }, { "999000" }, 998940, 999000, NULL },
		{ { "start_time", "end_time" }, { "999000", "999007" }, 999000, 999010, NULL },
		{ { "start_time", "duration" }, { "999003", "1" }, 999000, 999005, NULL },
		{ { "start_time", "end_time", "duration" }, { "999000", "999010", "10" }, 999000, 999010, NULL },
		{ { "start_time", "end_time", "duration" }, { "999000", "999010", "11" }, 0, 0, "do not agree" },
		{ { "start_time", "end_time" }, { "999000", "999000" }, 0, 0, "must be after" },
		/* Cloud Analytics' rounding */
		{ { "start_time", "duration" }, { "999004.5", "5" }, 999000, 999005, NULL },
		{ { "start_time", "end_time" }, { "999004.5", "999009.5" }, 999000, 999010, NULL },
		{ { "end_time", "duration" }, { "999004", "3" }, 999000, 999005, NULL },
		{ { "start_time" }, { "1000010" }, 0, 0, "start_time is too far in the future: it must be at most now" },
		{ { "start_time", "timeout" }, { "1000004", "3000" }, 1000000, 1000060, NULL },
		{ { "start_time", "timeout" }, { "1000006", "3000" }, 0, 0, "too far in the future: at most now and the timeout of 3000 ms" },
		{ { "duration" }, { "601" }, 0, 0, "maximum is 600" },
		{ { "duration" }, { "0" }, 0, 0, "must be positive" },
		{ { "end_time" }, { "5" }, 0, 0, "before 1970" },
	};
	struct instrumentation in = { .granularity_ns = 5 * NS, .slot_ns = NS, .retention_s = 600 };
	char reason[PARAMS_REASON_MAX];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct http_param param[3];
		struct interval_ns asked, rounded;
		struct params p;
		size_t n = 0;
		int err;

		for (; n < 3 && cases[i].name[n]; n++)
			param[n] = (struct http_param){ cases[i].name[n], cases[i].value[n] };
		assert_int_equal(params_read(VALUE_GRID, param, n, &p, reason), 0);
		err = params_interval(&p, &in, 1000001 * NS + 7, &asked, &rounded, reason);
		assert_int_equal(err, cases[i].says ? -EINVAL : 0);
		if (cases[i].says) {
			assert_non_null(strstr(reason, cases[i].says));
		} else {
			assert_int_equal(rounded.from, cases[i].from * NS);
			assert_int_equal(rounded.to, cases[i].to * NS);
			assert_true(asked.from >= rounded.from && asked.to - asked.from <= rounded.to - rounded.from);
		}
		params_fini(&p);
	}
}

TEST(points_follow_one_another_and_fit_the_retention)
{
	static const struct { const char *n, *name, *value, *duration; __s64 from, length; const char *says; } cases[] = {
		{ "1", "start_time", "999000", "5", 999000, 5, NULL },
		{ "10", "start_time", "999000", "5", 999000, 5, NULL },
		{ "10", "duration", "5", "5", 999950, 5, NULL },	/* the newest ten */
		{ "10", "duration", "3", "3", 999950, 5, NULL },
		{ "120", "start_time", "999000", "5", 999000, 5, NULL },
		{ "121", "start_time", "999000", "5", 0, 0, "maximum is 120, as many of 5 s as are kept" },
		{ "3600", "start_time", "999000", "600", 0, 0, "maximum is 1," },
		{ "3601", "start_time", "999000", "5", 0, 0, "maximum is 3600" },
		{ "0", "start_time", "999000", "5", 0, 0, "minimum is 1" },
		{ "3", "start_time", "999995", "5", 999995, 5, NULL },	/* it lies within the timeout */
		{ "4", "start_time", "999995", "5", 0, 0, "the last datapoint is too far in the future" },
	};
	struct instrumentation in = { .granularity_ns = 5 * NS, .slot_ns = NS, .retention_s = 600 };
	char reason[PARAMS_REASON_MAX];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct http_param param[] = { { "ndatapoints", cases[i].n }, { cases[i].name, cases[i].value },
						    { "duration", cases[i].duration } };
		struct interval_ns asked, rounded;
		struct params p;
		int err = params_read(VALUE_RAW, param, strcmp(cases[i].name, "duration") ? 3 : 2, &p, reason);

		if (!err) {
			assert_true(p.has_points);
			err = params_interval(&p, &in, 1000001 * NS + 7, &asked, &rounded, reason);
			params_fini(&p);
		}
		assert_int_equal(err, cases[i].says ? -EINVAL : 0);
		if (cases[i].says) {
			if (!strstr(reason, cases[i].says))
				fail_msg("%zu: %s", i, reason);
			continue;
		}
		assert_int_equal(rounded.from, cases[i].from * NS);
		assert_int_equal(rounded.to - rounded.from, cases[i].length * NS);
	}
}

TEST(a_share_is_read_to_the_millionth)
{
	static const struct { const char *text; __s64 millionths; } cases[] = {
		{ "0", 0 }, { "1", 1000000 }, { "0.5", 500000 }, { ".999", 999000 }, { "0.99", 990000 }, { "1e-6", 1 },
		{ "0.9999999", 1000000 }, { "0.29", 290000 },
	};
	static const char *const bad[] = { "", "1.1", "-0.1", "50%", "nan", "0x1p-1", "inf", "0.5 " };
	char reason[PARAMS_REASON_MAX];
	struct params p;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(read_one(VALUE_PERCENTILE, "percentile", cases[i].text, &p, reason), 0);
		assert_int_equal(p.millionths, cases[i].millionths);
		params_fini(&p);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(read_one(VALUE_PERCENTILE, "percentile", bad[i], &p, reason), -EINVAL);
		assert_non_null(strstr(reason, "a number from 0 to 1"));
	}
	assert_int_equal(params_read(VALUE_PERCENTILE, NULL, 0, &p, reason), -EINVAL);
	assert_non_null(strstr(reason, "missing value for required parameter: \"percentile\""));
}

TEST(every_parameter_has_its_name_listed)
{
	bool found = false;
	size_t n = 0;

	for (const char *name; (name = params_name(VALUE_DETAILS, n)); n++)
		found = found || !strcmp(name, "x");
	assert_true(found && n > 10);
	for (n = 0; params_name(VALUE_RAW, n); n++)
		assert_string_not_equal(params_name(VALUE_RAW, n), "x");
}

TEST_MAIN()
