#include "collector/ring/filter.h"
#include "collector/core/host_labels.h"
#include "test/kit/predicate_kit.h"

#include <errno.h>

static const struct host_labels labels = { 1, { { "role", "db" } } };
static const struct filter_names names = { &kit_metric, "db1", kit_codes, NULL, 0, &labels };

static int compile(const char *text, struct filter *f, char *reason)
{
	struct predicate p;

	assert_int_equal(predicate_from_text(text, &p, reason), 0);
	assert_int_equal(predicate_check(&p, &kit_metric, reason), 0);
	return filter_compile(&p, &names, f, reason);
}

TEST(an_empty_predicate_accepts_everything)
{
	static const struct filter zero;
	struct filter f;
	struct event e;
	char reason[REASON_MAX];

	kit_event(&e);
	assert_true(filter_accepts(&zero, &e, NULL));
	assert_int_equal(compile("{}", &f, reason), 0);
	assert_memory_equal(&f, &zero, sizeof(f));
	assert_true(filter_wanted(&f) == 0);
}

/* Conditions that are decided when the filter is made cost nothing afterwards. */
TEST(known_conditions_are_decided_beforehand)
{
	static const struct { const char *text; __u32 n_terms, start; } cases[] = {
		{ "{\"eq\":[\"hostname\",\"db1\"]}", 0, FILTER_ACCEPT },
		{ "{\"eq\":[\"hostname\",\"db2\"]}", 0, FILTER_REJECT },
		{ "{\"ne\":[\"hostname\",\"db1\"]}", 0, FILTER_REJECT },
		{ "{\"eq\":[\"label.role\",\"db\"]}", 0, FILTER_ACCEPT },
		{ "{\"eq\":[\"label.role\",\"web\"]}", 0, FILTER_REJECT },
		{ "{\"eq\":[\"label.zone\",\"none\"]}", 0, FILTER_ACCEPT },
		{ "{\"ne\":[\"label.zone\",\"a\"]}", 0, FILTER_ACCEPT },
		{ "{\"eq\":[\"statement\",\"no such\"]}", 0, FILTER_REJECT },
		{ "{\"ne\":[\"statement\",\"no such\"]}", 0, FILTER_ACCEPT },
		{ "{\"and\":[{\"eq\":[\"hostname\",\"db1\"]},{\"lt\":[\"latency\",5]}]}", 1, FILTER_TERM },
		{ "{\"and\":[{\"lt\":[\"latency\",5]},{\"eq\":[\"hostname\",\"db2\"]}]}", 0, FILTER_REJECT },
		{ "{\"or\":[{\"lt\":[\"latency\",5]},{\"eq\":[\"hostname\",\"db1\"]}]}", 0, FILTER_ACCEPT },
		{ "{\"or\":[{},{\"lt\":[\"latency\",5]}]}", 0, FILTER_ACCEPT },
		{ "{\"and\":[{\"eq\":[\"statement\",\"statement 2\"]},{\"or\":[{\"eq\":[\"hostname\",\"db1\"]},{\"lt\":[\"size\",5]}]}]}",
		  1, FILTER_TERM },
	};
	struct filter f;
	char reason[REASON_MAX];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(compile(cases[i].text, &f, reason), 0);
		assert_int_equal(f.n_terms, cases[i].n_terms);
		assert_int_equal(f.start, cases[i].start);
	}
}

TEST(a_text_may_be_several_codes)
{
	struct filter f;
	struct event e = { 0 };
	char reason[REASON_MAX];

	assert_int_equal(compile("{\"eq\":[\"instance\",\"instance 2\"]}", &f, reason), 0);
	assert_int_equal(f.n_terms, 3);
	for (e.field[2] = 0; e.field[2] < 8; e.field[2]++)
		assert_int_equal(filter_accepts(&f, &e, NULL), e.field[2] / 3 == 1);
	assert_int_equal(compile("{\"ne\":[\"instance\",\"instance 2\"]}", &f, reason), 0);
	for (e.field[2] = 0; e.field[2] < 8; e.field[2]++)
		assert_int_equal(filter_accepts(&f, &e, NULL), e.field[2] / 3 != 1);
	assert_true(filter_wanted(&f) == WANTED_FIELD(2));
}

/* ---- codes that come and go ---- */

struct moving {				/* the codes of every text */
	__u64 code[FILTER_LIST];
	int n;
};

static int codes_moving(void *arg, unsigned field, const char *text, __u64 *ret_code, size_t max)
{
	const struct moving *m = arg;

	if (m->n > (int)max)
		return -E2BIG;
	memcpy(ret_code, m->code, (size_t)m->n * sizeof(*ret_code));
	return m->n;
}

TEST(codes_that_move_are_looked_up_in_a_list)
{
	struct moving m = { { 5 }, 1 };
	struct filter_names moving = { &kit_metric, "db1", codes_moving, &m, WANTED_FIELD(2), NULL };
	struct filter_lists lists = { 0 };
	struct event e = { .field[2] = 5 };
	char reason[REASON_MAX];
	struct predicate p;
	struct filter f;

	assert_int_equal(predicate_from_text("{\"eq\":[\"instance\",\"db\"]}", &p, reason), 0);
	assert_int_equal(filter_compile(&p, &moving, &f, reason), 0);
	assert_int_equal(f.n_terms, 1);
	assert_int_equal(f.n_lists, 1);
	assert_false(filter_accepts(&f, &e, &lists));
	assert_false(filter_accepts(&f, &e, NULL));
	assert_int_equal(filter_refresh(&f, &p, &moving, &lists), 1);
	assert_true(filter_accepts(&f, &e, &lists));
	assert_int_equal(filter_refresh(&f, &p, &moving, &lists), 0);
	m = (struct moving){ { 6, 5 }, 2 };
	assert_int_equal(filter_refresh(&f, &p, &moving, &lists), 1);
	assert_true(lists.code[0][0] == 5 && lists.code[0][1] == 6);	/* read at the same time */
	m.n = 0;			/* no codes now: the list does not change, and its last events still match */
	assert_int_equal(filter_refresh(&f, &p, &moving, &lists), 0);
	assert_true(filter_accepts(&f, &e, &lists));
	e.field[2] = 0;
	assert_false(filter_accepts(&f, &e, &lists));	/* code 0: the empty entries of a list */
}

/* A server is restarted again and again. */
TEST(a_full_list_drops_codes_that_are_gone)
{
	struct moving m = { { 0 }, 2 };
	struct filter_names moving = { &kit_metric, "db1", codes_moving, &m, WANTED_FIELD(2), NULL };
	struct filter_lists lists = { 0 };
	struct event e = { 0 };
	char reason[REASON_MAX];
	struct predicate p;
	struct filter f;

	assert_int_equal(predicate_from_text("{\"ne\":[\"instance\",\"db\"]}", &p, reason), 0);
	assert_int_equal(filter_compile(&p, &moving, &f, reason), 0);
	m.code[0] = 1000;		/* this one stays */
	for (m.code[1] = 1; m.code[1] < 100; m.code[1]++) {
		assert_int_equal(filter_refresh(&f, &p, &moving, &lists), 1);
		e.field[2] = m.code[1];
		assert_false(filter_accepts(&f, &e, &lists));
		e.field[2] = 1000;
		assert_false(filter_accepts(&f, &e, &lists));
		e.field[2] = m.code[1] + 1;
		assert_true(filter_accepts(&f, &e, &lists));
	}
	m.n = FILTER_LIST + 1;		/* too many: the list stays as it was */
	assert_int_equal(filter_refresh(&f, &p, &moving, &lists), 0);
}

static int codes_refuse(void *arg, unsigned field, const char *text, __u64 *ret_code, size_t max)
{
	return *(int *)arg;
}

static int codes_many(void *arg, unsigned field, const char *text, __u64 *ret_code, size_t max)
{
	for (size_t i = 0; i < max; i++)
		ret_code[i] = i;
	return (int)max;
}

#define E "{\"eq\":[\"statement\",\"x\"]}"

TEST(refusals_say_what_is_wrong)
{
	static const struct field other = { "other", "other", "string", FIELD_DISCRETE, UNIT_NONE, 0, 0 };
	static const struct metric without = { "test", "others", "others", "others", &other, 1, SCOPE_INTERVAL, NULL, NULL, NULL };
	int answer = -E2BIG;
	struct filter_names n = { &kit_metric, "db1", codes_refuse, &answer, 0, NULL };
	char reason[REASON_MAX];
	struct predicate p;
	struct filter f;

	assert_int_equal(predicate_from_text(E, &p, reason), 0);
	assert_int_equal(filter_compile(&p, &n, &f, reason), -EINVAL);
	assert_string_equal(reason, "predicate: field \"statement\" has too many values with that label on this host");
	answer = -EOPNOTSUPP;
	assert_int_equal(filter_compile(&p, &n, &f, reason), -EINVAL);
	assert_string_equal(reason, "predicate: field \"statement\" cannot be compared in the kernel of this host");
	n.codes = NULL;
	assert_int_equal(filter_compile(&p, &n, &f, reason), -EINVAL);
	n.metric = &without;
	assert_int_equal(filter_compile(&p, &n, &f, reason), -EINVAL);
	assert_string_equal(reason, "predicate: field \"statement\" is not known here");
	n = (struct filter_names){ &kit_metric, "db1", codes_many, NULL, 0, NULL };
	assert_int_equal(predicate_from_text("{\"or\":[" E "," E "," E "]}", &p, reason), 0);
	assert_int_equal(filter_compile(&p, &n, &f, reason), 0);
	assert_int_equal(f.n_terms, FILTER_TERMS);
	assert_int_equal(predicate_from_text("{\"or\":[" E "," E "," E "," E "]}", &p, reason), 0);
	assert_int_equal(filter_compile(&p, &n, &f, reason), -EINVAL);
	assert_non_null(strstr(reason, "match 64 values on this host; at most 48"));
	n.moving = WANTED_FIELD(0);
	assert_int_equal(filter_compile(&p, &n, &f, reason), 0);
	assert_int_equal(f.n_terms, FILTER_LISTS);
	assert_int_equal(predicate_from_text("{\"or\":[" E "," E "," E "," E "," E "]}", &p, reason), 0);
	assert_int_equal(filter_compile(&p, &n, &f, reason), -EINVAL);
	assert_string_equal(reason, "predicate: fields like \"statement\" can be compared at most 4 times");
}

TEST(a_filter_means_what_the_json_means)
{
	__u32 most = 0;

	for (int i = 0; i < 10000; i++) {
		json_t *json = kit_predicate(1 + (unsigned)check_below(PREDICATE_TERMS), 1);
		char reason[REASON_MAX];
		struct predicate p;
		struct filter f;
		struct event e;

		assert_int_equal(predicate_from_json(json, &p, reason), 0);
		if (!filter_compile(&p, &names, &f, reason)) {
			most = f.n_terms > most ? f.n_terms : most;
			for (int j = 0; j < 10; j++) {
				kit_event(&e);
				assert_int_equal(filter_accepts(&f, &e, NULL), kit_means(json, &e));
			}
		} else {
			assert_non_null(strstr(reason, "more than 48"));
		}
		json_decref(json);
	}
	assert_in_range(most, 20, FILTER_TERMS);
}

TEST_MAIN()
