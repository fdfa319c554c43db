#include "aggregator/catalog/conditions.h"
#include "test/kit/wire_kit.h"

#define SECOND_NS 1000000000ll
#define NOW_NS (1700000000 * SECOND_NS)

static void hello(struct rig *r, const char *source, __s64 offset_ns)
{
	json_t *json = wire_hello(source, "ok", "");
	const char *name;
	char reason[REASON_MAX];

	json_object_set_new(json, "time_ns", json_integer(NOW_NS + offset_ns));
	assert_int_equal(catalog_hello(r->catalog, json, NOW_NS, &name, reason), 0);
	json_decref(json);
}

static void states(struct rig *r, const char *source, __u64 inst, const char *word, const char *why)
{
	json_t *json = json_pack("{s:[{s:I, s:s, s:s}]}", "instrumentations", "id", (json_int_t)inst, "state", word, "reason", why);
	char reason[REASON_MAX];

	assert_int_equal(catalog_state(r->catalog, source, json, reason), 0);
	json_decref(json);
}

/* A source that is active and whose newest slot ended so many s ago. */
static void reports(struct rig *r, const char *source, __u64 inst, int age_s)
{
	states(r, source, inst, "active", "");
	catalog_seen(r->catalog, inst, source, NOW_NS / SECOND_NS - age_s - 1);
}

/* "name:state ..." in order. */
static void listed(struct rig *r, __s64 now_ns, const char *want)
{
	struct source_condition *list;
	char have[512] = "";
	size_t n;

	assert_int_equal(conditions_list(r->catalog, now_ns, &list, &n), 0);
	for (size_t i = 0; i < n; i++)
		snprintf(have + strlen(have), sizeof(have) - strlen(have), "%s%s:%s", i ? " " : "", list[i].name, condition_word(list[i].condition));
	free(list);
	assert_string_equal(have, want);
}

TEST(those_that_need_attention_come_first)
{
	struct rig r;
	__u64 id;

	rig_begin(&r, NULL);
	hello(&r, "a_idle", 0);
	listed(&r, NOW_NS, "a_idle:idle");
	for (const char *const *name = (const char *const[]){ "b_good", "c_late", "d_later", "e_lost", "f_clock", "g_partial", "h_failed", "i_gone", "j_gone", "k_new", NULL };
	     *name; name++)
		hello(&r, *name, !strcmp(*name, "f_clock") ? -3 * SECOND_NS : 0);
	id = rig_create(&r, wire_request("statement"));
	reports(&r, "a_idle", id, 0);
	reports(&r, "b_good", id, 1);
	reports(&r, "c_late", id, 4);
	reports(&r, "d_later", id, 30);
	reports(&r, "e_lost", id, 0);
	catalog_lost(r.catalog, id, "e_lost", 12, NOW_NS - SECOND_NS);
	reports(&r, "f_clock", id, 0);
	reports(&r, "g_partial", id, 0);
	states(&r, "g_partial", id, "partial", "one of two");
	states(&r, "h_failed", id, "failed", "no memory");
	catalog_bye(r.catalog, "i_gone", NOW_NS - 100 * SECOND_NS);
	catalog_bye(r.catalog, "j_gone", NOW_NS - 10 * SECOND_NS);
	catalog_seen(r.catalog, id, "of_store", 5);	/* it never said hello to us */
	listed(&r, NOW_NS, "d_later:late c_late:late j_gone:away i_gone:away of_store:away e_lost:losing f_clock:clock h_failed:failing "
	       "g_partial:failing k_new:starting a_idle:reporting b_good:reporting");
	rig_end(&r);
}

TEST(a_slow_clock_does_not_make_a_source_late)
{
	struct rig r;
	__u64 id;

	rig_begin(&r, NULL);
	hello(&r, "db1", -300 * SECOND_NS);
	id = rig_create(&r, wire_request(""));
	reports(&r, "db1", id, 301);
	listed(&r, NOW_NS, "db1:clock");
	listed(&r, NOW_NS + 10 * SECOND_NS, "db1:late");
	rig_end(&r);
}

TEST(a_source_says_in_numbers_what_is_wrong)
{
	struct rig r;
	struct source_condition *list;
	size_t n;
	__u64 id;

	rig_begin(&r, NULL);
	hello(&r, "db1", 0);
	id = rig_create(&r, wire_request(""));
	reports(&r, "db1", id, 30);
	hello(&r, "db2", 0);
	states(&r, "db2", id, "failed", "no memory");
	assert_int_equal(conditions_list(r.catalog, NOW_NS, &list, &n), 0);
	assert_int_equal(n, 2);
	assert_true(list[0].late_ns == 29 * SECOND_NS);
	assert_true(list[0].until_ns == NOW_NS - 30 * SECOND_NS);
	assert_int_equal(list[1].n_failed, 1);
	assert_string_equal(list[1].reason, "instrumentation 1 (mysql.queries): no memory");
	free(list);
	rig_end(&r);
}

/* wire_hello()'s incarnation is 2^64 - 1; the hello was at NOW_NS. */
TEST(a_source_is_doubled_while_an_earlier_start_measures_on)
{
	static const struct sent {
		const char *name;
		__u64 incarnation;
		__s64 begin_ns, own_ns, later_ns;	/* of its own batch, 0: none; after both came */
		const char *want;
	} cases[] = {
		{ "its own batch", ~0ull, NOW_NS + 5 * SECOND_NS, NOW_NS + SECOND_NS, 0, "db1:reporting" },
		{ "of before the hello", 7, NOW_NS - SECOND_NS, NOW_NS + 2 * SECOND_NS, 0, "db1:reporting" },
		{ "of the slot of the hello", 7, NOW_NS, NOW_NS + 2 * SECOND_NS, 0, "db1:reporting" },
		{ "of a later slot", 7, NOW_NS + SECOND_NS, NOW_NS + 2 * SECOND_NS, 0, "db1:doubled" },
		{ "for a minute", 7, NOW_NS + SECOND_NS, NOW_NS + 2 * SECOND_NS, DOUBLED_NS - 1, "db1:doubled" },
		{ "then no longer", 7, NOW_NS + SECOND_NS, NOW_NS + 2 * SECOND_NS, DOUBLED_NS, "db1:reporting" },
		{ "a new start whose hello is late", 7, NOW_NS + 2 * SECOND_NS, NOW_NS + SECOND_NS, 0, "db1:reporting" },
		{ "in the slot of its end", 7, NOW_NS + 2 * SECOND_NS, NOW_NS + 2 * SECOND_NS, 0, "db1:reporting" },
		{ "and without any batch of it", 7, NOW_NS + 2 * SECOND_NS, 0, 0, "db1:reporting" },
	};
	struct rig r;
	__u64 id;

	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(*cases); i++) {	/* either may come first */
		const struct sent *c = &cases[i / 2];

		rig_begin(&r, NULL);
		hello(&r, "db1", 0);
		id = rig_create(&r, wire_request(""));
		reports(&r, "db1", id, -1 - (int)(c->later_ns / SECOND_NS));
		if (i % 2)
			catalog_sent(r.catalog, "db1", c->incarnation, c->begin_ns, NOW_NS + 2 * SECOND_NS);
		if (c->own_ns)
			catalog_sent(r.catalog, "db1", ~0ull, c->own_ns, NOW_NS + 2 * SECOND_NS);
		if (!(i % 2))
			catalog_sent(r.catalog, "db1", c->incarnation, c->begin_ns, NOW_NS + 2 * SECOND_NS);
		listed(&r, NOW_NS + 2 * SECOND_NS + c->later_ns, c->want);
		rig_end(&r);
	}
}

TEST(a_source_is_late_after_two_seconds_beyond_its_slot)
{
	static const struct {
		__s64 after_ns;
		const char *want;
	} cases[] = { { 3 * SECOND_NS, "db1:reporting" }, { 3 * SECOND_NS + 1, "db1:late" } };
	struct rig r;
	__u64 id;

	rig_begin(&r, NULL);
	hello(&r, "db1", 0);
	id = rig_create(&r, wire_request(""));
	reports(&r, "db1", id, 0);
	for (size_t i = 0; i < 2; i++)
		listed(&r, NOW_NS + cases[i].after_ns, cases[i].want);
	states(&r, "db1", id, "partial", "sampled");
	listed(&r, NOW_NS + 60 * SECOND_NS, "db1:failing");	/* it may watch single seconds only */
	listed(&r, NOW_NS + 62 * SECOND_NS, "db1:late");
	rig_end(&r);
}

/* Returns the offset of db1's clock. */
static __s64 offset_ns(const struct rig *r)
{
	return wire_source(r->catalog, "db1")->clock_ns;
}

TEST(the_offset_of_a_clock_is_the_largest_that_was_seen)
{
	const __u64 own = ~(__u64)0;
	struct rig r;

	rig_begin(&r, NULL);
	hello(&r, "db1", -3 * SECOND_NS);		/* the hello waited for us */
	assert_true(offset_ns(&r) == -3 * SECOND_NS);
	catalog_clock(r.catalog, "db1", own, NOW_NS - 20000000, false, NOW_NS);
	assert_true(offset_ns(&r) == -20000000);
	catalog_clock(r.catalog, "db1", own, NOW_NS - 60 * SECOND_NS, false, NOW_NS);	/* from the spool */
	assert_true(offset_ns(&r) == -20000000);
	catalog_clock(r.catalog, "db1", 5, NOW_NS + SECOND_NS, false, NOW_NS);	/* of a former start */
	assert_true(offset_ns(&r) == -20000000);
	catalog_clock(r.catalog, "db1", own, NOW_NS - 7 * SECOND_NS, true, NOW_NS);	/* it was set back */
	assert_true(offset_ns(&r) == -7 * SECOND_NS);
	catalog_stepped(r.catalog, -7 * SECOND_NS, NOW_NS);		/* and ours, too */
	assert_true(offset_ns(&r) == 0);
	rig_end(&r);
}

TEST(a_source_that_does_not_say_its_time_has_no_offset)
{
	struct rig r;
	json_t *json;

	rig_begin(&r, NULL);
	rig_hello(&r, "db1");
	catalog_clock(r.catalog, "db1", ~(__u64)0, NOW_NS - 60 * SECOND_NS, false, NOW_NS);
	assert_false(wire_source(r.catalog, "db1")->knows_clock);
	json = conditions_json(r.catalog, NOW_NS);
	assert_true(json_is_null(json_object_get(json_array_get(json_object_get(json, "sources"), 0), "clock_offset")));
	json_decref(json);
	rig_end(&r);
}

TEST_MAIN()
