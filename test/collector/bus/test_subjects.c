#include "collector/bus/subjects.h"
#include "test/kit/check.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

TEST(a_name_is_one_token)
{
	static const struct { const char *source, *token; } table[] = {
		{ "db1", "db1" },
		{ "DB-1_a", "DB-1_a" },
		{ "db1.example.net", "db1=2Eexample=2Enet" },
		{ "*", "=2A" },
		{ ">", "=3E" },
		{ "a=2E", "a=3D2E" },
		{ "h\xc3\xb6st", "h=C3=B6st" },
		{ "$KV", "=24KV" },
	};
	char token[TOKEN_MAX], back[SOURCE_MAX];

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		source_token(table[i].source, token);
		assert_string_equal(token, table[i].token);
		assert_int_equal(source_of_token(token, strlen(token), back), 0);
		assert_string_equal(back, table[i].source);
	}
}

TEST(every_name_comes_back_and_its_token_has_no_character_with_a_meaning)
{
	char source[SOURCE_MAX], token[TOKEN_MAX], back[SOURCE_MAX];
	unsigned seed = 1;

	for (int round = 0; round < 20000; round++) {
		size_t len = 1 + (seed = seed * 1664525 + 1013904223) / 65536 % (SOURCE_MAX - 1);

		for (size_t i = 0; i < len; i++)
			source[i] = (char)(1 + (seed = seed * 1664525 + 1013904223) / 65536 % 255);
		source[len] = 0;
		source_token(source, token);
		assert_null(strpbrk(token, ".*> $\t\r\n"));
		assert_int_equal(source_of_token(token, strlen(token), back), 0);
		assert_string_equal(back, source);
		assert_true(source_partition(source) < BUS_PARTITIONS);
	}
}

TEST(a_token_that_no_name_has_is_refused)
{
	static const char *const table[] = { "", ".", "a.b", "*", ">", "=", "=2", "=2e", "=GG", "=00", "=61", "a b", "a=", "a=4" };
	char longest[2 * SOURCE_MAX], source[SOURCE_MAX] = "kept";

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		assert_int_equal(source_of_token(table[i], strlen(table[i]), source), -EINVAL);
	memset(longest, 'a', sizeof(longest));
	assert_int_equal(source_of_token(longest, SOURCE_MAX, source), -EINVAL);
	assert_string_equal(source, "kept");
	assert_int_equal(source_of_token(longest, SOURCE_MAX - 1, source), 0);
}

TEST(subjects_name_their_source)
{
	static const char *const refused[] = { "", "heatscope.batch.", "heatscope.batch.3", "heatscope.batch.3.a.b", "heatscope.reply.a",
					       "heatscope.other.3.a", "$KV.heatscope_sources.", "$KV.heatscope_hellos.",
					       "$KV.heatscope_control.wanted" };
	char subject[SUBJECT_MAX], source[SOURCE_MAX];

	subject_batch("db1.example", subject);
	assert_int_equal(strncmp(subject, "heatscope.batch.", 16), 0);
	assert_string_equal(strrchr(subject, '.'), ".db1=2Eexample");
	assert_int_equal(source_of_subject(subject, source), 0);
	assert_string_equal(source, "db1.example");
	subject_source("db1", subject);
	assert_string_equal(subject, "$KV.heatscope_sources.db1");
	assert_int_equal(source_of_subject(subject, source), 0);
	assert_string_equal(source, "db1");
	subject_hello("db1", subject);
	assert_string_equal(subject, "$KV.heatscope_hellos.db1");
	assert_int_equal(source_of_subject(subject, source), 0);
	subject_reply("db.2", "17", subject);
	assert_string_equal(subject, "heatscope.reply.db=2E2.17");
	assert_int_equal(source_of_subject(subject, source), 0);
	assert_string_equal(source, "db.2");
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		assert_int_equal(source_of_subject(refused[i], source), -EINVAL);
}

TEST(hosts_are_spread_over_the_partitions)
{
	unsigned n[BUS_PARTITIONS] = { 0 };
	char source[SOURCE_MAX];

	for (int i = 0; i < 16000; i++) {
		snprintf(source, sizeof(source), "db%d.example.net", i);
		n[source_partition(source)]++;
	}
	for (unsigned p = 0; p < BUS_PARTITIONS; p++)
		assert_in_range(n[p], 800, 1200);
}

TEST_MAIN()
