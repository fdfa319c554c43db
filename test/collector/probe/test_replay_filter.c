#include "collector/probe/replay_filter.h"
#include "test/kit/sample_kit.h"

#include <errno.h>

static struct predicate predicate(const char *text)
{
	char reason[REASON_MAX] = "";
	struct predicate p;

	if (predicate_from_text(text, &p, reason))
		fail_msg("%s", reason);
	return p;
}

static int passes(const char *text, const char *command, const char *statement)
{
	struct instrumentation recorded = sample_inst(1);
	struct predicate p = predicate(text);
	char reason[REASON_MAX] = "";
	static const struct host_labels labels = { 1, { { "role", "db" } } };
	struct bytes key = { 0 };
	struct replay_filter s;
	int passed;

	if (replay_filter_init(&s, &p, &recorded, "db1", &labels, reason))
		fail_msg("%s", reason);
	labels_put(&key, command);
	labels_put(&key, statement);
	passed = replay_filter_passes(&s, &(struct labels){ key.data, (__u16)key.len });
	bytes_fini(&key);
	return passed;
}

TEST(keys_are_decided_by_their_labels)
{
	assert_int_equal(passes("{}", "query", "select"), 1);
	assert_int_equal(passes("{}", NULL, NULL), 1);
	assert_int_equal(passes("{\"eq\":[\"statement\",\"select\"]}", "query", "select"), 1);
	assert_int_equal(passes("{\"eq\":[\"statement\",\"select\"]}", "query", "insert"), 0);
	assert_int_equal(passes("{\"ne\":[\"command\",\"query\"]}", "query", "select"), 0);
	assert_int_equal(passes("{\"ne\":[\"command\",\"query\"]}", "execute", "select"), 1);
	assert_int_equal(passes("{\"or\":[{\"eq\":[\"hostname\",\"db1\"]},{\"eq\":[\"command\",\"x\"]}]}", "query", "select"), 1);
	assert_int_equal(passes("{\"eq\":[\"hostname\",\"db2\"]}", "query", "select"), 0);
	assert_int_equal(passes("{\"eq\":[\"label.role\",\"db\"]}", "query", "select"), 1);
	assert_int_equal(passes("{\"ne\":[\"label.role\",\"db\"]}", "query", "select"), 0);
	assert_int_equal(passes("{\"eq\":[\"label.zone\",\"none\"]}", "query", "select"), 1);
}

/* The keys beyond the limit of keys are not the label "other". */
TEST(the_other_key_may_match_or_not)
{
	assert_int_equal(passes("{\"eq\":[\"statement\",\"other\"]}", "query", NULL), -ENODATA);
	assert_int_equal(passes("{\"eq\":[\"statement\",\"other\"]}", "query", "other"), 1);
	assert_int_equal(passes("{\"eq\":[\"statement\",\"select\"]}", NULL, NULL), -ENODATA);
	assert_int_equal(passes("{\"eq\":[\"command\",\"query\"]}", "query", NULL), 1);
	assert_int_equal(passes("{\"and\":[{\"eq\":[\"command\",\"x\"]},{\"eq\":[\"statement\",\"y\"]}]}", "query", NULL), 0);
}

TEST(the_predicate_of_the_recording_passes)
{
	struct instrumentation recorded = sample_inst(1);
	struct predicate p = recorded.predicate = predicate("{\"gt\":[\"latency\",10000000]}");
	char reason[REASON_MAX];
	struct replay_filter s;

	assert_int_equal(replay_filter_init(&s, &p, &recorded, "db1", NULL, reason), 0);
	assert_int_equal(replay_filter_passes(&s, &(struct labels){ NULL, 0 }), 1);
	p = predicate("{\"gt\":[\"latency\",10000001]}");
	assert_int_equal(replay_filter_init(&s, &p, &recorded, "db1", NULL, reason), -ENOENT);
	assert_string_equal(reason, "predicate: the recording of mysql.queries has only events that match latency > 10000000: "
			    "request exactly these");
	p = predicate("{}");
	assert_int_equal(replay_filter_init(&s, &p, &recorded, "db1", NULL, reason), -ENOENT);
}

TEST(a_predicate_that_keys_cannot_answer_is_refused)
{
	struct instrumentation recorded = sample_inst(1);
	struct predicate p = predicate("{\"and\":[{\"eq\":[\"command\",\"query\"]},{\"gt\":[\"latency\",10000000]}]}");
	char reason[REASON_MAX];
	struct replay_filter s;

	assert_int_equal(replay_filter_init(&s, &p, &recorded, "db1", NULL, reason), -ENOENT);
	assert_string_equal(reason, "predicate: the recording of mysql.queries has no single events, \"latency\" cannot be compared");
	p = predicate("{\"eq\":[\"pid\",\"7\"]}");
	assert_int_equal(replay_filter_init(&s, &p, &recorded, "db1", NULL, reason), -ENOENT);
	assert_string_equal(reason, "predicate: the recording of mysql.queries does not keep \"pid\" apart");
}

TEST_MAIN()
