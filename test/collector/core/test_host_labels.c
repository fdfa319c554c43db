#include "collector/core/host_labels.h"
#include "test/kit/check.h"

#include <errno.h>

static struct host_labels labels_of(const char *text)
{
	struct host_labels h = { 0 };
	char reason[REASON_MAX] = "";

	if (host_labels_add(&h, text, reason))
		fail_msg("%s", reason);
	return h;
}

TEST(labels_are_kept_by_name)
{
	struct host_labels h = labels_of("zone=a,role=db,rack=7");
	char reason[REASON_MAX];

	assert_int_equal(host_labels_add(&h, "app=shop", reason), 0);
	assert_int_equal(h.n, 4);
	assert_string_equal(h.label[0].name, "app");
	assert_string_equal(h.label[1].name, "rack");
	assert_string_equal(h.label[2].value, "db");
	assert_string_equal(h.label[3].name, "zone");
}

TEST(a_field_of_the_host_has_its_name_its_label_or_none)
{
	struct host_labels h = labels_of("role=db");

	assert_string_equal(host_field_value("hostname", "db1", &h), "db1");
	assert_string_equal(host_field_value("label.role", "db1", &h), "db");
	assert_string_equal(host_field_value("label.rol", "db1", &h), "none");
	assert_string_equal(host_field_value("label.role", "db1", NULL), "none");
	assert_true(host_field_is("hostname"));
	assert_true(host_field_is("label.role"));
	assert_false(host_field_is("label."));
	assert_false(host_field_is("label.a b"));
	assert_false(host_field_is("label"));
	assert_false(host_field_is("statement"));
}

TEST(labels_and_their_json_are_the_same_thing)
{
	struct host_labels h = labels_of("zone=a,role=db"), again;
	json_t *json = host_labels_to_json(&h);
	char reason[REASON_MAX];

	assert_int_equal(host_labels_from_json(json, &again, reason), 0);
	assert_memory_equal(&h, &again, sizeof(h));
	assert_int_equal(host_labels_from_json(NULL, &again, reason), 0);
	assert_int_equal(again.n, 0);
	json_decref(json);
}

TEST(an_invalid_label_is_refused_and_changes_nothing)
{
	static const struct {
		const char *text, *sentence;
	} cases[] = {
		{ "", "\"\" is not a label: a label is NAME=VALUE" },
		{ "role", "\"role\" is not a label" },
		{ "role=db,", "\"\" is not a label" },
		{ "=db", "1 to 25 letters" },
		{ "7=db", "not begin with a digit" },
		{ "ro-le=db", "the label's name \"ro-le\" is invalid" },
		{ "abcdefghijklmnopqrstuvwxyz=1", "the label's name" },
		{ "role=", "the value of the label \"role\" is invalid" },
		{ "role=a b", "without blanks" },
		{ "role=a/b", "without blanks, / and ," },
		{ "role=\x80", "UTF-8" },
		{ "role=0123456789012345678901234567890123456789012345678901234567890123", "1 to 63 bytes" },
		{ "zone=b", "the label \"zone\" is given twice" },
		{ "a=1,a=2", "the label \"a\" is given twice" },
		{ "a=,b=,c=,d=", "the value of the label \"a\"" },
		{ "a=1,b=1,c=1,d=1,e=1,f=1,g=1,h=1,i=1,j=1,k=1,l=1,m=1,n=1,o=1,p=1", "at most 16 labels" },
	};
	struct host_labels before = labels_of("zone=a"), h = before;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char reason[REASON_MAX] = "";

		assert_int_equal(host_labels_add(&h, cases[i].text, reason), -EINVAL);
		if (!strstr(reason, cases[i].sentence))
			fail_msg("\"%s\": it says \"%s\"", cases[i].text, reason);
		assert_memory_equal(&h, &before, sizeof(h));
	}
}

TEST(refuses_json_that_is_no_labels)
{
	static const char *const cases[] = { "[]", "{\"role\": 1}", "{\"a b\": \"c\"}", "{\"a\": \"b,c\"}", "{\"a\": \"b\\u0000c\"}", "{\"\": \"a\"}" };
	struct host_labels h = labels_of("zone=a");

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		json_t *json = json_loads(cases[i], JSON_ALLOW_NUL, NULL);
		char reason[REASON_MAX];

		assert_non_null(json);
		assert_int_equal(host_labels_from_json(json, &h, reason), -EINVAL);
		assert_int_equal(h.n, 1);
		json_decref(json);
	}
}

TEST_MAIN()
