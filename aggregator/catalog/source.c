#include "aggregator/catalog/source.h"

#include "collector/core/metric_json.h"
#include "collector/core/refuse.h"
#include "collector/core/source_name.h"

#include <errno.h>
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OFFERS_MAX 256
#define STATES_MAX 4096		/* may include ids that we never gave */
#define YEAR_2100_NS 4102444800000000000ll

/* --- metrics --- */

void metric_free(struct metric *m)
{
	if (m)
		metric_json_fini(m);
	free(m);
}

/* A name becomes part of a URL, of messages and of keys, so it has few kinds of characters. */
static bool is_name(const char *text)
{
	size_t len = strlen(text);

	return len && len < NAME_MAX_LEN &&
	       strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == len;
}

static int metric_check(const struct metric *m, char *reason)
{
	if (!is_name(m->module) || !is_name(m->stat))
		return refuse(reason, "\"%s.%s\" is not a valid name of a metric", m->module, m->stat);
	for (size_t i = 0; i < m->n_fields; i++) {
		if (!is_name(m->field[i].name) && !host_field_is(m->field[i].name))
			return refuse(reason, "\"%s\" is not a valid name of a field", m->field[i].name);
		for (size_t j = 0; j < i; j++)
			if (!strcmp(m->field[i].name, m->field[j].name))
				return refuse(reason, "%s.%s has the field \"%s\" twice", m->module, m->stat,
					      m->field[i].name);
	}
	return 0;
}

int metric_parse(const json_t *json, struct metric **ret_metric, char *reason)
{
	struct metric *m = calloc(1, sizeof(*m));
	int err = m ? metric_json_read(json, m, reason) : no_memory(reason);

	if (!err)
		err = metric_check(m, reason);
	if (err) {
		metric_free(m);
		return err;
	}
	*ret_metric = m;
	return 0;
}

json_t *metric_to_json(const struct metric *m)
{
	return metric_json_make(m, NULL);
}

struct metric *metric_copy(const struct metric *m)
{
	json_t *json = metric_to_json(m);
	struct metric *copy = NULL;
	char reason[REASON_MAX];

	if (json && metric_parse(json, &copy, reason))
		copy = NULL;
	json_decref(json);
	return copy;
}

static int add_field(struct metric *m, const struct field *f)
{
	struct field *grown = realloc((struct field *)m->field, (m->n_fields + 1) * sizeof(*grown)), *added;

	if (!grown)
		return -ENOMEM;
	m->field = grown;
	added = &grown[m->n_fields++];
	*added = *f;
	added->name = strdup(f->name);
	added->label = strdup(f->label);
	added->type = strdup(f->type);
	return added->name && added->label && added->type ? 0 : -ENOMEM;
}

/* Every metric can be decomposed by the source's name, which the aggregator fills in. */
static int add_hostname(struct metric *m, char *reason)
{
	static const struct field hostname = { .name = HOSTNAME_FIELD, .label = "host name", .type = "string", .arity = FIELD_DISCRETE };

	if (metric_field(m, HOSTNAME_FIELD))
		return 0;
	return add_field(m, &hostname) ? no_memory(reason) : 0;
}

/* Adds a field before hostname. */
static int add_before_hostname(struct metric *m, const struct field *f)
{
	int err = m->n_fields < METRIC_FIELDS_MAX ? add_field(m, f) : 0;
	struct field *field = (struct field *)m->field, last;

	if (m->n_fields < 2 || strcmp(field[m->n_fields - 2].name, HOSTNAME_FIELD))
		return err;
	last = field[m->n_fields - 2];
	field[m->n_fields - 2] = field[m->n_fields - 1];
	field[m->n_fields - 1] = last;
	return err;
}

int metric_add_fields(struct metric *m, const struct metric *other)
{
	int err = 0;

	for (size_t i = 0; i < other->n_fields && !err; i++)
		if (!metric_field(m, other->field[i].name))
			err = add_before_hostname(m, &other->field[i]);
	return err;
}

static int add_labels(struct metric *m, const struct host_labels *labels, char *reason)
{
	char name[NAME_MAX_LEN], title[NAME_MAX_LEN + 16];
	const struct field field = { .name = name, .label = title, .type = "string", .arity = FIELD_DISCRETE };
	int err = 0;

	for (size_t i = 0; i < labels->n && !err; i++) {
		snprintf(name, sizeof(name), HOST_LABEL_FIELD "%s", labels->label[i].name);
		snprintf(title, sizeof(title), "host's label %s", labels->label[i].name);
		err = metric_field(m, name) ? 0 : add_before_hostname(m, &field);
	}
	return err ? no_memory(reason) : 0;
}

/* --- sources --- */

struct source *source_new(const char *name)
{
	struct source *s = calloc(1, sizeof(*s));

	if (s)
		snprintf(s->name, sizeof(s->name), "%s", name);
	return s;
}

static void offers_clear(void *arg)
{
	for (struct offer *o = arg; o->metric; o++)
		metric_free(o->metric);
}

struct offer *offers_use(struct offer *offers)
{
	return g_rc_box_acquire(offers);
}

void offers_let_go(struct offer *offers)
{
	if (offers)
		g_rc_box_release_full(offers, offers_clear);
}

static bool field_equal(const struct field *a, const struct field *b)
{
	return !strcmp(a->name, b->name) && !strcmp(a->label, b->label) && !strcmp(a->type, b->type) && a->arity == b->arity &&
	       a->unit == b->unit && a->low == b->low && a->high == b->high;
}

static bool metric_equal(const struct metric *a, const struct metric *b)
{
	bool equal = !strcmp(a->module, b->module) && !strcmp(a->stat, b->stat) && !strcmp(a->label, b->label) &&
		     !strcmp(a->unit, b->unit) && a->scope == b->scope && !g_strcmp0(a->point, b->point) &&
		     !g_strcmp0(a->parts, b->parts) && !g_strcmp0(a->text, b->text) && a->n_fields == b->n_fields;

	for (size_t i = 0; equal && i < a->n_fields; i++)
		equal = field_equal(&a->field[i], &b->field[i]);
	return equal;
}

bool source_share(struct source *s, struct offer *offers)
{
	size_t i = 0;

	while (i < s->n_offers && offers[i].metric && s->offer[i].ok == offers[i].ok && !strcmp(s->offer[i].reason, offers[i].reason) &&
	       metric_equal(s->offer[i].metric, offers[i].metric))
		i++;
	if (i < s->n_offers || offers[i].metric)
		return false;
	offers_use(offers);
	offers_let_go(s->offer);
	s->offer = offers;
	return true;
}

void source_free(struct source *s)
{
	if (!s)
		return;
	offers_let_go(s->offer);
	free(s->state);
	free(s);
}

static void copy_reason(const json_t *json, char *out)
{
	const char *text = json_string_value(json_object_get(json, "reason"));

	snprintf(out, REASON_MAX, "%s", text ? text : "");
}

static int offer_parse(const json_t *json, const struct host_labels *labels, struct offer *o, char *reason)
{
	const char *state = json_string_value(json_object_get(json, "state"));
	int err;

	if (!state || (strcmp(state, "ok") && strcmp(state, "refused")))
		return refuse(reason, "a metric's state is neither \"ok\" nor \"refused\"");
	o->ok = !strcmp(state, "ok");
	copy_reason(json, o->reason);
	err = metric_parse(json, &o->metric, reason);
	if (!err)
		err = add_hostname(o->metric, reason);
	return err ? err : add_labels(o->metric, labels, reason);
}

static int offers_parse(const json_t *list, struct source *s, char *reason)
{
	size_t n = json_array_size(list);
	int err = 0;

	if (!json_is_array(list) || n > OFFERS_MAX)
		return refuse(reason, "a hello must have an array of at most %d metrics", OFFERS_MAX);
	s->offer = g_rc_box_alloc0((n + 1) * sizeof(*s->offer));	/* the last one has no metric */
	s->n_offers = n;
	for (size_t i = 0; i < n && !err; i++)
		err = offer_parse(json_array_get(list, i), &s->labels, &s->offer[i], reason);
	return err;
}

static int incarnation_parse(const char *text, __u64 *ret)
{
	char *end;

	if (!text || *text < '0' || *text > '9')
		return -EINVAL;
	errno = 0;
	*ret = strtoull(text, &end, 10);
	return *end || errno ? -EINVAL : 0;
}

int source_hello(const json_t *hello, struct source **ret_source, char *reason)
{
	const char *name = json_string_value(json_object_get(hello, "source"));
	const char *version = json_string_value(json_object_get(hello, "version"));
	const char *kernel = json_string_value(json_object_get(hello, "kernel"));
	const char *text = json_string_value(json_object_get(hello, "text"));
	json_int_t format = json_integer_value(json_object_get(hello, "format"));
	struct source *s;
	int err = 0;

	if (format != 1)
		return refuse(reason, "format %lld is not supported: this aggregator supports format 1",
			(long long)format);
	if (source_name_check(name, reason))
		return -EINVAL;
	s = source_new(name);
	if (!s)
		return no_memory(reason);
	snprintf(s->version, sizeof(s->version), "%s", version ? version : "");
	if (kernel && strlen(kernel) < sizeof(s->kernel))	/* not a part of it, which might end within a
								 * character */
		strcpy(s->kernel, kernel);
	s->full_text = text && !strcmp(text, "full");
	s->pid = json_integer_value(json_object_get(hello, "pid"));
	s->hello_ns = json_integer_value(json_object_get(hello, "time_ns"));
	if (s->hello_ns < 0 || s->hello_ns > YEAR_2100_NS)
		s->hello_ns = 0;
	if (incarnation_parse(json_string_value(json_object_get(hello, "incarnation")), &s->incarnation))
		err = refuse(reason, "the incarnation must be a number below 2^64, as a text");
	if (!err)
		err = host_labels_from_json(json_object_get(hello, "labels"), &s->labels, reason);
	if (!err)
		err = offers_parse(json_object_get(hello, "metrics"), s, reason);
	if (err) {
		source_free(s);
		return err;
	}
	*ret_source = s;
	return 0;
}

void source_renew(struct source *s, struct source *from)
{
	offers_let_go(s->offer);
	s->offer = from->offer;
	s->n_offers = from->n_offers;
	from->offer = NULL;
	from->n_offers = 0;
	if (s->incarnation != from->incarnation) {	/* what the former start said is not about this one */
		s->n_states = 0;
		s->self = (struct source_self){ 0 };
		s->begun_ns = s->other_ns = 0;
	}
	s->incarnation = from->incarnation;
	s->left_ns = 0;
	s->knows_clock = false;
	s->hello_ns = from->hello_ns;
	s->full_text = from->full_text;
	s->labels = from->labels;
	s->pid = from->pid;
	memcpy(s->version, from->version, sizeof(s->version));
	memcpy(s->kernel, from->kernel, sizeof(s->kernel));
}

/* Finds room for the states of the list that s does not have yet: after it, state_of() cannot fail for any of them. */
static int states_reserve(struct source *s, const json_t *list, char *reason)
{
	size_t n = s->n_states, i;
	struct inst_state *grown;
	const json_t *json;

	json_array_foreach(list, i, json)
		n += !source_inst(s, (__u64)json_integer_value(json_object_get(json, "id")));
	if (n > STATES_MAX)
		return refuse(reason, "a source can have the states of at most %d instrumentations", STATES_MAX);
	grown = realloc(s->state, (n + 1) * sizeof(*grown));
	if (!grown)
		return no_memory(reason);
	s->state = grown;
	return 0;
}

static struct inst_state *state_of(struct source *s, __u64 inst)
{
	for (size_t i = 0; i < s->n_states; i++)
		if (s->state[i].inst == inst)
			return &s->state[i];
	s->state[s->n_states].inst = inst;
	return &s->state[s->n_states++];
}

static int state_check(const json_t *json, char *reason)
{
	const char *state = json_string_value(json_object_get(json, "state"));

	if (json_integer_value(json_object_get(json, "id")) <= 0)
		return refuse(reason, "a state has no id of an instrumentation");
	if (!state || (strcmp(state, "active") && strcmp(state, "partial") && strcmp(state, "failed")))
		return refuse(reason, "an instrumentation's state is not \"active\", \"partial\" or \"failed\"");
	if (json_integer_value(json_object_get(json, "counts_from")) < 0)
		return refuse(reason, "an instrumentation counts from before 1970");
	return 0;
}

static __u64 self_number(const json_t *self, const char *name)
{
	json_int_t n = json_integer_value(json_object_get(self, name));

	return n > 0 ? (__u64)n : 0;
}

static void take_self(struct source *s, const json_t *self)
{
	if (!json_is_object(self))
		return;
	s->self = (struct source_self){
		.started_ns = (__s64)self_number(self, "started"), .cpu_ns = self_number(self, "cpu"),
		.dropped_batches = self_number(self, "dropped_batches"), .dropped_events = self_number(self, "dropped_events"),
		.resident_bytes = self_number(self, "resident"), .spool_bytes = self_number(self, "spool"),
		.in_flight = self_number(self, "in_flight"), .n_programs = self_number(self, "programs"), .map_bytes = self_number(self, "maps"),
	};
}

int source_state(struct source *s, const json_t *message, char *reason)
{
	const json_t *list = json_object_get(message, "instrumentations"), *json;
	struct inst_state *state;
	size_t i;
	int err = 0;

	if (!json_is_array(list) || json_array_size(list) > STATES_MAX)
		return refuse(reason, "a state must have an array of instrumentations");
	json_array_foreach(list, i, json)
		if (!err)
			err = state_check(json, reason);
	if (!err)
		err = states_reserve(s, list, reason);
	if (err)
		return err;
	take_self(s, json_object_get(message, "self"));
	json_array_foreach(list, i, json) {
		state = state_of(s, (__u64)json_integer_value(json_object_get(json, "id")));
		state->partial = !strcmp(json_string_value(json_object_get(json, "state")), "partial");
		state->active = state->partial || !strcmp(json_string_value(json_object_get(json, "state")), "active");
		state->from_ns = json_integer_value(json_object_get(json, "counts_from"));
		copy_reason(json, state->reason);
	}
	return 0;
}

void source_forget(struct source *s, __u64 inst)
{
	for (size_t i = 0; i < s->n_states; i++)
		if (s->state[i].inst == inst) {
			s->state[i] = s->state[--s->n_states];
			return;
		}
}

const struct offer *source_offer(const struct source *s, const char *module, const char *stat)
{
	for (size_t i = 0; i < s->n_offers; i++)
		if (!strcmp(s->offer[i].metric->module, module) && !strcmp(s->offer[i].metric->stat, stat))
			return &s->offer[i];
	return NULL;
}

const struct inst_state *source_inst(const struct source *s, __u64 inst)
{
	for (size_t i = 0; i < s->n_states; i++)
		if (s->state[i].inst == inst)
			return &s->state[i];
	return NULL;
}
