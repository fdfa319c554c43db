#include "aggregator/live/view_active.h"
#include "aggregator/value/grid.h"

#include <errno.h>

/* ---- reading again ---- */

static struct active *active_of(struct value *v) { return grid_value_of(v)->active.active; }

static struct query query_now(const struct value *v, __s64 now_ns)
{
	const struct grid *g = v->grid[0];
	__s64 col_ns = (__s64)g->col_ns;
	struct query q = value_query(v, 0);

	q.n_cols = g->n_cols;
	q.to_ns = (now_ns / col_ns + 1) * col_ns;
	q.from_ns = q.to_ns - (__s64)g->n_cols * col_ns;
	q.now_ns = now_ns;
	return q;
}

static int read_slots(struct value *v, struct view_span slots, __s64 first, __s64 last, __s64 oldest)
{
	__s64 from = slots.first > first ? slots.first : first, to = slots.last < last ? slots.last : last;

	if (from > to)
		return 0;
	active_forget(active_of(v), from, to, &from, &to);
	if (from < oldest)
		return -ESTALE;
	return cube_read(v->services->cube, v->in.id, from, to, 0, -1, active_reader(active_of(v)));
}

static int read_running(struct value *v)
{
	const struct store_reader slices = {.arg = active_of(v), .slice = active_reader(active_of(v))->slice};
	__s64 first, last;

	active_forget_running(active_of(v));
	if (!active_running_slots(active_of(v), &first, &last))
		return 0;
	return cube_read(v->services->cube, v->in.id, first, last, value_in_flight_axis(v), 0, &slices);
}

/* Reads the columns' coverage; their cells stay empty. */
static int read_cover(const struct value *v, const struct catalog_inst *ci, const struct query *q,
		      struct grid **ret_grid)
{
	__s64 first, last;
	struct store_reader reader;
	struct fold *f = NULL;
	int err = fold_new(q, &f);

	if (err)
		return err;
	reader = *fold_reader(f);
	reader.slice = NULL;
	query_slots(q, &first, &last);
	err = value_expect(v->services, ci, q->now_ns, f);
	if (!err)
		err = cube_read(v->services->cube, v->in.id, first, last, 0, 0, &reader);
	if (!err) {
		*ret_grid = fold_grid(f);
		err = *ret_grid ? 0 : fold_error(f) ? fold_error(f) : -ENOMEM;
	}
	fold_free(f);
	return err;
}

int view_active_grid(struct value *v, const struct view_span *changed, size_t n, __s64 now_ns, struct grid **ret_grid)
{
	const struct catalog_inst *ci = catalog_find(v->services->catalog, v->in.id);
	struct query q = query_now(v, now_ns);
	struct grid *cover = NULL;
	__s64 first, last, oldest, newest, taken = active_last(active_of(v));
	int err = ci ? 0 : -ENOENT;

	query_slots(&q, &first, &last);
	if (!err && (cube_range(v->services->cube, v->in.id, &oldest, &newest) || first < oldest))
		err = -ESTALE;
	if (err)
		return err;
	active_move(active_of(v), q.from_ns, q.to_ns, last);
	active_width(active_of(v), 1);
	for (size_t i = 0; i < n && !err; i++)
		err = read_slots(v, changed[i], first, taken < last ? taken : last, oldest);
	if (!err)		/* their time has come; a source whose clock is ahead has sent them before, and will not
				 * send them again */
		err = read_slots(v, (struct view_span){taken + 1, last}, first, last, oldest);
	if (!err)
		err = read_running(v);
	if (!err)
		err = active_error(active_of(v));
	if (!err)
		err = read_cover(v, ci, &q, &cover);
	if (!err)
		err = active_grid(active_of(v), cover, ret_grid);
	grid_free(cover);
	return err;
}

/* ---- differences ---- */

bool view_active_differs(const struct grid *has, const struct grid *g, size_t col)
{
	__s64 at = (__s64)col + (g->from_ns - has->from_ns) / (__s64)g->col_ns;
	const struct grid_column *a, *b = &g->column[col];
	size_t old = (size_t)at;

	if (at < 0 || old >= has->n_cols)
		return true;
	a = &has->column[old];
	if (a->count != b->count || a->sum != b->sum || a->lost != b->lost || a->n_reporting != b->n_reporting ||
	    a->n_expected != b->n_expected || a->marks != b->marks || a->every != b->every ||
	    grid_known_ns(has, old) != grid_known_ns(g, col))
		return true;
	for (size_t row = 0; row < g->n_rows; row++)
		if (has->cell[row * has->n_cols + old] != g->cell[row * g->n_cols + col])
			return true;
	return false;
}
