/* make_fleet - a ClickHouse database as several heatscoped would have it after a year of many hosts: for measuring.
 *
 *      make_fleet URL DATABASE [HOSTS [DAYS [MINUTE_DAYS [SECOND_HOURS]]]]     default 200 365 14 24
 *
 * The real store does it all, with the clock running fast, up to the present hour; it expires at the end.  Each host has
 * one key, its name.  Before the last MINUTE_DAYS a host sends a batch per hour, before the last SECOND_HOURS one per
 * minute, then one per second, as nothing finer is left of the older ones in the end.
 * Histograms are drawn from a few thousand, which are log-normal with about 25 events per second.
 * Prints the instrumentation's id, and what was added: "1 events N batches N seconds S", and now and then to
 * standard error how far it is.
 */
#include "test/kit/drawn_kit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define HOSTS_MAX 1000
#define POOL 2048			/* histograms of each kind */
#define AT_ONCE 20000			/* batches of one add() */

enum { OF_SECOND, OF_MINUTE, OF_HOUR, KINDS };

static const __s64 step_s[KINDS] = { 1, 60, DRAWN_HOUR };
static const __s64 roll_s[KINDS] = { DRAWN_HOUR, DRAWN_DAY, 10 * DRAWN_DAY };	/* compact() is called so often */

struct drawn_hist {
	__u8 *data;
	size_t len;
	__u64 n;
};

struct fleet {
	struct store *store;
	int n_hosts;
	__u64 ruler;
	struct drawn draws;
	struct labels key[HOSTS_MAX];
	struct drawn_hist pool[KINDS][POOL];
	struct batch batch[AT_ONCE];
	struct slice slice[AT_ONCE];
	size_t n;
	__u64 events, batches;
};

/* Events around 100 us to 500 us; one in two hundred is ten times as slow. */
static void draw(struct fleet *f, int kind, struct drawn_hist *ret)
{
	double middle = 100000 * (1 + 4 * drawn_uniform(&f->draws)), mean = 25.0 * (double)step_s[kind];
	__u64 n = (__u64)fmax(1, mean + sqrt(mean) * drawn_normal(&f->draws)), drawn = n < 20000 ? n : 20000;
	struct bytes out = { 0 };
	struct hist h;

	if (hist_init(&h, f->ruler))
		drawn_die("no memory");
	for (__u64 i = 0; i < drawn; i++)
		hist_record(&h, (__u64)(middle * exp(0.6 * drawn_normal(&f->draws)) * (drawn_uniform(&f->draws) < 0.005 ? 10 : 1)), n / drawn);
	hist_encode(&h, &out);
	*ret = (struct drawn_hist){ out.data, out.len, h.count };
	hist_fini(&h);
}

static void name_hosts(struct fleet *f)
{
	char label[16];

	for (int i = 0; i < f->n_hosts; i++) {
		struct bytes bytes = { 0 };

		snprintf(label, sizeof(label), "host%03d", i);
		labels_put(&bytes, label);
		f->key[i] = (struct labels){ bytes.data, (__u16)bytes.len };
	}
}

static void add_batches(struct fleet *f)
{
	static bool is_new[AT_ONCE];

	if (f->n && f->store->ops->add(f->store, f->batch, f->n, is_new))
		drawn_die(f->store->reason);
	f->batches += f->n;
	f->n = 0;
}

static void put_batch(struct fleet *f, int kind, int host, __s64 slot)
{
	const struct drawn_hist *d = &f->pool[kind][drawn_next(&f->draws) % POOL];
	struct batch *b = &f->batch[f->n];
	struct slice *s = &f->slice[f->n];

	*s = (struct slice){ .ruler = f->ruler, .key = f->key[host], .hist = d->data, .hist_len = (__u32)d->len };
	*b = (struct batch){ .incarnation = 1, .inst = 1, .slot_ns = 1000000000, .slot = slot, .seq = 1, .run = (__u32)step_s[kind],
			     .slice = s, .n_slices = 1 };
	snprintf(b->source, sizeof(b->source), "host%03d", host);
	f->events += d->n;
	if (++f->n == AT_ONCE)
		add_batches(f);
}

/* Batches come in the order of time. */
static void make_hour(struct fleet *f, int kind, __s64 hour)
{
	for (__s64 slot = hour; slot < hour + DRAWN_HOUR; slot += step_s[kind])
		for (int host = 0; host < f->n_hosts; host++)
			put_batch(f, kind, host, slot);
}

/* Rows are removed by the second call.  (To do so day by day, as heatscoped does, would take hours.) */
static void drop_old(struct fleet *f, __s64 seconds, __s64 minutes)
{
	const __s64 first[TIERS] = { seconds - DRAWN_DAY, minutes, 0 }, second[TIERS] = { seconds, minutes, 0 };

	if (f->store->ops->expire(f->store, 1, first) || f->store->ops->expire(f->store, 1, second))
		drawn_die(f->store->reason);
}

static void put_inst(struct fleet *f, __s64 now, __s64 minute_days, __s64 days)
{
	drawn_inst_put(f->store, (struct instrumentation){
		.n_measures = 1, .measure = { "latency" }, .n_fields = 1, .field = { "hostname" }, .retention_s = DRAWN_DAY,
		.minutes_s = (__u32)(minute_days * DRAWN_DAY), .hours_s = (__u32)(days * DRAWN_DAY), .n_keys = HOSTS_MAX, .crtime_ms = now * 1000,
	});
}

static __s64 argument(char **argv, int argc, int at, __s64 usual)
{
	return argc > at ? atoll(argv[at]) : usual;
}

int main(int argc, char **argv)
{
	static struct fleet f = { .ruler = RULER(UNIT_NS, 5, 10, 39), .draws = { 1 } };
	__s64 days = argument(argv, argc, 4, 365), minute_days = argument(argv, argc, 5, 14), hours = argument(argv, argc, 6, 24);
	__s64 begin_s = time(NULL), end = begin_s / DRAWN_HOUR * DRAWN_HOUR;
	struct store_clickhouse_conf conf = { .user = "", .password = "", .ca = "" };
	char reason[300] = "";

	f.n_hosts = (int)argument(argv, argc, 3, 200);
	if (argc < 3 || f.n_hosts < 1 || f.n_hosts > HOSTS_MAX || days < minute_days || minute_days * 24 < hours || hours < 1)
		drawn_die("usage: make_fleet URL DATABASE [HOSTS [DAYS [MINUTE_DAYS [SECOND_HOURS]]]]");
	conf.url = argv[1];
	conf.database = argv[2];
	if (store_clickhouse_open(&conf, &f.store, reason, sizeof(reason)))
		drawn_die(reason);
	name_hosts(&f);
	for (int kind = 0; kind < KINDS; kind++)
		for (int i = 0; i < POOL; i++)
			draw(&f, kind, &f.pool[kind][i]);
	put_inst(&f, end - days * DRAWN_DAY, minute_days, days);
	for (__s64 hour = end - days * DRAWN_DAY; hour < end; hour += DRAWN_HOUR) {
		int kind = hour < end - minute_days * DRAWN_DAY ? OF_HOUR : hour < end - hours * DRAWN_HOUR ? OF_MINUTE : OF_SECOND;

		make_hour(&f, kind, hour);
		if ((hour + DRAWN_HOUR) % roll_s[kind] && hour + DRAWN_HOUR < end)
			continue;
		add_batches(&f);
		if (f.store->ops->compact(f.store, 1, hour + DRAWN_HOUR))
			drawn_die(f.store->reason);
		fprintf(stderr, "%lld days to go, %llu batches, %lld s\n", (long long)(end - hour - DRAWN_HOUR) / DRAWN_DAY,
			(unsigned long long)f.batches, (long long)time(NULL) - begin_s);
	}
	drop_old(&f, end - hours * DRAWN_HOUR, end - minute_days * DRAWN_DAY);
	f.store->ops->close(f.store);
	printf("1 events %llu batches %llu seconds %lld\n", (unsigned long long)f.events, (unsigned long long)f.batches,
	       (long long)time(NULL) - begin_s);
	return 0;
}
