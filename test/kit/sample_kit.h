/* sample_kit.h - gives the collector's tests batches, instrumentations and a temporary directory. */
#ifndef HEATSCOPE_SAMPLE_KIT_H
#define HEATSCOPE_SAMPLE_KIT_H

#include "test/kit/check.h"
#include "collector/core/batch.h"
#include "collector/core/instrumentation.h"

#include <stdio.h>
#include <unistd.h>

#define SAMPLE_SLICES 12

static const struct field sample_fields[] = {
	{ "command", "command", "string", FIELD_DISCRETE, UNIT_NONE, 0, 0 },
	{ "statement", "statement", "string", FIELD_DISCRETE, UNIT_NONE, 0, 0 },
	{ "digest", "digest", "string", FIELD_DISCRETE, UNIT_NONE, 0, 0 },
	{ "hostname", "hostname", "string", FIELD_DISCRETE, UNIT_NONE, 0, 0 },
	{ "latency", "latency", "time", FIELD_NUMERIC, UNIT_NS, 10, 39 },
	{ "cputime", "on-CPU time", "time", FIELD_NUMERIC, UNIT_NS, 10, 39 },
};
static const struct metric sample_metric = { "mysql", "queries", "queries", "queries", sample_fields, 6,
					     SCOPE_INTERVAL, NULL, "cputime", "digest" };

static inline struct instrumentation sample_inst(__u64 id)
{
	struct instrumentation in;
	char reason[REASON_MAX] = "";
	json_t *json = json_pack("{s:I, s:s, s:s, s:[s, s], s:[s, s]}", "id", (json_int_t)id, "module", "mysql", "stat",
				 "queries", "fields", "command", "statement", "measures", "latency", "cputime");

	memset(&in, 0, sizeof(in));
	assert_int_equal(instrumentation_from_json(json, &in, reason), 0);
	assert_int_equal(instrumentation_bind(&in, &sample_metric, reason), 0);
	json_decref(json);
	return in;
}

/* A batch and the memory of its slices. */
struct sample {
	struct batch batch;
	struct slice slice[SAMPLE_SLICES];
	struct bytes key[SAMPLE_SLICES], hist[SAMPLE_SLICES];
	__u64 events;			/* of all keys, by latency */
};

static inline void sample_slice(struct sample *s, const char *command, const char *statement, __u16 axis, __u64 n_events)
{
	size_t i = s->batch.n_slices++;
	__u64 ruler = RULER(UNIT_NS, 5, 10, 39);
	struct hist h;

	labels_put(&s->key[i], command);
	labels_put(&s->key[i], statement);
	hist_init(&h, ruler);
	for (__u64 n = 0; n < n_events; n++)
		hist_record(&h, check_value() >> 20, 1);
	hist_encode(&h, &s->hist[i]);
	hist_fini(&h);
	s->slice[i] = (struct slice){ .ruler = ruler, .axis = axis,
				      .key = { s->key[i].data, (__u16)s->key[i].len },
				      .hist = s->hist[i].data, .hist_len = (__u32)s->hist[i].len };
	s->events += axis ? 0 : n_events;
}

/* Makes a batch with four keys and two measures; both have the same events. */
static inline void sample_init(struct sample *s, __u64 inst, __s64 slot, __u32 seq)
{
	static const char *const statement[] = { "select", "insert", NULL };

	memset(s, 0, sizeof(*s));
	s->batch = (struct batch){ .source = "db1", .incarnation = 77, .inst = inst, .slot_ns = 1000000000,
				   .slot = slot, .seq = seq, .run = 1, .slice = s->slice };
	for (int i = 0; i < 3; i++) {
		__u64 n = 1 + check_below(20);

		sample_slice(s, "query", statement[i], 0, n);
		sample_slice(s, "query", statement[i], 1, n);
	}
	sample_slice(s, "execute", "select", 0, 5);
	sample_slice(s, "execute", "select", 1, 5);
}

static inline void sample_fini(struct sample *s)
{
	for (int i = 0; i < SAMPLE_SLICES; i++) {
		bytes_fini(&s->key[i]);
		bytes_fini(&s->hist[i]);
	}
}

/* Returns how many events a batch has, by its first measure. */
static inline __u64 batch_events(const struct batch *b)
{
	struct hist_reader r;
	__u64 n = 0;

	for (size_t i = 0; i < b->n_slices; i++)
		if (!b->slice[i].axis && !b->slice[i].weight &&
		    !hist_reader_open(&r, b->slice[i].ruler, b->slice[i].hist, b->slice[i].hist_len))
			n += r.count;
	return n;
}

/* Returns a path in a directory of the test's own. */
static inline const char *sample_path(const char *name)
{
	static char dir[64], path[8][128];
	static unsigned turn;
	char *at = path[turn++ % 8];

	if (!dir[0]) {
		strcpy(dir, "/tmp/heatscope-test-XXXXXX");
		assert_non_null(mkdtemp(dir));
	}
	snprintf(at, sizeof(path[0]), "%s/%s", dir, name);
	return at;
}

static inline void sample_clean(const char *const *name, size_t n)
{
	for (size_t i = 0; i < n; i++)
		unlink(sample_path(name[i]));
	rmdir(sample_path(""));
}

#endif
