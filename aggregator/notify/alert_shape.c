#include "aggregator/notify/alert_shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 8				/* of an octave */
#define N_STEPS (64 * STEPS)
#define LEAST 0.06			/* octaves, 4 %: a smaller change is not worth waking anyone */
#define SPREADS 7			/* the limit is so many standard deviations above the middle, */
#define BEYOND 1.6			/* and so many times the distance of nearly all windows of the hour before */

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

/* Measures the distance of a from b, less `but` (NULL: from all of b). */
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

double alert_distance(const struct hist *a, const struct hist *b)
{
	struct shape x, y;

	shape_of(a, &x);
	shape_of(b, &y);
	return shape_distance(&x, &y, NULL);
}

/* ---- what is usual ---- */

struct alert_usual *alert_usual_new(void)
{
	return calloc(1, sizeof(struct alert_usual));
}

void alert_usual_free(struct alert_usual *u)
{
	free(u);
}

void alert_usual_clear(struct alert_usual *u)
{
	memset(u, 0, sizeof(*u));
}

size_t alert_usual_n(const struct alert_usual *u)
{
	return u->n;
}

static void shape_add(struct shape *to, const struct shape *s, double sign)
{
	to->n += sign * s->n;
	for (size_t i = 0; i < N_STEPS; i++)
		to->count[i] += sign * s->count[i];
}

void alert_usual_learn(struct alert_usual *u, const struct hist *h)
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

void alert_usual_compare(const struct alert_usual *u, const struct hist *h, double *ret_distance, double *ret_limit)
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
