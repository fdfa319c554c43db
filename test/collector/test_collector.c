#include "collector/collector.h"
#include "collector/link.h"
#include "collector/core/log.h"
#include "collector/probe/recording.h"
#include "test/kit/peer_kit.h"
#include "test/kit/sample_kit.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define N 40
#define FIRST 1700000000ll

/* The collector runs in a process of its own, as in real use; this process plays the aggregator. */
struct world {
	uv_loop_t loop;
	uv_timer_t guard;
	uv_signal_t child;
	struct peer peer;
	pid_t pid;
	int status;			/* of waitpid() */
	const char *want;
	unsigned hellos, batches, acks, distinct;
	__u64 events, incarnation[2 * N];
	__s64 slot[2 * N];
	__u32 seq[2 * N];
	char state[512], self[512], source[SOURCE_MAX];	/* the last STATE, of instrumentations and of itself */
	unsigned hang_up_at, kill_at, term_at;	/* after so many batches; 0: never */
	int no_acks;
	unsigned states, term_at_state;	/* after so many; 0: never; before, the same set is wanted again */
	const char *log;		/* NULL, or the file for its log */
};

static const char want_3[] =
	"{\"aggregator\":\"store-a\",\"instrumentations\":[{\"id\":3,\"module\":\"mysql\",\"stat\":\"queries\","
	"\"fields\":[\"hostname\",\"statement\"],\"measures\":[\"latency\"]}]}";
static const char want_unknown[] =
	"{\"aggregator\":\"store-a\",\"instrumentations\":[{\"id\":4,\"module\":\"disk\",\"stat\":\"ops\"},"
	"{\"id\":5,\"module\":\"mysql\",\"stat\":\"queries\",\"measures\":[\"nonesuch\"]}]}";

static __u64 recorded_events;

static const char *record(void)
{
	const char *path = sample_path("recording");
	struct instrumentation in = sample_inst(9);
	struct recorder *r;
	struct sample m;

	recorded_events = 0;
	assert_int_equal(recorder_open(path, &r), 0);
	recorder_begin(r, &in, &sample_metric);
	for (int i = 0; i < N; i++) {
		sample_init(&m, 9, FIRST + i, (__u32)i);
		recorder_batch(r, &m.batch);
		recorded_events += m.events;
		sample_fini(&m);
	}
	assert_int_equal(recorder_close(r), 0);
	return path;
}

static void world_end(struct world *w)
{
	peer_close(&w->peer);
	if (!uv_is_closing((uv_handle_t *)&w->guard))
		uv_close((uv_handle_t *)&w->guard, NULL);
	if (!uv_is_closing((uv_handle_t *)&w->child))
		uv_close((uv_handle_t *)&w->child, NULL);
}

static void on_guard(uv_timer_t *guard)
{
	struct world *w = guard->data;

	kill(w->pid, SIGKILL);
}

static void on_child(uv_signal_t *handle, int number)
{
	struct world *w = handle->data;

	if (waitpid(w->pid, &w->status, WNOHANG) == w->pid)
		world_end(w);
}

static void on_hello(struct world *w, const struct frame *f)
{
	json_t *json = json_loadb((const char *)f->data, f->len, 0, NULL);

	w->hellos++;
	assert_non_null(json);
	assert_int_equal(json_integer_value(json_object_get(json, "format")), 1);
	snprintf(w->source, sizeof(w->source), "%s", json_string_value(json_object_get(json, "source")));
	assert_true(json_is_string(json_object_get(json, "incarnation")));
	assert_int_equal(json_array_size(json_object_get(json, "metrics")), 1);
	json_decref(json);
	peer_send_text(&w->peer, FRAME_WANT, w->want);
}

static void on_batch(struct world *w, const struct frame *f)
{
	struct batch b;
	int known = 0;

	assert_int_equal(batch_decode(f->data, f->len, &b), 0);
	for (unsigned i = 0; i < w->distinct; i++)
		known |= w->slot[i] == b.slot && w->seq[i] == b.seq && w->incarnation[i] == b.incarnation;
	if (!known) {
		assert_true(w->distinct < 2 * N);
		w->slot[w->distinct] = b.slot;
		w->seq[w->distinct] = b.seq;
		w->incarnation[w->distinct++] = b.incarnation;
		w->events += batch_events(&b);
	}
	assert_string_equal(b.source, "db7");
	assert_int_equal(b.inst, 3);
	batch_fini(&b);
	w->batches++;
	if (w->batches == w->hang_up_at)
		peer_hang_up(&w->peer);
	else if (!w->no_acks) {
		peer_ack(&w->peer, f);
		w->acks++;
	}
	if (w->batches == w->kill_at)
		kill(w->pid, SIGKILL);
	if (w->batches == w->term_at)
		kill(w->pid, SIGTERM);
}

static void on_frame(struct peer *p, const struct frame *f)
{
	struct world *w = p->arg;

	if (f->type == FRAME_HELLO)
		on_hello(w, f);
	else if (f->type == FRAME_BATCH)
		on_batch(w, f);
	else if (f->type == FRAME_STATE && memmem(f->data, f->len, "\"self\"", 6))
		snprintf(w->self, sizeof(w->self), "%.*s", (int)f->len, (const char *)f->data);
	else if (f->type == FRAME_STATE) {
		snprintf(w->state, sizeof(w->state), "%.*s", (int)f->len, (const char *)f->data);
		w->states++;
		if (w->states == w->term_at_state)
			kill(w->pid, SIGTERM);
		else if (w->states < w->term_at_state)
			peer_send_text(&w->peer, FRAME_WANT, w->want);
	}
}

static struct collector_conf conf_once(const char *recording, __u64 incarnation)
{
	static const struct probe *const probes[] = { &replay_probe };

	return (struct collector_conf){
		.socket_path = sample_path("socket"), .version = "test", .spool_path = "", .spool_limit = 1 << 20,
		.once = 1, .probes = probes, .n_probes = 1,
		.probe = { .source = "db7", .incarnation = incarnation, .recording = recording },
	};
}

static void world_init(struct world *w, const char *want)
{
	memset(w, 0, sizeof(*w));
	w->want = want;
	uv_loop_init(&w->loop);
	uv_timer_init(&w->loop, &w->guard);
	uv_signal_init(&w->loop, &w->child);
	w->guard.data = w->child.data = w;
	w->peer.frame = on_frame;
	w->peer.arg = w;
	unlink(sample_path("socket"));
	assert_int_equal(peer_listen(&w->peer, &w->loop, sample_path("socket")), 0);
	uv_timer_start(&w->guard, on_guard, 60000, 0);
	uv_signal_start(&w->child, on_child, SIGCHLD);
}

static void world_run(struct world *w, const struct collector_conf *conf)
{
	fflush(NULL);
	w->pid = fork();
	assert_true(w->pid >= 0);
	if (!w->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (w->log && freopen(w->log, "w", stderr))
			log_open(NULL, LOG_LEVEL_WARNING);
		exit(collector_run(conf) ? 1 : 0);	/* not _exit(), so that the leak check runs */
	}
	uv_run(&w->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&w->loop), 0);
	unlink(sample_path("socket"));
}

static void assert_exit(const struct world *w, int status)
{
	assert_true(WIFEXITED(w->status));
	assert_int_equal(WEXITSTATUS(w->status), status);
}

/* A STATE that names no instrumentation, and says what the collector uses. */
static void assert_self(const char *text)
{
	json_t *all = json_loads(text, 0, NULL), *self = json_object_get(all, "self");

	assert_int_equal(json_array_size(json_object_get(all, "instrumentations")), 0);
	assert_true(json_integer_value(json_object_get(self, "started")) > 1700000000000000000);
	assert_true(json_integer_value(json_object_get(self, "cpu")) > 0);
	assert_true(json_integer_value(json_object_get(self, "resident")) > 100000);
	assert_int_equal(json_integer_value(json_object_get(self, "dropped_events")), 0);
	assert_true(json_is_integer(json_object_get(self, "spool")) && json_is_integer(json_object_get(self, "programs")));
	json_decref(all);
}

/* --- laws --- */

TEST(once_hands_over_everything_and_ends)
{
	struct collector_conf conf = conf_once(record(), 100);
	struct world w;

	world_init(&w, want_3);
	world_run(&w, &conf);
	assert_exit(&w, 0);
	assert_int_equal(w.hellos, 1);
	assert_string_equal(w.source, "db7");
	assert_non_null(strstr(w.state, "\"active\""));
	assert_self(w.self);
	assert_int_equal(w.batches, N);
	assert_int_equal(w.distinct, N);
	assert_int_equal(w.events, recorded_events);
}

TEST(unacknowledged_batches_are_sent_again_after_a_lost_connection)
{
	struct collector_conf conf = conf_once(record(), 100);
	struct world w;

	world_init(&w, want_3);
	w.hang_up_at = 7;
	world_run(&w, &conf);
	assert_exit(&w, 0);
	assert_int_equal(w.hellos, 2);
	assert_true(w.batches > N);
	assert_int_equal(w.distinct, N);
	assert_int_equal(w.events, recorded_events);
}

TEST(after_a_kill_the_spool_is_sent_first)
{
	struct collector_conf conf = conf_once(record(), 100);
	struct world killed, next;

	conf.spool_path = sample_path("spool");
	world_init(&killed, want_3);
	killed.no_acks = 1;
	killed.kill_at = N;
	world_run(&killed, &conf);
	assert_true(WIFSIGNALED(killed.status));
	conf.probe.incarnation = 101;
	world_init(&next, want_3);
	world_run(&next, &conf);
	assert_exit(&next, 0);
	assert_int_equal(next.distinct, 2 * N);
	assert_int_equal(next.events, 2 * recorded_events);
	for (int i = 0; i < 2 * N; i++) {
		assert_int_equal(next.incarnation[i], i < N ? 100 : 101);
		assert_int_equal(next.slot[i], FIRST + i % N);
	}
}

TEST(a_term_signal_ends_it_and_keeps_the_rest)
{
	struct collector_conf conf = conf_once(record(), 100);
	struct world ended, next;

	conf.spool_path = sample_path("spool");
	world_init(&ended, want_3);
	ended.no_acks = 1;
	ended.term_at = 5;
	world_run(&ended, &conf);
	assert_exit(&ended, 0);
	conf.probe.incarnation = 101;
	world_init(&next, want_3);
	world_run(&next, &conf);
	assert_exit(&next, 0);
	assert_int_equal(next.distinct, 2 * N);
}

TEST(an_unavailable_instrumentation_is_reported_as_failed)
{
	struct collector_conf conf = conf_once(record(), 100);
	struct world w;

	world_init(&w, want_unknown);
	w.term_at_state = 1;
	world_run(&w, &conf);
	assert_exit(&w, 0);
	assert_int_equal(w.batches, 0);
	assert_non_null(strstr(w.state, "\"failed\""));
	assert_null(strstr(w.state, "\"active\""));
	assert_non_null(strstr(w.state, "no probe of this collector measures disk.ops"));
	assert_non_null(strstr(w.state, "nonesuch"));
}

TEST(a_failure_is_logged_once_however_often_the_set_changes)
{
	struct collector_conf conf = conf_once(record(), 100);
	struct world w;
	char text[1024], *first;
	FILE *log;

	world_init(&w, want_unknown);
	w.term_at_state = 3;
	w.log = sample_path("log");
	world_run(&w, &conf);
	assert_exit(&w, 0);
	assert_int_equal(w.states, 3);
	log = fopen(w.log, "r");
	assert_non_null(log);
	text[fread(text, 1, sizeof(text) - 1, log)] = 0;
	fclose(log);
	unlink(w.log);
	first = strstr(text, "instrumentation 5 failed: ");
	assert_non_null(first);
	assert_null(strstr(first + 1, "instrumentation 5 failed"));
	assert_null(strstr(text, "instrumentation 4"));		/* the metric of another source */
}

TEST(a_recording_of_a_replay_is_the_same_again)
{
	struct collector_conf conf = conf_once(record(), 100);
	struct recording *r = NULL;
	struct world w;
	char reason[REASON_MAX] = "";
	__u64 events = 0;

	conf.record_path = sample_path("again");
	world_init(&w, want_3);
	world_run(&w, &conf);
	assert_exit(&w, 0);
	if (recording_read(conf.record_path, &r, reason))
		fail_msg("%s", reason);
	assert_int_equal(r->n_insts, 1);
	assert_int_equal(r->inst[0].in.n_fields, 1);
	assert_int_equal(r->inst[0].n_batches, N);
	for (size_t i = 0; i < r->inst[0].n_batches; i++) {
		struct batch b;

		assert_int_equal(batch_decode(r->inst[0].batch[i].data, r->inst[0].batch[i].len, &b), 0);
		events += batch_events(&b);
		batch_fini(&b);
	}
	assert_int_equal(events, recorded_events);
	recording_free(r);
}

TEST(a_collector_that_cannot_start_returns_an_error)
{
	struct collector_conf conf = conf_once("/nonexistent/recording", 1);

	assert_int_not_equal(collector_run(&conf), 0);
	conf = conf_once(record(), 1);
	conf.spool_path = "/nonexistent/spool";
	assert_int_equal(collector_run(&conf), -ENOENT);
	conf = conf_once(record(), 1);
	conf.record_path = "/nonexistent/again";
	assert_int_equal(collector_run(&conf), -ENOENT);
}

static int clean(void **state)
{
	static const char *const name[] = { "recording", "again", "spool.0", "spool.1", "socket" };

	sample_clean(name, 5);
	return 0;
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	log_open(NULL, 0);			/* its log is tested, not shown */
	return check_run(NULL, clean);
}
