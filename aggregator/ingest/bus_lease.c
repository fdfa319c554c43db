#include "aggregator/ingest/bus_lease.h"

#include "aggregator/base/clock.h"
#include "collector/bus/subjects.h"
#include "collector/core/log.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEASE_MS 4000
#define CONFIRM_MS 1000			/* so long after we got it we ask again */
#define AGAIN_MS 1500			/* a question whose answer is lost is asked again */
#define YIELD_MS 10000
#define WRONG_SEQUENCE "wrong last sequence: "

static __u64 true_ms(void) { return (__u64)boot_ns() / 1000000; }

bool bus_lease_runs(const struct bus_lease *l)
{
	return l->is_held && true_ms() < l->until_ms;
}

static void lease_set(struct bus_lease *l, bool is_held)
{
	if (l->is_held == is_held)
		return;
	l->is_held = is_held;
	l->is_ready = false;
	log_info("this heatscoped %s the group", is_held ? "leads" : "no longer leads");
	l->changed(l->arg, is_held);
}

void bus_lease_end(struct bus_lease *l)
{
	lease_set(l, false);
}

void bus_lease_yield(struct bus_lease *l)
{
	l->yields_until_ms = uv_now(l->loop) + YIELD_MS;
	lease_set(l, false);
}

/* The server takes it if the key's newest revision is this one; 0: there is none, because the last one has expired. */
void bus_lease_ask(struct bus_lease *l, struct bus *bus)
{
	char reply[SUBJECT_MAX + 40], revision[24];
	const struct bus_outgoing m = { .subject = "$KV." BUS_MEMBERS "." BUS_LEASE, .reply = reply, .data = l->id,
					.len = strlen(l->id), .header = { { BUS_HEADER_EXPECTED, revision } } };

	snprintf(reply, sizeof(reply), "%s.lease.%llu", l->inbox, (unsigned long long)true_ms());
	snprintf(revision, sizeof(revision), "%llu", (unsigned long long)l->revision);
	l->asked_ms = uv_now(l->loop);
	bus_publish(bus, &m);
}

static bool lease_is_due(const struct bus_lease *l)
{
	__u64 now_ms = uv_now(l->loop);

	return now_ms >= l->yields_until_ms && (!l->asked_ms || now_ms - l->asked_ms > AGAIN_MS) &&
	       true_ms() + LEASE_MS >= l->until_ms + CONFIRM_MS;
}

void bus_lease_tick(struct bus_lease *l, struct bus *bus)
{
	if (lease_is_due(l))
		bus_lease_ask(l, bus);
}

/* "wrong last sequence: 7" -> 7.  0: something else is wrong. */
static __u64 newest_revision(const json_t *error)
{
	const char *text = json_string_value(json_object_get(error, "description"));
	const char *last = text ? strstr(text, WRONG_SEQUENCE) : NULL;

	return last ? strtoull(last + strlen(WRONG_SEQUENCE), NULL, 10) : 0;
}

/* If the server refuses, the key has another value.  While our lease runs, no other heatscoped can have set it: the answer
 * to our last question was lost, or a client of the bus had an answer of its own written there.  Then we ask again, for
 * that revision. */
void bus_lease_take(struct bus_lease *l, const char *asked_ms, const struct bus_message *m, bool may_have)
{
	json_t *json = m->status ? NULL : json_loadb((const char *)m->data, m->len, 0, NULL);
	const char *stream = json_string_value(json_object_get(json, "stream"));
	const json_t *error = json_object_get(json, "error"), *seq = json_object_get(json, "seq");

	if (stream && !strcmp(stream, "KV_" BUS_MEMBERS)) {
		l->asked_ms = 0;
		if (!error && json_is_integer(seq)) {
			l->revision = (__u64)json_integer_value(seq);
			l->until_ms = strtoull(asked_ms, NULL, 10) + LEASE_MS;
			lease_set(l, may_have && true_ms() < l->until_ms);
		} else {
			l->revision = bus_lease_runs(l) ? newest_revision(error) : 0;
			lease_set(l, bus_lease_runs(l));
		}
	}
	json_decref(json);
}
