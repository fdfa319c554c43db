/* make_fleet - a ClickHouse database as several heatscoped would have it after a year of many hosts: for measuring.
 *
 *      make_fleet URL DATABASE [HOSTS [DAYS [MINUTE_DAYS [SECOND_HOURS]]]]     default 200 365 14 24
 *
 * The real store makes one day of hours, one of minutes, and one hour of seconds, with the clock running fast: it adds, adds
 * up and expires.  All other hours and days are copies of these, which the server makes.  It ends at the present hour.  Each
 * host has one key, its name.  Before the last MINUTE_DAYS only hours are kept, before the last SECOND_HOURS minutes.
 * Histograms are drawn from a few thousand, which are log-normal with about 25 events per second.
 * Prints the instrumentation's id, and what was added: "1 events N batches N seconds S" (without copies), and now and
 * then to standard error how far it is.
 */
#include "aggregator/store/clickhouse/row.h"
#include "test/kit/drawn_kit.h"

#include <curl/curl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define HOSTS_MAX 1000
#define POOL 2048			/* histograms of each kind */
#define AT_ONCE 20000			/* batches of one add() */

enum { OF_SECOND, OF_MINUTE, OF_HOUR, KINDS };

static const __s64 step_s[KINDS] = { 1, 60, DRAWN_HOUR };

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
static void make_hours(struct fleet *f, int kind, __s64 from, __s64 to)
{
	for (__s64 slot = from; slot < to; slot += step_s[kind])
		for (int host = 0; host < f->n_hosts; host++)
			put_batch(f, kind, host, slot);
	add_batches(f);
	if (f->store->ops->compact(f->store, 1, to))
		drawn_die(f->store->reason);
}

/* Rows are removed by the second call. */
static void drop_old(struct fleet *f, __s64 seconds, __s64 minutes)
{
	const __s64 first[TIERS] = { seconds - DRAWN_DAY, minutes, 0 }, second[TIERS] = { seconds, minutes, 0 };

	if (f->store->ops->expire(f->store, 1, first) || f->store->ops->expire(f->store, 1, second))
		drawn_die(f->store->reason);
}

/* --- copies --- */

static size_t take_answer(char *data, size_t size, size_t n, void *arg)
{
	strncat(arg, data, n < 300 ? n : 300);
	return n;
}

/* Runs a statement, and returns the number that is its answer. */
static __u64 send_sql(const char *url, const char *text)
{
	char answer[700] = "";
	CURL *easy = curl_easy_init();
	long status = 0;

	curl_easy_setopt(easy, CURLOPT_URL, url);
	curl_easy_setopt(easy, CURLOPT_POSTFIELDS, text);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_answer);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, answer);
	if (curl_easy_perform(easy) || curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status) || status != 200)
		drawn_die(*answer ? answer : "the server does not answer");
	curl_easy_cleanup(easy);
	return strtoull(answer, NULL, 10);
}

struct copies {
	const char *url, *database, *kinds;
	__s64 from, to;			/* what is copied */
	__s64 by_s, n;			/* n copies, each so much earlier than the one before */
	__s64 at_once;			/* of one INSERT */
};

static void make_copies(const struct copies *c)
{
	char text[3000];

	for (__s64 first = 1; first <= c->n; first += c->at_once) {
		__s64 n = first + c->at_once <= c->n + 1 ? c->at_once : c->n + 1 - first;

		snprintf(text, sizeof(text),
			 "INSERT INTO %s.filed_4 (day, inst, life, kind, axis, weight, ruler, period, key, slot, source, incarnation, "
			 "batch_slot, seq, part, version, first, last, n, total, low, high, large, buckets, counts, firsts, lasts, data) "
			 "SELECT toDate(toUInt16(intDiv(at, 86400))), inst, life, kind, axis, weight, ruler, "
			 "intDiv(at, (toInt64(transform(kind, [%d, %d, %d], [%lld, %lld, %lld], 0)) AS per) + (per = 0)) * per, "
			 "key, at, source, incarnation, batch_slot - shift, seq, part, version, first - shift, last - shift, n, total, low, high, large, "
			 "buckets, counts, arrayMap(x -> x - shift, firsts), arrayMap(x -> x - shift, lasts), data FROM "
			 "(SELECT *, toInt64(arrayJoin(range(%lld)) + %lld) * %lld AS shift, slot - shift AS at FROM %s.filed_4 "
			 "WHERE kind IN (%s) AND day >= toDate(%d) AND day <= toDate(%d) AND slot >= %lld AND slot < %lld)", c->database,
			 ROW_SLOT, ROW_MINUTE, ROW_STEP, (long long)row_period_slots(1000000000, ROW_SLOT),
			 (long long)row_period_slots(1000000000, ROW_MINUTE), (long long)row_period_slots(1000000000, ROW_STEP), (long long)n,
			 (long long)first, (long long)c->by_s, c->database, c->kinds, (int)(c->from / DRAWN_DAY), (int)(c->to / DRAWN_DAY),
			 (long long)c->from, (long long)c->to);
		send_sql(c->url, text);
		fprintf(stderr, "copies of %lld s: %lld of %lld\n", (long long)c->by_s, (long long)(first + n - 1), (long long)c->n);
	}
}

/* Rows that were dropped are being removed, and must not be copied. */
static void wait_for_removal(const char *url, const char *database)
{
	char text[200];

	snprintf(text, sizeof(text), "SELECT count() FROM system.mutations WHERE database = '%s' AND NOT is_done", database);
	while (send_sql(url, text))
		usleep(200000);
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
	__s64 begin_s = time(NULL), end = begin_s / DRAWN_HOUR * DRAWN_HOUR, seconds, minutes;
	struct store_clickhouse_conf conf = { .user = "", .password = "", .ca = "" };
	char reason[300] = "";

	f.n_hosts = (int)argument(argv, argc, 3, 200);
	if (argc < 3 || f.n_hosts < 1 || f.n_hosts > HOSTS_MAX || days < minute_days || minute_days * 24 < hours || hours < 24 ||
	    hours % 24)
		drawn_die("usage: make_fleet URL DATABASE [HOSTS [DAYS [MINUTE_DAYS [SECOND_HOURS, a multiple of 24]]]]");
	conf.url = argv[1];
	conf.database = argv[2];
	if (store_clickhouse_open(&conf, &f.store, reason, sizeof(reason)))
		drawn_die(reason);
	name_hosts(&f);
	for (int kind = 0; kind < KINDS; kind++)
		for (int i = 0; i < POOL; i++)
			draw(&f, kind, &f.pool[kind][i]);
	put_inst(&f, end - days * DRAWN_DAY, minute_days, days);
	seconds = end - hours * DRAWN_HOUR;
	minutes = end - minute_days * DRAWN_DAY;
	if (days > minute_days)
		make_hours(&f, OF_HOUR, minutes - DRAWN_DAY, minutes);
	if (minutes < seconds)
		make_hours(&f, OF_MINUTE, seconds - DRAWN_DAY, seconds);
	make_hours(&f, OF_SECOND, end - DRAWN_HOUR, end);
	drop_old(&f, seconds, minutes);
	wait_for_removal(conf.url, conf.database);
	make_copies(&(struct copies){ conf.url, conf.database, "2, 10, 4", minutes - DRAWN_DAY, minutes, DRAWN_DAY,
				      days - minute_days - 1, 24 });
	make_copies(&(struct copies){ conf.url, conf.database, "1, 9, 2, 10, 4", seconds - DRAWN_DAY, seconds, DRAWN_DAY,
				      minute_days - (hours + 23) / 24 - 1, 1 });
	make_copies(&(struct copies){ conf.url, conf.database, "0, 8, 11, 12, 3, 1, 9, 2, 10, 4", end - DRAWN_HOUR, end, DRAWN_HOUR,
				      hours - 1, 1 });
	f.store->ops->close(f.store);
	printf("1 events %llu batches %llu seconds %lld\n", (unsigned long long)f.events, (unsigned long long)f.batches,
	       (long long)time(NULL) - begin_s);
	return 0;
}
