/* A group on a bus and by clocks that the test makes: what a heatscoped publishes, and what it makes of what comes. */
#include "aggregator/ingest/bus_group.h"
#include "test/kit/bus_kit.h"
#include "test/kit/wire_kit.h"

#include <errno.h>

#define START_MS 1000000

/* --- the clocks: the linker calls these instead of the real ones --- */

static __u64 at_ms = START_MS, boot_ahead_ms;

uint64_t __wrap_uv_now(const uv_loop_t *loop) { return at_ms; }
__s64 __wrap_boot_ns(void) { return (__s64)(at_ms + boot_ahead_ms) * 1000000; }

/* --- a group --- */

struct bench {
	struct rig rig;
	struct intake *intake;
	struct bus_group *g;
	unsigned n_leads, n_ends, n_follows, n_missed, n_asked;
	int answered_err;
	unsigned n_answered;
	char answer[100];
};

static void on_lead(void *arg, bool leads)
{
	struct bench *b = arg;

	b->n_leads += leads;
	b->n_ends += !leads;
}

static void on_follow(void *arg) { ((struct bench *)arg)->n_follows++; }
static void on_missed(void *arg, __s64 until_ns) { ((struct bench *)arg)->n_missed++; }

static void on_asked(void *arg, const char *reply, const char *head, const void *body, size_t len)
{
	struct bench *b = arg;

	b->n_asked++;
	assert_int_equal(bus_group_answer(b->g, reply, "{\"status\":201}", body, len), 0);
}

static const struct bus_group_ops ops = { on_lead, on_follow, on_missed, on_asked };

#define INBOX "heatscope.member.me"
#define LEASE_KEY "$KV.heatscope_members.lease"

static void bench_begin(struct bench *b, bool is_shared)
{
	const struct bus_group_conf conf = { is_shared, INBOX, "me", NULL, NULL, NULL, is_shared ? &ops : NULL, b };
	struct bus_group_conf with = conf;

	*b = (struct bench){ 0 };
	n_said = n_restarts = 0;
	publish_err = 0;
	at_ms = START_MS;
	boot_ahead_ms = 0;
	rig_begin(&b->rig, NULL);
	assert_int_equal(intake_new(b->rig.catalog, b->rig.store_queue, &b->intake), 0);
	with.catalog = b->rig.catalog;
	with.intake = b->intake;
	with.store_queue = b->rig.store_queue;
	assert_int_equal(bus_group_new(&b->rig.loop, &with, &b->g), 0);
	assert_int_equal(bus_group_connected(b->g, some_bus, &(struct bus_values){ 0 }), 0);
}

static void bench_end(struct bench *b)
{
	bus_group_free(b->g);
	intake_free(b->intake);
	rig_end(&b->rig);
}

static bool take_with(struct bench *b, const char *subject, const void *data, size_t len, const char *name, const char *value)
{
	const char *pair[] = { name, value };
	const struct bus_message m = { .subject = subject, .reply = "reply.here", .data = data, .len = len, .private = name ? pair : NULL };

	return bus_group_take(b->g, &m);
}

static void take(struct bench *b, const char *subject, const char *text)
{
	assert_true(take_with(b, subject, text, strlen(text), NULL, NULL));
}

static void pass(struct bench *b, __u64 ms)
{
	for (; ms; ms -= 500) {
		at_ms += 500;
		bus_group_tick(b->g);
	}
}

/* The server takes what was asked last, as revision `seq`. */
static void grant(struct bench *b, unsigned seq)
{
	char text[100];

	snprintf(text, sizeof(text), "{\"stream\":\"KV_heatscope_members\",\"seq\":%u}", seq);
	take(b, last_said(LEASE_KEY)->reply, text);
}

static void lead(struct bench *b)
{
	grant(b, 5);
	bus_group_ready(b->g);
	assert_true(bus_group_leads(b->g));
}

/* Another heatscoped of the same store says that it lives. */
static void presence(struct bench *b, const char *id, const char *more)
{
	char subject[100], text[300];

	snprintf(subject, sizeof(subject), "$KV.heatscope_members.%s", id);
	snprintf(text, sizeof(text), "{\"aggregator\":\"%s\",\"gone\":false,\"revision\":1%s}", catalog_identity(b->rig.catalog), more);
	take(b, subject, text);
}

static size_t n_others(struct bench *b)
{
	json_t *json = bus_group_json(b->g);
	size_t n = json_array_size(json_object_get(json, "others"));

	json_decref(json);
	return n;
}

/* --- the lease --- */

TEST(one_leads_while_its_lease_is_confirmed_and_it_is_ready)
{
	struct bench b;

	bench_begin(&b, true);
	assert_string_equal(said_header(last_said(LEASE_KEY), BUS_HEADER_EXPECTED), "0");
	assert_false(bus_group_leads(b.g));
	grant(&b, 5);
	assert_int_equal(b.n_leads, 1);
	assert_false(bus_group_leads(b.g));		/* what the former leader wrote is not read yet */
	bus_group_ready(b.g);
	assert_true(bus_group_leads(b.g));
	assert_non_null(strstr(last_said("$KV.heatscope_members.me")->data, "\"leads\":true"));
	pass(&b, 1500);
	assert_string_equal(said_header(last_said(LEASE_KEY), BUS_HEADER_EXPECTED), "5");
	grant(&b, 6);
	pass(&b, 3000);					/* it was asked 0.5 s before */
	assert_true(bus_group_leads(b.g));
	pass(&b, 1000);
	assert_false(bus_group_leads(b.g));
	assert_int_equal(b.n_ends, 1);
	grant(&b, 9);
	assert_int_equal(b.n_leads, 2);
	bench_end(&b);
}

TEST(a_machine_that_slept_does_not_believe_in_its_lease)
{
	struct bench b;

	bench_begin(&b, true);
	lead(&b);
	boot_ahead_ms = 60000;
	assert_false(bus_group_leads(b.g));
	assert_int_equal(bus_group_leads_until_ms(b.g), 0);
	bench_end(&b);
}

TEST(a_refusal_ends_no_lease_that_runs_and_begins_none)
{
	static const char refusal[] = "{\"error\":{\"code\":400,\"err_code\":10071,\"description\":\"wrong last sequence: 9\"},"
				      "\"stream\":\"KV_heatscope_members\",\"seq\":0}";
	struct bench b;

	bench_begin(&b, true);
	take(&b, last_said(LEASE_KEY)->reply, refusal);	/* another one has it */
	assert_int_equal(b.n_leads, 0);
	pass(&b, 500);
	assert_string_equal(said_header(last_said(LEASE_KEY), BUS_HEADER_EXPECTED), "0");
	lead(&b);
	pass(&b, 1000);
	take(&b, last_said(LEASE_KEY)->reply, refusal);	/* a client of the bus has overwritten it */
	assert_true(bus_group_leads(b.g));
	pass(&b, 500);
	assert_string_equal(said_header(last_said(LEASE_KEY), BUS_HEADER_EXPECTED), "9");
	grant(&b, 10);
	pass(&b, 3000);
	assert_true(bus_group_leads(b.g));
	assert_int_equal(b.n_ends, 0);
	bench_end(&b);
}

TEST(an_answer_of_another_stream_is_no_lease_and_ends_none)
{
	static const char foreign[] = "{\"stream\":\"HEATSCOPE_BATCHES\",\"seq\":7}";
	struct bench b;

	bench_begin(&b, true);
	take(&b, last_said(LEASE_KEY)->reply, foreign);
	assert_int_equal(b.n_leads, 0);
	lead(&b);
	take(&b, INBOX ".lease.99999999", foreign);
	assert_true(bus_group_leads(b.g));
	bench_end(&b);
}

TEST(a_lost_answer_is_asked_for_again_before_the_lease_ends)
{
	struct bench b;

	bench_begin(&b, true);
	lead(&b);
	n_said = 0;
	pass(&b, 3500);
	assert_true(count_said(LEASE_KEY) >= 2);
	assert_true(bus_group_leads(b.g));
	bench_end(&b);
}

TEST(without_the_bus_none_leads_and_who_cannot_read_leaves_it_to_another)
{
	struct bench b;

	bench_begin(&b, true);
	lead(&b);
	bus_group_lost(b.g);
	assert_false(bus_group_leads(b.g));
	assert_int_equal(b.n_ends, 1);
	assert_int_equal(bus_group_connected(b.g, some_bus, &(struct bus_values){ 0 }), 0);
	lead(&b);
	bus_group_yield(b.g);
	assert_false(bus_group_leads(b.g));
	n_said = 0;
	pass(&b, 9500);
	assert_null(last_said(LEASE_KEY));
	pass(&b, 1000);
	assert_non_null(last_said(LEASE_KEY));
	bench_end(&b);
}

/* --- the others --- */

TEST(others_take_partitions_until_they_are_gone)
{
	struct bench b;
	unsigned ours = 0;

	bench_begin(&b, true);
	b.n_missed = 0;
	presence(&b, "other", "");
	assert_int_equal(n_others(&b), 1);
	for (unsigned p = 0; p < BUS_PARTITIONS; p++)
		ours += bus_group_owns(b.g, p);
	assert_in_range(ours, 1, BUS_PARTITIONS - 1);
	assert_int_equal(b.n_missed, 0);		/* it has stored nothing yet of which we do not hear */
	presence(&b, "other", ",\"leads\":true");
	assert_int_equal(b.n_follows, 1);
	presence(&b, "other", ",\"leads\":true");
	assert_int_equal(b.n_follows, 1);		/* it has written nothing since */
	bus_group_follow_again(b.g);
	presence(&b, "other", ",\"leads\":true");
	assert_int_equal(b.n_follows, 2);
	pass(&b, 6000);
	assert_int_equal(n_others(&b), 0);
	assert_int_equal(b.n_missed, 1);
	bench_end(&b);
}

TEST(what_the_bus_can_be_made_to_write_is_no_heatscoped)
{
	struct bench b;
	json_t *want;
	char *text;

	bench_begin(&b, true);
	b.n_missed = 0;
	want = catalog_want(b.rig.catalog);		/* it names the store */
	text = json_dumps(want, 0);
	take(&b, "$KV.heatscope_members.ghost", text);
	take(&b, "$KV.heatscope_members.a_name_that_is_longer_than_any", "{\"aggregator\":\"x\",\"gone\":false,\"revision\":1}");
	take(&b, "$KV.heatscope_members.ghost", "{\"stream\":\"HEATSCOPE_BATCHES\",\"seq\":7}");
	take(&b, "heatscope.feed.ghost", "{\"stream\":\"HEATSCOPE_BATCHES\",\"seq\":7}");
	take(&b, INBOX ".asked", "{\"stream\":\"HEATSCOPE_BATCHES\",\"seq\":7}");
	take(&b, "$KV.heatscope_members.ghost", "not JSON");
	assert_int_equal(n_others(&b), 0);
	assert_int_equal(b.n_missed, 0);
	assert_int_equal(b.n_asked, 0);
	assert_int_equal(n_restarts, 0);
	assert_false(bus_group_refuses(b.g, "$KV.heatscope_members.ghost", text, strlen(text)));
	json_decref(want);
	free(text);
	bench_end(&b);
}

TEST(of_two_stores_on_one_bus_the_later_id_gives_way)
{
	static const char elsewhere[] = "{\"aggregator\":\"elsewhere\",\"gone\":false,\"revision\":1}";

	for (int shared = 0; shared < 2; shared++) {
		struct bench b;

		bench_begin(&b, shared);
		take(&b, "$KV.heatscope_members.zz", elsewhere);
		assert_int_equal(n_restarts, 0);
		take(&b, "$KV.heatscope_members.aa", elsewhere);
		assert_int_equal(n_restarts, 1);
		assert_true(bus_group_refuses(b.g, "$KV.heatscope_members.aa", elsewhere, strlen(elsewhere)));
		assert_int_equal(n_others(&b), 0);
		assert_int_equal(bus_group_leads(b.g), !shared);
		bench_end(&b);
	}
}

TEST(a_touch_is_passed_on_once_and_only_by_whose_client_it_was)
{
	struct bench b;
	char more[60];
	__u64 id;

	bench_begin(&b, true);
	rig_hello(&b.rig, "db1");
	id = rig_create(&b.rig, wire_request("command"));
	snprintf(more, sizeof(more), ",\"touched\":[%llu]", (unsigned long long)id);
	pass(&b, 1000);
	presence(&b, "other", more);
	assert_int_equal(catalog_find(b.rig.catalog, id)->touched_ns, (__s64)at_ms * 1000000);
	pass(&b, 1000);
	assert_non_null(strstr(last_said("$KV.heatscope_members.me")->data, "\"touched\":[]"));
	at_ms++;
	catalog_touch(b.rig.catalog, id, (__s64)at_ms * 1000000);
	pass(&b, 1000);
	assert_null(strstr(last_said("$KV.heatscope_members.me")->data, "\"touched\":[]"));
	pass(&b, 1000);
	assert_non_null(strstr(last_said("$KV.heatscope_members.me")->data, "\"touched\":[]"));
	bench_end(&b);
}

/* --- batches of the others --- */

static void feed(struct bench *b, const char *id, const char *number)
{
	char subject[60];

	snprintf(subject, sizeof(subject), "heatscope.feed.%s", id);
	assert_true(take_with(b, subject, "", 0, BUS_HEADER_FEED, number));
}

TEST(a_missing_number_is_noticed_by_the_next_message_or_the_next_but_one_presence)
{
	struct bench b;

	bench_begin(&b, true);
	b.n_missed = 0;
	presence(&b, "other", ",\"feeds\":0");
	feed(&b, "other", "1");
	feed(&b, "other", "2");
	assert_int_equal(b.n_missed, 0);
	feed(&b, "other", "4");
	assert_int_equal(b.n_missed, 1);
	presence(&b, "other", ",\"feeds\":5");		/* number 5 may still be on its way */
	assert_int_equal(b.n_missed, 1);
	presence(&b, "other", ",\"feeds\":5");
	assert_int_equal(b.n_missed, 2);
	presence(&b, "other", ",\"feeds\":5");
	assert_int_equal(b.n_missed, 2);
	feed(&b, "other", "6");
	assert_int_equal(b.n_missed, 2);
	feed(&b, "stranger", "1");			/* which is not in the group: it is gone, or has not said that it lives */
	assert_int_equal(b.n_missed, 3);
	assert_int_equal(n_others(&b), 1);
	bench_end(&b);
}

static void store_one(struct bench *b, __u64 id, __u32 seq)
{
	static const __u64 values[] = { 5000, 6000 };
	struct bytes data = { 0 };
	struct incoming_batch *a;

	wire_batch(&data, "db1", id, 100 + seq, seq, "query", values, 2);
	assert_int_equal(incoming_batch_new(data.data, data.len, &a), 0);
	assert_int_equal(store_queue_add(b->rig.store_queue, a), 0);
	uv_run(&b->rig.loop, UV_RUN_DEFAULT);
	bus_group_flush(b->g);
	bytes_fini(&data);
}

TEST(what_is_stored_is_sent_and_what_cannot_be_sent_leaves_a_gap)
{
	struct bench b;
	__u64 id;

	bench_begin(&b, true);
	rig_hello(&b.rig, "db1");
	id = rig_create(&b.rig, wire_request("command"));
	store_one(&b, id, 1);				/* there is no other heatscoped yet: number 1 is never sent */
	assert_null(last_said("heatscope.feed.me"));
	presence(&b, "other", "");
	store_one(&b, id, 2);
	assert_string_equal(said_header(last_said("heatscope.feed.me"), BUS_HEADER_FEED), "2");
	assert_true(last_said("heatscope.feed.me")->len > 0);
	bus_group_lost(b.g);
	store_one(&b, id, 3);
	assert_int_equal(bus_group_connected(b.g, some_bus, &(struct bus_values){ 0 }), 0);
	presence(&b, "other", "");
	store_one(&b, id, 4);
	assert_string_equal(said_header(last_said("heatscope.feed.me"), BUS_HEADER_FEED), "4");
	pass(&b, 1000);
	assert_non_null(strstr(last_said("$KV.heatscope_members.me")->data, "\"feeds\":4"));
	bench_end(&b);
}

/* --- questions --- */

static void on_answered(void *arg, int err, const char *head, const void *body, size_t len)
{
	struct bench *b = arg;

	b->n_answered++;
	b->answered_err = err;
	snprintf(b->answer, sizeof(b->answer), "%s %.*s", head ? head : "", (int)len, body ? (const char *)body : "");
}

TEST(the_leader_is_asked_and_its_answer_or_its_silence_is_given)
{
	struct bench b;
	char reply[SUBJECT_MAX + 40];

	bench_begin(&b, true);
	assert_int_equal(bus_group_ask(b.g, "{}", "body", 4, on_answered, &b), -ENOTCONN);
	presence(&b, "other", ",\"leads\":true");
	assert_int_equal(bus_group_ask(b.g, "{\"path\":1}", "body", 4, on_answered, &b), 0);
	assert_string_equal(said_header(last_said("heatscope.member.other.asked"), BUS_HEADER_HEAD), "{\"path\":1}");
	assert_string_equal(last_said("heatscope.member.other.asked")->data, "body");
	strcpy(reply, last_said("heatscope.member.other.asked")->reply);
	take(&b, reply, "{\"stream\":\"HEATSCOPE_BATCHES\",\"seq\":7}");	/* no answer: it has no head */
	assert_int_equal(b.n_answered, 0);
	assert_true(take_with(&b, reply, "done", 4, BUS_HEADER_HEAD, "{\"status\":201}"));
	assert_int_equal(b.n_answered, 1);
	assert_int_equal(b.answered_err, 0);
	assert_string_equal(b.answer, "{\"status\":201} done");
	assert_true(take_with(&b, reply, "twice", 5, BUS_HEADER_HEAD, "{}"));
	assert_int_equal(b.n_answered, 1);

	assert_int_equal(bus_group_ask(b.g, "{}", "", 0, on_answered, &b), 0);
	pass(&b, 6000);
	assert_int_equal(b.n_answered, 2);
	assert_int_equal(b.answered_err, -ETIMEDOUT);
	presence(&b, "other", ",\"leads\":true");
	publish_err = -EMSGSIZE;
	assert_int_equal(bus_group_ask(b.g, "{}", "", 0, on_answered, &b), -EMSGSIZE);
	publish_err = 0;
	assert_int_equal(bus_group_ask(b.g, "{}", "", 0, on_answered, &b), 0);
	bus_group_lost(b.g);
	assert_int_equal(b.answered_err, -ESHUTDOWN);
	assert_int_equal(b.n_answered, 3);
	bench_end(&b);
}

TEST(a_question_gets_the_answer_on_its_subject)
{
	struct bench b;

	bench_begin(&b, true);
	assert_true(take_with(&b, INBOX ".asked", "body", 4, BUS_HEADER_HEAD, "{\"method\":\"POST\"}"));
	assert_int_equal(b.n_asked, 1);
	assert_string_equal(said_header(last_said("reply.here"), BUS_HEADER_HEAD), "{\"status\":201}");
	assert_string_equal(last_said("reply.here")->data, "body");
	bench_end(&b);
}

TEST_MAIN()
