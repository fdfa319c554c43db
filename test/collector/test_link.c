#include "collector/link.h"
#include "collector/core/log.h"
#include "test/kit/peer_kit.h"
#include "test/kit/sample_kit.h"

#include <signal.h>

static const char want_json[] = "{\"aggregator\":\"store-a\",\"instrumentations\":[]}";

struct world {
	uv_loop_t loop;
	uv_timer_t guard;
	struct peer peer;
	struct link *link;
	unsigned connected, want, ack, lost, closed, hello, error, batch;
	unsigned wants_to_end;		/* ends after so many WANTs */
	char error_text[256];
	struct ack last_ack;
	/* answers the n-th HELLO, counted from 1, for the aggregator */
	void (*answer)(struct world *w, unsigned hello);
};

static void world_end(struct world *w)
{
	if (w->link)
		link_close(w->link);
	w->link = NULL;
	peer_close(&w->peer);
	if (!uv_is_closing((uv_handle_t *)&w->guard))
		uv_close((uv_handle_t *)&w->guard, NULL);
}

static void on_guard(uv_timer_t *guard)
{
	world_end(guard->data);		/* then the test's counts show what is missing */
}

static int send_hello(struct world *w)
{
	json_t *hello = json_object();
	int err = link_send_json(w->link, FRAME_HELLO, hello);

	json_decref(hello);
	return err;
}

static int send_batch(struct world *w)
{
	struct bytes frame = { 0 };
	int err;

	frame_put(&frame, FRAME_BATCH, "x", 1);
	err = link_send_batch(w->link, &frame);
	bytes_fini(&frame);
	return err;
}

static void on_connected(void *arg)
{
	struct world *w = arg;

	w->connected++;
	send_hello(w);
}

static void on_want(void *arg, const json_t *want)
{
	struct world *w = arg;

	assert_string_equal(json_string_value(json_object_get(want, "aggregator")), "store-a");
	if (++w->want == w->wants_to_end)
		world_end(w);
}

static void on_acks(void *arg, const struct ack *a, size_t n)
{
	struct world *w = arg;

	assert_int_equal(n, 1);
	w->ack++;
	w->last_ack = *a;
}

static void on_lost(void *arg)
{
	struct world *w = arg;

	w->lost++;
}

static void on_closed(void *arg)
{
	struct world *w = arg;

	w->closed++;
}

static void on_frame(struct peer *p, const struct frame *f)
{
	struct world *w = p->arg;

	if (f->type == FRAME_HELLO)
		w->answer(w, ++w->hello);
	if (f->type == FRAME_BATCH)
		w->batch++;
	if (f->type == FRAME_ERROR) {
		w->error++;
		snprintf(w->error_text, sizeof(w->error_text), "%.*s", (int)f->len, (const char *)f->data);
	}
}

static const struct link_ops ops = { on_connected, on_want, on_acks, on_lost, on_closed, NULL };

static void world_init_with(struct world *w, const struct link_ops *link_ops,
			    void (*answer)(struct world *, unsigned), int listen)
{
	memset(w, 0, sizeof(*w));
	uv_loop_init(&w->loop);
	uv_timer_init(&w->loop, &w->guard);
	w->guard.data = w;
	uv_timer_start(&w->guard, on_guard, 20000, 0);
	w->peer.frame = on_frame;
	w->peer.arg = w;
	w->answer = answer;
	w->wants_to_end = 1;
	unlink(sample_path("socket"));
	if (listen)
		assert_int_equal(peer_listen(&w->peer, &w->loop, sample_path("socket")), 0);
	assert_int_equal(link_socket_new(&w->loop, sample_path("socket"), link_ops, w, &w->link), 0);
}

static void world_init(struct world *w, void (*answer)(struct world *, unsigned), int listen)
{
	world_init_with(w, &ops, answer, listen);
}

static void world_run(struct world *w)
{
	uv_run(&w->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&w->loop), 0);
	assert_int_equal(w->closed, 1);
	unlink(sample_path("socket"));
}

static void send_want(struct world *w)
{
	peer_send_text(&w->peer, FRAME_WANT, want_json);
}

/* --- correct frames --- */

static void answer_at_once(struct world *w, unsigned hello)
{
	struct ack a = { .inst = 3, .slot = -4, .seq = 5, .incarnation = ~0ull, .source = "db1" };
	struct bytes out = { 0 };

	ack_put(&out, &a);
	peer_send(&w->peer, FRAME_ACK, out.data, out.len);
	bytes_fini(&out);
	send_want(w);
}

TEST(hello_is_answered_with_want_and_acks)
{
	struct world w;

	world_init(&w, answer_at_once, 1);
	world_run(&w);
	assert_int_equal(w.hello, 1);
	assert_int_equal(w.want, 1);
	assert_int_equal(w.ack, 1);
	assert_int_equal(w.last_ack.slot, -4);
	assert_int_equal(w.last_ack.seq, 5);
	assert_true(w.last_ack.incarnation == ~0ull);
	assert_string_equal(w.last_ack.source, "db1");
	assert_int_equal(w.lost, 0);
}

/* The rest follows, one byte per turn of the loop. */
static struct bytes pieces;
static size_t piece_at;

static void on_piece(uv_timer_t *timer)
{
	struct world *w = timer->data;

	peer_send_raw(&w->peer, pieces.data + piece_at, 1);
	if (++piece_at < pieces.len)
		uv_timer_start(timer, on_piece, 0, 0);
	else
		uv_close((uv_handle_t *)timer, NULL);
}

static void answer_in_pieces(struct world *w, unsigned hello)
{
	static uv_timer_t timer;

	bytes_clear(&pieces);
	frame_put(&pieces, FRAME_WANT, want_json, strlen(want_json));
	piece_at = 0;
	uv_timer_init(&w->loop, &timer);
	timer.data = w;
	on_piece(&timer);
}

TEST(frames_may_come_in_pieces)
{
	struct world w;

	world_init(&w, answer_in_pieces, 1);
	world_run(&w);
	bytes_fini(&pieces);
	assert_int_equal(w.want, 1);
	assert_int_equal(w.lost, 0);
}

static void answer_want(struct world *w, unsigned hello)
{
	send_want(w);
}

static void on_late_listen(uv_timer_t *timer)
{
	struct world *w = timer->data;

	assert_int_equal(peer_listen(&w->peer, &w->loop, sample_path("socket")), 0);
	uv_close((uv_handle_t *)timer, NULL);
}

TEST(it_waits_for_an_aggregator_that_is_not_there_yet)
{
	struct world w;
	uv_timer_t timer;

	world_init(&w, answer_want, 0);
	assert_int_equal(send_hello(&w), -ENOTCONN);
	uv_timer_init(&w.loop, &timer);
	timer.data = &w;
	uv_timer_start(&timer, on_late_listen, 150, 0);
	world_run(&w);
	assert_int_equal(w.want, 1);
	assert_int_equal(w.connected, 1);
	assert_int_equal(w.lost, 0);
}

static void want_then_send_and_close(void *arg, const json_t *want)
{
	struct world *w = arg;

	for (int i = 0; i < 100; i++)
		assert_int_equal(send_batch(w), 0);
	link_close(w->link);
	w->link = NULL;
}

static void closed_then_end(void *arg)
{
	struct world *w = arg;

	w->closed++;
	uv_close((uv_handle_t *)&w->guard, NULL);
	uv_close((uv_handle_t *)&w->peer.server, NULL);	/* the client closes its own end */
}

TEST(frames_sent_before_closing_arrive)
{
	struct link_ops closing = { on_connected, want_then_send_and_close, on_acks, on_lost, closed_then_end, NULL };
	struct world w;

	world_init_with(&w, &closing, answer_want, 1);
	world_run(&w);
	assert_int_equal(w.batch, 100);
}

/* --- refused frames: the first answer is wrong, the second one right --- */

static void (*wrong_answer)(struct world *w);

static void answer_wrong_then_right(struct world *w, unsigned hello)
{
	if (hello == 1)
		wrong_answer(w);
	else
		send_want(w);
}

static void send_rubbish(struct world *w) { peer_send_raw(&w->peer, "GET / HTTP/1.1\r\n\r\n", 18); }
static void send_other_version(struct world *w) { peer_send_raw(&w->peer, "HSC1\x09\x02\0\0\0\0\0\0\0\0\0\0", 16); }
static void send_bad_crc(struct world *w) { peer_send_raw(&w->peer, "HSC1\x01\x02\0\0\x01\0\0\0\0\0\0\0x", 17); }
static void send_too_long(struct world *w) { peer_send_raw(&w->peer, "HSC1\x01\x02\0\0\xff\xff\xff\x7f\0\0\0\0", 16); }
static void send_own_type(struct world *w) { peer_send_text(&w->peer, FRAME_HELLO, "{}"); }
static void send_want_text(struct world *w) { peer_send_text(&w->peer, FRAME_WANT, "want"); }
static void send_want_array(struct world *w) { peer_send_text(&w->peer, FRAME_WANT, "[]"); }
static void send_want_nobody(struct world *w) { peer_send_text(&w->peer, FRAME_WANT, "{\"instrumentations\":[]}"); }
static void send_want_number(struct world *w)
{
	peer_send_text(&w->peer, FRAME_WANT, "{\"aggregator\":\"a\",\"instrumentations\":7}");
}
static void send_short_ack(struct world *w) { peer_send(&w->peer, FRAME_ACK, "\1\2\3", 3); }
static void send_error(struct world *w) { peer_send_text(&w->peer, FRAME_ERROR, "{\"error\":\"no\"}"); }
static void send_error_text(struct world *w) { peer_send_text(&w->peer, FRAME_ERROR, "no"); }
static void hang_up(struct world *w) { peer_hang_up(&w->peer); }
static void hang_up_in_a_frame(struct world *w)
{
	struct bytes out = { 0 };

	frame_put(&out, FRAME_WANT, want_json, strlen(want_json));
	peer_send_raw(&w->peer, out.data, out.len - 5);
	bytes_fini(&out);
	peer_hang_up(&w->peer);
}

TEST(a_wrong_answer_is_refused_and_the_link_connects_again)
{
	static const struct { void (*answer)(struct world *); const char *error; } cases[] = {
		{ send_rubbish, "not a frame" }, { send_other_version, "another version" },
		{ send_bad_crc, "CRC" }, { send_too_long, "too long" }, { send_own_type, "no frame of type 1" },
		{ send_want_text, "not JSON" }, { send_want_array, "aggregator" }, { send_want_nobody, "aggregator" },
		{ send_want_number, "instrumentations" }, { send_short_ack, "ACK" },
		{ send_error, NULL }, { send_error_text, NULL }, { hang_up, NULL }, { hang_up_in_a_frame, NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct world w;

		wrong_answer = cases[i].answer;
		world_init(&w, answer_wrong_then_right, 1);
		world_run(&w);
		assert_int_equal(w.want, 1);
		assert_int_equal(w.hello, 2);
		assert_int_equal(w.lost, 1);
		assert_int_equal(w.error, cases[i].error != NULL);
		if (cases[i].error && !strstr(w.error_text, cases[i].error))
			fail_msg("case %zu: %s does not say %s", i, w.error_text, cases[i].error);
	}
}

static void answer_error_four_times(struct world *w, unsigned hello)
{
	if (hello < 5)
		send_error(w);
	else
		send_want(w);
}

static unsigned times_in(const char *text, const char *part)
{
	unsigned n = 0;

	for (; (text = strstr(text, part)); text++)
		n++;
	return n;
}

TEST(a_refusal_that_comes_again_is_logged_once)
{
	int saved = dup(STDERR_FILENO);
	FILE *log = tmpfile();
	struct world w;
	char text[4096];

	log_open(NULL, LOG_LEVEL_INFO);
	dup2(fileno(log), STDERR_FILENO);
	world_init(&w, answer_error_four_times, 1);
	world_run(&w);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	log_open(NULL, 0);
	rewind(log);
	text[fread(text, 1, sizeof(text) - 1, log)] = '\0';
	fclose(log);
	assert_int_equal(w.hello, 5);
	assert_int_equal(w.lost, 4);
	assert_int_equal(times_in(text, "it refused us: no; trying again"), 1);
	assert_int_equal(times_in(text, "connected"), 1);
	assert_int_equal(times_in(text, "it accepts us now"), 1);
	assert_int_equal(times_in(text, "\n"), 3);
}

static bool on_refused(void *arg, const char *why)
{
	struct world *w = arg;

	assert_string_equal(why, "no");
	snprintf(w->error_text, sizeof(w->error_text), "%s", why);
	world_end(w);
	return true;
}

TEST(a_refused_hello_may_end_the_link)
{
	const struct link_ops once = { on_connected, on_want, on_acks, on_lost, on_closed, on_refused };
	struct world w;

	wrong_answer = send_error;
	world_init_with(&w, &once, answer_wrong_then_right, 1);
	world_run(&w);
	assert_int_equal(w.hello, 1);
	assert_int_equal(w.want, 0);
	assert_string_equal(w.error_text, "no");
}

TEST(refuses_a_path_no_socket_can_have)
{
	char path[200];
	struct link *l = NULL;
	uv_loop_t loop;

	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = 0;
	uv_loop_init(&loop);
	assert_int_equal(link_socket_new(&loop, path, &ops, NULL, &l), -ENAMETOOLONG);
	assert_null(l);
	assert_int_equal(uv_loop_close(&loop), 0);
}

TEST(an_acknowledgement_cut_or_prolonged_is_refused)
{
	struct ack a = { .inst = 3, .slot = 1700000000, .seq = 70000, .incarnation = 9, .source = "a host" }, back;
	struct bytes out = { 0 };

	ack_put(&out, &a);
	assert_int_equal(ack_get(out.data, out.len, &back), 0);
	assert_int_equal(back.seq, 70000);
	assert_string_equal(back.source, "a host");
	for (size_t cut = 0; cut < out.len; cut++)
		assert_int_equal(ack_get(out.data, cut, &back), -EBADMSG);
	bytes_put(&out, "x", 1);
	assert_int_equal(ack_get(out.data, out.len, &back), -EBADMSG);
	bytes_fini(&out);
}

static int clean(void **state)
{
	static const char *const name[] = { "socket" };

	sample_clean(name, 1);
	return 0;
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	log_open(NULL, 0);		/* its log is tested, not shown */
	return check_run(NULL, clean);
}
