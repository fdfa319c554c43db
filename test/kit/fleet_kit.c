#include "test/kit/fleet_kit.h"

#include "collector/core/frame.h"
#include "collector/core/metric_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct field fields[] = {
	{ "digest", "statement", "string", FIELD_DISCRETE, UNIT_NONE, 0, 0 },
	{ "latency", "latency", "time", FIELD_NUMERIC, UNIT_NS, 10, 39 },
};
static const struct metric metric = { "mysql", "queries", "queries", "queries", fields, 2, SCOPE_INTERVAL, NULL, NULL, "digest" };

static void content_must(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "fleet: %s\n", what);
	exit(1);
}

void fleet_content_init(struct fleet_content *c, __u64 inst, unsigned n_keys)
{
	char reason[REASON_MAX], label[64];
	struct hist h;

	*c = (struct fleet_content){ .n_keys = n_keys };
	c->in = (struct instrumentation){ .id = inst, .module = "mysql", .stat = "queries", .n_measures = 1, .measure = { "latency" },
					  .granularity_ns = FLEET_SLOT_NS, .slot_ns = FLEET_SLOT_NS };
	content_must(!instrumentation_bind(&c->in, &metric, reason), reason);
	c->key = calloc(n_keys, sizeof(*c->key));
	c->slice = calloc(n_keys, sizeof(*c->slice));
	content_must(c->key && c->slice, "no memory");
	for (unsigned n = 1; n <= 7; n++) {
		content_must(!hist_init(&h, c->in.ruler[0]), "no histogram");
		for (unsigned i = 0; i < n; i++)
			hist_record(&h, 20000ull << i, 1);
		hist_encode(&h, &c->hist[n]);
		hist_fini(&h);
	}
	for (unsigned k = 0; k < n_keys; k++) {
		fleet_key(k, label);
		labels_put(&c->key[k], label);
	}
}

void fleet_content_fini(struct fleet_content *c)
{
	for (unsigned n = 0; n < 8; n++)
		bytes_fini(&c->hist[n]);
	for (unsigned k = 0; k < c->n_keys; k++)
		bytes_fini(&c->key[k]);
	free(c->key);
	free(c->slice);
}

void fleet_host(unsigned host, char ret_name[SOURCE_MAX])
{
	snprintf(ret_name, SOURCE_MAX, "host%04u", host);
}

long fleet_host_number(const char *name)
{
	char *end;
	long n = !strncmp(name, "host", 4) && name[4] ? strtol(name + 4, &end, 10) : -1;

	return n >= 0 && !*end ? n : -1;
}

void fleet_key(unsigned key, char ret_label[64])
{
	snprintf(ret_label, 64, "SELECT c FROM t%u WHERE id = ?", key);
}

unsigned fleet_events(unsigned host, unsigned key, __s64 slot)
{
	return (unsigned)((host + key + (__u64)slot) % 7) + 1;
}

bool fleet_is_amended(unsigned host, __s64 slot)
{
	return (host + (__u64)slot) % 16 == 0;
}

void fleet_batch(struct fleet_content *c, const struct fleet_sent *sent, struct batch *ret_batch)
{
	*ret_batch = (struct batch){ .incarnation = sent->incarnation, .inst = c->in.id, .slot_ns = FLEET_SLOT_NS, .slot = sent->slot,
				     .seq = sent->seq, .run = 1, .slice = c->slice, .n_slices = c->n_keys };
	fleet_host(sent->host, ret_batch->source);
	for (unsigned k = 0; k < c->n_keys; k++) {
		const struct bytes *hist = &c->hist[fleet_events(sent->host, k, sent->slot)];

		c->slice[k] = (struct slice){ .ruler = c->in.ruler[0], .key = { c->key[k].data, (__u16)c->key[k].len }, .hist = hist->data,
					      .hist_len = (__u32)hist->len };
	}
}

json_t *fleet_hello(unsigned host, __u64 incarnation)
{
	json_t *m = metric_json_make(&metric, NULL);
	char name[SOURCE_MAX], number[24];

	fleet_host(host, name);
	snprintf(number, sizeof(number), "%llu", (unsigned long long)incarnation);
	json_object_set_new(m, "state", json_string("ok"));
	return json_pack("{s:i, s:s, s:s, s:i, s:s, s:s, s:s, s:[o]}", "format", FRAME_VERSION, "source", name, "incarnation", number, "pid", 1,
			 "version", "load", "kernel", "none", "text", "digest", "metrics", m);
}
