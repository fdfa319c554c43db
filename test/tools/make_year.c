/* make_year - a database as heatscoped would have it after a year, in minutes: for measuring.
 *
 *      make_year DATABASE [DAYS [KEYS [MEASURES [RATE]]]]     default 365 10 2 25; 0 keys: no fields; RATE: events per s and key
 *
 * The real store does it all: batches are added, compacted and expired as they would be, with the clock running fast, up
 * to now.  Only what is older than a day comes by the minute instead of by the second (a minute's worth of events in the
 * first of its slots), as nothing finer is left of it in the end.  Rates go up and down by the hour, the last key is rare, a
 * hundredth of the hours lack a source for a while, now and then there is a loss.
 * Prints the instrumentation's id, and what was added: "1 events N lost N batches N slices N".
 */
#include "test/kit/drawn_kit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define KEYS_MAX 256

static const char *const measures[] = { "latency", "cputime", "offcpu", "runqwait", "blocked", "unsplit" };

struct year {
	struct store *store;
	int n_keys, n_measures, rate;	/* events per second and key, about */
	__u64 ruler;
	struct drawn draws;
	struct labels key[KEYS_MAX];
	double *density[7];		/* of the events of a key, by cell; seven shapes */
	struct hist hist;
	struct bytes bytes;		/* the hour's histograms */
	struct batch *batch;		/* of an hour */
	struct slice *slice;
	size_t n_batches, n_slices;
	__u64 events, lost, all_batches, all_slices;
};

/* Log-normal around a middle that the shape has; one in two hundred is ten times as slow. */
static double density_at(double ns, int shape)
{
	double x = log(ns / (100000.0 * (1 + shape))) / 0.6, slow = log(ns / (1000000.0 * (1 + shape))) / 0.6;

	return (0.995 * exp(-x * x / 2) + 0.005 * exp(-slow * slow / 2)) / (0.6 * sqrt(2 * M_PI)) / ns;
}

static void make_densities(struct year *y)
{
	__u32 n = ruler_cells(y->ruler);

	if (hist_init(&y->hist, y->ruler))
		drawn_die("no memory");
	for (int shape = 0; shape < 7; shape++) {
		double *d = y->density[shape] = calloc(n, sizeof(*d));

		if (!d)
			drawn_die("no memory");
		for (__u32 i = 1; i + 1 < n; i++) {
			double first = (double)ruler_first(y->ruler, i), width = (double)ruler_last(y->ruler, i) - first + 1;

			d[i] = density_at(first + width / 2, shape) * width;
			d[i] = d[i] < 1e-7 ? 0 : d[i];
		}
	}
}

static __u64 poisson(struct year *y, double mean)
{
	double limit, product = 1;
	__u64 n = 0;

	if (mean > 4) {
		return (__u64)fmax(0, round(mean + sqrt(mean) * drawn_normal(&y->draws)));
	}
	limit = exp(-mean);
	while ((product *= drawn_uniform(&y->draws)) > limit)
		n++;
	return n;
}

/* Events drawn cell by cell: as many as they are, at the same cost. */
static __u64 put_hist(struct year *y, int key, double n_events)
{
	struct hist *h = &y->hist;
	const double *density = y->density[key % 7];

	hist_clear(h);
	for (__u32 i = 1; i + 1 < ruler_cells(y->ruler); i++) {
		__u64 n = density[i] > 0 ? poisson(y, n_events * density[i]) : 0;
		__u64 first = ruler_first(y->ruler, i), width = ruler_last(y->ruler, i) - first + 1;

		if (!n)
			continue;
		h->cell[i] = n;
		h->min = h->count ? h->min : first + drawn_next(&y->draws) % width;
		h->max = first + drawn_next(&y->draws) % width;
		h->max = h->count || h->max > h->min ? h->max : h->min;
		h->sum += n * first + drawn_next(&y->draws) % (n * width);
		h->count += n;
	}
	hist_encode(h, &y->bytes);
	return h->count;
}

static void name_keys(struct year *y)
{
	char label[16];

	for (int i = 0; i < y->n_keys; i++) {
		struct bytes bytes = { 0 };

		snprintf(label, sizeof(label), "statement%d", i);
		labels_put(&bytes, label);
		y->key[i] = (struct labels){ bytes.data, (__u16)bytes.len };
	}
}

/* Where the bytes begin is known now, where they are only when the hour is complete. */
static void add_slices(struct year *y, struct batch *b, double seconds, __s64 slot)
{
	int n_keys = y->n_keys ? y->n_keys : 1;
	double rate = y->rate * (1 + 0.6 * sin((double)(slot % DRAWN_DAY) * 2 * M_PI / DRAWN_DAY));

	b->slice = &y->slice[y->n_slices];
	for (int key = 0; key < n_keys; key++) {
		if (key && key == n_keys - 1 && drawn_next(&y->draws) % 40)
			continue;
		for (int m = 0; m < y->n_measures; m++) {
			size_t at = y->bytes.len;
			__u64 n = put_hist(y, key + m, seconds * rate / (1 + key % 3));

			if (!n) {
				y->bytes.len = at;
				continue;
			}
			y->slice[y->n_slices++] = (struct slice){ .ruler = y->ruler, .axis = (__u16)m, .key = y->key[key],
								  .hist = (void *)at, .hist_len = (__u32)(y->bytes.len - at) };
			y->events += m ? 0 : n;
		}
	}
	b->n_slices = (size_t)(&y->slice[y->n_slices] - b->slice);
}

static struct batch *add_batch(struct year *y, __s64 slot, __u32 run)
{
	struct batch *b = &y->batch[y->n_batches++];

	*b = (struct batch){ .source = "year", .incarnation = 1, .inst = 1, .slot_ns = 1000000000, .slot = slot, .run = run };
	b->seq = (__u32)y->n_batches;
	return b;
}

static void make_hour(struct year *y, __s64 hour, __s64 until, __s64 step)
{
	__s64 away = drawn_next(&y->draws) % 100 ? 0 : 1 + (__s64)(drawn_next(&y->draws) % DRAWN_HOUR);

	y->n_batches = y->n_slices = 0;
	bytes_clear(&y->bytes);
	for (__s64 slot = hour; slot < until; slot += step) {
		struct batch *b;

		if (slot - hour < away)
			continue;
		b = add_batch(y, slot, 1);
		add_slices(y, b, (double)step, slot);
		if (!(drawn_next(&y->draws) % 50000)) {
			b->loss = (struct loss){ .n = 5, .sum = 500000, .first = slot, .last = slot };
			y->lost += 5;
		}
		if (step > 1)
			add_batch(y, slot + 1, (__u32)step - 1);
	}
	for (size_t i = 0; i < y->n_slices; i++)
		y->slice[i].hist = y->bytes.data + (size_t)y->slice[i].hist;
}

static void keep_hour(struct year *y, __s64 end)
{
	const __s64 before[TIERS] = { end - DRAWN_DAY, end - 14 * DRAWN_DAY, end - 365 * DRAWN_DAY };
	bool *is_new = calloc(y->n_batches + 1, sizeof(*is_new));

	if (!is_new || (y->n_batches && y->store->ops->add(y->store, y->batch, y->n_batches, is_new)) ||
	    y->store->ops->expire(y->store, 1, before) || y->store->ops->compact(y->store, 1, end - 5))
		drawn_die(y->store->reason[0] ? y->store->reason : "the store fails");
	for (size_t i = 0; i < y->n_batches; i++)
		if (!is_new[i])
			drawn_die("a batch was not new");
	free(is_new);
	y->all_batches += y->n_batches;
	y->all_slices += y->n_slices;
}

static void put_inst(struct year *y, __s64 now)
{
	struct instrumentation in = { .n_measures = (size_t)y->n_measures, .n_fields = y->n_keys > 0, .field = { "statement" },
				      .retention_s = DRAWN_DAY, .minutes_s = 14 * DRAWN_DAY, .hours_s = 365 * DRAWN_DAY, .n_keys = KEYS_MAX,
				      .crtime_ms = now * 1000 };

	for (int i = 0; i < y->n_measures; i++)
		snprintf(in.measure[i], NAME_MAX_LEN, "%s", measures[i]);
	drawn_inst_put(y->store, in);
}

int main(int argc, char **argv)
{
	static struct year y = { .ruler = RULER(UNIT_NS, 5, 10, 39), .draws = { 1 } };
	__s64 now = time(NULL), days = argc > 2 ? atoll(argv[2]) : 365, end = now / DRAWN_HOUR * DRAWN_HOUR + DRAWN_HOUR;
	char reason[300] = "";
	size_t most = 2 * DRAWN_HOUR;

	y.n_keys = argc > 3 ? atoi(argv[3]) : 10;
	y.n_measures = argc > 4 ? atoi(argv[4]) : 2;
	y.rate = argc > 5 ? atoi(argv[5]) : 25;
	if (argc < 2 || days < 1 || y.rate < 4 || y.n_keys < 0 || y.n_keys > KEYS_MAX || y.n_measures < 1 || y.n_measures > 6)
		drawn_die("usage: make_year DATABASE [DAYS [KEYS [MEASURES [RATE]]]]");
	if (store_sqlite_open(argv[1], &y.store, reason, sizeof(reason)))
		drawn_die(reason);
	y.batch = calloc(most, sizeof(*y.batch));
	y.slice = calloc(most * (size_t)(y.n_keys + 1) * (size_t)y.n_measures, sizeof(*y.slice));
	if (!y.batch || !y.slice)
		drawn_die("no memory");
	name_keys(&y);
	make_densities(&y);
	put_inst(&y, end - days * DRAWN_DAY);
	for (__s64 hour = end - days * DRAWN_DAY; hour < end; hour += DRAWN_HOUR) {
		__s64 until = hour + DRAWN_HOUR < now ? hour + DRAWN_HOUR : now;

		make_hour(&y, hour, until, hour < now - DRAWN_DAY - DRAWN_HOUR ? 60 : 1);
		keep_hour(&y, until);
	}
	y.store->ops->close(y.store);
	printf("1 events %llu lost %llu batches %llu slices %llu\n", (unsigned long long)y.events, (unsigned long long)y.lost,
	       (unsigned long long)y.all_batches, (unsigned long long)y.all_slices);
	return 0;
}
