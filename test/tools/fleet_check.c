/* fleet_check - compares the journals of fleet_hosts with a store: each count of each host, key and slot.
 *
 *      fleet_check STORE DATABASE INST KEYS JOURNAL...
 *
 * STORE is the address of a ClickHouse server (or several, as heatscoped takes them), or the file of SQLite; DATABASE is "-"
 * then.  The instrumentation INST has the fields digest and hostname.
 * Prints "sent N counted N cells N missing N twice N wrong N uncovered N foreign N lost N", and the first differences.  A cell
 * is a (host, key, slot); `missing`: it has fewer events than were sent; `twice`: more; `wrong`: as many, of another sum;
 * `uncovered`: host and slot that were sent but are not reported; `foreign`: reported or counted, but never sent; `lost`:
 * events that the store has as lost.  Exits with 0 if nothing differs.
 */
#include "aggregator/base/clock.h"
#include "aggregator/store/shards.h"
#include "test/kit/fleet_kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define STEP 8				/* slots that are read at once */
#define SHOWN 20

struct check {
	struct fleet_sent *sent;
	size_t n_sent;
	unsigned n_hosts, n_keys;
	__s64 first, n_slots;
	__u8 *n_batches;		/* [slot * n_hosts + host] */
	__u8 *is_covered;
	__s64 step_first;
	__u64 *count, *sum;		/* [(slot - step_first) * n_hosts * n_keys + host * n_keys + key] */
	__u64 n_events, n_counted, n_cells, n_missing, n_twice, n_wrong, n_uncovered, n_foreign, n_lost;
	unsigned n_shown;
};

static void must(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "fleet_check: %s\n", what);
	exit(2);
}

/* --- the journals --- */

static void read_journal(struct check *c, const char *path)
{
	FILE *f = fopen(path, "rb");
	struct stat st;
	size_t n;

	must(f && !fstat(fileno(f), &st), path);
	n = (size_t)st.st_size / sizeof(*c->sent);
	c->sent = realloc(c->sent, (c->n_sent + n + 1) * sizeof(*c->sent));
	must(c->sent && fread(c->sent + c->n_sent, sizeof(*c->sent), n, f) == n, path);
	c->n_sent += n;
	fclose(f);
}

static int sent_compare(const void *a, const void *b)
{
	const struct fleet_sent *x = a, *y = b;

	if (x->slot != y->slot)
		return x->slot < y->slot ? -1 : 1;
	if (x->host != y->host)
		return x->host < y->host ? -1 : 1;
	if (x->incarnation != y->incarnation)
		return x->incarnation < y->incarnation ? -1 : 1;
	return (x->seq > y->seq) - (x->seq < y->seq);
}

static void count_sent(struct check *c)
{
	must(c->n_sent, "the journals are empty");
	qsort(c->sent, c->n_sent, sizeof(*c->sent), sent_compare);
	c->first = c->sent[0].slot;
	c->n_slots = c->sent[c->n_sent - 1].slot - c->first + 1;
	for (size_t i = 0; i < c->n_sent; i++)
		c->n_hosts = c->sent[i].host >= c->n_hosts ? c->sent[i].host + 1 : c->n_hosts;
	c->n_batches = calloc((size_t)c->n_slots * c->n_hosts, 1);
	c->is_covered = calloc((size_t)c->n_slots * c->n_hosts, 1);
	c->count = calloc((size_t)STEP * c->n_hosts * c->n_keys, sizeof(*c->count));
	c->sum = calloc((size_t)STEP * c->n_hosts * c->n_keys, sizeof(*c->sum));
	must(c->n_batches && c->is_covered && c->count && c->sum, "no memory");
	for (size_t i = 0; i < c->n_sent; i++)
		if (!i || sent_compare(&c->sent[i - 1], &c->sent[i]))
			c->n_batches[(size_t)(c->sent[i].slot - c->first) * c->n_hosts + c->sent[i].host]++;
}

/* --- the store --- */

/* "SELECT c FROM t7 WHERE id = ?" -> 7 */
static long key_number(const char *label)
{
	char same[64];
	unsigned k = 0;

	if (sscanf(label, "SELECT c FROM t%u", &k) != 1)
		return -1;
	fleet_key(k, same);
	return strcmp(label, same) ? -1 : (long)k;
}

static void take_slice(void *arg, __s64 slot, const struct slice *s)
{
	struct check *c = arg;
	char digest[LABEL_MAX + 1], hostname[LABEL_MAX + 1];
	struct hist_reader r;
	long host, key;
	size_t at;

	must(!labels_text(&s->key, 0, digest) && !labels_text(&s->key, 1, hostname), "a key without digest and hostname");
	must(!hist_reader_open(&r, s->ruler, s->hist, s->hist_len), "a histogram that cannot be read");
	host = fleet_host_number(hostname);
	key = key_number(digest);
	if (s->axis || s->weight)
		return;
	if (host < 0 || host >= (long)c->n_hosts || key < 0 || key >= (long)c->n_keys || slot < c->step_first || slot >= c->step_first + STEP) {
		c->n_foreign++;
		return;
	}
	at = ((size_t)(slot - c->step_first) * c->n_hosts + (size_t)host) * c->n_keys + (size_t)key;
	c->count[at] += r.count;
	c->sum[at] += r.sum;
}

static void take_cover(void *arg, const char *source, __s64 first, __s64 last)
{
	struct check *c = arg;
	long host = fleet_host_number(source);

	for (__s64 slot = first; slot <= last && host >= 0 && host < (long)c->n_hosts; slot++)
		if (slot >= c->first && slot < c->first + c->n_slots)
			c->is_covered[(size_t)(slot - c->first) * c->n_hosts + (size_t)host] = 1;
}

static void take_loss(void *arg, const char *source, const struct loss *loss)
{
	struct check *c = arg;

	if (c->n_shown++ < SHOWN)
		printf("lost: %llu events of %s, slots %lld to %lld\n", (unsigned long long)loss->n, source, (long long)loss->first, (long long)loss->last);
	c->n_lost += loss->n;
}

static void compare_cell(struct check *c, __s64 slot, unsigned host, unsigned key)
{
	size_t at = ((size_t)(slot - c->step_first) * c->n_hosts + host) * c->n_keys + key;
	unsigned n_batches = c->n_batches[(size_t)(slot - c->first) * c->n_hosts + host], n = fleet_events(host, key, slot);
	__u64 expected = (__u64)n * n_batches, sum = 20000ull * ((1ull << n) - 1) * n_batches;

	c->n_cells += n_batches != 0;
	c->n_events += expected;
	c->n_counted += c->count[at];
	if (c->count[at] == expected && c->sum[at] == sum)
		return;
	c->n_missing += c->count[at] < expected;
	c->n_twice += c->count[at] > expected && n_batches;
	c->n_foreign += c->count[at] && !n_batches;
	c->n_wrong += c->count[at] == expected;
	if (c->n_shown++ < SHOWN)
		printf("host%04u key %u slot %lld: %llu events of %llu, sum %llu of %llu\n", host, key, (long long)slot,
		       (unsigned long long)c->count[at], (unsigned long long)expected, (unsigned long long)c->sum[at], (unsigned long long)sum);
}

static void compare_step(struct check *c)
{
	for (__s64 slot = c->step_first; slot < c->step_first + STEP && slot < c->first + c->n_slots; slot++)
		for (unsigned host = 0; host < c->n_hosts; host++)
			for (unsigned key = 0; key < c->n_keys; key++)
				compare_cell(c, slot, host, key);
}

static void compare_cover(struct check *c)
{
	for (__s64 slot = 0; slot < c->n_slots; slot++)
		for (unsigned host = 0; host < c->n_hosts; host++) {
			size_t at = (size_t)slot * c->n_hosts + host;

			c->n_uncovered += c->n_batches[at] && !c->is_covered[at];
			c->n_foreign += !c->n_batches[at] && c->is_covered[at];
			if (!c->n_batches[at] != !c->is_covered[at] && c->n_shown++ < SHOWN)
				printf("host%04u slot %lld: %u batches sent, %s\n", host, (long long)(slot + c->first), c->n_batches[at],
				       c->is_covered[at] ? "reported" : "not reported");
		}
}

static struct store *open_store(const char *where, const char *database)
{
	struct store_clickhouse_conf conf = { where, database, "", "", "" };
	struct store *s = NULL;
	char reason[256] = "";
	int err = strstr(where, "://") ? shards_open_clickhouse(&conf, &s, reason, sizeof(reason)) :
		store_sqlite_open(where, &s, reason, sizeof(reason));

	must(!err, reason);
	return s;
}

int main(int argc, char **argv)
{
	struct check c = { 0 };
	const struct store_reader reader = { .arg = &c, .slice = take_slice, .cover = take_cover, .loss = take_loss };
	struct store *store;

	if (argc < 6) {
		fprintf(stderr, "usage: fleet_check STORE DATABASE INST KEYS JOURNAL...\n");
		return 2;
	}
	c.n_keys = (unsigned)atoi(argv[4]);
	for (int i = 5; i < argc; i++)
		read_journal(&c, argv[i]);
	count_sent(&c);
	store = open_store(argv[1], argv[2]);
	for (c.step_first = c.first; c.step_first < c.first + c.n_slots; c.step_first += STEP) {
		struct store_range range = { .first = c.step_first, .last = c.step_first + STEP - 1, .axis = 0, .weight = 0, .tier = 0 };

		memset(c.count, 0, (size_t)STEP * c.n_hosts * c.n_keys * sizeof(*c.count));
		memset(c.sum, 0, (size_t)STEP * c.n_hosts * c.n_keys * sizeof(*c.sum));
		must(!store->ops->read(store, strtoull(argv[3], NULL, 10), &range, &reader), store->reason);
		compare_step(&c);
	}
	compare_cover(&c);
	store->ops->close(store);
	printf("sent %llu counted %llu cells %llu missing %llu twice %llu wrong %llu uncovered %llu foreign %llu lost %llu\n",
	       (unsigned long long)c.n_events, (unsigned long long)c.n_counted, (unsigned long long)c.n_cells, (unsigned long long)c.n_missing,
	       (unsigned long long)c.n_twice, (unsigned long long)c.n_wrong, (unsigned long long)c.n_uncovered, (unsigned long long)c.n_foreign,
	       (unsigned long long)c.n_lost);
	return c.n_missing || c.n_twice || c.n_wrong || c.n_uncovered || c.n_foreign || c.n_lost || c.n_counted != c.n_events;
}
