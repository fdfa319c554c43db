/* fuzz_wire.c - reads any bytes as a collector's stream: frames, and in them hellos, states, batches. */
#include "aggregator/store/incoming_batch.h"
#include "aggregator/catalog/request.h"
#include "aggregator/catalog/source.h"
#include "collector/core/frame.h"
#include "collector/link.h"

#include <stdint.h>
#include <stdlib.h>

/* Checked against an instrumentation, then with the host's name in its keys, as ingest does it. */
static void try_batch(const struct frame *f)
{
	static const struct host_labels labels = { 1, { { "role", "db" } } };
	struct instrumentation in = { .slot_ns = 1000000000, .field = { "command", "label.role", "hostname" }, .n_fields = 3, .n_measures = 2,
				      .ruler = { RULER(UNIT_NS, 5, 10, 39), RULER(UNIT_NS, 5, 10, 39) } };
	struct incoming_batch *a;

	if (incoming_batch_new(f->data, f->len, &a))
		return;
	if (!incoming_batch_check(a, &in, &(struct incoming_batch_bounds){ .now_ns = 2000000000000000000ll }) && !incoming_batch_fill_host(a, &in, &labels))
		for (size_t i = 0; i < a->batch.n_slices; i++)
			if (labels_count(&a->batch.slice[i].key) != 3)
				abort();
	incoming_batch_events(a);
	incoming_batch_free(a);
}

static void try_request(const json_t *json, const struct source *s)
{
	struct instrumentation in;
	char numeric[NAME_MAX_LEN], reason[REASON_MAX];

	for (size_t i = 0; s && i < s->n_offers; i++)
		request_parse(json, s->offer[i].metric, &in, numeric, reason);
}

static void try_json(const struct frame *f)
{
	json_t *json = json_loadb((const char *)f->data, f->len, JSON_REJECT_DUPLICATES, NULL);
	struct source *s = NULL, *other = source_new("x");
	char reason[REASON_MAX];

	if (json && !source_hello(json, &s, reason))
		source_renew(other, s);
	if (json && other)
		source_state(other, json, reason);
	if (json)
		try_request(json, other);
	json_decref(json);
	source_free(s);
	source_free(other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct frame f;
	struct ack ack;
	size_t at = 0;

	for (long n; (n = frame_get(data + at, len - at, &f)) > 0; at += (size_t)n) {
		if (f.type == FRAME_BATCH)
			try_batch(&f);
		else if (f.type == FRAME_ACK)
			ack_get(f.data, f.len, &ack);
		else
			try_json(&f);
	}
	/* A fuzzer seldom finds a CRC: the same parsers, without the frame around them. */
	f = (struct frame){ .type = FRAME_BATCH, .data = data, .len = len };
	try_batch(&f);
	try_json(&f);
	ack_get(data, len, &ack);
	return 0;
}
