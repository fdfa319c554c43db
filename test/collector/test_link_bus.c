/* A link on a bus that the test makes: the messages that it sends, and the names that they have. */
#include "collector/core/frame.h"
#include "collector/link_kind.h"
#include "test/kit/bus_kit.h"
#include "test/kit/sample_kit.h"

#include <uv.h>

/* --- the loop's clock and the link's timer: the linker calls these instead of the real ones --- */

static __u64 at_ms;
static uv_timer_t *timer;
static uv_timer_cb on_tick;

uint64_t __wrap_uv_now(const uv_loop_t *loop) { return at_ms; }

int __wrap_uv_timer_start(uv_timer_t *t, uv_timer_cb cb, uint64_t after_ms, uint64_t again_ms)
{
	timer = t;
	on_tick = cb;
	return 0;
}

static void pass(__u64 ms)
{
	for (; ms; ms -= 500) {
		at_ms += 500;
		on_tick(timer);
	}
}

/* --- a link --- */

struct bench {
	uv_loop_t loop;
	struct link *link;
	const char *version;		/* of the hello */
	unsigned n_connected, n_wants, n_acks, n_lost, n_closed;
};

static int say_hello(struct bench *b, const char *version)
{
	json_t *hello = json_pack("{s:s, s:s}", "source", "db1", "version", version);
	int err = link_send_json(b->link, FRAME_HELLO, hello);

	json_decref(hello);
	return err;
}

static void on_connected(void *arg)
{
	struct bench *b = arg;

	b->n_connected++;
	if (b->link)
		say_hello(b, b->version);
}

static void on_want(void *arg, const json_t *want) { ((struct bench *)arg)->n_wants++; }
static void on_acks(void *arg, const struct ack *a, size_t n) { ((struct bench *)arg)->n_acks += (unsigned)n; }
static void on_lost(void *arg) { ((struct bench *)arg)->n_lost++; }
static void on_closed(void *arg) { ((struct bench *)arg)->n_closed++; }

static void take(const char *subject, const char *text)
{
	const struct bus_message m = { .subject = subject, .reply = "", .data = (const uint8_t *)text, .len = strlen(text) };

	bus_ops_given.message(bus_arg_given, &m);
}

/* Connects, and the wanted set comes: the link is open. */
static void open_link(struct bench *b)
{
	bus_ops_given.connected(bus_arg_given);
	take("heatscope.reply.db1.wanted", "{\"aggregator\":\"x\",\"instrumentations\":[]}");
	assert_true(b->n_wants > 0);
}

static void bench_begin(struct bench *b)
{
	static const struct link_ops ops = { on_connected, on_want, on_acks, on_lost, on_closed, NULL };
	const struct bus_conf conf = { .url = "nats://127.0.0.1:1" };
	char reason[REASON_MAX];

	*b = (struct bench){ .version = "1" };
	at_ms = 1000000;
	n_said = n_restarts = 0;
	payload_max = 1u << 20;
	assert_int_equal(uv_loop_init(&b->loop), 0);
	assert_int_equal(link_bus_make(&b->loop, &conf, "db1", &ops, b, &b->link, reason), 0);
	open_link(b);
}

static void bench_end(struct bench *b)
{
	link_close(b->link);
	uv_run(&b->loop, UV_RUN_DEFAULT);
	assert_int_equal(b->n_closed, 1);
	assert_int_equal(uv_loop_close(&b->loop), 0);
}

/* --- names of messages --- */

#define ID_MAX 300

static struct batch batch_of(__u64 incarnation, __u64 inst, __s64 slot, __u32 seq)
{
	return (struct batch){ .source = "db1", .incarnation = incarnation, .inst = inst, .slot_ns = 1000000000, .slot = slot,
			       .seq = seq, .run = 1 };
}

/* Sends these batches as one message; gives the names of its parts, and returns how many it has. */
static size_t send_message(struct bench *b, const struct batch *batch, size_t n, char ret_id[][ID_MAX], size_t most)
{
	size_t first = n_said, n_parts;

	for (size_t i = 0; i < n; i++) {
		struct bytes payload = { 0 }, frame = { 0 };

		batch_encode(&batch[i], &payload);
		frame_put(&frame, FRAME_BATCH, payload.data, payload.len);
		assert_int_equal(link_send_batch(b->link, &frame), 0);
		bytes_fini(&payload);
		bytes_fini(&frame);
	}
	assert_int_equal(link_flush(b->link), 0);
	n_parts = n_said - first;
	assert_in_range(n_parts, 1, most);
	for (size_t i = 0; i < n_parts; i++)
		strcpy(ret_id[i], said_header(&said[(first + i) % SAID_MAX], BUS_HEADER_ID));
	return n_parts;
}

static void lose(struct bench *b)
{
	bus_ops_given.lost(bus_arg_given, "the server has died");
	open_link(b);
}

/* The bus keeps one of several messages with one name for two minutes.  After a loss, the spool's batches are divided among
 * messages in another way: an acknowledgement had come meanwhile, or the collector has started again. */
TEST(two_messages_have_one_name_only_if_they_have_the_same_batches)
{
	const struct batch first = batch_of(7, 1, 100, 1), second = batch_of(7, 1, 101, 2);
	const struct batch message[][2] = {
		{ first, second }, { second, first }, { first, batch_of(8, 1, 101, 2) }, { first, batch_of(7, 2, 101, 2) },
		{ first, batch_of(7, 1, 102, 2) }, { first, batch_of(7, 1, 101, 3) }, { first, batch_of(7, 1, 102, 3) },
	};
	const struct batch longer[] = { first, second, batch_of(7, 1, 102, 3) };
	enum { N = sizeof(message) / sizeof(*message) };
	char id[N + 1][ID_MAX], again[1][ID_MAX];
	struct bench b;

	bench_begin(&b);
	for (size_t i = 0; i < N; i++) {
		send_message(&b, message[i], 2, &id[i], 1);
		lose(&b);
	}
	send_message(&b, longer, 3, &id[N], 1);
	for (size_t i = 0; i <= N; i++)
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(id[i], id[j]);
	for (size_t i = 0; i < N; i++) {
		lose(&b);
		send_message(&b, message[i], 2, again, 1);
		assert_string_equal(again[0], id[i]);
	}
	bench_end(&b);
}

/* Parts that were cut for another limit do not fit together. */
TEST(parts_have_names_of_their_own_also_after_the_limit_has_changed)
{
	enum { BATCHES = 200, MOST = 8 };
	struct batch batch[BATCHES];
	char id[2 * MOST][ID_MAX], again[MOST][ID_MAX];
	size_t n, n_longer;
	struct bench b;

	for (__u32 i = 0; i < BATCHES; i++)
		batch[i] = batch_of(7, 1, 100 + i, i + 1);
	bench_begin(&b);
	payload_max = 2 * 4096 + 1;		/* of which 4096 are for headers */
	n = send_message(&b, batch, BATCHES, id, MOST);
	assert_in_range(n, 2, MOST);
	lose(&b);
	assert_int_equal(send_message(&b, batch, BATCHES, again, MOST), n);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(again[i], id[i]);
	lose(&b);
	payload_max = 4096 + 6000;
	n_longer = send_message(&b, batch, BATCHES, id + n, MOST);
	assert_in_range(n_longer, 2, n - 1);
	for (size_t i = 0; i < n + n_longer; i++)
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(id[i], id[j]);
	bench_end(&b);
}

/* --- hello and presence --- */

#define HELLO "$KV.heatscope_hellos.db1"
#define PRESENCE "$KV.heatscope_sources.db1"
#define QUESTION "heatscope.reply.db1.hello"

/* The last presence names the last hello. */
static void must_fit(void)
{
	const struct said *hello = last_said(HELLO), *presence = last_said(PRESENCE);
	char hash[40];

	assert_non_null(hello);
	assert_non_null(presence);
	snprintf(hash, sizeof(hash), "\"hello\":\"%016llx\"", (unsigned long long)hello_hash(hello->data, hello->len));
	assert_non_null(strstr(presence->data, hash));
}

TEST(a_hello_is_said_once_for_each_connection_and_the_presence_all_the_time)
{
	struct bench b;

	bench_begin(&b);
	must_fit();
	n_said = 0;
	pass(60000);
	assert_int_equal(count_said(HELLO), 0);
	assert_int_equal(count_said(PRESENCE), 4);
	b.version = "2";
	lose(&b);
	assert_int_equal(count_said(HELLO), 1);
	assert_non_null(strstr(last_said(HELLO)->data, "\"version\":\"2\""));
	must_fit();
	bench_end(&b);
}

TEST(the_bucket_has_the_hello_while_the_collector_lives_and_not_after_it)
{
	__u64 said_ms = 0;
	struct bench b;

	bench_begin(&b);
	for (__u64 ms = 0; ms < 3 * 3600000; ms += 500) {
		n_said = 0;
		pass(500);
		if (count_said(HELLO)) {
			must_fit();
			assert_true(ms - said_ms < BUS_HELLO_AGE_S * 1000 / 2);
			said_ms = ms;
		}
	}
	assert_true(3 * 3600000 - said_ms < BUS_HELLO_AGE_S * 1000 / 2);
	n_said = 0;
	bench_end(&b);
	assert_string_equal(last_said(PRESENCE)->data, "{\"gone\":true}");
	assert_int_equal(last_said(HELLO)->len, 0);
}

TEST(a_heatscoped_that_asks_gets_the_hello_and_several_that_ask_get_one)
{
	struct bench b;

	bench_begin(&b);
	pass(500);
	n_said = 0;
	for (int i = 0; i < 3; i++)
		take(QUESTION, BUS_SAY_HELLO);
	assert_int_equal(count_said(HELLO), 0);
	pass(1000);
	assert_int_equal(count_said(HELLO), 1);
	n_said = 0;
	take(QUESTION, BUS_SAY_HELLO);
	pass(3500);			/* two collectors of one name must not go on without a pause */
	assert_int_equal(count_said(HELLO), 0);
	pass(2000);
	assert_int_equal(count_said(HELLO), 1);
	must_fit();
	pass(6000);
	n_said = 0;
	take(QUESTION, "{\"stream\":\"HEATSCOPE_BATCHES\",\"seq\":7}");	/* the bus can be made to write this */
	bus_ops_given.message(bus_arg_given, &(struct bus_message){ .subject = QUESTION, .reply = "", .status = 503 });
	pass(1000);
	assert_int_equal(count_said(HELLO), 0);
	bench_end(&b);
}

TEST_MAIN()
