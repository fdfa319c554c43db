/* fleet_hosts - simulates the collectors of a fleet on a bus: each host has a link and a spool, as a real collector has.
 *
 *      fleet_hosts URL FOLDER FIRST HOSTS KEYS      hosts FIRST to FIRST+HOSTS-1, until SIGTERM
 *
 * Count   a host counts from the whole second after the wanted set names an instrumentation of mysql.queries, one batch of
 *         KEYS keys for each second, and now and then an amendment (test/kit/fleet_kit.h).
 * Files   FOLDER/spool.N of each host; FOLDER/journal.FIRST, to which each batch is added before it goes to the spool
 *         (struct fleet_sent).  So after SIGKILL only the last one of the journal may be missing in a spool: the next start
 *         puts it again, under its old name.
 * End     after SIGTERM it makes no further batches, and ends when the bus has all: "batches N events N dropped N".
 */
#include "collector/core/log.h"
#include "collector/link_kind.h"
#include "collector/spool.h"
#include "test/kit/fleet_kit.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

#define AFTER_SLOT_MS 20		/* as the collector */
#define SPOOL_BYTES (64ull << 20)

struct hosts;

struct host {
	struct hosts *all;
	unsigned number;
	__u32 seq;			/* of its latest batch */
	struct link *link;
	struct spool *spool;
	bool said_want, is_wanted;	/* it may send; it counts */
	__s64 next_slot;		/* the first that it has not counted */
};

struct hosts {
	uv_loop_t loop;
	uv_timer_t tick;
	uv_signal_t term;
	const char *folder;
	unsigned first, n, n_keys;
	struct host *host;
	struct fleet_content content;	/* once an instrumentation is known */
	bool has_content, is_ending;
	int journal;
	__u64 incarnation;
	struct fleet_sent again;	/* the journal's last one at our start; seq 0: there was none */
	__u64 n_batches, n_events;
};

static void must(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "fleet_hosts: %s\n", what);
	exit(1);
}

static __s64 wall_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (__s64)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* --- sending, as the collector does --- */

static void host_pump(struct host *h)
{
	struct bytes frame = { 0 };

	while (h->said_want && link_is_ready(h->link) && spool_next(h->spool, &frame) > 0)
		if (link_send_batch(h->link, &frame)) {
			spool_rewind(h->spool);
			break;
		}
	if (h->link)
		link_flush(h->link);
	bytes_fini(&frame);
}

static void on_closed(void *arg)
{
}

static void host_close(struct host *h)
{
	if (h->link)
		link_close(h->link);
	h->link = NULL;
	h->said_want = false;
}

static void close_when_done(struct hosts *all)
{
	if (!all->is_ending)
		return;
	for (unsigned i = 0; i < all->n; i++)
		if (spool_stats(all->host[i].spool).waiting)
			return;
	for (unsigned i = 0; i < all->n; i++)
		host_close(&all->host[i]);
	if (!uv_is_closing((uv_handle_t *)&all->tick)) {
		uv_close((uv_handle_t *)&all->tick, NULL);
		uv_close((uv_handle_t *)&all->term, NULL);
	}
}

static void on_connected(void *arg)
{
	struct host *h = arg;
	json_t *hello = fleet_hello(h->number, h->all->incarnation);

	must(hello && !link_send_json(h->link, FRAME_HELLO, hello), "no hello");
	json_decref(hello);
}

static void on_acks(void *arg, const struct ack *ack, size_t n)
{
	struct host *h = arg;

	for (size_t i = 0; i < n; i++)
		spool_ack(h->spool, &ack[i]);
	host_pump(h);
	close_when_done(h->all);
}

static void on_lost(void *arg)
{
	struct host *h = arg;

	h->said_want = false;
	spool_rewind(h->spool);
}

/* --- counting --- */

static void put(struct hosts *all, struct host *h, const struct fleet_sent *sent)
{
	struct batch b;

	fleet_batch(&all->content, sent, &b);
	must(!spool_put(h->spool, &b), "the spool takes no batch");
	all->n_batches++;
	for (unsigned k = 0; k < all->n_keys; k++)
		all->n_events += fleet_events(h->number, k, sent->slot);
}

static void host_count(struct host *h, __s64 slot)
{
	struct hosts *all = h->all;
	struct fleet_sent sent = { .host = h->number, .incarnation = all->incarnation, .slot = slot };

	for (int n = fleet_is_amended(h->number, slot) ? 2 : 1; n--;) {
		sent.seq = ++h->seq;
		must(write(all->journal, &sent, sizeof(sent)) == sizeof(sent), "the journal cannot be written");
		put(all, h, &sent);
	}
}

/* The batch that the journal has and the spool perhaps not. */
static void put_again(struct hosts *all)
{
	if (!all->again.seq)
		return;
	put(all, &all->host[all->again.host - all->first], &all->again);
	all->again.seq = 0;
}

/* Returns the id of the instrumentation that the hosts count; 0: none. */
static __u64 wanted_inst(const json_t *want)
{
	const json_t *list = json_object_get(want, "instrumentations"), *one;
	size_t i;

	json_array_foreach(list, i, one) {
		const char *module = json_string_value(json_object_get(one, "module")), *stat = json_string_value(json_object_get(one, "stat"));

		if (module && stat && !strcmp(module, "mysql") && !strcmp(stat, "queries"))
			return (__u64)json_integer_value(json_object_get(one, "id"));
	}
	return 0;
}

static void say_state(struct host *h, __u64 inst)
{
	json_t *state = inst ? json_pack("{s:[{s:I, s:s, s:s}]}", "instrumentations", "id", (json_int_t)inst, "state", "active", "reason", "") :
		json_pack("{s:[]}", "instrumentations");

	link_send_json(h->link, FRAME_STATE, state);
	json_decref(state);
}

static void on_want(void *arg, const json_t *want)
{
	struct host *h = arg;
	struct hosts *all = h->all;
	__u64 inst = wanted_inst(want);

	spool_bind(h->spool, json_string_value(json_object_get(want, "aggregator")));
	if (inst && !all->has_content) {
		fleet_content_init(&all->content, inst, all->n_keys);
		all->has_content = true;
	}
	must(!inst || inst == all->content.in.id, "another instrumentation is wanted");
	if (inst && !h->is_wanted)
		h->next_slot = wall_ns() / (__s64)FLEET_SLOT_NS + 1;
	h->is_wanted = inst != 0;
	if (inst && h->number == all->again.host)
		put_again(all);
	say_state(h, inst);
	h->said_want = true;
	host_pump(h);
}

static void on_tick(uv_timer_t *timer);

static void arm_tick(struct hosts *all)
{
	__s64 slot_ns = (__s64)FLEET_SLOT_NS, now_ns = wall_ns();

	uv_update_time(&all->loop);
	uv_timer_start(&all->tick, on_tick, (__u64)((now_ns / slot_ns + 1) * slot_ns - now_ns + 999999) / 1000000 + AFTER_SLOT_MS, 0);
}

static void on_tick(uv_timer_t *timer)
{
	struct hosts *all = timer->data;
	__s64 now_slot = wall_ns() / (__s64)FLEET_SLOT_NS;

	for (unsigned i = 0; i < all->n; i++) {
		struct host *h = &all->host[i];

		for (; h->is_wanted && !all->is_ending && h->next_slot < now_slot; h->next_slot++)
			host_count(h, h->next_slot);
		host_pump(h);
	}
	close_when_done(all);
	if (!uv_is_closing((uv_handle_t *)timer))
		arm_tick(all);
}

static void on_term(uv_signal_t *handle, int number)
{
	struct hosts *all = handle->data;

	all->is_ending = true;
	close_when_done(all);
}

/* --- starting --- */

static void open_journal(struct hosts *all)
{
	char path[PATH_MAX];
	off_t len;

	snprintf(path, sizeof(path), "%s/journal.%u", all->folder, all->first);
	all->journal = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	must(all->journal >= 0, "the journal cannot be opened");
	len = lseek(all->journal, 0, SEEK_END) / (off_t)sizeof(all->again) * (off_t)sizeof(all->again);
	must(!ftruncate(all->journal, len), "the journal cannot be cut");
	if (len)
		must(pread(all->journal, &all->again, sizeof(all->again), len - (off_t)sizeof(all->again)) == sizeof(all->again), "the journal cannot be read");
}

static void host_open(struct hosts *all, struct host *h, unsigned number, const char *url)
{
	static const struct link_ops ops = { on_connected, on_want, on_acks, on_lost, on_closed, NULL };
	char path[PATH_MAX], name[SOURCE_MAX], reason[REASON_MAX];
	struct spool_conf spool = { path, SPOOL_BYTES, all->incarnation };
	struct bus_conf bus = { .url = url, .name = name };

	*h = (struct host){ .all = all, .number = number };
	fleet_host(number, name);
	snprintf(path, sizeof(path), "%s/spool.%u", all->folder, number);
	must(!spool_open(&spool, &h->spool, reason), reason);
	must(!link_bus_make(&all->loop, &bus, name, &ops, h, &h->link, reason), reason);
}

int main(int argc, char **argv)
{
	struct hosts all = { .incarnation = (__u64)wall_ns() };
	struct rlimit files;
	__u64 n_dropped = 0;

	if (argc != 6) {
		fprintf(stderr, "usage: fleet_hosts URL FOLDER FIRST HOSTS KEYS\n");
		return 2;
	}
	all.folder = argv[2];
	all.first = (unsigned)atoi(argv[3]);
	all.n = (unsigned)atoi(argv[4]);
	all.n_keys = (unsigned)atoi(argv[5]);
	getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	signal(SIGPIPE, SIG_IGN);
	uv_loop_init(&all.loop);
	uv_timer_init(&all.loop, &all.tick);
	uv_signal_init(&all.loop, &all.term);
	all.tick.data = all.term.data = &all;
	uv_signal_start(&all.term, on_term, SIGTERM);
	open_journal(&all);
	all.host = calloc(all.n, sizeof(*all.host));
	must(all.host, "no memory");
	for (unsigned i = 0; i < all.n; i++)
		host_open(&all, &all.host[i], all.first + i, argv[1]);
	arm_tick(&all);
	uv_run(&all.loop, UV_RUN_DEFAULT);
	for (unsigned i = 0; i < all.n; i++) {
		n_dropped += spool_stats(all.host[i].spool).dropped_batches + spool_stats(all.host[i].spool).foreign_batches;
		spool_close(all.host[i].spool);
	}
	printf("batches %llu events %llu dropped %llu\n", (unsigned long long)all.n_batches, (unsigned long long)all.n_events,
	       (unsigned long long)n_dropped);
	if (all.has_content)
		fleet_content_fini(&all.content);
	free(all.host);
	close(all.journal);
	return n_dropped != 0;
}
