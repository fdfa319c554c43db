#include "aggregator/notify/alert.h"

#include "aggregator/base/json_get.h"
#include "collector/core/amount.h"
#include "collector/core/refuse.h"
#include "render/grid/axis.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW_MAX 3600
#define HOLD_MAX 1000
#define STEPS 8				/* of an octave */
#define N_STEPS (64 * STEPS)
#define LEAST 0.06			/* octaves, 4 %: a smaller change is not worth waking anyone */
#define SPREADS 7			/* the limit is so many standard deviations above the middle, */
#define BEYOND 1.6			/* and so many times the distance of nearly all windows of the hour before */

/* ---- rules ---- */

/* Reads one line that fits. */
static int get_text(const json_t *request, const char *name, char *ret, size_t room, char *reason)
{
	const char *text;
	int got = json_get_line(request, name, room - 1, &text, reason);

	if (got > 0)
		snprintf(ret, room, "%s", text);
	return got;
}

/* true, "true": 1; absent, false: 0. */
static int get_shape(const json_t *request, char *reason)
{
	const json_t *value = json_object_get(request, "shape");
	const char *text = json_string_value(value);

	if (!value || json_is_false(value) || (text && !strcmp(text, "false")))
		return 0;
	if (json_is_true(value) || (text && !strcmp(text, "true")))
		return 1;
	return refuse(reason, "value for field \"shape\" is invalid: it is true or false");
}

/* Reads a number in the measure's unit, or a text with a unit, for alert_rule_unit(). */
static int get_above(const json_t *request, struct alert_rule *r, char *reason)
{
	double above = 0;
	int got;

	if (json_is_string(json_object_get(request, "above"))) {
		got = get_text(request, "above", r->above_text, sizeof(r->above_text), reason);
		return got > 0 && !*r->above_text ? refuse(reason, "\"above\" is empty: it is a value, such as \"100ms\"") : got;
	}
	got = json_get_number(request, "above", 0, 9e15, &above, reason);
	r->above = (__u64)above;
	return got;
}

int alert_rule_unit(struct alert_rule *r, enum ruler_unit unit, char *reason)
{
	char why[AMOUNT_REASON];

	if (!*r->above_text)
		return 0;
	if (amount_parse(r->above_text, strlen(r->above_text), unit, "the measure", &r->above, NULL, why))
		return refuse(reason, "\"above\": \"%s\": %s", r->above_text, why);
	*r->above_text = 0;
	return 0;
}

static int get_kind(const json_t *request, struct alert_rule *r, char *reason)
{
	int percentile = json_get_number(request, "percentile", 0, 1, &r->percentile, reason);
	int share = percentile < 0 ? 0 : json_get_number(request, "share", 0, 1, &r->share, reason);
	int shape = percentile < 0 || share < 0 ? 0 : get_shape(request, reason);
	int line = percentile < 0 || share < 0 || shape < 0 ? 0 : get_above(request, r, reason);

	if (percentile < 0 || share < 0 || shape < 0 || line < 0)
		return -EINVAL;
	if (percentile + share + shape != 1)
		return refuse(reason, "an alert watches one of \"percentile\", \"share\" and \"shape\"");
	if (!!line == !!shape)
		return refuse(reason, shape ? "a shape's limit is learnt: it has no \"above\"" : "it needs \"above\": a value, such as \"100ms\"");
	r->kind = percentile ? ALERT_PERCENTILE : share ? ALERT_SHARE : ALERT_SHAPE;
	return 0;
}

int alert_rule_parse(const json_t *request, struct alert_rule *ret, char *reason)
{
	static const char *const known[] = { "name", "instrumentation", "measure", "key", "percentile", "above", "share", "shape",
					     "window", "for", "webhook", NULL };
	struct alert_rule r = { .hold = 3 };
	double inst = 0, window, hold = 3;
	int err = json_get_check(request, known, "an alert", reason), got = 0;

	if (!err)
		err = got = get_text(request, "name", r.name, sizeof(r.name), reason);
	if (err >= 0 && (!got || !*r.name))
		err = refuse(reason, "an alert needs a \"name\"");
	if (err >= 0)
		err = got = json_get_number(request, "instrumentation", 1, 1e15, &inst, reason);
	if (err >= 0 && !got)
		err = refuse(reason, "an alert needs an \"instrumentation\"");
	if (err >= 0)
		err = get_text(request, "measure", r.measure, sizeof(r.measure), reason);
	if (err >= 0)
		err = get_text(request, "key", r.key, sizeof(r.key), reason);
	if (err >= 0)
		err = get_text(request, "webhook", r.webhook, sizeof(r.webhook), reason);
	if (err >= 0)
		err = get_kind(request, &r, reason);
	window = r.kind == ALERT_SHAPE ? 60 : 10;
	if (err >= 0)
		err = json_get_number(request, "window", 1, WINDOW_MAX, &window, reason);
	if (err >= 0)
		err = json_get_number(request, "for", 1, HOLD_MAX, &hold, reason);
	if (err < 0)
		return err;
	if (window != floor(window) || hold != floor(hold) || inst != floor(inst))
		return refuse(reason, "\"instrumentation\", \"window\" and \"for\" are whole numbers");
	r.inst = (__u64)inst;
	r.window_s = (__u32)window;
	r.hold = (__u32)hold;
	*ret = r;
	return 0;
}

json_t *alert_rule_json(const struct alert_rule *r)
{
	char inst[24];
	json_t *json;

	snprintf(inst, sizeof(inst), "%llu", (unsigned long long)r->inst);
	json = json_pack("{s:s, s:s, s:s, s:s, s:i, s:i}", "name", r->name, "instrumentation", inst, "measure", r->measure, "key", r->key,
			 "window", (int)r->window_s, "for", (int)r->hold);
	if (r->kind == ALERT_SHAPE)
		json_object_set_new(json, "shape", json_true());
	else
		json_object_set_new(json, "above", json_integer((json_int_t)r->above));
	if (r->kind == ALERT_PERCENTILE)
		json_object_set_new(json, "percentile", json_real(r->percentile));
	if (r->kind == ALERT_SHARE)
		json_object_set_new(json, "share", json_real(r->share));
	if (*r->webhook)
		json_object_set_new(json, "webhook", json_string(r->webhook));
	return json;
}

/* ---- shapes: coarse distributions ----
 *
 * Steps of an eighth of an octave: events that move within a step do not change the shape. */

struct shape {
	double n, count[N_STEPS];
};

struct alert_usual {
	size_t n, next;			/* learnt windows; where the next one goes */
	struct shape window[ALERT_HOUR];
	struct shape all;		/* their sum */
};

static void shape_of(const struct hist *h, struct shape *ret)
{
	__u32 first, end;

	memset(ret, 0, sizeof(*ret));
	hist_used(h, &first, &end);
	for (__u32 cell = first; cell < end; cell++) {
		double middle = h->cell[cell] ? hist_middle(h->ruler, cell, h->min, h->max) : 0;
		int step = middle > 1 ? (int)(log2(middle) * STEPS) : 0;

		ret->count[step < N_STEPS ? step : N_STEPS - 1] += (double)h->cell[cell];
		ret->n += (double)h->cell[cell];
	}
}

/* Returns by how many octaves the events of one shape would have to be moved, on average, to be distributed like those
 * of the other one.  Compares a with b without `but` (NULL: with all of b). */
static double shape_distance(const struct shape *a, const struct shape *b, const struct shape *but)
{
	double n = b->n - (but ? but->n : 0), seen_a = 0, seen_b = 0, sum = 0;

	if (!a->n || n <= 0)
		return 0;
	for (size_t i = 0; i + 1 < N_STEPS; i++) {
		seen_a += a->count[i];
		seen_b += b->count[i] - (but ? but->count[i] : 0);
		sum += fabs(seen_a / a->n - seen_b / n);
	}
	return sum / STEPS;
}

static void shape_add(struct shape *to, const struct shape *s, double sign)
{
	to->n += sign * s->n;
	for (size_t i = 0; i < N_STEPS; i++)
		to->count[i] += sign * s->count[i];
}

static void usual_learn(struct alert_usual *u, const struct hist *h)
{
	struct shape *s = &u->window[u->next];

	if (u->n == ALERT_HOUR)
		shape_add(&u->all, s, -1);
	shape_of(h, s);
	shape_add(&u->all, s, 1);
	u->next = (u->next + 1) % ALERT_HOUR;
	u->n += u->n < ALERT_HOUR;
}

static int by_size(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The limit follows from the variation of the windows: far enough above the middle of their distances, and above nearly
 * all of them. */
static double limit_of(double *d, size_t n)
{
	double middle, nearly, limit, deviation[ALERT_HOUR];

	qsort(d, n, sizeof(*d), by_size);
	middle = d[n / 2];
	nearly = d[n - 1 - n / 20];
	for (size_t i = 0; i < n; i++)
		deviation[i] = fabs(d[i] - middle);
	qsort(deviation, n, sizeof(*deviation), by_size);
	limit = middle + SPREADS * 1.4826 * deviation[n / 2];
	return fmax(fmax(limit, BEYOND * nearly), LEAST);
}

/* Returns how far the shape lies from all that was learnt, and how far it may. */
static void usual_compare(const struct alert_usual *u, const struct hist *h, double *ret_distance, double *ret_limit)
{
	double d[ALERT_HOUR], mean = u->n ? u->all.n / (double)u->n : 0;
	struct shape s;

	shape_of(h, &s);
	for (size_t i = 0; i < u->n; i++)
		d[i] = shape_distance(&u->window[i], &u->all, &u->window[i]);
	*ret_distance = shape_distance(&s, &u->all, NULL);
	*ret_limit = u->n ? limit_of(d, u->n) : INFINITY;
	if (s.n && s.n < mean)			/* with fewer events, distances grow by the root of their number */
		*ret_limit *= sqrt(mean / s.n);
}

/* ---- states ---- */

static const char *const names[] = { [ALERT_OK] = "ok", [ALERT_PENDING] = "pending", [ALERT_FIRING] = "firing", [ALERT_NO_DATA] = "no_data" };

const char *alert_state_name(enum alert_state state)
{
	return names[state];
}

enum alert_state alert_state_of(const char *name)
{
	for (int i = 0; name && i < ALERT_NO_DATA; i++)
		if (!strcmp(names[i], name))
			return (enum alert_state)i;
	return ALERT_NO_DATA;
}

int alert_init(struct alert *a, const struct alert_rule *r)
{
	*a = (struct alert){ .rule = *r, .state = ALERT_NO_DATA, .value = NAN, .limit = NAN };
	if (r->kind == ALERT_SHAPE)
		a->usual = calloc(1, sizeof(*a->usual));
	return r->kind == ALERT_SHAPE && !a->usual ? -ENOMEM : 0;
}

void alert_fini(struct alert *a)
{
	free(a->usual);
	a->usual = NULL;
}

static bool set_state(struct alert *a, enum alert_state state, __s64 since_ns)
{
	if (a->state == state)
		return false;
	a->state = state;
	a->since_ns = since_ns;
	a->n_fired = 0;
	return true;
}

static bool step_unobserved(struct alert *a, const struct alert_window *w)
{
	a->n_over = a->n_clear = 0;
	if (a->state == ALERT_FIRING && ++a->n_dark < a->rule.hold)
		return false;
	return set_state(a, ALERT_NO_DATA, w->from_ns);
}

/* Returns the share of the events in buckets that lie wholly above the line. */
static double share_above(const struct hist *h, __u64 line)
{
	double above = 0, all = (double)hist_total(h);

	for (__u32 cell = ruler_cells(h->ruler); cell-- > 0 && ruler_first(h->ruler, cell) > line;)
		above += (double)h->cell[cell];
	return all > 0 ? above / all : 0;
}

/* Returns false if this window gives no value. */
static bool measure_window(struct alert *a, const struct alert_window *w)
{
	const struct alert_rule *r = &a->rule;

	switch (r->kind) {
	case ALERT_PERCENTILE:
		a->value = w->hist->count ? (double)hist_percentile(w->hist, (__u32)(r->percentile * 1e6 + 0.5)) : 0;
		a->limit = (double)r->above;
		return true;
	case ALERT_SHARE:
		a->value = share_above(w->hist, r->above);
		a->limit = r->share;
		return true;
	default:
		if (w->hist->count < ALERT_FEW)
			return false;
		if (a->usual->n >= ALERT_LEARNT)
			usual_compare(a->usual, w->hist, &a->value, &a->limit);
		return true;
	}
}

void alert_learn(struct alert *a, const struct alert_window *w)
{
	if (a->usual && w->observed && w->hist->count >= ALERT_FEW)
		usual_learn(a->usual, w->hist);
}

static bool step_over(struct alert *a, const struct alert_window *w)
{
	a->n_clear = 0;
	if (!a->n_over++)
		a->over_ns = w->from_ns;
	if (a->state == ALERT_FIRING)
		return false;
	return set_state(a, a->n_over >= a->rule.hold ? ALERT_FIRING : ALERT_PENDING, a->over_ns);
}

static bool step_under(struct alert *a, const struct alert_window *w)
{
	a->n_over = 0;
	a->n_clear = a->value <= ALERT_CLEAR * a->limit ? a->n_clear + 1 : 0;
	if (a->state == ALERT_FIRING && a->n_clear < a->rule.hold)
		return false;
	return set_state(a, ALERT_OK, w->from_ns);
}

/* A shape that has differed for an hour becomes the usual one. */
static bool accept_shape(struct alert *a, const struct alert_window *w)
{
	if (!a->usual || a->state != ALERT_FIRING || ++a->n_fired < ALERT_HOUR)
		return false;
	memset(a->usual, 0, sizeof(*a->usual));
	a->n_over = 0;
	return set_state(a, ALERT_NO_DATA, w->to_ns);
}

bool alert_step(struct alert *a, const struct alert_window *w)
{
	bool changed, over;

	if (!w->observed)
		return step_unobserved(a, w);
	a->n_dark = 0;
	if (!measure_window(a, w))
		return false;
	if (a->usual && a->usual->n < ALERT_LEARNT) {
		alert_learn(a, w);
		return set_state(a, ALERT_NO_DATA, w->from_ns);
	}
	over = a->value > a->limit;
	changed = over ? step_over(a, w) : step_under(a, w);
	if (a->value <= ALERT_USUAL * a->limit && a->state != ALERT_FIRING)
		alert_learn(a, w);
	return accept_shape(a, w) || changed;
}

/* ---- in words ---- */

static void what_text(const struct alert *a, const char *measure, char *out, size_t room)
{
	int n = a->rule.kind == ALERT_PERCENTILE ? snprintf(out, room, "p%g of %s", 100 * a->rule.percentile, measure) :
						  snprintf(out, room, "%s", measure);

	if (*a->rule.key && n > 0 && (size_t)n < room)
		snprintf(out + n, room - (size_t)n, " of %s", a->rule.key);
}

void alert_sentence(const struct alert *a, const char *measure, const char *unit, char *out, size_t room)
{
	char value[AXIS_TEXT], line[AXIS_TEXT], what[NAME_MAX_LEN + LABEL_MAX + 32];

	what_text(a, measure, what, sizeof(what));
	axis_format((double)a->rule.above, axis_unit(unit), line);
	if (a->usual && a->usual->n < ALERT_LEARNT) {
		snprintf(out, room, "%s: learning what is usual, %zu of %d windows", what, a->usual->n, ALERT_LEARNT);
	} else if (a->state == ALERT_NO_DATA || isnan(a->value)) {
		snprintf(out, room, "%s: not observed", what);
	} else if (a->rule.kind == ALERT_PERCENTILE) {
		axis_format(a->value, axis_unit(unit), value);
		snprintf(out, room, "%s is %s, %s %s", what, value, a->value > a->limit ? "above" : "within", line);
	} else if (a->rule.kind == ALERT_SHARE) {
		snprintf(out, room, "%.3g %% of %s lies above %s, %s than %.3g %%", 100 * a->value, what, line,
			 a->value > a->limit ? "more" : "no more", 100 * a->limit);
	} else {
		snprintf(out, room, "%s lies %.2g octaves from the hour before, %s %.2g", what, a->value,
			 a->value > a->limit ? "beyond" : "within", a->limit);
	}
}
