#include "test/kit/query_kit.h"
#include "test/kit/check.h"

struct instrumentation kit_instrumentation(void)
{
	return (struct instrumentation){
		.id = 1, .module = "mysql", .stat = "queries", .field = { "command", "statement" }, .n_fields = 2,
		.measure = { "latency", "cputime" }, .n_measures = 2,
		.ruler = { RULER(UNIT_NS, 5, 10, 40), RULER(UNIT_NS, 5, 10, 40) },
		.granularity_ns = SLOT, .slot_ns = SLOT, .retention_s = 3600, .ruler_bits = 5, .n_keys = 64,
	};
}

struct query kit_query(const struct instrumentation *in, __s64 n_slots, size_t n_cols)
{
	return (struct query){ .inst = in, .from_ns = T0 * SLOT, .to_ns = (T0 + n_slots) * SLOT, .n_cols = n_cols,
			       .row_bits = 3, .now_ns = (T0 + 10 * n_slots + 10) * SLOT };
}

static const char *const commands[] = { "query", "execute" };
static const char *const statements[] = { "select", "update", "a/b", NULL };

void kit_key(unsigned key, struct bytes *out)
{
	labels_put(out, commands[key % 2]);
	labels_put(out, statements[key / 2 % 4]);
}

/* As a slice of that event's slot, key and axis; frees it. */
static void give_hist(const struct store_reader *r, const struct event *e, unsigned weight, struct hist *h)
{
	struct bytes key = { 0 }, bytes = { 0 };
	struct slice s;

	hist_encode(h, &bytes);
	kit_key(e->key, &key);
	s = (struct slice){ .ruler = h->ruler, .axis = (__u16)e->axis, .weight = (__u16)weight, .key = { key.data, (__u16)key.len },
			    .hist = bytes.data, .hist_len = (__u32)bytes.len };
	r->slice(r->arg, e->slot, &s);
	bytes_fini(&key);
	bytes_fini(&bytes);
	hist_fini(h);
}

void kit_give(const struct store_reader *r, const struct event *e, size_t n, __u64 ruler)
{
	struct hist h;

	assert_int_equal(hist_init(&h, ruler), 0);
	for (size_t i = 0; i < n; i++)
		hist_record(&h, e[i].value, 1);
	give_hist(r, e, 0, &h);
}

void kit_give_weight(const struct store_reader *r, const struct event *e, unsigned weight, __u64 heavy, __u64 ruler)
{
	struct hist h;

	assert_int_equal(hist_init(&h, ruler), 0);
	hist_record(&h, e->value, heavy);
	give_hist(r, e, weight, &h);
}

void kit_events(struct event *e, size_t n, __s64 n_slots)
{
	for (size_t i = 0; i < n; i++)
		e[i] = (struct event){ T0 + (__s64)check_below((uint64_t)n_slots), (unsigned)check_below(8), 0,
				       check_value() >> 20 };
}
