#include "aggregator/live/view.h"
#include "aggregator/base/clock.h"
#include "aggregator/value/grid.h"
#include "aggregator/live/view_active.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define SHADE_EVERY_MS 1000
#define GRID_EVERY_MS 1000		/* whole grids, on average */
#define GRIDS_AHEAD 5			/* so many may follow one another at once */
#define MARKS_MAX 64			/* intervals of changed slots; beyond it: the whole grid */
#define COLUMNS_MAX 64			/* columns in one tick; beyond it: the whole grid */
#define ACTIVE_EVERY_MS 1000		/* grids of active events, and */
#define ACTIVE_REST 20			/* a pause of so many times as long as the last one took */

struct view {
	struct services *services;
	const struct view_owner *owner;	/* NULL: closed; freed when it is no longer busy */
	void *arg;
	__u64 inst;
	long number;			/* < 0: none */
	size_t n_params;
	struct http_param *param;	/* our own copy */
	struct waiter waiter;		/* for a whole grid that waits for a place */
	struct view_memory *memory;	/* of all views together */
	size_t kept;			/* bytes of it that this view uses */
	bool busy;			/* a whole grid is in flight, or the owner is being called, who may close the
					 * view */

	struct value *shown;		/* the client's grid, with its shade; NULL: none yet */
	size_t n_marks;
	struct view_span mark[MARKS_MAX];
	__s64 next_col;			/* columns before it were sent at least once */
	size_t n_open;
	__s64 open[COLUMNS_MAX];	/* columns that were sent as in progress */
	bool want_grid, want_shade;

	struct grid *sent;		/* of active events: the client's grid; NULL: as shown */

	/* By the loop's clock, which cannot be set: when the shade was last sent; until when the limit counts the grids
	 * so far; when active events may be read next. */
	__u64 shaded_ms, grids_ms, active_ms;
	__u64 asked_ns;			/* when the grid in flight was requested, by uv_hrtime() */
};

/* The shown grid.  Unless it is of active events, its cells and columns are dropped once they are sent. */
static const struct grid *grid_of(const struct view *v) { return v->shown->grid[0]; }

static struct shade *shade_of(const struct view *v) { return &grid_value_of(v->shown)->shade; }

/* NULL: it is not of active events. */
static struct active *active_of(struct value *value) { return grid_value_of(value)->active.active; }

/* ---- events ---- */

static void begin_event(const struct view *v, struct bytes *out, const char *name)
{
	writer_raw(out, "event: ");
	writer_raw(out, name);
	writer_raw(out, "\ndata: {");
	if (v->number >= 0)
		writer_name_number(out, "view", (__u64)v->number);
}

static void end_event(struct view *v, struct bytes *out)
{
	if (!out->err && v->owner)
		v->owner->event(v->arg, (const char *)out->data, out->len);
	bytes_fini(out);
}

static void put_grid(struct view *v)
{
	struct bytes out = { 0 };

	begin_event(v, &out, "grid");
	writer_comma(&out);
	/* without its {; it ends with one newline */
	bytes_put(&out, (const char *)v->shown->data + 1, v->shown->len - 1);
	writer_raw(&out, "\n");
	end_event(v, &out);
}

static void put_shade(struct view *v)
{
	const struct shade *shade = shade_of(v);
	struct bytes out = { 0 };

	begin_event(v, &out, "shade");
	writer_open(&out, "levels", "[");
	for (size_t i = 0; i < SHADE_LEVELS; i++) {
		writer_comma(&out);
		writer_real(&out, shade->level[i]);
	}
	writer_raw(&out, "]}\n\n");
	end_event(v, &out);
}

static void put_column(struct view *v, const struct grid *g, size_t col, __s64 index, long row_shift)
{
	struct bytes out = { 0 };

	begin_event(v, &out, "column");
	writer_name_seconds(&out, "from", g->from_ns + (__s64)(col * g->col_ns));
	writer_name(&out, "column");
	payload_column(&out, g, shade_of(v), col, (__u64)index, row_shift);
	writer_raw(&out, "}\n\n");
	end_event(v, &out);
}

/* ---- changes ---- */

void view_mark(struct view *v, __s64 first, __s64 last)
{
	for (size_t i = 0; i < v->n_marks; i++)
		if (first <= v->mark[i].last + 1 && last >= v->mark[i].first - 1) {
			v->mark[i].first = first < v->mark[i].first ? first : v->mark[i].first;
			v->mark[i].last = last > v->mark[i].last ? last : v->mark[i].last;
			return;
		}
	if (v->n_marks == MARKS_MAX)
		v->want_grid = true;
	else
		v->mark[v->n_marks++] = (struct view_span){ first, last };
}

static void mark_column(struct view *v, __s64 col)
{
	const struct grid *g = grid_of(v);
	__s64 per = (__s64)(g->col_ns / g->slot_ns), first = g->from_ns / (__s64)g->slot_ns + col * per;

	view_mark(v, first, first + per - 1);
}

static __s64 column_end_ns(const struct view *v, __s64 col)
{
	return grid_of(v)->from_ns + (col + 1) * (__s64)grid_of(v)->col_ns;
}

/* Marks columns that are due: never sent, or sent as in progress. */
static void mark_due(struct view *v, __s64 now)
{
	__s64 due_ns = now - SETTLE_NS, n_cols = (__s64)grid_of(v)->n_cols;

	if (column_end_ns(v, v->next_col + n_cols) <= due_ns)	/* the loop slept long, or the clock was set ahead */
		v->want_grid = true;
	if (column_end_ns(v, v->next_col) > now + 3 * (__s64)grid_of(v)->col_ns)	/* it was set back */
		v->want_grid = true;
	while (!v->want_grid && column_end_ns(v, v->next_col) <= due_ns)
		mark_column(v, v->next_col++);
	for (size_t i = 0; i < v->n_open; i++)
		if (column_end_ns(v, v->open[i]) <= due_ns)
			mark_column(v, v->open[i]);
}

static int by_number(const void *a, const void *b)
{
	const __s64 *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Turns the marks into columns, ascending, each once; -1: too many.  Clears the marks. */
static long take_columns(struct view *v, __s64 col[COLUMNS_MAX])
{
	const struct grid *g = grid_of(v);
	__s64 per = (__s64)(g->col_ns / g->slot_ns), from = g->from_ns / (__s64)g->slot_ns;
	__s64 oldest = v->next_col - (__s64)g->n_cols, newest = (now_ns() - g->from_ns) / (__s64)g->col_ns;
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < v->n_marks; i++) {
		__s64 first = (v->mark[i].first - from) / per, last = (v->mark[i].last - from) / per;

		first = v->mark[i].first < from ? 0 : first;
		last = last < newest ? last : newest;
		for (first = first > oldest ? first : oldest; first <= last && v->mark[i].last >= from; first++) {
			if (n == COLUMNS_MAX)
				return -1;
			col[n++] = first;
		}
	}
	v->n_marks = 0;
	qsort(col, n, sizeof(*col), by_number);
	for (size_t i = 0; i < n; i++)
		if (!i || col[i] != col[i - 1])
			col[kept++] = col[i];
	return (long)kept;
}

static void remember_state(struct view *v, __s64 col, const struct grid_column *c)
{
	size_t i = 0;

	while (i < v->n_open && v->open[i] != col)
		i++;
	if (i < v->n_open)
		v->open[i] = v->open[--v->n_open];
	if (!(c->marks & GRID_IN_PROGRESS))
		return;
	if (v->n_open == COLUMNS_MAX)
		v->want_grid = true;
	else
		v->open[v->n_open++] = col;
}

/* ---- columns ---- */

/* Finds which row of the client's grid is row 0 of `part`, whose rows may begin above or below. */
static int rows_match(const struct grid *whole, const struct grid *part, long *ret_shift)
{
	for (size_t i = 0; i < whole->n_rows; i++)
		for (size_t j = 0; j < part->n_rows; j++)
			if (whole->edge[i] == part->edge[j] && whole->edge[i + 1] == part->edge[j + 1]) {
				*ret_shift = (long)i - (long)j;
				return 0;
			}
	return -ENOENT;
}

/* Does every cell have a row in the client's grid?  Also looks for the brightest cell. */
static bool column_fits(struct view *v, const struct grid *g, size_t col, long shift)
{
	const struct shade *shade = shade_of(v);
	double share = shade_column(shade, g, col, shift);

	for (size_t row = 0; row < g->n_rows; row++) {
		__u64 n = g->cell[row * g->n_cols + col];
		long to = (long)row + shift;

		if (!n)
			continue;
		if (to < 0 || (size_t)to >= shade->n_rows)
			return false;
		if (grid_shown(g, g->column[col].n_snapshots, n) * shade->scale[to] * share > shade->max)
			v->want_shade = true;
	}
	return true;
}

/* Folds n columns of one measure. */
static int fold_axis(struct view *v, int axis, __s64 col, size_t n, struct grid **ret_grid)
{
	struct query q = value_query(v->shown, axis);
	const struct catalog_inst *ci = catalog_find(v->services->catalog, v->inst);
	__s64 first, last;
	struct fold *f = NULL;
	int err = ci ? 0 : -ENOENT;

	q.from_ns = grid_of(v)->from_ns + col * (__s64)grid_of(v)->col_ns;
	q.to_ns = q.from_ns + (__s64)n * (__s64)grid_of(v)->col_ns;
	q.n_cols = n;
	q.now_ns = now_ns();
	query_slots(&q, &first, &last);
	if (!err && !cube_answers(v->services->cube, v->inst, first))
		err = -ESTALE;
	if (!err)
		err = fold_new(&q, &f);
	if (!err)
		err = value_expect(v->services, ci, q.now_ns, f);
	if (!err)
		err = cube_read(v->services->cube, v->inst, first, last, q.axis, q.weight, fold_reader(f));
	if (!err) {
		*ret_grid = fold_grid(f);
		err = *ret_grid ? 0 : fold_error(f) ?: -ENOMEM;
	}
	fold_free(f);
	return err;
}

static int fold_columns(struct view *v, __s64 col, size_t n, struct grid **ret_grid)
{
	int axis = value_in_flight_axis(v->shown);
	struct grid *g;
	int err = fold_axis(v, v->shown->fold_axis[0], col, n, &g);

	if (err)
		return err;
	if (axis >= 0)
		err = fold_axis(v, axis, col, n, &g->running);
	if (err)
		grid_free(g);
	else
		*ret_grid = g;
	return err;
}

/* Sends one run of neighbouring columns. */
static void send_run(struct view *v, __s64 col, size_t n)
{
	struct grid *g;
	long shift = 0;

	if (fold_columns(v, col, n, &g)) {
		v->want_grid = true;
		return;
	}
	if (rows_match(grid_of(v), g, &shift))
		v->want_grid = true;
	for (size_t i = 0; i < n && !v->want_grid; i++) {
		if (!column_fits(v, g, i, shift)) {
			v->want_grid = true;
			break;
		}
		put_column(v, g, i, col + (__s64)i, shift);
		remember_state(v, col + (__s64)i, &g->column[i]);
		if (col + (__s64)i >= v->next_col)
			v->next_col = col + (__s64)i + 1;
	}
	grid_free(g);
}

static void send_columns(struct view *v)
{
	__s64 col[COLUMNS_MAX];
	long n = take_columns(v, col);
	size_t len;

	if (n < 0)
		v->want_grid = true;
	for (long i = 0; i < n && !v->want_grid; i += (long)len) {
		for (len = 1; i + (long)len < n && col[i + (long)len] == col[i] + (__s64)len;)
			len++;
		send_run(v, col[i], len);
	}
}

static void send_changes(struct view *v)
{
	mark_due(v, now_ns());
	if (v->n_marks && !v->want_grid)
		send_columns(v);
}

/* ---- active events ---- */

static void rest(struct view *v, __u64 took_ns)
{
	__u64 pause_ms = took_ns * ACTIVE_REST / 1000000;

	v->active_ms = uv_now(v->services->loop) + (pause_ms > ACTIVE_EVERY_MS ? pause_ms : ACTIVE_EVERY_MS);
}

/* A view keeps the value's slots and the client's grid. */
static size_t active_size(struct value *value)
{
	const struct grid *g = value->grid[0];

	return active_of(value) ? active_bytes(active_of(value)) + 2 * g->n_cols * (g->n_rows * sizeof(*g->cell) + sizeof(*g->column)) : 0;
}

static void keep(struct view *v, size_t bytes)
{
	v->memory->n += (bytes != 0) - (v->kept != 0);
	v->memory->bytes += bytes - v->kept;
	v->kept = bytes;
}

/* Sends all columns that differ from the client's. */
static void send_active(struct view *v)
{
	__u64 began_ns = uv_hrtime();
	const struct grid *has = v->sent ? v->sent : grid_of(v);
	struct grid *g;
	__s64 first;

	if (view_active_grid(v->shown, v->mark, v->n_marks, now_ns(), &g)) {
		v->want_grid = true;
		return;
	}
	v->n_marks = 0;
	first = (g->from_ns - grid_of(v)->from_ns) / (__s64)g->col_ns;
	for (size_t i = 0; i < g->n_cols; i++)
		if (view_active_differs(has, g, i))
			put_column(v, g, i, first + (__s64)i, 0);
	grid_free(v->sent);
	v->sent = g;
	keep(v, active_size(v->shown));
	rest(v, (uv_hrtime() - began_ns) * v->memory->n);	/* all such views together may use a share of the loop's
								 * time */
}

/* ---- whole grids ---- */

static void view_free(struct view *v)
{
	keep(v, 0);
	value_free(v->shown);
	grid_free(v->sent);
	for (size_t i = 0; i < v->n_params; i++) {
		free((char *)v->param[i].name);
		free((char *)v->param[i].value);
	}
	free(v->param);
	free(v);
}

void view_close(struct view *v)
{
	if (!v)
		return;
	v->owner = NULL;
	admission_remove(&v->services->admission, ADMISSION_LIVE, &v->waiter);
	if (!v->busy)
		view_free(v);
}

/* Returns true if the owner is still there; otherwise frees the view. */
static bool no_longer_busy(struct view *v)
{
	v->busy = false;
	if (v->owner)
		return true;
	view_free(v);
	return false;
}

/* Are rows and their scale the same, so that only the levels differ? */
static bool same_rows(struct value *a, struct value *b)
{
	const struct grid *g = a->grid[0], *h = b->grid[0];

	return g->n_rows == h->n_rows && !memcmp(g->edge, h->edge, (g->n_rows + 1) * sizeof(*g->edge)) &&
	       !memcmp(grid_value_of(a)->shade.scale, grid_value_of(b)->shade.scale, g->n_rows * sizeof(double));
}

static void forget_cells(struct grid *g)
{
	free(g->cell);
	free(g->column);
	grid_free(g->running);
	g->cell = NULL;
	g->column = NULL;
	g->running = NULL;
}

static void show(struct view *v, struct value *value)
{
	value_free(v->shown);
	grid_free(v->sent);
	v->sent = NULL;
	v->shown = value;
	keep(v, active_size(value));
	v->next_col = (__s64)value->grid[0]->n_cols;
	v->n_open = 0;
	v->want_grid = v->want_shade = false;
	for (size_t i = 0; i < value->grid[0]->n_cols; i++)
		if (value->grid[0]->column[i].marks & GRID_IN_PROGRESS)
			remember_state(v, (__s64)i, &value->grid[0]->column[i]);
	put_grid(v);
	free(value->data);		/* the value stays as long as the client: rows and shade are enough */
	value->data = NULL;
	if (!active_of(value))		/* its columns are compared with later ones */
		forget_cells(value->grid[0]);
}

/* Sends new levels for the client's grid. */
static void reshade(struct view *v, struct value *value)
{
	struct shade *shown = shade_of(v), *next = &grid_value_of(value)->shade, old = *shown;

	*shown = *next;
	*next = old;
	v->want_shade = false;
	put_shade(v);
	value_free(value);
}

/* Returns true if the client got something new. */
static bool take_value(struct view *v, struct value *value)
{
	if (!v->owner || value->status != 200) {	/* the next try may succeed; after the first there is no grid */
		if (v->owner && !v->shown)
			v->owner->failed(v->arg, value->status, value->code, value->reason);
		value_free(value);
		return false;
	}
	if (!v->shown && active_of(value) && v->memory->bytes + active_size(value) > VIEW_ACTIVE_MAX) {
		v->owner->failed(v->arg, 503, "ECA_NORESOURCE", "too many grids with active=true are streamed already");
		value_free(value);
		return false;
	}
	if (!v->shown || v->want_grid || !same_rows(v->shown, value))
		show(v, value);
	else
		reshade(v, value);
	return true;
}

static void on_grid(struct value *value, void *arg)
{
	struct view *v = arg;
	struct services *services = v->services;
	bool is_new = take_value(v, value);

	v->shaded_ms = uv_now(services->loop);
	if (v->shown && active_of(v->shown))
		rest(v, uv_hrtime() - v->asked_ns);
	if (no_longer_busy(v) && is_new)
		v->owner->changed(v->arg);	/* changes that came meanwhile */
	admission_leave(&services->admission, ADMISSION_LIVE);
}

/* It has a place, until on_grid(). */
static void run(struct view *v, struct value *value)
{
	v->busy = true;
	if (v->want_grid)
		v->n_marks = 0;		/* the new grid includes all marks */
	v->asked_ns = uv_hrtime();
	value_run(value, on_grid, v);
}

static int ask_for(struct view *v, struct value **ret_value, char *reason)
{
	const struct catalog_inst *ci = catalog_find(v->services->catalog, v->inst);

	return ci ? value_new(v->services, ci, VALUE_STREAM, v->param, v->n_params, ret_value, reason) : -ENOENT;
}

static struct view *of_waiter(struct waiter *t)
{
	return (struct view *)((char *)t - offsetof(struct view, waiter));
}

static bool waiter_wanted(struct waiter *t)
{
	struct view *v = of_waiter(t);

	return !v->owner->full(v->arg);
}

static void waiter_start(struct waiter *t)
{
	struct view *v = of_waiter(t);
	struct services *services = v->services;
	char reason[PARAMS_REASON_MAX];
	struct value *value;
	int err = ask_for(v, &value, reason);

	if (!err) {
		run(v, value);
		return;
	}
	if (!v->shown)
		v->owner->failed(v->arg, err == -ENOENT ? 404 : 503, err == -ENOENT ? "ECA_NOENT" : "ECA_NORESOURCE",
				 err == -ENOENT ? "there is no such instrumentation" : "out of memory");
	admission_leave(&services->admission, ADMISSION_LIVE);
}

static void waiter_drop(struct waiter *t) {}	/* view_tick() asks again */

/* Requests a whole grid, now or at its turn; the first call also reports an invalid request. */
static int ask(struct view *v, char *reason)
{
	struct value *value;
	int err = ask_for(v, &value, reason);

	if (err)
		return err;
	if (admission_take(&v->services->admission, ADMISSION_LIVE)) {
		run(v, value);
	} else {
		value_free(value);
		admission_wait(&v->services->admission, ADMISSION_LIVE, &v->waiter);
	}
	return 0;
}

/* A cell without a row must wait for a whole grid, and so must every column after it: such grids must not wait for one
 * another.  A client whose rows change all the time still gets only as many as the limit allows. */
static bool grid_may_go(struct view *v, __u64 now_ms)
{
	__u64 paid_ms = v->grids_ms > now_ms ? v->grids_ms : now_ms;

	if (paid_ms - now_ms > (GRIDS_AHEAD - 1) * GRID_EVERY_MS)
		return false;
	v->grids_ms = paid_ms + GRID_EVERY_MS;
	return true;
}

/* ---- calls from outside ---- */

void view_tick(struct view *v)
{
	__u64 now_ms = uv_now(v->services->loop);
	char reason[PARAMS_REASON_MAX];

	if (v->busy || v->waiter.waits || (v->shown && active_of(v->shown) && now_ms < v->active_ms))
		return;
	if (!v->shown) {
		ask(v, reason);		/* its turn came while the client was full */
		return;
	}
	v->busy = true;
	if (active_of(v->shown) && !v->want_grid)
		send_active(v);
	else if (!active_of(v->shown))
		send_changes(v);
	if (!no_longer_busy(v))
		return;
	if (v->want_grid ? grid_may_go(v, now_ms) : v->want_shade && now_ms - v->shaded_ms >= SHADE_EVERY_MS)
		ask(v, reason);
}

static int copy_params(struct view *v, const struct http_param *param, size_t n)
{
	v->param = calloc(n + 1, sizeof(*v->param));
	for (size_t i = 0; v->param && i < n; i++) {
		v->param[i] = (struct http_param){ strdup(param[i].name), strdup(param[i].value) };
		v->n_params++;
		if (!v->param[i].name || !v->param[i].value)
			return -ENOMEM;
	}
	return v->param ? 0 : -ENOMEM;
}

int view_new(struct services *services, struct view_memory *memory, const struct view_asked *asked, const struct view_owner *owner,
	     void *arg, struct view **ret_view, char *reason)
{
	struct view *v = calloc(1, sizeof(*v));
	int err;

	if (!v)
		return -ENOMEM;
	*v = (struct view){ .services = services, .memory = memory, .owner = owner, .arg = arg, .inst = asked->inst,
			   .number = asked->number, .waiter = { .wanted = waiter_wanted, .start = waiter_start, .drop = waiter_drop } };
	err = copy_params(v, asked->param, asked->n_params);
	if (!err)
		err = ask(v, reason);
	if (err) {
		view_free(v);
		return err;
	}
	*ret_view = v;
	return 0;
}
