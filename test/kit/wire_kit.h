/* wire_kit.h - makes hellos, batches, and an aggregator without HTTP on a memory store, for tests of ingest, the store
 * queue and the catalog. */
#ifndef HEATSCOPE_WIRE_KIT_H
#define HEATSCOPE_WIRE_KIT_H

#include "test/kit/check.h"

#include "aggregator/ingest/ingest.h"
#include "collector/core/frame.h"
#include "collector/link.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define WIRE_RULER RULER(UNIT_NS, 5, 10, 39)

/* Returns the source of that name; NULL: there is none. */
static inline const struct source *wire_source(const struct catalog *c, const char *name)
{
	const struct source *s = catalog_source_first(c);

	while (s && strcmp(s->name, name))
		s = s->next;
	return s;
}

static inline __s64 wire_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (__s64)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static inline json_t *wire_metric(const char *state, const char *why)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:[{s:s, s:s, s:s, s:s}, {s:s, s:s, s:s, s:s},"
			 " {s:s, s:s, s:s, s:s, s:s, s:i, s:i}, {s:s, s:s, s:s, s:s, s:s, s:i, s:i}]}",
			 "module", "mysql", "stat", "queries", "label", "queries", "unit", "queries", "scope", "interval",
			 "state", state, "reason", why, "fields",
			 "name", "command", "label", "command", "type", "string", "arity", "discrete",
			 "name", "statement", "label", "statement", "type", "string", "arity", "discrete",
			 "name", "latency", "label", "latency", "type", "time", "arity", "numeric", "unit", "ns", "low", 10,
			 "high", 39,
			 "name", "cputime", "label", "on-CPU", "type", "time", "arity", "numeric", "unit", "ns", "low", 10,
			 "high", 39);
}

static inline json_t *wire_hello(const char *source, const char *state, const char *why)
{
	return json_pack("{s:i, s:s, s:s, s:i, s:s, s:[o]}", "format", 1, "source", source, "incarnation",
			 "18446744073709551615", "pid", 42, "version", "0.1.0", "metrics", wire_metric(state, why));
}

static inline json_t *wire_request(const char *decomposition)
{
	return json_pack("{s:s, s:s, s:s, s:i}", "module", "mysql", "stat", "queries", "decomposition", decomposition,
			 "retention-time", 3600);
}

/* Writes a batch of one slice; label NULL: without fields.  Each value is an event. */
static inline void wire_batch(struct bytes *out, const char *source, __u64 inst, __s64 slot, __u32 seq,
			      const char *label, const __u64 *value, size_t n)
{
	struct batch b = { .incarnation = 7, .inst = inst, .slot_ns = 1000000000, .slot = slot, .seq = seq, .run = 1 };
	struct slice s = { .ruler = WIRE_RULER };
	struct bytes key = { 0 }, cells = { 0 };
	struct hist h;

	snprintf(b.source, sizeof(b.source), "%s", source);
	assert_int_equal(hist_init(&h, WIRE_RULER), 0);
	for (size_t i = 0; i < n; i++)
		hist_record(&h, value[i], 1);
	hist_encode(&h, &cells);
	if (label)
		labels_put(&key, label);
	s.key = (struct labels){ .bytes = key.data, .len = (__u16)key.len };
	s.hist = cells.data;
	s.hist_len = (__u32)cells.len;
	b.slice = &s;
	b.n_slices = n ? 1 : 0;
	batch_encode(&b, out);
	assert_int_equal(out->err, 0);
	hist_fini(&h);
	bytes_fini(&key);
	bytes_fini(&cells);
}

/* --- an aggregator without HTTP --- */

struct rig {
	uv_loop_t loop;
	struct store *store;
	struct cube *cube;
	struct store_queue *store_queue;
	struct catalog *catalog;
};

/* Begins a rig.  A second catalogue on the same store is a restart. */
static inline void rig_begin(struct rig *r, struct store *store)
{
	char reason[REASON_MAX];

	memset(r, 0, sizeof(*r));
	assert_int_equal(uv_loop_init(&r->loop), 0);
	if (store)
		r->store = store;
	else
		assert_int_equal(store_memory_open(&r->store), 0);
	assert_int_equal(cube_new(&r->cube), 0);
	assert_int_equal(store_queue_new(&r->loop, r->store, r->cube, &r->store_queue), 0);
	store_queue_begin(r->store_queue);
	assert_int_equal(catalog_new(r->store_queue, r->cube, 100, &r->catalog), 0);
	assert_int_equal(catalog_load(r->catalog, r->store, wire_now_ns(), reason), 0);
}

static inline void rig_idle(void *arg)
{
	*(int *)arg = 1;
}

/* Ends the rig, but not the store. */
static inline void rig_stop(struct rig *r)
{
	int idle = 0;

	store_queue_drain(r->store_queue, rig_idle, &idle);
	uv_run(&r->loop, UV_RUN_DEFAULT);
	assert_true(idle);
	catalog_free(r->catalog);
	store_queue_free(r->store_queue);
	cube_free(r->cube);
	assert_int_equal(uv_loop_close(&r->loop), 0);
}

static inline void rig_end(struct rig *r)
{
	rig_stop(r);
	r->store->ops->close(r->store);
}

static inline void rig_hello(struct rig *r, const char *source)
{
	json_t *hello = wire_hello(source, "ok", "");
	const char *name;
	char reason[REASON_MAX];

	assert_int_equal(catalog_hello(r->catalog, hello, wire_now_ns(), &name, reason), 0);
	json_decref(hello);
}

static inline void rig_made(void *arg, int err, const struct catalog_inst *made)
{
	assert_int_equal(err, 0);
	*(__u64 *)arg = made->in.id;
}

/* Creates an instrumentation and returns its id. */
static inline __u64 rig_create(struct rig *r, json_t *request)
{
	__u64 id = 0;
	char reason[REASON_MAX] = "";

	if (catalog_create(r->catalog, request, wire_now_ns(), rig_made, &id, reason))
		fail_msg("%s", reason);
	uv_run(&r->loop, UV_RUN_DEFAULT);
	json_decref(request);
	return id;
}

static inline void rig_count(void *arg, __s64 slot, const struct slice *s)
{
	struct hist_reader h;

	if (!hist_reader_open(&h, s->ruler, s->hist, s->hist_len))
		*(__u64 *)arg += h.count;
}

/* Events of an instrumentation, in the store and in the cube. */
static inline __u64 rig_stored(struct rig *r, __u64 inst)
{
	__u64 n = 0;
	const struct store_reader reader = { .arg = &n, .slice = rig_count };

	assert_int_equal(r->store->ops->read(r->store, inst, &(struct store_range){ .last = INT64_MAX / 2, .axis = -1, .weight = -1 }, &reader), 0);
	return n;
}

static inline __u64 rig_cubed(struct rig *r, __u64 inst)
{
	__u64 n = 0;
	const struct store_reader reader = { .arg = &n, .slice = rig_count };

	assert_int_equal(cube_read(r->cube, inst, 0, INT64_MAX / 2, -1, -1, &reader), 0);
	return n;
}

#endif
