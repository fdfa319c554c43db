/* bus_load - simulates the collectors of a fleet on a bus: real batches of known content, at 1 Hz.
 *
 *      bus_load hello URL HOSTS                    each host says hello, with the metric mysql.queries
 *      bus_load run URL HOSTS KEYS SECONDS INST    prints "events N batches N bytes N late N cpu N.NN"
 *
 * Host h sends in second s one batch of KEYS keys; key k has (h + s + k) % 7 + 1 events.  `late`: seconds that were not
 * acknowledged when the next one began.  `cpu`: of this program, in seconds. */
#include "collector/bus/subjects.h"
#include "collector/core/frame.h"
#include "collector/core/hist.h"
#include "collector/core/instrumentation.h"
#include "collector/core/metric_json.h"

#include <nats/nats.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static const struct field fields[] = {
	{ "digest", "statement", "string", FIELD_DISCRETE, UNIT_NONE, 0, 0 },
	{ "latency", "latency", "time", FIELD_NUMERIC, UNIT_NS, 10, 39 },
};
static const struct metric metric = { "mysql", "queries", "queries", "queries", fields, 2, SCOPE_INTERVAL, NULL, NULL, "digest" };

static natsConnection *nc;
static jsCtx *js;
static unsigned n_refused;

static void must(natsStatus s, const char *what)
{
	if (!s)
		return;
	fprintf(stderr, "bus_load: %s: %s\n", what, natsStatus_GetText(s));
	exit(1);
}

static void on_refused(jsCtx *context, jsPubAckErr *pae, void *closure)
{
	if (!n_refused++)
		fprintf(stderr, "bus_load: refused: %s\n", pae->ErrText ? pae->ErrText : natsStatus_GetText(pae->Err));
}

static void open_bus(const char *url)
{
	jsOptions options;

	must(natsConnection_ConnectTo(&nc, url), "connecting");
	jsOptions_Init(&options);
	options.PublishAsync.ErrHandler = on_refused;
	options.PublishAsync.MaxPending = 100000;
	must(natsConnection_JetStream(&js, nc, &options), "JetStream");
}

static void host_name(unsigned h, char name[SOURCE_MAX])
{
	snprintf(name, SOURCE_MAX, "host%04u", h);
}

static void publish(const char *subject, const char *text)
{
	must(js_PublishAsync(js, subject, text, (int)strlen(text), NULL), subject);
}

static int say_hello(unsigned n_hosts)
{
	char name[SOURCE_MAX], subject[SUBJECT_MAX], presence[64];

	for (unsigned h = 0; h < n_hosts; h++) {
		json_t *m = metric_json_make(&metric, NULL), *json;
		char *text;

		host_name(h, name);
		json_object_set_new(m, "state", json_string("ok"));
		json = json_pack("{s:i, s:s, s:s, s:i, s:s, s:s, s:s, s:[o]}", "format", 1, "source", name, "incarnation", "1", "pid", 1, "version",
				 "load", "kernel", "none", "text", "digest", "metrics", m);
		text = json_dumps(json, JSON_COMPACT);
		subject_hello(name, subject);
		publish(subject, text);
		snprintf(presence, sizeof(presence), "{\"hello\":\"%016llx\"}", (unsigned long long)hello_hash(text, strlen(text)));
		subject_source(name, subject);
		publish(subject, presence);
		free(text);
		json_decref(json);
	}
	must(js_PublishAsyncComplete(js, NULL), "acknowledgements");
	return n_refused != 0;
}

struct load {
	unsigned n_hosts, n_keys, n_seconds;
	struct instrumentation in;
	struct bytes *hist, *key;		/* of 1 to 7 events; of each key */
	unsigned long long n_events, n_batches, n_bytes, n_late;
};

static void prepare(struct load *l, __u64 inst)
{
	char reason[REASON_MAX], label[64];
	struct hist h;

	l->in = (struct instrumentation){ .id = inst, .module = "mysql", .stat = "queries", .n_measures = 1, .measure = { "latency" },
					  .granularity_ns = 1000000000, .slot_ns = 1000000000 };
	if (instrumentation_bind(&l->in, &metric, reason)) {
		fprintf(stderr, "bus_load: %s\n", reason);
		exit(1);
	}
	l->hist = calloc(8, sizeof(*l->hist));
	l->key = calloc(l->n_keys, sizeof(*l->key));
	for (unsigned n = 1; n <= 7; n++) {
		if (hist_init(&h, l->in.ruler[0]))
			exit(1);
		for (unsigned i = 0; i < n; i++)
			hist_record(&h, 20000ull << i, 1);
		hist_encode(&h, &l->hist[n]);
		hist_fini(&h);
	}
	for (unsigned k = 0; k < l->n_keys; k++) {
		snprintf(label, sizeof(label), "SELECT c FROM t%u WHERE id = ?", k);
		labels_put(&l->key[k], label);
	}
}

static void send_host(struct load *l, unsigned h, unsigned second, __s64 slot, struct slice *slice)
{
	struct batch b = { .incarnation = 1, .inst = l->in.id, .slot_ns = 1000000000, .slot = slot, .seq = second + 1, .run = 1, .slice = slice,
			   .n_slices = l->n_keys };
	char subject[SUBJECT_MAX], id[128], sent[32];
	struct bytes payload = { 0 }, frame = { 0 };
	struct timespec now;
	natsMsg *msg = NULL;

	host_name(h, b.source);
	for (unsigned k = 0; k < l->n_keys; k++) {
		unsigned n = (h + second + k) % 7 + 1;

		slice[k] = (struct slice){ .ruler = l->in.ruler[0], .key = { l->key[k].data, (__u16)l->key[k].len }, .hist = l->hist[n].data,
					   .hist_len = (__u32)l->hist[n].len };
		l->n_events += n;
	}
	batch_encode(&b, &payload);
	frame_put(&frame, FRAME_BATCH, payload.data, payload.len);
	subject_batch(b.source, subject);
	snprintf(id, sizeof(id), "%s/1/%llu/%lld/%u/1/1", b.source, (unsigned long long)b.inst, (long long)slot, b.seq);
	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(sent, sizeof(sent), "%lld%09ld", (long long)now.tv_sec, now.tv_nsec);
	must(natsMsg_Create(&msg, subject, NULL, (const char *)frame.data, (int)frame.len), "a message");
	natsMsgHeader_Set(msg, BUS_HEADER_ID, id);
	natsMsgHeader_Set(msg, BUS_HEADER_SENT, sent);
	must(js_PublishMsgAsync(js, &msg, NULL), "publishing");
	l->n_batches++;
	l->n_bytes += frame.len;
	bytes_fini(&payload);
	bytes_fini(&frame);
}

static void wait_second(time_t second)
{
	struct timespec at = { second, 20000000 };

	while (clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &at, NULL))
		;
}

static int run(struct load *l, __u64 inst)
{
	struct slice *slice = calloc(l->n_keys, sizeof(*slice));
	time_t first = time(NULL) + 1;
	struct rusage used;

	prepare(l, inst);
	for (unsigned s = 0; s < l->n_seconds; s++) {
		wait_second(first + (time_t)s + 1);
		for (unsigned h = 0; h < l->n_hosts; h++)
			send_host(l, h, s, first + (time_t)s, slice);
		must(js_PublishAsyncComplete(js, NULL), "acknowledgements");
		l->n_late += time(NULL) > first + (time_t)s + 1;
	}
	getrusage(RUSAGE_SELF, &used);
	printf("events %llu batches %llu bytes %llu late %llu cpu %.2f first %lld\n", l->n_events, l->n_batches, l->n_bytes, l->n_late,
	       (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6,
	       (long long)first);
	return n_refused != 0;
}

int main(int argc, char **argv)
{
	struct load l = { 0 };

	if (argc == 4 && !strcmp(argv[1], "hello")) {
		open_bus(argv[2]);
		return say_hello((unsigned)atoi(argv[3]));
	}
	if (argc != 7 || strcmp(argv[1], "run")) {
		fprintf(stderr, "usage: bus_load hello URL HOSTS | run URL HOSTS KEYS SECONDS INST\n");
		return 2;
	}
	open_bus(argv[2]);
	l.n_hosts = (unsigned)atoi(argv[3]);
	l.n_keys = (unsigned)atoi(argv[4]);
	l.n_seconds = (unsigned)atoi(argv[5]);
	return run(&l, strtoull(argv[6], NULL, 10));
}
