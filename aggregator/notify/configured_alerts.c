#include "aggregator/notify/configured_alerts.h"

#include "collector/core/log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	const struct conf_alert *conf;
	json_t *request;
	__u64 inst, alert;		/* 0: not made yet */
	__s64 tried_ns;			/* when we last settled it, or failed to */
	char reason[REASON_MAX];	/* why it is not made; "": its instrumentation does not exist */
};

struct configured_alerts {
	struct alerts *alerts;
	const struct catalog *catalog;
	const char *file;		/* the configuration file */
	size_t n;
	struct entry entry[CONF_ALERTS_MAX];
};

static __u64 instrumentation_of(const struct configured_alerts *a, const struct entry *e)
{
	for (const struct catalog_inst *ci = catalog_first(a->catalog); ci; ci = ci->next)
		if (!strcmp(ci->configured_name, e->conf->instrumentation))
			return ci->in.id;
	return 0;
}

static void settle_entry(struct configured_alerts *a, struct entry *e, __u64 inst, __s64 now_ns)
{
	char reason[REASON_MAX] = "no memory";
	int err = json_object_set_new(e->request, "instrumentation", json_integer((json_int_t)inst)) ? -ENOMEM : 0;

	e->alert = 0;
	if (!err)
		err = alerts_settle(a->alerts, e->request, a->file, e->conf->line, now_ns, &e->alert, reason);
	e->inst = inst;
	e->tried_ns = now_ns;
	if (err && strcmp(e->reason, reason))
		log_warning("%s, line %u: alert \"%s\": %s", a->file, e->conf->line, e->conf->name, reason);
	snprintf(e->reason, sizeof(e->reason), "%s", err ? reason : "");
}

/* It was settled but no longer exists: alerts.c removes alerts that could not be stored, and logs it. */
static bool is_lost(const struct configured_alerts *a, const struct entry *e)
{
	return e->alert && !alerts_has(a->alerts, e->alert);
}

static bool is_due(const struct entry *e, __u64 inst, __s64 now_ns)
{
	__s64 since_ns = now_ns - e->tried_ns;

	return inst && (inst != e->inst || (!e->alert && (since_ns < 0 || since_ns >= CONFIGURED_ALERTS_AGAIN_NS)));
}

void configured_alerts_check(struct configured_alerts *a, __s64 now_ns)
{
	for (struct entry *e = a->entry; e < a->entry + a->n; e++) {
		__u64 inst = instrumentation_of(a, e);

		if (is_lost(a, e)) {
			e->alert = 0;
			snprintf(e->reason, sizeof(e->reason), "it could not be stored, as the log says");
		}
		if (is_due(e, inst, now_ns))
			settle_entry(a, e, inst, now_ns);
	}
}

int configured_alerts_new(struct alerts *alerts, const struct catalog *catalog, const char *file, const struct conf_alert *conf, size_t n,
		      __s64 now_ns, struct configured_alerts **ret_configured)
{
	struct configured_alerts *a = calloc(1, sizeof(*a));

	if (!a)
		return -ENOMEM;
	*a = (struct configured_alerts){ .alerts = alerts, .catalog = catalog, .file = file, .n = n };
	for (size_t i = 0; i < a->n; i++) {
		a->entry[i].conf = &conf[i];
		a->entry[i].request = json_loads(conf[i].request, 0, NULL);
		if (!a->entry[i].request) {
			configured_alerts_free(a);
			return -ENOMEM;
		}
	}
	for (size_t i = 0; i < a->n; i++)
		alerts_claim(alerts, conf[i].name, file, conf[i].line);
	configured_alerts_check(a, now_ns);
	alerts_release(alerts);
	*ret_configured = a;
	return 0;
}

void configured_alerts_free(struct configured_alerts *a)
{
	for (size_t i = 0; a && i < a->n; i++)
		json_decref(a->entry[i].request);
	free(a);
}

json_t *configured_alerts_json(const struct configured_alerts *a)
{
	json_t *all = json_array();
	char id[24];

	for (size_t i = 0; a && i < a->n; i++) {
		const struct entry *e = &a->entry[i];
		const char *state = e->alert ? "on" : *e->reason ? "wrong" : "waiting";
		json_t *json = json_pack("{s:s, s:i, s:s, s:s}", "name", e->conf->name, "line", (int)e->conf->line, "state", state, "reason",
					 e->alert ? "" : *e->reason ? e->reason : "its instrumentation does not "
					 	"exist yet");

		snprintf(id, sizeof(id), "%llu", (unsigned long long)e->alert);
		if (e->alert)
			json_object_set_new(json, "alert", json_string(id));
		json_array_append_new(all, json);
	}
	return all;
}
