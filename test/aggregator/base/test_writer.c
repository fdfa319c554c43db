#include "test/kit/check.h"
#include "aggregator/base/writer.h"

#include <jansson.h>
#include <math.h>

TEST(any_text_becomes_valid_json)
{
	for (int round = 0; round < 2000; round++) {
		struct bytes out = { 0 };
		char in[32], *text;
		size_t len = check_below(sizeof(in)), out_len;
		json_t *json;

		for (size_t i = 0; i < len; i++)
			in[i] = (char)(1 + check_below(255));
		in[len] = 0;
		writer_text(&out, in);
		text = writer_take(&out, &out_len);
		json = json_loadb(text, out_len, JSON_DECODE_ANY, NULL);
		if (!json)
			fail_msg("%s", text);
		json_decref(json);
		free(text);
	}
}

TEST(a_number_that_json_cannot_have_whole_is_read)
{
	static const __u64 numbers[] = { 0, 1, (1ull << 63) - 1, 1ull << 63, 12003600000000000000ull, ~0ull - 1, ~0ull };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		struct bytes out = { 0 };
		json_error_t error;
		json_t *json, *pair;
		size_t len;
		char *text;

		writer_raw(&out, "[");
		writer_number(&out, numbers[i]);
		writer_pair(&out, 7, numbers[i]);
		writer_pair(&out, numbers[i], 8);
		writer_raw(&out, "]");
		text = writer_take(&out, &len);
		json = json_loads(text, 0, &error);
		if (!json)
			fail_msg("%s: %s", text, error.text);
		assert_int_equal(json_array_size(json), 3);
		pair = json_array_get(json, 1);
		assert_true(json_number_value(json_array_get(json, 0)) == (double)numbers[i]);
		assert_true(json_number_value(json_array_get(pair, 1)) == (double)numbers[i]);
		assert_int_equal(json_integer_value(json_array_get(pair, 0)), 7);
		assert_true(json_number_value(json_array_get(json_array_get(json, 2), 0)) == (double)numbers[i]);
		assert_int_equal(json_is_integer(json_array_get(json, 0)), numbers[i] < 1ull << 63);
		json_decref(json);
		free(text);
	}
}

TEST(good_text_is_kept)
{
	static const char *const texts[] = { "", "a\"b\\c/d", "\n\t\x01\x7f", "µs – 心 😀", "\xf4\x8f\xbf\xbf" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct bytes out = { 0 };
		size_t len;
		char *text;
		json_t *json;

		writer_text(&out, texts[i]);
		text = writer_take(&out, &len);
		json = json_loads(text, JSON_DECODE_ANY, NULL);
		assert_string_equal(json_string_value(json), texts[i]);
		json_decref(json);
		free(text);
	}
}

TEST(bad_bytes_are_replaced)
{
	static const char *const texts[] = { "\xff", "\xc0\xaf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc3" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct bytes out = { 0 };
		size_t len;
		char *text;

		writer_text(&out, texts[i]);
		text = writer_take(&out, &len);
		assert_int_equal(len, 2 + 3 * strlen(texts[i]));
		free(text);
	}
}

TEST(numbers_are_written_exactly)
{
	static const struct { __s64 ns; const char *text; } seconds[] = {
		{ 0, "0" }, { 1700000000000000000, "1700000000" }, { 250000000, "0.25" }, { 1, "0.000000001" },
		{ -1500000000, "-1.5" }, { -1, "-0.000000001" }, { 10000000000, "10" },
	};
	struct bytes out = { 0 };
	size_t len;
	char *text;

	for (size_t i = 0; i < sizeof(seconds) / sizeof(*seconds); i++) {
		writer_seconds(&out, seconds[i].ns);
		text = writer_take(&out, &len);
		assert_string_equal(text, seconds[i].text);
		free(text);
	}
	writer_number(&out, ~(__u64)0);
	text = writer_take(&out, &len);
	assert_string_equal(text, "1.8446744073709552e+19");
	free(text);
	for (int i = 0; i < 1000; i++) {
		double x = (double)check_random() / (double)(1 + check_random());

		writer_real(&out, x);
		text = writer_take(&out, &len);
		assert_true(strtod(text, NULL) == x);
		free(text);
	}
	writer_real(&out, INFINITY);
	text = writer_take(&out, &len);
	assert_string_equal(text, "null");
	free(text);
}

TEST(pairs_are_written_as_their_numbers)
{
	static const __u64 n[] = { 0, 9, 10, 12345, ~(__u64)0 };
	struct bytes out = { 0 };
	char *text;
	size_t len;

	writer_raw(&out, "[");
	for (size_t i = 0; i < 5; i++)
		writer_pair(&out, n[i], n[4 - i]);
	writer_raw(&out, "]");
	text = writer_take(&out, &len);
	assert_string_equal(text, "[[0,1.8446744073709552e+19],[9,12345],[10,10],[12345,9],[1.8446744073709552e+19,0]]");
	free(text);
}

TEST(commas_stand_between_members_only)
{
	struct bytes out = { 0 };
	size_t len;
	char *text;

	writer_raw(&out, "{");
	writer_name_number(&out, "a", 0);
	writer_name_text(&out, "b[", "{");
	writer_open(&out, "c", "[");
	for (int i = 0; i < 2; i++) {
		writer_comma(&out);
		writer_number(&out, 7);
	}
	for (int i = 0; i < 2; i++) {
		writer_open(&out, NULL, "{");
		writer_raw(&out, "}");
	}
	writer_raw(&out, "]");
	writer_name_seconds(&out, "d", 1500000000);
	writer_raw(&out, "}");
	text = writer_take(&out, &len);
	assert_string_equal(text, "{\"a\":0,\"b[\":\"{\",\"c\":[7,7,{},{}],\"d\":1.5}");
	free(text);
}

TEST_MAIN()
