#include "aggregator/ingest/bus_setup.h"

#include "collector/bus/bus.h"
#include "collector/bus/subjects.h"
#include "collector/core/array.h"
#include "collector/core/refuse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define API_MS 3000
#define DUPLICATES_NS 120000000000ll	/* for so long the server knows the ids of messages */
#define ACK_WAIT_NS 5000000000ll
#define ACK_PENDING_MAX 1024

/* Its text says no more than "no suitable peers for placement". */
#define NO_PEERS ": its cluster has fewer servers with JetStream and free storage than there are replicas"

static int failed(natsStatus s, const char *what, char *reason)
{
	const char *text = bus_error_text(s);

	if (s == NATS_NO_RESPONDERS)
		return refuse_as(-EIO, reason, "it runs without JetStream: start nats-server with -js, or with jetstream in its configuration");
	return refuse_as(-EIO, reason, "%s: %.80s%s", what, text, strstr(text, "no suitable peers") ? NO_PEERS : "");
}

/* Makes a stream that does not exist, and gives one that does its changed settings. */
static natsStatus add_stream(jsCtx *js, jsStreamConfig *cfg, __s64 *ret_created_ns)
{
	jsStreamInfo *info = NULL;
	natsStatus s = js_GetStreamInfo(&info, js, cfg->Name, NULL, NULL);

	if (s == NATS_NOT_FOUND) {
		s = js_AddStream(&info, js, cfg, NULL, NULL);
	} else if (!s && (info->Config->Replicas != cfg->Replicas || info->Config->MaxBytes != cfg->MaxBytes)) {
		jsStreamInfo_Destroy(info);
		info = NULL;
		s = js_UpdateStream(&info, js, cfg, NULL, NULL);
	}
	if (!s)
		*ret_created_ns = info->Created;
	jsStreamInfo_Destroy(info);
	return s;
}

static natsStatus add_batches(jsCtx *js, const struct bus_setup *setup, __s64 *ret_created_ns)
{
	char subject[BUS_PARTITIONS][64];
	const char *subjects[BUS_PARTITIONS];
	jsStreamConfig cfg;

	jsStreamConfig_Init(&cfg);
	cfg.Name = BUS_STREAM;
	for (unsigned p = 0; p < BUS_PARTITIONS; p++) {
		snprintf(subject[p], sizeof(subject[p]), BUS_BATCHES, p);
		subjects[p] = subject[p];
	}
	cfg.Subjects = subjects;
	cfg.SubjectsLen = BUS_PARTITIONS;
	cfg.Retention = js_WorkQueuePolicy;
	cfg.Storage = js_FileStorage;
	cfg.Replicas = setup->replicas;
	cfg.MaxBytes = setup->max_bytes ? (int64_t)setup->max_bytes : -1;
	cfg.Discard = js_DiscardNew;	/* a full stream refuses: the collectors keep their batches */
	cfg.Duplicates = DUPLICATES_NS;
	return add_stream(js, &cfg, ret_created_ns);
}

/* age_s: values expire; 0: they do not. */
static natsStatus add_bucket(jsCtx *js, const struct bus_setup *setup, const char *bucket, int age_s)
{
	char name[64], subject[64];
	const char *subjects[] = { subject };
	jsStreamConfig cfg;
	__s64 created_ns;

	snprintf(name, sizeof(name), "KV_%s", bucket);
	snprintf(subject, sizeof(subject), "$KV.%s.>", bucket);
	jsStreamConfig_Init(&cfg);
	cfg.Name = name;
	cfg.Subjects = subjects;
	cfg.SubjectsLen = 1;
	cfg.Storage = age_s ? js_MemoryStorage : js_FileStorage;
	cfg.Replicas = setup->replicas;
	cfg.MaxBytes = -1;
	cfg.MaxMsgsPerSubject = 1;
	cfg.MaxAge = (int64_t)age_s * 1000000000;
	cfg.Duplicates = age_s && age_s < 120 ? cfg.MaxAge : DUPLICATES_NS;
	cfg.AllowRollup = true;
	cfg.DenyDelete = true;
	cfg.AllowDirect = true;
	cfg.Discard = js_DiscardNew;
	return add_stream(js, &cfg, &created_ns);
}

static natsStatus add_consumer(jsCtx *js, unsigned partition)
{
	char name[16], filter[64];
	jsConsumerConfig cfg;
	jsConsumerInfo *info = NULL;
	natsStatus s;

	snprintf(name, sizeof(name), "p%u", partition);
	snprintf(filter, sizeof(filter), BUS_BATCHES, partition);
	s = js_GetConsumerInfo(&info, js, BUS_STREAM, name, NULL, NULL);
	if (s == NATS_NOT_FOUND) {
		jsConsumerConfig_Init(&cfg);
		cfg.Durable = name;
		cfg.FilterSubject = filter;
		cfg.AckPolicy = js_AckExplicit;
		cfg.AckWait = ACK_WAIT_NS;
		cfg.MaxAckPending = ACK_PENDING_MAX;
		cfg.DeliverPolicy = js_DeliverAll;
		s = js_AddConsumer(&info, js, BUS_STREAM, &cfg, NULL, NULL);
	}
	jsConsumerInfo_Destroy(info);
	return s;
}

static natsStatus open_js(natsConnection *nc, jsCtx **ret_js)
{
	jsOptions options;

	jsOptions_Init(&options);
	options.Wait = API_MS;
	return natsConnection_JetStream(ret_js, nc, &options);
}

int bus_setup_make(natsConnection *nc, const struct bus_setup *setup, __s64 *ret_created_ns, char reason[REASON_MAX])
{
	jsCtx *js = NULL;
	natsStatus s = open_js(nc, &js);
	int err = s ? failed(s, "JetStream", reason) : 0;

	if (!err && (s = add_batches(js, setup, ret_created_ns)))
		err = failed(s, "the stream " BUS_STREAM, reason);
	if (!err && ((s = add_bucket(js, setup, BUS_CONTROL, 0)) || (s = add_bucket(js, setup, BUS_HELLOS, BUS_HELLO_AGE_S)) ||
		     (s = add_bucket(js, setup, BUS_SOURCES, BUS_SOURCE_AGE_S)) ||
		     (s = add_bucket(js, setup, BUS_MEMBERS, BUS_MEMBER_AGE_S))))
		err = failed(s, "the buckets", reason);
	for (unsigned p = 0; p < BUS_PARTITIONS && !err; p++)
		if ((s = add_consumer(js, p)))
			err = failed(s, "the consumers of the stream", reason);
	jsCtx_Destroy(js);
	return err;
}

/* --- reading --- */

void bus_values_fini(struct bus_values *v)
{
	for (size_t i = 0; i < v->n; i++) {
		free(v->value[i].subject);
		free(v->value[i].text);
	}
	free(v->value);
	*v = (struct bus_values){ 0 };
}

static int values_add(struct bus_values *v, natsMsg *msg)
{
	struct bus_value *at;

	if (array_grow(&v->value, v->n, &v->room, sizeof(*v->value)))
		return -ENOMEM;
	at = &v->value[v->n];
	at->subject = strdup(natsMsg_GetSubject(msg));
	at->text = strndup(natsMsg_GetDataLength(msg) ? natsMsg_GetData(msg) : "", (size_t)natsMsg_GetDataLength(msg));
	v->n++;
	return at->subject && at->text ? 0 : -ENOMEM;
}

/* Takes messages until one says that no further ones wait. */
static natsStatus take_values(natsSubscription *sub, struct bus_values *v)
{
	natsStatus s = NATS_OK;
	bool is_last = false;

	while (!s && !is_last) {
		jsMsgMetaData *meta = NULL;
		natsMsg *msg = NULL;

		s = natsSubscription_NextMsg(&msg, sub, API_MS);
		if (!s)
			s = natsMsg_GetMetaData(&meta, msg);
		if (!s && values_add(v, msg))
			s = NATS_NO_MEMORY;
		is_last = !s && !meta->NumPending;
		jsMsgMetaData_Destroy(meta);
		natsMsg_Destroy(msg);
	}
	return s;
}

int bus_setup_read(natsConnection *nc, const char *bucket, struct bus_values *ret_values, char reason[REASON_MAX])
{
	char name[64], subject[64];
	struct bus_values v = { 0 };
	jsStreamInfo *info = NULL;
	natsSubscription *sub = NULL;
	jsSubOptions options;
	jsCtx *js = NULL;
	natsStatus s = open_js(nc, &js);
	int err = 0;

	snprintf(name, sizeof(name), "KV_%s", bucket);
	snprintf(subject, sizeof(subject), "$KV.%s.>", bucket);
	jsSubOptions_Init(&options);
	options.Config.DeliverPolicy = js_DeliverLastPerSubject;
	options.Config.AckPolicy = js_AckNone;
	if (!s)
		s = js_GetStreamInfo(&info, js, name, NULL, NULL);
	if (!s && info->State.Msgs) {
		s = js_SubscribeSync(&sub, js, subject, NULL, &options, NULL);
		if (!s)
			s = take_values(sub, &v);
		if (s == NATS_TIMEOUT)		/* what was there has expired meanwhile */
			s = NATS_OK;
	}
	if (s) {
		err = failed(s, "reading a bucket", reason);
		bus_values_fini(&v);
	}
	natsSubscription_Destroy(sub);
	jsStreamInfo_Destroy(info);
	jsCtx_Destroy(js);
	if (!err)
		*ret_values = v;
	return err;
}
