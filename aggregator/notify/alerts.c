#include "aggregator/notify/alerts.h"

#include "aggregator/store/coverage.h"
#include "aggregator/store/saved_object.h"
#include "aggregator/query/query.h"
#include "collector/core/log.h"
#include "collector/core/refuse.h"
#include "render/encode/utf8.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS 1000000000ll
#define SENTENCE 400
#define TROUBLE 200

struct watched {
	struct watched *next;
	__u64 id;
	struct alert alert;
	__s64 next_ns;			/* where the next window begins */
	__s64 known_ns;			/* windows before it are only learnt */
	__u64 firing;			/* its annotation; 0: it does not fire */
	__s64 fired_ns;			/* since when it fires; 0: it does not fire */
	__u64 n_delivered, n_given_up, n_waiting;	/* to its webhook, since our start */
	bool configured;		/* it comes from the configuration file */
	const char *file;		/* NULL: neither claimed nor settled since our start */
	unsigned line;
	char trouble[TROUBLE];		/* why the last delivery was given up */
};

struct alerts {
	struct saved_objects saved;
	struct cube *cube;
	struct catalog *catalog;
	struct annotations *annotations;
	struct alerts_listener listener;
	struct watched *first;
	size_t n;
	__s64 now_ns;			/* of the newest tick */
	__u64 turn;			/* the id with which the next tick begins */
};

static struct watched **find_alert(struct alerts *a, __u64 id)
{
	struct watched **at = &a->first;

	while (*at && (*at)->id != id)
		at = &(*at)->next;
	return at;
}

static int axis_of(const struct watched *w, const struct instrumentation *in)
{
	return *w->alert.rule.measure ? instrumentation_axis(in, w->alert.rule.measure) : 0;
}

/* ---- as JSON ---- */

static void sentence_of(const struct alerts *a, const struct watched *w, char *out)
{
	const struct catalog_inst *ci = catalog_find(a->catalog, w->alert.rule.inst);
	int axis = ci ? axis_of(w, &ci->in) : -1;

	if (axis < 0)
		snprintf(out, SENTENCE, "its instrumentation or measure does not exist");
	else
		alert_sentence(&w->alert, ci->in.measure[axis], query_unit(&ci->in, axis), out, SENTENCE);
}

static json_t *real_or_null(double n)
{
	return isfinite(n) ? json_real(n) : json_null();
}

static json_t *deliveries_json(const struct watched *w)
{
	return json_pack("{s:I, s:I, s:I, s:s}", "delivered", (json_int_t)w->n_delivered, "waiting", (json_int_t)w->n_waiting, "given_up",
			 (json_int_t)w->n_given_up, "reason", w->trouble);
}

static json_t *watched_json(const struct alerts *a, const struct watched *w)
{
	json_t *json = alert_rule_json(&w->alert.rule);
	char id[24], sentence[SENTENCE];

	snprintf(id, sizeof(id), "%llu", (unsigned long long)w->id);
	sentence_of(a, w, sentence);
	json_object_set_new(json, "id", json_string(id));
	json_object_set_new(json, "state", json_string(alert_state_name(w->alert.state)));
	json_object_set_new(json, "since", w->alert.since_ns ? json_real((double)w->alert.since_ns / 1e9) : json_null());
	json_object_set_new(json, "value", real_or_null(w->alert.value));
	json_object_set_new(json, "limit", real_or_null(w->alert.limit));
	json_object_set_new(json, "sentence", json_string(sentence));
	snprintf(id, sizeof(id), "%llu", (unsigned long long)w->firing);
	json_object_set_new(json, "annotation", w->firing ? json_string(id) : json_null());
	if (w->file)
		json_object_set_new(json, "always", json_pack("{s:s, s:i}", "file", w->file, "line", (int)w->line));
	if (*w->alert.rule.webhook)
		json_object_set_new(json, "deliveries", deliveries_json(w));
	return json;
}

json_t *alerts_json(const struct alerts *a)
{
	json_t *all = json_array();

	for (const struct watched *w = a->first; w; w = w->next)
		json_array_append_new(all, watched_json(a, w));
	return all;
}

json_t *alerts_one(const struct alerts *a, __u64 id)
{
	const struct watched *w = *find_alert((struct alerts *)a, id);

	return w ? watched_json(a, w) : NULL;
}

/* ---- storing ---- */

static char *stored_text(const struct watched *w)
{
	json_t *json = json_pack("{s:o, s:s, s:I, s:I, s:b}", "rule", alert_rule_json(&w->alert.rule), "state",
				 alert_state_name(w->alert.state), "since", (json_int_t)w->alert.since_ns, "annotation",
				 (json_int_t)w->firing, "always", w->configured);
	char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;

	json_decref(json);
	return text;
}

/* ---- windows ---- */

struct window_read {			/* the cube's data of a window */
	const struct alert_rule *rule;
	struct hist hist;
	struct coverage coverage;
	size_t n_read;
	int err;
};

static void window_add_slice(void *arg, __s64 slot, const struct slice *s)
{
	struct window_read *l = arg;

	if (*l->rule->key && !key_is(&s->key, l->rule->key))
		return;
	l->n_read++;
	if (!l->err)
		l->err = hist_decode_add(&l->hist, s->ruler, s->hist, s->hist_len);
}

static void window_add_cover(void *arg, const char *source, __s64 first, __s64 last)
{
	struct window_read *l = arg;

	if (!l->err)
		l->err = coverage_add(&l->coverage, source, first, last);
}

/* A window is observed if some source reported at least half of its slots. */
static int evaluate_window(const struct alerts *a, struct watched *w, const struct instrumentation *in, int axis, size_t *n_read, bool *ret_changed)
{
	struct alert *alert = &w->alert;
	__s64 to_ns = w->next_ns + (__s64)alert->rule.window_s * NS, slot_ns = (__s64)in->slot_ns;
	__s64 first = w->next_ns / slot_ns, last = to_ns / slot_ns - 1;
	struct window_read l = { .rule = &alert->rule };
	const struct store_reader reader = { .arg = &l, .slice = window_add_slice, .cover = window_add_cover };
	int err = hist_init(&l.hist, in->ruler[axis]);

	if (!err)
		err = cube_read(a->cube, in->id, first, last, axis, 0, &reader);
	if (!err)
		err = l.err;
	if (!err || err == -ENOENT) {
		const struct alert_window window = {
			.from_ns = w->next_ns, .to_ns = to_ns, .hist = &l.hist,
			.observed = !err && 2 * (__s64)coverage_seen(&l.coverage, first, last) >= last - first + 1,
		};

		if (w->next_ns >= w->known_ns)
			*ret_changed = alert_step(alert, &window);
		else if (alert->state != ALERT_FIRING || w->next_ns < alert->since_ns)
			alert_learn(alert, &window);
		err = 0;
	}
	*n_read += 1 + l.n_read;
	hist_fini(&l.hist);
	coverage_fini(&l.coverage);
	return err;
}

/* ---- changes of state ---- */

void alerts_listen(struct alerts *a, const struct alerts_listener *l)
{
	a->listener = *l;
}

void alerts_notified(struct alerts *a, __u64 id, int err, const char *reason)
{
	struct watched *w = *find_alert(a, id);

	if (!w)
		return;
	w->n_waiting--;
	w->n_delivered += !err;
	w->n_given_up += !!err;
	if (err)
		snprintf(w->trouble, sizeof(w->trouble), "%s", reason);
}

static void notify_listener(struct alerts *a, struct watched *w, const char *state, __s64 to_ns)
{
	const struct catalog_inst *ci = catalog_find(a->catalog, w->alert.rule.inst);
	int axis = ci ? axis_of(w, &ci->in) : -1;
	char sentence[SENTENCE];
	struct alert_event event = { .id = w->id, .annotation = w->firing, .alert = &w->alert, .state = state, .sentence = sentence,
				     .measure = axis < 0 ? "" : ci->in.measure[axis], .unit = axis < 0 ? "" : query_unit(&ci->in, axis),
				     .from_ns = w->fired_ns, .to_ns = to_ns, .now_ns = a->now_ns };

	if (!*w->alert.rule.webhook || !a->listener.notify)
		return;
	sentence_of(a, w, sentence);
	w->n_waiting++;
	a->listener.notify(a->listener.arg, &event);
}

static void begin_firing(struct alerts *a, struct watched *w)
{
	struct annotation note = { .inst = w->alert.rule.inst, .from_ns = w->alert.since_ns, .to_ns = ANNOTATION_OPEN, .kind = ANNOTATION_ALERT };
	char sentence[SENTENCE], whole[ALERT_NAME_MAX + 2 + SENTENCE], reason[REASON_MAX];

	sentence_of(a, w, sentence);
	snprintf(whole, sizeof(whole), "%s: %s", w->alert.rule.name, sentence);
	utf8_clean(whole, note.text, sizeof(note.text));
	if (annotations_add(a->annotations, &note, NULL, NULL, &w->firing, reason))
		w->firing = 0;
	log_warning("alert \"%s\" fires: %s", w->alert.rule.name, sentence);
	w->fired_ns = w->alert.since_ns;
	notify_listener(a, w, alert_state_name(ALERT_FIRING), ANNOTATION_OPEN);
}

static void end_firing(struct alerts *a, struct watched *w, const char *state, __s64 to_ns)
{
	if (w->firing)
		annotations_end(a->annotations, w->firing, to_ns);
	notify_listener(a, w, state, to_ns);
	w->firing = 0;
	w->fired_ns = 0;
}

static void state_changed(struct alerts *a, struct watched *w)
{
	const char *state = alert_state_name(w->alert.state);

	if (w->alert.state == ALERT_FIRING && !w->fired_ns)
		begin_firing(a, w);
	if (w->alert.state != ALERT_FIRING && w->fired_ns) {
		end_firing(a, w, state, w->alert.since_ns);
		log_info("alert \"%s\" is %s", w->alert.rule.name, w->alert.state == ALERT_NO_DATA ? "not observed any more" : "over");
	}
	/* if it fails, the next change stores it again */
	saved_object_put(&a->saved, w->id, stored_text(w), NULL, NULL);
}

/* Skips windows that the cube no longer has: they are neither observed nor unobserved.  But the newest window that is
 * over is always evaluated: if a source's clock is ahead, the cube may only have slots of windows that are not over
 * yet, and the alert would be silent. */
static void skip_gone(const struct alerts *a, struct watched *w, const struct instrumentation *in, __s64 now_ns)
{
	__s64 first, last, window_ns = (__s64)w->alert.rule.window_s * NS, n_gone, n_over;

	if (cube_range(a->cube, in->id, &first, &last))
		return;
	n_gone = (first * (__s64)in->slot_ns - w->next_ns + window_ns - 1) / window_ns;
	n_over = (now_ns - ALERTS_LATE_NS - w->next_ns) / window_ns;
	if (n_gone > n_over - 1)
		n_gone = n_over - 1;
	if (n_gone > 0)
		w->next_ns += n_gone * window_ns;
}

/* A shape is learnt from the hour before. */
static void begin_windows(struct watched *w, __s64 now_ns)
{
	__s64 window_ns = (__s64)w->alert.rule.window_s * NS;

	w->next_ns = now_ns / window_ns * window_ns;
	w->known_ns = w->next_ns;
	if (w->alert.usual)
		w->next_ns -= ALERT_HOUR * window_ns;
}

static void tick_one(struct alerts *a, struct watched *w, const struct instrumentation *in, __s64 now_ns, size_t *n_read)
{
	__s64 window_ns = (__s64)w->alert.rule.window_s * NS;
	int axis = axis_of(w, in);

	if (w->next_ns > now_ns + window_ns + ALERTS_SKIP_MAX_NS)	/* the clock was set back: otherwise the alert would see no window until
						 * the clock is as late again */
		begin_windows(w, now_ns);
	skip_gone(a, w, in, now_ns);
	while (axis >= 0 && *n_read < ALERTS_AT_ONCE && w->next_ns + window_ns + ALERTS_LATE_NS <= now_ns) {
		bool has_changed = false;

		if (evaluate_window(a, w, in, axis, n_read, &has_changed))
			return;		/* no memory: try again in the next tick */
		w->next_ns += window_ns;
		if (has_changed)
			state_changed(a, w);
	}
}

static void unlink_alert(struct alerts *a, struct watched **at)
{
	struct watched *w = *at;

	*at = w->next;
	a->n--;
	alert_fini(&w->alert);
	free(w);
}

/* Ends its firing. */
static void remove_alert(struct alerts *a, struct watched **at)
{
	if ((*at)->fired_ns)
		end_firing(a, *at, "removed", (*at)->next_ns);
	unlink_alert(a, at);
}

/* Drops an existing alert. */
static int drop_alert(struct alerts *a, struct watched **at, store_queue_done done, void *arg)
{
	int err = saved_object_drop(&a->saved, (*at)->id, done, arg);

	if (!err)
		remove_alert(a, at);
	return err;
}

/* Ticks those with ids first..last. */
static void tick_some(struct alerts *a, __u64 first, __u64 last, __s64 now_ns, size_t *n_read)
{
	for (struct watched *w = a->first, *after; w && *n_read < ALERTS_AT_ONCE; w = after) {
		const struct catalog_inst *ci = catalog_find(a->catalog, w->alert.rule.inst);

		after = w->next;
		if (w->id < first || w->id > last)
			continue;
		a->turn = w->id + 1;
		if (ci)
			tick_one(a, w, &ci->in, now_ns, n_read);
		else
			drop_alert(a, find_alert(a, w->id), NULL, NULL);	/* its instrumentation was deleted */
	}
}

void alerts_skip(struct alerts *a, __s64 until_ns)
{
	for (struct watched *w = a->first; w; w = w->next) {
		__s64 window_ns = (__s64)w->alert.rule.window_s * NS, n = (until_ns - w->next_ns + window_ns - 1) / window_ns;

		w->next_ns += n > 0 ? n * window_ns : 0;
	}
}

void alerts_tick(struct alerts *a, __s64 now_ns)
{
	__u64 turn = a->turn;
	size_t n_read = 0;

	a->now_ns = now_ns;
	tick_some(a, turn, ~0ull, now_ns, &n_read);
	if (turn)
		tick_some(a, 0, turn - 1, now_ns, &n_read);
}

/* ---- making and removing ---- */

/* A tick reads a window ALERTS_LATE_NS after its end, when the cube must still have it. */
static __u64 longest_window_s(const struct alerts *a, const struct instrumentation *in)
{
	__u64 held_ns = (catalog_cube_slots(a->catalog, in) - 1) * in->slot_ns, late_ns = ALERTS_LATE_NS + NS;

	return held_ns > late_ns ? (held_ns - late_ns) / NS : 0;
}

static int check_rule(const struct alerts *a, const struct alert_rule *r, char *reason)
{
	const struct catalog_inst *ci = catalog_find(a->catalog, r->inst);
	const struct watched w = { .alert.rule = *r };
	const char *why = NULL;

	if (a->n >= ALERTS_MAX)
		return refuse(reason, "there are %d alerts, which is the limit; remove one first", ALERTS_MAX);
	if (!ci)
		why = "there is no such instrumentation";
	else if (*r->webhook && (!a->listener.knows_webhook || !a->listener.knows_webhook(a->listener.arg, r->webhook)))
		why = "there is no webhook of that name: they are listed under `webhooks` in the configuration file";
	else if (axis_of(&w, &ci->in) < 0)
		why = "the instrumentation has no such measure";
	else if ((__s64)r->window_s * NS % (__s64)ci->in.slot_ns || (__s64)r->window_s * NS < (__s64)ci->in.granularity_ns)
		why = "a window is whole slots of the instrumentation, and at least its granularity";
	if (!why && r->window_s > longest_window_s(a, &ci->in))
		return refuse(reason, "a window of %u s is longer than what heatscoped holds in memory of this instrumentation: at most %llu s, "
			      "or give it a longer retention-time, or heatscoped more cube-slots", r->window_s,
			      (unsigned long long)longest_window_s(a, &ci->in));
	if (why)
		snprintf(reason, REASON_MAX, "%s", why);
	return why ? -EINVAL : 0;
}

static int insert_alert(struct alerts *a, __u64 id, const struct alert_rule *r, struct watched **ret_watched)
{
	struct watched **end = &a->first, *w = calloc(1, sizeof(*w));
	int err = w ? alert_init(&w->alert, r) : -ENOMEM;

	if (err) {
		free(w);
		return err;
	}
	w->id = id;
	while (*end)
		end = &(*end)->next;
	*end = w;
	a->n++;
	*ret_watched = w;
	return 0;
}

static void on_alert_lost(void *owner, __u64 id)
{
	struct watched **at = find_alert(owner, id);

	if (*at)
		remove_alert(owner, at);
}

/* Reads a rule; `above` becomes a number if its instrumentation has the measure. */
static int read_rule(const struct alerts *a, const json_t *request, struct alert_rule *ret, char *reason)
{
	int err = alert_rule_parse(request, ret, reason), axis;
	const struct catalog_inst *ci = err ? NULL : catalog_find(a->catalog, ret->inst);
	const struct watched w = { .alert.rule = *ret };

	axis = ci ? axis_of(&w, &ci->in) : -1;
	return err || axis < 0 ? err : alert_rule_unit(ret, ruler_unit(ci->in.ruler[axis]), reason);
}

static int make_alert(struct alerts *a, const struct alert_rule *r, bool configured, __s64 now_ns, store_queue_done done, void *arg, struct watched **ret_watched,
		char *reason)
{
	int err = check_rule(a, r, reason);

	if (!err)
		err = insert_alert(a, a->saved.next_id, r, ret_watched);
	if (err)
		return err;
	a->saved.next_id++;
	(*ret_watched)->configured = configured;
	begin_windows(*ret_watched, now_ns);
	err = saved_object_add(&a->saved, (*ret_watched)->id, stored_text(*ret_watched), done, arg);
	if (err)
		unlink_alert(a, find_alert(a, (*ret_watched)->id));
	return err;
}

int alerts_add(struct alerts *a, const json_t *request, __s64 now_ns, store_queue_done done, void *arg, __u64 *ret_id, char *reason)
{
	struct alert_rule r;
	struct watched *w;
	int err = read_rule(a, request, &r, reason);

	if (!err)
		err = make_alert(a, &r, false, now_ns, done, arg, &w, reason);
	if (!err)
		*ret_id = w->id;
	return err;
}

int alerts_remove(struct alerts *a, __u64 id, store_queue_done done, void *arg, char *reason)
{
	struct watched **at = find_alert(a, id);

	if (!*at)
		return -ENOENT;
	if (!(*at)->file)
		return drop_alert(a, at, done, arg);
	return refuse(reason, "alert %llu always exists: it is in %.140s, line %u; take it out there and restart heatscoped",
		      (unsigned long long)id, (*at)->file, (*at)->line);
}

/* ---- alerts of the configuration file ---- */

static bool same_rule(const struct alert_rule *x, const struct alert_rule *y)
{
	json_t *a = alert_rule_json(x), *b = alert_rule_json(y);
	bool same = a && b && json_equal(a, b);

	json_decref(a);
	json_decref(b);
	return same;
}

static struct watched *find_configured(const struct alerts *a, const char *name)
{
	struct watched *w = a->first;

	while (w && !(w->configured && !strcmp(w->alert.rule.name, name)))
		w = w->next;
	return w;
}

void alerts_claim(struct alerts *a, const char *name, const char *file, unsigned line)
{
	struct watched *w = find_configured(a, name);

	if (w) {
		w->file = file;
		w->line = line;
	}
}

int alerts_settle(struct alerts *a, const json_t *request, const char *file, unsigned line, __s64 now_ns, __u64 *ret_id, char *reason)
{
	struct alert_rule r;
	int err = read_rule(a, request, &r, reason);
	struct watched *w = err ? NULL : find_configured(a, r.name);

	if (w && !same_rule(&w->alert.rule, &r)) {
		err = drop_alert(a, find_alert(a, w->id), NULL, NULL);
		w = NULL;
	}
	if (!err && !w)
		err = make_alert(a, &r, true, now_ns, NULL, NULL, &w, reason);
	if (err)
		return err;
	w->file = file;
	w->line = line;
	*ret_id = w->id;
	return 0;
}

bool alerts_has(const struct alerts *a, __u64 id)
{
	return *find_alert((struct alerts *)a, id);
}

void alerts_release(struct alerts *a)
{
	for (struct watched *w = a->first, *after; w; w = after) {
		after = w->next;
		if (!w->configured || w->file)
			continue;
		log_info("alert \"%s\" is not in the configuration any more, and is removed", w->alert.rule.name);
		drop_alert(a, find_alert(a, w->id), NULL, NULL);
	}
}

/* ---- begin and end ---- */

int alerts_new(struct store_queue *store_queue, struct cube *cube, struct catalog *catalog, struct annotations *annotations, struct alerts **ret_alerts)
{
	struct alerts *a = calloc(1, sizeof(*a));

	if (!a)
		return -ENOMEM;
	*a = (struct alerts){ .cube = cube, .catalog = catalog, .annotations = annotations,
			      .saved = { .store_queue = store_queue, .noun = "alert", .next_id = 1, .lost = on_alert_lost, .owner = a } };
	*ret_alerts = a;
	return 0;
}

void alerts_free(struct alerts *a)
{
	while (a && a->first)
		unlink_alert(a, &a->first);
	free(a);
}

struct loading {
	struct alerts *alerts;
	__s64 now_ns;
};

static int load_one(void *arg, __u64 id, const char *text, char *reason)
{
	struct loading *l = arg;
	json_t *json = json_loads(text, 0, NULL);
	struct alert_rule r;
	struct watched *w;
	int err = alert_rule_parse(json_object_get(json, "rule"), &r, reason) ? -EBADMSG : insert_alert(l->alerts, id, &r, &w);

	if (!err) {
		begin_windows(w, l->now_ns);
		w->alert.state = alert_state_of(json_string_value(json_object_get(json, "state")));
		w->alert.since_ns = json_integer_value(json_object_get(json, "since"));
		w->firing = (__u64)json_integer_value(json_object_get(json, "annotation"));
		w->configured = json_is_true(json_object_get(json, "always"));
		w->fired_ns = w->alert.state == ALERT_FIRING ? w->alert.since_ns : 0;
	}
	json_decref(json);
	return err;
}

static bool is_firing_annotation(const struct alerts *a, __u64 annotation)
{
	const struct watched *w = a->first;

	while (w && w->firing != annotation)
		w = w->next;
	return w;
}

/* An alert and its annotation are stored one after the other.  If heatscoped died in between, this ends the annotation
 * that is left. */
static int end_orphans(struct alerts *a, __s64 now_ns)
{
	struct annotation_list *all;
	int err = annotations_take(a->annotations, 0, 0, ANNOTATION_OPEN, ANNOTATIONS_NOTES + ANNOTATIONS_ALERTS, &all);

	for (size_t i = 0; !err && all && i < all->n; i++)
		if (all->item[i].kind == ANNOTATION_ALERT && all->item[i].to_ns == ANNOTATION_OPEN && !is_firing_annotation(a, all->item[i].id))
			err = annotations_end(a->annotations, all->item[i].id, now_ns);
	annotation_list_free(all);
	return err;
}

int alerts_load(struct alerts *a, struct store *store, __s64 now_ns)
{
	struct loading l = { .alerts = a, .now_ns = now_ns };
	int err;

	while (a->first)
		unlink_alert(a, &a->first);
	err = saved_object_load(&a->saved, store, load_one, &l);
	a->now_ns = now_ns;
	return err ? err : end_orphans(a, now_ns);
}
