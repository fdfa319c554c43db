#include "ui/cli/base/option_words.h"
#include "test/kit/check.h"

TEST(parameters_become_options)
{
	static const char *const said[][2] = {
		{ "end_time must be after start_time", "--end must be after --start" },
		{ "B: b_start_time is too far in the future: at most now", "B: --with-start is too far in the future: at most now" },
		{ "value \"300\" for parameter \"width\" is invalid: minimum is 400", "--width 300: minimum is 400" },
		{ "B: value \"length\" for parameter \"b_measure\" is invalid: 1 has: latency", "B: --with-measure length: 1 has: latency" },
		{ "at most one of isolate, exclude and decompose_all can be true", "at most one of --isolate, --exclude and --decompose-all can be true" },
		{ "b_exclude needs selected or b_selected", "--with-exclude needs --selected or --with-selected" },
		{ "start_time, end_time and duration do not agree", "--start, --end and --duration do not agree" },
		{ "start_times of start_time", "start_times of --start" },
	};

	for (size_t i = 0; i < sizeof(said) / sizeof(*said); i++) {
		char reason[512];

		strcpy(reason, said[i][0]);
		option_words(reason, sizeof(reason));
		assert_string_equal(reason, said[i][1]);
	}
}

TEST(a_duration_is_a_span)
{
	char reason[512] = "value \"34560000\" for parameter \"duration\" is invalid: maximum is 31536000, as long as it is kept";

	option_words(reason, sizeof(reason));
	assert_string_equal(reason, "a duration of 400d is too long: at most 365d, as long as it is kept");
	strcpy(reason, "value \"601\" for parameter \"duration\" is invalid: maximum is 600, as long as it is kept");
	option_words(reason, sizeof(reason));
	assert_string_equal(reason, "a duration of 601s is too long: at most 10m, as long as it is kept");
	strcpy(reason, "value \"0\" for parameter \"duration\" is invalid: it must be positive");
	option_words(reason, sizeof(reason));
	assert_string_equal(reason, "--duration 0: it must be positive");
}

TEST(other_sentences_stay)
{
	static const char *const said[] = {
		"", "there is no such instrumentation", "value \"Mars/Olympus\" for parameter \"time_zone\" is invalid: no",
		"value \"7\" for field \"keys\" is invalid: minimum is 9", "value \"a", "\303\266 \" for parameter \"", "duration of a measure by top",
	};

	for (size_t i = 0; i < sizeof(said) / sizeof(*said); i++) {
		char reason[512];

		strcpy(reason, said[i]);
		option_words(reason, sizeof(reason));
		assert_string_equal(reason, said[i]);
	}
}

TEST(options_with_other_names_are_named)
{
	static const struct { const char *reason, *said; } cases[] = {
		{ "value \"7\" for parameter \"b_instrumentation\" is invalid: there is none", "--with 7: there is none" },
		{ "value \"7\" for parameter \"baseline_end\" is invalid: it ends early", "--baseline 7: it ends early" },
	};
	char reason[512];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		strcpy(reason, cases[i].reason);
		option_words(reason, sizeof(reason));
		assert_string_equal(reason, cases[i].said);
	}
}

TEST(a_long_sentence_is_cut)
{
	char reason[512], *long_word = memset(reason, '_', sizeof(reason));

	long_word[sizeof(reason) - 1] = '\0';
	option_words(reason, sizeof(reason));
	assert_int_equal(strlen(reason), sizeof(reason) - 1);
	memcpy(reason, "value \"", 7);
	strcpy(reason + 470, "\" for parameter \"by\" is invalid: x");
	option_words(reason, 100);
	assert_int_equal(strlen(reason), 99);
}

TEST_MAIN()
