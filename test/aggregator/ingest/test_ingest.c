#include "test/kit/wire_kit.h"

#include "aggregator/base/endpoint.h"

#include <errno.h>

/* Both ends run on this one thread: the aggregator on the loop, the test by non-blocking calls. */
struct net {
	struct rig rig;
	struct endpoint at;
	struct intake *intake;
	struct ingest *ingest;
	char dir[64], path[96];
};

struct client {
	struct net *net;
	int fd;
	struct bytes in;
};

static void net_begin(struct net *n)
{
	char reason[256];
	int fd;

	rig_begin(&n->rig, NULL);
	snprintf(n->dir, sizeof(n->dir), "/tmp/heatscope-ingest-XXXXXX");
	assert_non_null(mkdtemp(n->dir));
	snprintf(n->path, sizeof(n->path), "unix:%s/ingest", n->dir);
	assert_int_equal(endpoint_parse(n->path, &n->at, reason, sizeof(reason)), 0);
	assert_int_equal(endpoint_listen(&n->at, 0660, &fd, reason, sizeof(reason)), 0);
	assert_int_equal(intake_new(n->rig.catalog, n->rig.store_queue, &n->intake), 0);
	assert_int_equal(ingest_new(&n->rig.loop, fd, n->rig.catalog, n->intake, false, &n->ingest), 0);
}

static void drained(void *arg)
{
	ingest_close(((struct net *)arg)->ingest);
}

static void net_end(struct net *n)
{
	ingest_stop(n->ingest);
	store_queue_drain(n->rig.store_queue, drained, n);
	uv_run(&n->rig.loop, UV_RUN_DEFAULT);
	intake_free(n->intake);
	catalog_free(n->rig.catalog);
	store_queue_free(n->rig.store_queue);
	cube_free(n->rig.cube);
	assert_int_equal(uv_loop_close(&n->rig.loop), 0);
	n->rig.store->ops->close(n->rig.store);
	endpoint_remove(&n->at);
	if (rmdir(n->dir))
		fail_msg("%s: %s", n->dir, strerror(errno));
}

static void client_begin(struct client *c, struct net *n)
{
	*c = (struct client){ .net = n, .fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) };
	assert_int_equal(connect(c->fd, (struct sockaddr *)&n->at.addr, n->at.len), 0);
}

static void client_end(struct client *c)
{
	close(c->fd);
	bytes_fini(&c->in);
	for (int i = 0; i < 10; i++)
		uv_run(&c->net->rig.loop, UV_RUN_NOWAIT);
}

static void client_write(struct client *c, const void *data, size_t len)
{
	const __u8 *at = data;
	ssize_t n;

	while (len) {
		n = send(c->fd, at, len, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n < 0 && errno != EAGAIN)
			return;			/* it has closed: client_read() reads its last words */
		at += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
		uv_run(&c->net->rig.loop, UV_RUN_NOWAIT);
	}
}

static void client_send(struct client *c, enum frame_type type, const void *data, size_t len)
{
	struct bytes frame = { 0 };

	frame_put(&frame, type, data, len);
	client_write(c, frame.data, frame.len);
	bytes_fini(&frame);
}

static void client_send_json(struct client *c, enum frame_type type, json_t *json)
{
	char *text = json_dumps(json, 0);

	client_send(c, type, text, strlen(text));
	free(text);
	json_decref(json);
}

/* Returns the next frame; type 0: it closed.  The payload is valid until the next call. */
static struct frame client_read(struct client *c)
{
	static struct bytes last;
	struct frame f;
	__u8 buf[4096];
	ssize_t n = -1;
	long len;

	for (int i = 0; i < 20000; i++) {
		len = c->in.len ? frame_get(c->in.data, c->in.len, &f) : 0;
		assert_true(len >= 0);
		if (len) {
			bytes_clear(&last);
			bytes_put(&last, c->in.data, (size_t)len);
			f.data = last.data + FRAME_HEAD;
			memmove(c->in.data, c->in.data + len, c->in.len - (size_t)len);
			c->in.len -= (size_t)len;
			return f;
		}
		n = recv(c->fd, buf, sizeof(buf), MSG_DONTWAIT);
		if (n > 0)
			bytes_put(&c->in, buf, (size_t)n);
		else if (!n || errno != EAGAIN)
			break;
		else if (!uv_run(&c->net->rig.loop, UV_RUN_NOWAIT) || i > 100)
			usleep(500);
	}
	assert_true(!n || errno == ECONNRESET);
	return (struct frame){ 0 };
}

static json_t *client_read_json(struct client *c, enum frame_type type)
{
	struct frame f = client_read(c);
	json_t *json;

	assert_int_equal(f.type, type);
	json = json_loadb((const char *)f.data, f.len, 0, NULL);
	assert_non_null(json);
	return json;
}

/* Says hello; returns how many instrumentations are wanted. */
static size_t client_hello(struct client *c, const char *source)
{
	json_t *want;
	size_t n;

	client_send_json(c, FRAME_HELLO, wire_hello(source, "ok", ""));
	want = client_read_json(c, FRAME_WANT);
	n = json_array_size(json_object_get(want, "instrumentations"));
	json_decref(want);
	return n;
}

static void made(void *arg, int err, const struct catalog_inst *ci)
{
	assert_int_equal(err, 0);
	*(__u64 *)arg = ci->in.id;
}

static __u64 create(struct net *n, const char *decomposition)
{
	json_t *request = wire_request(decomposition);
	char reason[REASON_MAX];
	__u64 id = 0;

	assert_int_equal(catalog_create(n->rig.catalog, request, wire_now_ns(), made, &id, reason), 0);
	while (!id)
		uv_run(&n->rig.loop, UV_RUN_NOWAIT);
	json_decref(request);
	return id;
}

static const __u64 values[] = { 5000, 6000, 7000 };

static __s64 now_slot(void)
{
	return wire_now_ns() / 1000000000;
}

static void client_batch(struct client *c, const char *source, __u64 inst, __s64 slot, __u32 seq, const char *label)
{
	struct bytes data = { 0 };

	wire_batch(&data, source, inst, slot, seq, label, values, 3);
	client_send(c, FRAME_BATCH, data.data, data.len);
	bytes_fini(&data);
}

static struct ack client_read_ack(struct client *c)
{
	struct frame f = client_read(c);
	struct ack a;

	assert_int_equal(f.type, FRAME_ACK);
	assert_int_equal(ack_get(f.data, f.len, &a), 0);
	return a;
}

/* The peer gets the error and is closed; the next peer is served. */
static void refused(struct net *n, struct client *c, const char *sentence)
{
	struct client next;
	json_t *json = client_read_json(c, FRAME_ERROR);
	const char *text = json_string_value(json_object_get(json, "error"));

	if (!text || !strstr(text, sentence))
		fail_msg("it says \"%s\", not \"%s\"", text, sentence);
	json_decref(json);
	assert_int_equal(client_read(c).type, 0);
	client_end(c);
	client_begin(&next, n);
	client_hello(&next, "next");
	client_end(&next);
}

TEST(a_hello_is_answered_with_the_wanted_set_and_each_change)
{
	struct net n;
	struct client c;
	json_t *want;
	__u64 id;

	net_begin(&n);
	client_begin(&c, &n);
	assert_int_equal(client_hello(&c, "db1"), 0);
	id = create(&n, "command,hostname");
	want = client_read_json(&c, FRAME_WANT);
	assert_int_equal(json_integer_value(json_object_get(json_array_get(json_object_get(want, "instrumentations"), 0),
							    "id")), id);
	json_decref(want);
	catalog_delete(n.rig.catalog, id, NULL, NULL);
	want = client_read_json(&c, FRAME_WANT);
	assert_int_equal(json_array_size(json_object_get(want, "instrumentations")), 0);
	json_decref(want);
	client_end(&c);
	assert_int_equal(wire_source(n.rig.catalog, "db1")->n_links, 0);
	net_end(&n);
}

TEST(a_batch_is_acknowledged_by_name_once_it_is_stored)
{
	struct net n;
	struct client c;
	struct ack a;
	__u64 id;

	net_begin(&n);
	client_begin(&c, &n);
	client_hello(&c, "db1");
	id = create(&n, "command");
	json_decref(client_read_json(&c, FRAME_WANT));
	client_batch(&c, "db1", id, now_slot(), 3, "query");
	a = client_read_ack(&c);
	assert_int_equal(rig_stored(&n.rig, id), 3);
	assert_int_equal(a.inst, id);
	assert_int_equal(a.seq, 3);
	assert_int_equal(a.incarnation, 7);
	assert_string_equal(a.source, "db1");
	client_batch(&c, "db1", id, a.slot, 3, "query");	/* again: acknowledged, not counted */
	client_read_ack(&c);
	assert_int_equal(rig_stored(&n.rig, id), 3);
	assert_int_equal(rig_cubed(&n.rig, id), 3);
	client_end(&c);
	net_end(&n);
}

static bool is_later;
static __u64 asked;

static bool on_unknown(void *arg, __u64 inst)
{
	asked = inst;
	return is_later;
}

static void on_settled(struct sender *s, const struct batch *b, int err, const char *reason) { }

TEST(a_batch_of_an_instrumentation_that_is_not_known_yet_is_left_for_later)
{
	static const __u64 values[] = { 5000, 6000 };
	struct sender sender = { on_settled };
	struct bytes data = { 0 };
	struct client c;
	struct net n;
	__u64 id;

	net_begin(&n);
	client_begin(&c, &n);
	client_hello(&c, "db1");
	id = create(&n, "command");
	catalog_delete(n.rig.catalog, id, NULL, NULL);
	while (catalog_find(n.rig.catalog, id))
		uv_run(&n.rig.loop, UV_RUN_ONCE);
	wire_batch(&data, "db1", id, now_slot(), 1, "query", values, 2);
	intake_follow(n.intake, on_unknown, NULL);
	is_later = true;
	assert_int_equal(intake_batch(n.intake, data.data, data.len, NULL, NULL, &sender), 0);	/* deleted: dropped */
	assert_int_equal(asked, 0);
	bytes_clear(&data);
	wire_batch(&data, "db1", id + 1, now_slot(), 1, "query", values, 2);
	assert_int_equal(intake_batch(n.intake, data.data, data.len, NULL, NULL, &sender), -EAGAIN);
	assert_int_equal(asked, id + 1);
	is_later = false;
	assert_int_equal(intake_batch(n.intake, data.data, data.len, NULL, NULL, &sender), 0);
	bytes_fini(&data);
	client_end(&c);
	net_end(&n);
}

TEST(what_another_heatscoped_has_stored_is_in_memory_but_not_stored_again)
{
	static const __u64 values[] = { 5000, 6000 };
	struct bytes data = { 0 };
	struct client c;
	struct net n;
	__u64 id;

	net_begin(&n);
	client_begin(&c, &n);
	client_hello(&c, "db1");
	id = create(&n, "command");
	wire_batch(&data, "db1", id, now_slot(), 1, "query", values, 2);
	assert_int_equal(intake_heard(n.intake, data.data, data.len, false), 0);
	assert_int_equal(rig_cubed(&n.rig, id), 2);
	assert_int_equal(rig_stored(&n.rig, id), 0);
	assert_int_equal(catalog_n_sources(n.rig.catalog, catalog_find(n.rig.catalog, id), wire_now_ns()), 1);
	assert_int_equal(intake_heard(n.intake, data.data, data.len - 1, false), -EBADMSG);
	bytes_clear(&data);
	wire_batch(&data, "db1", id + 1, now_slot(), 1, "query", values, 2);
	assert_int_equal(intake_heard(n.intake, data.data, data.len, false), 0);	/* not known here: left out */
	bytes_fini(&data);
	client_end(&c);
	net_end(&n);
}

static void label_of(void *arg, __s64 slot, const struct slice *s)
{
	assert_int_equal(labels_text(&s->key, 1, arg), 0);
	assert_int_equal(labels_count(&s->key), 2);
}

TEST(the_sources_name_becomes_the_hostname)
{
	struct net n;
	struct client c;
	char label[LABEL_MAX + 1] = "";
	const struct store_reader reader = { .arg = label, .slice = label_of };
	__u64 id;

	net_begin(&n);
	client_begin(&c, &n);
	client_hello(&c, "db1");
	id = create(&n, "command,hostname");
	json_decref(client_read_json(&c, FRAME_WANT));
	client_batch(&c, "db1", id, now_slot(), 1, "query");
	client_read_ack(&c);
	assert_int_equal(cube_read(n.rig.cube, id, 0, now_slot(), -1, -1, &reader), 0);
	assert_string_equal(label, "db1");
	client_end(&c);
	net_end(&n);
}

TEST(frames_cut_anywhere_are_put_together)
{
	struct net n;
	struct client c;
	struct bytes data = { 0 }, frames = { 0 };
	__u64 id;

	net_begin(&n);
	client_begin(&c, &n);
	client_hello(&c, "db1");
	id = create(&n, "command");
	json_decref(client_read_json(&c, FRAME_WANT));
	for (__u32 seq = 1; seq <= 3; seq++) {
		bytes_clear(&data);
		wire_batch(&data, "db1", id, now_slot(), seq, "query", values, 3);
		frame_put(&frames, FRAME_BATCH, data.data, data.len);
	}
	for (size_t i = 0; i < frames.len; i++)
		client_write(&c, frames.data + i, 1);
	for (__u32 seq = 1; seq <= 3; seq++)
		assert_int_equal(client_read_ack(&c).seq, seq);
	assert_int_equal(rig_stored(&n.rig, id), 9);
	bytes_fini(&data);
	bytes_fini(&frames);
	client_end(&c);
	net_end(&n);
}

TEST(keys_beyond_the_bound_of_a_slot_are_lost_and_counted)
{
	enum { MORE = 100 };
	__s64 slot = now_slot();
	struct net n;
	struct client c;
	__u64 id;

	net_begin(&n);
	client_begin(&c, &n);
	client_hello(&c, "db1");
	id = create(&n, "command");
	json_decref(client_read_json(&c, FRAME_WANT));
	for (__u32 seq = 1; seq <= INCOMING_BATCH_KEYS_MAX + MORE; seq++) {
		char label[16];

		snprintf(label, sizeof(label), "k%u", seq);
		client_batch(&c, "db1", id, slot, seq, label);
		assert_int_equal(client_read_ack(&c).seq, seq);
	}
	assert_int_equal(rig_stored(&n.rig, id), 3 * INCOMING_BATCH_KEYS_MAX);
	assert_int_equal(rig_cubed(&n.rig, id), 3 * INCOMING_BATCH_KEYS_MAX);
	assert_int_equal(intake_counters(n.intake)->cut, MORE);
	assert_int_equal(intake_counters(n.intake)->lost_events, 0);	/* they are a loss of the source: */
	assert_int_equal(catalog_find(n.rig.catalog, id)->sighting[0].lost, 3 * MORE);
	client_batch(&c, "db1", id, slot, INCOMING_BATCH_KEYS_MAX + MORE, "again");	/* sent again: counted once */
	client_read_ack(&c);
	assert_int_equal(intake_counters(n.intake)->cut, MORE);
	assert_int_equal(catalog_find(n.rig.catalog, id)->sighting[0].lost, 3 * MORE);
	client_batch(&c, "db1", id, slot + 1, 1, "query");		/* the next slot begins at 0 */
	client_read_ack(&c);
	assert_int_equal(intake_counters(n.intake)->cut, MORE);
	client_end(&c);
	net_end(&n);
}

static void add_step(void *arg, const struct mark *mark)
{
	if (mark->kind == MARK_CLOCK_STEP)
		*(__s64 *)arg += mark->value;
}

/* Sums up all steps of the clock that are in memory. */
static __s64 steps_ns(struct net *n, __u64 id)
{
	__s64 sum_ns = 0;

	assert_int_equal(cube_read(n->rig.cube, id, 0, INT64_MAX / 2, -1, -1, &(struct store_reader){ &sum_ns, .mark = add_step }), 0);
	return sum_ns;
}

TEST(a_step_of_our_clock_marks_the_next_batch_not_a_resent_one)
{
	const __s64 step_ns = 60000000000ll;
	struct net n;
	struct client c;
	__u64 id;

	net_begin(&n);
	client_begin(&c, &n);
	client_hello(&c, "db1");
	id = create(&n, "command");
	json_decref(client_read_json(&c, FRAME_WANT));
	client_batch(&c, "db1", id, now_slot(), 1, "query");
	client_read_ack(&c);
	catalog_stepped(n.rig.catalog, step_ns, wire_now_ns());
	/* the same again */
	client_batch(&c, "db1", id, catalog_find(n.rig.catalog, id)->sighting[0].slot, 1, "query");
	client_read_ack(&c);
	assert_int_equal(steps_ns(&n, id), 0);
	client_batch(&c, "db1", id, now_slot(), 2, "query");
	client_read_ack(&c);
	assert_int_equal(steps_ns(&n, id), step_ns);
	client_batch(&c, "db1", id, now_slot(), 3, "query");		/* marked once */
	client_read_ack(&c);
	assert_int_equal(steps_ns(&n, id), step_ns);
	client_end(&c);
	net_end(&n);
}

TEST(many_batches_are_all_acknowledged)
{
	struct net n;
	struct client c;
	__s64 slot = now_slot();
	__u64 id;

	net_begin(&n);
	client_begin(&c, &n);
	client_hello(&c, "db1");
	id = create(&n, "command");
	json_decref(client_read_json(&c, FRAME_WANT));
	for (__u32 seq = 1; seq <= 2000; seq++)
		client_batch(&c, "db1", id, slot - seq % 50, seq, "query");
	for (__u32 seq = 1; seq <= 2000; seq++)
		assert_int_equal(client_read_ack(&c).seq, seq);
	assert_int_equal(rig_stored(&n.rig, id), 6000);
	assert_int_equal(rig_cubed(&n.rig, id), 6000);
	client_end(&c);
	net_end(&n);
}

static void add_lost(void *arg, const char *source, const struct loss *loss)
{
	*(__u64 *)arg += loss->n;
}

TEST(batches_that_cannot_be_filed_are_acknowledged_and_counted)
{
	static const __u64 more[] = { 1, 2 };
	__u64 lost = 0;
	struct net n;
	struct client c;
	const struct ingest_counters *count;
	struct bytes data = { 0 };
	__u64 id;

	net_begin(&n);
	count = intake_counters(n.intake);
	client_begin(&c, &n);
	client_hello(&c, "db1");
	id = create(&n, "command");
	json_decref(client_read_json(&c, FRAME_WANT));
	client_batch(&c, "db1", id + 1, now_slot(), 1, "query");	/* no such instrumentation */
	assert_int_equal(client_read_ack(&c).seq, 1);
	assert_int_equal(count->unknown, 1);
	client_batch(&c, "db1", id, now_slot() + 20, 2, "query");	/* from the future */
	assert_int_equal(client_read_ack(&c).seq, 2);
	client_batch(&c, "db1", id, now_slot() - 4000, 3, "query");	/* beyond the retention */
	assert_int_equal(client_read_ack(&c).seq, 3);
	wire_batch(&data, "db1", id, now_slot(), 4, NULL, more, 2);	/* without the field */
	client_send(&c, FRAME_BATCH, data.data, data.len);
	assert_int_equal(client_read_ack(&c).seq, 4);
	assert_int_equal(count->misfits, 3);
	assert_int_equal(count->lost_events, 8);
	assert_int_equal(count->filed_events, 2);
	assert_int_equal(catalog_find(n.rig.catalog, id)->sighting[0].lost, 2);
	assert_int_equal(cube_read(n.rig.cube, id, 0, INT64_MAX / 2, -1, -1, &(struct store_reader){ &lost, .loss = add_lost }), 0);
	assert_int_equal(lost, 2);		/* what can be filed as lost in its slot */
	assert_int_equal(rig_stored(&n.rig, id), 0);
	bytes_fini(&data);
	client_end(&c);
	net_end(&n);
}

/* Captures the test's own log from capture_log() until end_capture(), which returns its first 4 KB. */
static int log_was;
static FILE *log_file;

static void capture_log(void)
{
	log_file = tmpfile();
	assert_non_null(log_file);
	fflush(stderr);
	log_was = dup(2);
	assert_true(log_was >= 0 && dup2(fileno(log_file), 2) == 2);
}

static const char *end_capture(void)
{
	static char text[4096];
	ssize_t n = pread(fileno(log_file), text, sizeof(text) - 1, 0);

	assert_true(dup2(log_was, 2) == 2);
	close(log_was);
	fclose(log_file);
	text[n > 0 ? n : 0] = 0;
	return text;
}

TEST(a_slot_that_was_dropped_is_not_called_too_old)
{
	static const __s64 kept_from[TIERS];
	__s64 slot = now_slot();
	const char *said;
	struct net n;
	struct client c;
	__u64 id;

	net_begin(&n);
	client_begin(&c, &n);
	client_hello(&c, "db1");
	id = create(&n, "command");
	json_decref(client_read_json(&c, FRAME_WANT));
	catalog_expired(n.rig.catalog, id, kept_from, slot - 50);	/* the retention is 3600 s */
	capture_log();
	client_batch(&c, "db1", id, slot - 51, 1, "query");
	assert_int_equal(client_read_ack(&c).seq, 1);
	client_batch(&c, "db1", id, slot - 50, 2, "query");
	assert_int_equal(client_read_ack(&c).seq, 2);
	said = end_capture();
	if (!strstr(said, "has dropped its slot") || strstr(said, "retention"))
		fail_msg("it says \"%s\"", said);
	assert_int_equal(intake_counters(n.intake)->misfits, 1);
	assert_int_equal(intake_counters(n.intake)->lost_events, 3);
	client_end(&c);
	net_end(&n);
}

static void client_says(struct client *c, const char *source, const char *incarnation)
{
	json_t *hello = wire_hello(source, "ok", "");

	json_object_set_new(hello, "incarnation", json_string(incarnation));
	client_send_json(c, FRAME_HELLO, hello);
}

TEST(a_second_collector_of_one_name_is_refused_until_the_first_has_left)
{
	struct net n;
	struct client first, again, second;
	__u64 id;

	net_begin(&n);
	client_begin(&first, &n);
	client_says(&first, "db1", "7");
	json_decref(client_read_json(&first, FRAME_WANT));
	id = create(&n, "command");
	json_decref(client_read_json(&first, FRAME_WANT));

	client_begin(&second, &n);
	client_says(&second, "db1", "8");
	refused(&n, &second, "sends as db1: end it, or give one of them another --source");

	client_begin(&again, &n);		/* the same start, whose earlier connection we still believe to be open */
	client_says(&again, "db1", "7");
	json_decref(client_read_json(&again, FRAME_WANT));
	client_end(&again);

	client_batch(&first, "db1", id, now_slot(), 1, "query");
	assert_int_equal(client_read_ack(&first).seq, 1);

	close(first.fd);			/* we have not read the end when the next one says hello */
	bytes_fini(&first.in);
	client_begin(&second, &n);
	client_says(&second, "db1", "8");
	json_decref(client_read_json(&second, FRAME_WANT));
	client_end(&second);
	net_end(&n);
}

TEST(states_are_known_by_source)
{
	struct net n;
	struct client c;
	const struct inst_state *s = NULL;
	__u64 id;

	net_begin(&n);
	client_begin(&c, &n);
	client_hello(&c, "db1");
	id = create(&n, "command");
	json_decref(client_read_json(&c, FRAME_WANT));
	client_send_json(&c, FRAME_STATE, json_pack("{s:[{s:I, s:s, s:s}]}", "instrumentations", "id", (json_int_t)id,
						    "state", "active", "reason", ""));
	for (int i = 0; i < 100 && !s; i++) {
		uv_run(&n.rig.loop, UV_RUN_NOWAIT);
		s = source_inst(wire_source(n.rig.catalog, "db1"), id);
	}
	assert_non_null(s);
	assert_true(s->active);
	client_end(&c);
	net_end(&n);
}

TEST(malformed_frames_are_refused_and_other_peers_are_served)
{
	struct net n;
	struct client c;
	struct bytes data = { 0 }, frame = { 0 };
	json_t *hello;

	net_begin(&n);
	client_begin(&c, &n);
	client_write(&c, "GET / HTTP/1.1\r\n\r\n", 18);
	refused(&n, &c, "damaged");

	client_begin(&c, &n);
	client_send(&c, FRAME_HELLO, "{", 1);
	refused(&n, &c, "not JSON");

	client_begin(&c, &n);
	client_batch(&c, "db1", 1, now_slot(), 1, "query");
	refused(&n, &c, "there was no hello before it");

	client_begin(&c, &n);
	hello = wire_hello("db1", "ok", "");
	json_object_set_new(hello, "format", json_integer(2));
	client_send_json(&c, FRAME_HELLO, hello);
	refused(&n, &c, "format 2 is not supported");

	client_begin(&c, &n);
	client_hello(&c, "db1");
	client_send_json(&c, FRAME_HELLO, wire_hello("db1", "ok", ""));
	refused(&n, &c, "a second hello");

	client_begin(&c, &n);
	client_hello(&c, "db1");
	client_send(&c, FRAME_BATCH, "nonsense", 8);
	refused(&n, &c, "a batch cannot be read");

	client_begin(&c, &n);
	client_hello(&c, "db1");
	client_send_json(&c, FRAME_WANT, json_object());
	refused(&n, &c, "is not for an aggregator");

	client_begin(&c, &n);
	client_hello(&c, "db1");
	client_send_json(&c, FRAME_STATE, json_pack("{s:[{}]}", "instrumentations"));
	refused(&n, &c, "no id of an instrumentation");

	client_begin(&c, &n);
	client_hello(&c, "db1");
	wire_batch(&data, "db1", 1, now_slot(), 1, "query", values, 3);
	frame_put(&frame, FRAME_BATCH, data.data, data.len);
	frame.data[frame.len / 2] ^= 0x10;
	client_write(&c, frame.data, frame.len);
	refused(&n, &c, "damaged");

	client_begin(&c, &n);
	client_hello(&c, "db1");
	frame.data[frame.len / 2] ^= 0x10;
	frame.data[4] = 9;
	client_write(&c, frame.data, frame.len);
	refused(&n, &c, "another version");
	assert_int_equal(intake_counters(n.intake)->errors, 10);

	client_begin(&c, &n);					/* closes in the middle of a frame */
	client_hello(&c, "db1");
	client_write(&c, "HSC1", 4);
	client_end(&c);
	assert_int_equal(intake_counters(n.intake)->errors, 11);
	assert_int_equal(wire_source(n.rig.catalog, "db1")->n_links, 0);
	bytes_fini(&data);
	bytes_fini(&frame);
	net_end(&n);
}

TEST(accepted_batches_are_acknowledged_at_the_end)
{
	struct net n;
	struct client c;
	struct bytes left = { 0 };
	struct frame f;
	__u8 buf[4096];
	ssize_t got;
	__u64 id;
	size_t at = 0, acks = 0, taken;

	net_begin(&n);
	client_begin(&c, &n);
	client_hello(&c, "db1");
	id = create(&n, "command");
	json_decref(client_read_json(&c, FRAME_WANT));
	for (__u32 seq = 1; seq <= 100; seq++)
		client_batch(&c, "db1", id, now_slot(), seq, "query");
	taken = intake_counters(n.intake)->batches;
	assert_true(taken > 0);
	net_end(&n);
	while ((got = recv(c.fd, buf, sizeof(buf), 0)) > 0)
		bytes_put(&left, buf, (size_t)got);
	for (long len; at < left.len && (len = frame_get(left.data + at, left.len - at, &f)) > 0; at += (size_t)len)
		acks += f.type == FRAME_ACK;
	assert_int_equal(acks, taken);
	bytes_fini(&left);
	close(c.fd);
	bytes_fini(&c.in);
}

/* --- a slow store --- */

static uv_sem_t store_may_go_on;

static int wait_for_it(void *arg, struct store *store)
{
	uv_sem_wait(&store_may_go_on);
	return 0;
}

static void waited(void *arg, int err)
{
}

/* About 3.6 MB, as a batch of slices with every cell used. */
static void big_batch(struct bytes *out, __u64 inst, __u32 seq)
{
	enum { N = 2000 };
	struct batch b = { .source = "db1", .incarnation = 7, .inst = inst, .slot_ns = 1000000000, .slot = now_slot(),
			   .seq = seq, .run = 1, .n_slices = N };
	struct bytes key = { 0 }, cells = { 0 };
	struct hist h;

	assert_int_equal(hist_init(&h, WIRE_RULER), 0);
	for (__u32 cell = 0; cell < ruler_cells(WIRE_RULER); cell++)
		hist_record(&h, ruler_first(WIRE_RULER, cell), 1);
	hist_encode(&h, &cells);
	labels_put(&key, "query");
	b.slice = calloc(N, sizeof(*b.slice));
	assert_non_null(b.slice);
	for (size_t i = 0; i < N; i++)
		b.slice[i] = (struct slice){ .ruler = WIRE_RULER, .key = { key.data, (__u16)key.len }, .hist = cells.data,
					     .hist_len = (__u32)cells.len };
	bytes_clear(out);
	batch_encode(&b, out);
	free(b.slice);
	hist_fini(&h);
	bytes_fini(&key);
	bytes_fini(&cells);
}

TEST(a_slow_store_makes_collectors_wait_and_loses_nothing)
{
	enum { N = 14 };
	struct net n;
	struct client c;
	struct bytes data = { 0 }, frames = { 0 };
	size_t at = 0, most = 0;
	__u64 id;

	net_begin(&n);
	client_begin(&c, &n);
	client_hello(&c, "db1");
	id = create(&n, "command");
	json_decref(client_read_json(&c, FRAME_WANT));
	assert_int_equal(uv_sem_init(&store_may_go_on, 0), 0);
	assert_int_equal(store_queue_submit(n.rig.store_queue, wait_for_it, waited, NULL), 0);
	for (__u32 seq = 1; seq <= N; seq++) {
		big_batch(&data, id, seq);
		frame_put(&frames, FRAME_BATCH, data.data, data.len);
	}
	assert_true(frames.len > INGEST_WAITING_MAX + 2 * data.len);
	for (int idle = 0; idle < 1000; ) {		/* until it accepts no more bytes */
		ssize_t sent = send(c.fd, frames.data + at, frames.len - at, MSG_DONTWAIT | MSG_NOSIGNAL);

		idle = sent > 0 ? 0 : idle + 1;
		at += sent > 0 ? (size_t)sent : 0;
		uv_run(&n.rig.loop, UV_RUN_NOWAIT);
		most = store_queue_waiting(n.rig.store_queue) > most ? store_queue_waiting(n.rig.store_queue) : most;
	}
	assert_true(at < frames.len);
	assert_true(most <= INGEST_WAITING_MAX + data.len);
	uv_sem_post(&store_may_go_on);
	client_write(&c, frames.data + at, frames.len - at);
	for (__u32 seq = 1; seq <= N; seq++)
		assert_int_equal(client_read_ack(&c).seq, seq);
	assert_int_equal(rig_stored(&n.rig, id), (__u64)N * 2000 * ruler_cells(WIRE_RULER));
	uv_sem_destroy(&store_may_go_on);
	bytes_fini(&data);
	bytes_fini(&frames);
	client_end(&c);
	net_end(&n);
}

TEST_MAIN()
