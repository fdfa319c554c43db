/* make_fleet - a ClickHouse database as several heatscoped would have it after a year of many hosts: for measuring.
 *
 *      make_fleet URL DATABASE [HOSTS [DAYS [MINUTE_DAYS [SECOND_HOURS]]]]     default 200 365 14 24
 *
 * The real store does it all, with the clock running fast, up to the present hour.  Each host has one key, its name.  Before
 * the last MINUTE_DAYS a host sends a batch per hour, before the last SECOND_HOURS one per minute, then one per second, as
 * nothing finer is left of the older ones in the end.
 * Histograms are drawn from a few thousand, which are log-normal with about 25 events per second.
 * Prints the instrumentation's id, and what was added: "1 events N batches N seconds S", and at the end of each day to
 * standard error how far it is.
 */
#include "aggregator/catalog/source.h"
#include "aggregator/store/store.h"
#include "collector/core/instrumentation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define HOUR 3600ll
#define DAY 86400ll
#define HOSTS_MAX 1000
#define POOL 2048			/* histograms of each kind */
#define AT_ONCE 20000			/* batches of one add() */

enum { OF_SECOND, OF_MINUTE, OF_HOUR, KINDS };

static const __s64 step_s[KINDS] = { 1, 60, HOUR };

struct drawn {
	__u8 *data;
	size_t len;
	__u64 n;
};

struct fleet {
	struct store *store;
	int n_hosts;
	__u64 ruler, seed;
	struct labels key[HOSTS_MAX];
	struct drawn pool[KINDS][POOL];
	struct batch batch[AT_ONCE];
	struct slice slice[AT_ONCE];
	size_t n;
	__u64 events, batches;
};

/* splitmix64 */
static __u64 next_random(struct fleet *f)
{
	__u64 z = f->seed += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static double uniform(struct fleet *f)
{
	return ((double)(next_random(f) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(struct fleet *f)
{
	return sqrt(-2 * log(uniform(f))) * cos(2 * M_PI * uniform(f));
}

static void die(const char *what)
{
	fprintf(stderr, "make_fleet: %s\n", what);
	exit(1);
}

/* Events around 100 us to 500 us; one in two hundred is ten times as slow. */
static void draw(struct fleet *f, int kind, struct drawn *ret)
{
	double middle = 100000 * (1 + 4 * uniform(f)), mean = 25.0 * (double)step_s[kind];
	__u64 n = (__u64)fmax(1, mean + sqrt(mean) * normal(f)), drawn = n < 20000 ? n : 20000;
	struct bytes out = { 0 };
	struct hist h;

	if (hist_init(&h, f->ruler))
		die("no memory");
	for (__u64 i = 0; i < drawn; i++)
		hist_record(&h, (__u64)(middle * exp(0.6 * normal(f)) * (uniform(f) < 0.005 ? 10 : 1)), n / drawn);
	hist_encode(&h, &out);
	*ret = (struct drawn){ out.data, out.len, h.count };
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
		die(f->store->reason);
	f->batches += f->n;
	f->n = 0;
}

static void put_batch(struct fleet *f, int kind, int host, __s64 slot)
{
	const struct drawn *d = &f->pool[kind][next_random(f) % POOL];
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

/* Batches come in the order of time; expiry and roll-up follow, as once an hour. */
static void make_hour(struct fleet *f, int kind, __s64 hour)
{
	for (__s64 slot = hour; slot < hour + HOUR; slot += step_s[kind])
		for (int host = 0; host < f->n_hosts; host++)
			put_batch(f, kind, host, slot);
}

/* As the catalogue keeps it. */
static void put_inst(struct fleet *f, __s64 now, __s64 minute_days, __s64 days)
{
	struct field field[] = { { "hostname", "host", "string", FIELD_DISCRETE, UNIT_NONE, 0, 0 },
				 { "latency", "latency", "time", FIELD_NUMERIC, UNIT_NS, 10, 39 } };
	const struct metric metric = { .module = "mysql", .stat = "queries", .label = "MySQL queries", .unit = "queries",
				       .field = field, .n_fields = 2 };
	struct instrumentation in = { .id = 1, .module = "mysql", .stat = "queries", .n_measures = 1, .n_fields = 1,
				      .field = { "hostname" }, .measure = { "latency" }, .granularity_ns = 1000000000,
				      .slot_ns = 1000000000, .retention_s = DAY, .minutes_s = (__u32)(minute_days * DAY),
				      .hours_s = (__u32)(days * DAY), .ruler_bits = 5, .n_keys = HOSTS_MAX, .n_slots = 12, .crtime_ms = now * 1000 };
	json_t *json = json_pack("{s:o, s:o, s:s}", "instrumentation", instrumentation_to_json(&in), "metric",
				 metric_to_json(&metric), "numeric", "latency");
	char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;

	if (!text || f->store->ops->inst_put(f->store, 1, text))
		die("the instrumentation cannot be stored");
	free(text);
	json_decref(json);
}

static __s64 argument(char **argv, int argc, int at, __s64 usual)
{
	return argc > at ? atoll(argv[at]) : usual;
}

int main(int argc, char **argv)
{
	static struct fleet f = { .ruler = RULER(UNIT_NS, 5, 10, 39), .seed = 1 };
	__s64 days = argument(argv, argc, 4, 365), minute_days = argument(argv, argc, 5, 14), hours = argument(argv, argc, 6, 24);
	__s64 begin_s = time(NULL), end = begin_s / HOUR * HOUR;
	struct store_clickhouse_conf conf = { .user = "", .password = "", .ca = "" };
	char reason[300] = "";

	f.n_hosts = (int)argument(argv, argc, 3, 200);
	if (argc < 3 || f.n_hosts < 1 || f.n_hosts > HOSTS_MAX || days < minute_days || minute_days * 24 < hours || hours < 1)
		die("usage: make_fleet URL DATABASE [HOSTS [DAYS [MINUTE_DAYS [SECOND_HOURS]]]]");
	conf.url = argv[1];
	conf.database = argv[2];
	if (store_clickhouse_open(&conf, &f.store, reason, sizeof(reason)))
		die(reason);
	name_hosts(&f);
	for (int kind = 0; kind < KINDS; kind++)
		for (int i = 0; i < POOL; i++)
			draw(&f, kind, &f.pool[kind][i]);
	put_inst(&f, end - days * DAY, minute_days, days);
	for (__s64 hour = end - days * DAY; hour < end; hour += HOUR) {
		const __s64 before[TIERS] = { hour + HOUR - hours * HOUR, hour + HOUR - minute_days * DAY, 0 };

		make_hour(&f, hour < end - minute_days * DAY ? OF_HOUR : hour < end - hours * HOUR ? OF_MINUTE : OF_SECOND, hour);
		if ((hour + HOUR) % DAY && hour + HOUR < end)
			continue;
		add_batches(&f);
		if (f.store->ops->compact(f.store, 1, hour + HOUR) || f.store->ops->expire(f.store, 1, before))
			die(f.store->reason);
		fprintf(stderr, "%lld days to go, %llu batches, %lld s\n", (long long)(end - hour - HOUR) / DAY,
			(unsigned long long)f.batches, (long long)time(NULL) - begin_s);
	}
	f.store->ops->close(f.store);
	printf("1 events %llu batches %llu seconds %lld\n", (unsigned long long)f.events, (unsigned long long)f.batches,
	       (long long)time(NULL) - begin_s);
	return 0;
}
