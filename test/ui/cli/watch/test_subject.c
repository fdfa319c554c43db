#include "test/kit/check.h"
#include "ui/cli/watch/subject.h"

#include <errno.h>

static int read_text(const char *text, struct subject *ret_subject)
{
	json_t *json = json_loads(text, 0, NULL);
	int err = subject_read(json, ret_subject);

	json_decref(json);
	return err;
}

#define HEAD "\"id\": \"7\", \"module\": \"mysql\", \"stat\": \"queries\", \"granularity\": 1, "

TEST(it_is_told_in_words)
{
	static const struct { const char *json, *title, *trouble; size_t n_fields, n_measures, n_sources, n_active; } cases[] = {
		{ "{" HEAD "\"measures\": [\"latency\"], \"decomposition\": [\"statement\", \"latency\"], \"sources\": [{\"source\": \"db1\", \"state\": "
		  "\"active\", \"reason\": \"\"}]}", "mysql.queries by statement", "", 1, 1, 1, 1 },
		{ "{" HEAD "\"measures\": [\"latency\", \"age\"], \"decomposition\": [\"statement\", \"status\"], \"predicate-text\": \"pid = 7\","
		  "\"sources\": [{\"source\": \"a\", \"state\": \"failed\", \"reason\": \"no BTF\"}, {\"source\": \"b\", \"state\": \"partial\"}]}",
		  "mysql.queries by statement, status where pid = 7", "a: no BTF", 2, 2, 2, 1 },
		{ "{" HEAD "\"measures\": [\"latency\"]}", "mysql.queries", "no collector that measures it is connected", 0, 1, 0, 0 },
		{ "{" HEAD "\"measures\": [\"latency\"], \"state\": \"suspended\"}", "mysql.queries",
		  "suspended: 'heatscope set 7 --resume' resumes it, or 'heatscope on'", 0, 1, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct subject s;

		assert_int_equal(read_text(cases[i].json, &s), 0);
		assert_string_equal(s.title, cases[i].title);
		assert_string_equal(s.trouble, cases[i].trouble);
		assert_int_equal(s.n_fields, cases[i].n_fields);
		assert_int_equal(s.n_measures, cases[i].n_measures);
		assert_int_equal(s.n_sources, cases[i].n_sources);
		assert_int_equal(s.n_active, cases[i].n_active);
	}
}

TEST(a_measure_has_its_place)
{
	struct subject s;

	assert_int_equal(read_text("{" HEAD "\"measures\": [\"latency\", \"age\"]}", &s), 0);
	assert_int_equal(subject_measure(&s, "age"), 1);
	assert_int_equal(subject_measure(&s, "size"), -1);
}

TEST(what_is_none_is_refused)
{
	static const char *const cases[] = {
		"{}", "[]", "{" HEAD "\"measures\": []}", "{\"id\": \"7\", \"measures\": [\"latency\"]}",
		"{\"id\": \"7\", \"granularity\": 0, \"measures\": [\"latency\"]}", "{\"granularity\": 1, \"measures\": [\"latency\"]}",
		"{\"id\": \"7\", \"granularity\": -1, \"measures\": [\"latency\"]}",
	};
	struct subject s = { .id = "as it was" };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(read_text(cases[i], &s), -EBADMSG);
	assert_int_equal(subject_read(NULL, &s), -EBADMSG);
	assert_string_equal(s.id, "as it was");
}

TEST_MAIN()
