#include "stream.h"
#include "value.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TICK_MS 100			/* nothing changed: what is due, who has left */
#define GAP_MS 50			/* from an event to the next look at what has changed */
#define SHADE_EVERY_MS 1000
#define GRID_EVERY_MS 1000		/* of whole grids, in the long run; */
#define GRIDS_AHEAD 5			/* so many may follow one another at once */
#define HEARTBEAT_MS 10000
#define MARKS_MAX 64			/* intervals of changed slots; more: the whole grid */
#define COLUMNS_MAX 64			/* columns in one tick; more: the whole grid */

struct span {				/* slots, inclusive */
	__s64 first, last;
};

struct stream {
	struct stream *next, **link;	/* link NULL: not among the streams any more */
	struct aggregator *a;
	struct http_request *request;	/* until the first grid is there */
	struct http_stream *http;	/* from then on; NULL: the reader is gone */
	__u64 inst;
	size_t n_params;
	struct http_param *param;	/* our own copy */
	uv_timer_t timer;
	bool running;			/* a whole grid is on its way */
	bool closed;			/* the timer is closed: free when nothing runs */

	struct value *shown;		/* the grid as the reader knows it, with its shade */
	size_t n_marks;
	struct span mark[MARKS_MAX];
	__s64 next_col;			/* columns before it were sent at least once */
	size_t n_open;
	__s64 open[COLUMNS_MAX];	/* columns sent as in progress */
	bool want_grid, want_shade;

	/* By the loop's clock, which nobody sets: when last, and until when the grids so far are paid for. */
	__u64 shaded_ms, put_ms, grids_ms;
};

static const struct grid *grid_of(const struct stream *s) { return s->shown->grid[0]; }

/* ---- events ---- */

static void put_event(struct stream *s, struct bytes *out)
{
	if (!out->err)
		http_stream_put(s->http, (const char *)out->data, out->len);
	s->put_ms = uv_now(s->a->loop);
	bytes_fini(out);
}

static void put_grid(struct stream *s)
{
	struct bytes out = { 0 };

	writer_raw(&out, "event: grid\ndata: ");
	bytes_put(&out, s->shown->data, s->shown->len);		/* ends in one newline */
	writer_raw(&out, "\n");
	put_event(s, &out);
}

static void put_shade(struct stream *s)
{
	const struct shade *shade = &s->shown->shade;
	struct bytes out = { 0 };

	writer_raw(&out, "event: shade\ndata: {");
	writer_name(&out, "levels");
	writer_raw(&out, "[");
	for (size_t i = 0; i < SHADE_LEVELS; i++) {
		writer_comma(&out);
		writer_real(&out, shade->level[i]);
	}
	writer_raw(&out, "]}\n\n");
	put_event(s, &out);
}

static void put_column(struct stream *s, const struct grid *g, size_t col, __s64 index, long row_shift)
{
	struct bytes out = { 0 };

	writer_raw(&out, "event: column\ndata: {");
	writer_name_seconds(&out, "from", g->from_ns + (__s64)(col * g->col_ns));
	writer_name(&out, "column");
	payload_column(&out, g, col, (__u64)index, row_shift);
	writer_raw(&out, "}\n\n");
	put_event(s, &out);
}

/* ---- what has changed ---- */

static void mark(struct stream *s, __s64 first, __s64 last)
{
	for (size_t i = 0; i < s->n_marks; i++)
		if (first <= s->mark[i].last + 1 && last >= s->mark[i].first - 1) {
			s->mark[i].first = first < s->mark[i].first ? first : s->mark[i].first;
			s->mark[i].last = last > s->mark[i].last ? last : s->mark[i].last;
			return;
		}
	if (s->n_marks == MARKS_MAX)
		s->want_grid = true;
	else
		s->mark[s->n_marks++] = (struct span){ first, last };
}

static void mark_column(struct stream *s, __s64 col)
{
	const struct grid *g = grid_of(s);
	__s64 per = (__s64)(g->col_ns / g->slot_ns), first = g->from_ns / (__s64)g->slot_ns + col * per;

	mark(s, first, first + per - 1);
}

static __s64 column_end_ns(const struct stream *s, __s64 col)
{
	return grid_of(s)->from_ns + (col + 1) * (__s64)grid_of(s)->col_ns;
}

/* Columns whose time is up: never sent, or sent as in progress. */
static void mark_due(struct stream *s, __s64 now)
{
	__s64 due_ns = now - SETTLE_NS, n_cols = (__s64)grid_of(s)->n_cols;

	if (column_end_ns(s, s->next_col + n_cols) <= due_ns)	/* the loop slept long */
		s->want_grid = true;
	while (!s->want_grid && column_end_ns(s, s->next_col) <= due_ns)
		mark_column(s, s->next_col++);
	for (size_t i = 0; i < s->n_open; i++)
		if (column_end_ns(s, s->open[i]) <= due_ns)
			mark_column(s, s->open[i]);
}

static int by_number(const void *a, const void *b)
{
	const __s64 *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The marks as columns, ascending, each once; -1: too many.  Clears the marks. */
static long take_columns(struct stream *s, __s64 col[COLUMNS_MAX])
{
	const struct grid *g = grid_of(s);
	__s64 per = (__s64)(g->col_ns / g->slot_ns), from = g->from_ns / (__s64)g->slot_ns;
	__s64 oldest = s->next_col - (__s64)g->n_cols, newest = (now_ns() - g->from_ns) / (__s64)g->col_ns;
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < s->n_marks; i++) {
		__s64 first = (s->mark[i].first - from) / per, last = (s->mark[i].last - from) / per;

		first = s->mark[i].first < from ? 0 : first;
		last = last < newest ? last : newest;
		for (first = first > oldest ? first : oldest; first <= last && s->mark[i].last >= from; first++) {
			if (n == COLUMNS_MAX)
				return -1;
			col[n++] = first;
		}
	}
	s->n_marks = 0;
	qsort(col, n, sizeof(*col), by_number);
	for (size_t i = 0; i < n; i++)
		if (!i || col[i] != col[i - 1])
			col[kept++] = col[i];
	return (long)kept;
}

static void remember_state(struct stream *s, __s64 col, const struct grid_column *c)
{
	size_t i = 0;

	while (i < s->n_open && s->open[i] != col)
		i++;
	if (i < s->n_open)
		s->open[i] = s->open[--s->n_open];
	if (!(c->marks & GRID_IN_PROGRESS))
		return;
	if (s->n_open == COLUMNS_MAX)
		s->want_grid = true;
	else
		s->open[s->n_open++] = col;
}

/* ---- columns ---- */

/* Row 0 of `part` is which row of the reader's grid?  Its rows may begin above or below. */
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

/* Does every cell have a row in the reader's grid?  Looks for the brightest on the way. */
static bool column_fits(struct stream *s, const struct grid *g, size_t col, long shift)
{
	const struct shade *shade = &s->shown->shade;

	for (size_t row = 0; row < g->n_rows; row++) {
		__u64 n = g->cell[row * g->n_cols + col];
		long to = (long)row + shift;

		if (!n)
			continue;
		if (to < 0 || (size_t)to >= shade->n_rows)
			return false;
		if (grid_shown(g, g->column[col].n_snapshots, n) * shade->scale[to] > shade->max)
			s->want_shade = true;
	}
	return true;
}

/* n columns of one measure. */
static int fold_axis(struct stream *s, int axis, __s64 col, size_t n, struct grid **ret_grid)
{
	struct query q = value_query(s->shown, axis);
	const struct catalog_inst *ci = catalog_find(s->a->catalog, s->inst);
	__s64 first, last, cube_first, cube_last;
	struct fold *f = NULL;
	int err = ci ? 0 : -ENOENT;

	q.from_ns = grid_of(s)->from_ns + col * (__s64)grid_of(s)->col_ns;
	q.to_ns = q.from_ns + (__s64)n * (__s64)grid_of(s)->col_ns;
	q.n_cols = n;
	q.now_ns = now_ns();
	query_slots(&q, &first, &last);
	if (!err && !cube_range(s->a->cube, s->inst, &cube_first, &cube_last) && first < cube_first)
		err = -ESTALE;		/* nothing in it at all is an answer, too */
	if (!err)
		err = fold_new(&q, &f);
	if (!err)
		err = value_expect(s->a, ci, q.now_ns, f);
	if (!err)
		err = cube_read(s->a->cube, s->inst, first, last, q.axis, q.weight, fold_reader(f));
	if (!err) {
		*ret_grid = fold_grid(f);
		err = *ret_grid ? 0 : fold_error(f) ?: -ENOMEM;
	}
	fold_free(f);
	return err;
}

static int fold_columns(struct stream *s, __s64 col, size_t n, struct grid **ret_grid)
{
	int axis = value_running_axis(s->shown);
	struct grid *g;
	int err = fold_axis(s, s->shown->fold_axis[0], col, n, &g);

	if (err)
		return err;
	if (axis >= 0)
		err = fold_axis(s, axis, col, n, &g->running);
	if (err)
		grid_free(g);
	else
		*ret_grid = g;
	return err;
}

/* One run of neighbouring columns. */
static void send_run(struct stream *s, __s64 col, size_t n)
{
	struct grid *g;
	long shift = 0;

	if (fold_columns(s, col, n, &g)) {
		s->want_grid = true;
		return;
	}
	if (rows_match(grid_of(s), g, &shift))
		s->want_grid = true;
	for (size_t i = 0; i < n && !s->want_grid; i++) {
		if (!column_fits(s, g, i, shift)) {
			s->want_grid = true;
			break;
		}
		put_column(s, g, i, col + (__s64)i, shift);
		remember_state(s, col + (__s64)i, &g->column[i]);
		if (col + (__s64)i >= s->next_col)
			s->next_col = col + (__s64)i + 1;
	}
	grid_free(g);
}

static void send_columns(struct stream *s)
{
	__s64 col[COLUMNS_MAX];
	long n = take_columns(s, col);
	size_t len;

	if (n < 0)
		s->want_grid = true;
	for (long i = 0; i < n && !s->want_grid; i += (long)len) {
		for (len = 1; i + (long)len < n && col[i + (long)len] == col[i] + (__s64)len;)
			len++;
		send_run(s, col[i], len);
	}
}

/* ---- whole grids ---- */

static void maybe_free(struct stream *s)
{
	if (!s->closed || s->running)
		return;
	value_free(s->shown);
	for (size_t i = 0; i < s->n_params; i++) {
		free((char *)s->param[i].name);
		free((char *)s->param[i].value);
	}
	free(s->param);
	free(s);
}

static void on_timer_closed(uv_handle_t *timer)
{
	struct stream *s = timer->data;

	s->closed = true;
	maybe_free(s);
}

static void stream_close(struct stream *s)
{
	if (!s->link)
		return;
	*s->link = s->next;
	if (s->next)
		s->next->link = s->link;
	s->link = NULL;
	s->http = NULL;
	uv_close((uv_handle_t *)&s->timer, on_timer_closed);
}

static void on_gone(void *arg)
{
	stream_close(arg);
}

/* Are rows and their scale the same, so that only the levels differ? */
static bool same_rows(const struct value *a, const struct value *b)
{
	const struct grid *g = a->grid[0], *h = b->grid[0];

	return g->n_rows == h->n_rows && !memcmp(g->edge, h->edge, (g->n_rows + 1) * sizeof(*g->edge)) &&
	       !memcmp(a->shade.scale, b->shade.scale, g->n_rows * sizeof(*a->shade.scale));
}

static void show(struct stream *s, struct value *v)
{
	value_free(s->shown);
	s->shown = v;
	s->next_col = (__s64)v->grid[0]->n_cols;
	s->n_open = 0;
	s->want_grid = s->want_shade = false;
	for (size_t i = 0; i < v->grid[0]->n_cols; i++)
		if (v->grid[0]->column[i].marks & GRID_IN_PROGRESS)
			remember_state(s, (__s64)i, &v->grid[0]->column[i]);
	put_grid(s);
	free(v->data);			/* it stays as long as the reader: grid and shade are enough */
	v->data = NULL;
}

/* New levels for the grid that the reader has. */
static void reshade(struct stream *s, struct value *v)
{
	struct shade old = s->shown->shade;

	s->shown->shade = v->shade;
	v->shade = old;
	s->want_shade = false;
	put_shade(s);
	value_free(v);
}

static void on_tick(uv_timer_t *timer);

/* What has changed goes at once, if nothing went just before: a tick that found nothing delays nobody. */
static void hurry(struct stream *s)
{
	__u64 now_ms = uv_now(s->a->loop), due_ms = s->put_ms + GAP_MS;

	uv_timer_start(&s->timer, on_tick, due_ms > now_ms ? due_ms - now_ms : 0, TICK_MS);
}

static void on_grid(struct value *v, void *arg)
{
	struct stream *s = arg;
	struct http_request *r = s->request;

	s->running = false;
	s->request = NULL;
	s->shaded_ms = uv_now(s->a->loop);
	if (r && v->status != 200) {
		http_error(r, v->status, v->code, v->reason);
		stream_close(s);
	} else if (r) {
		s->http = http_stream(r, on_gone, s);
		if (!s->http)
			stream_close(s);
		else if (!catalog_find(s->a->catalog, s->inst))
			http_stream_end(s->http);	/* deleted meanwhile: nobody will tell again */
	}
	if (!s->http || v->status != 200) {
		value_free(v);		/* the reader is gone; or an error, which the next try may not have */
		maybe_free(s);
		return;
	}
	if (!s->shown || s->want_grid || !same_rows(s->shown, v))
		show(s, v);
	else
		reshade(s, v);
	hurry(s);			/* what changed meanwhile */
}

static int run(struct stream *s, char *reason)
{
	const struct catalog_inst *ci = catalog_find(s->a->catalog, s->inst);
	struct value *v;
	int err = ci ? value_new(s->a, ci, VALUE_STREAM, s->param, s->n_params, &v, reason) : -ENOENT;

	if (err)
		return err;
	s->running = true;
	if (s->want_grid)
		s->n_marks = 0;		/* all that is in the new one */
	value_run(v, on_grid, s);
	return 0;
}

/* A cell without a row waits for its grid, and every column after it: such grids must not wait for one another.  A
 * reader whose rows change all the time gets them at their pace all the same. */
static bool grid_may_go(struct stream *s, __u64 now_ms)
{
	__u64 paid_ms = s->grids_ms > now_ms ? s->grids_ms : now_ms;

	if (paid_ms - now_ms > (GRIDS_AHEAD - 1) * GRID_EVERY_MS)
		return false;
	s->grids_ms = paid_ms + GRID_EVERY_MS;
	return true;
}

static void on_tick(uv_timer_t *timer)
{
	struct stream *s = timer->data;
	char reason[PARAMS_REASON_MAX];
	__u64 now_ms = uv_now(s->a->loop);

	if (s->http)
		catalog_touch(s->a->catalog, s->inst, now_ns());	/* an open stream is somebody who asks */
	if (!s->http || s->running || http_stream_waiting(s->http))
		return;
	mark_due(s, now_ns());
	if (s->n_marks && !s->want_grid)
		send_columns(s);
	if (s->want_grid ? grid_may_go(s, now_ms) : s->want_shade && now_ms - s->shaded_ms >= SHADE_EVERY_MS)
		run(s, reason);
	if (now_ms - s->put_ms >= HEARTBEAT_MS) {
		http_stream_put(s->http, ":\n\n", 3);
		s->put_ms = now_ms;
	}
}

/* ---- all streams ---- */

static void on_amended(void *arg, __u64 inst, __s64 first, __s64 last)
{
	struct streams *all = arg;

	for (struct stream *s = all->first; s; s = s->next)
		if (s->inst == inst) {
			mark(s, first, last);
			hurry(s);
		}
}

static void on_changed(void *arg, bool wanted)
{
	struct streams *all = arg;

	for (struct stream *s = all->first; s; s = s->next)
		if (s->http && !catalog_find(all->a->catalog, s->inst))
			http_stream_end(s->http);
}

void streams_init(struct streams *all, struct aggregator *a)
{
	*all = (struct streams){ .a = a, .amended = { .amended = on_amended, .arg = all },
				 .changed = { .changed = on_changed, .arg = all } };
	flush_observe(a->flush, &all->amended);
	catalog_observe(a->catalog, &all->changed);
}

void streams_fini(struct streams *all)
{
	flush_unobserve(all->a->flush, &all->amended);
	catalog_unobserve(all->a->catalog, &all->changed);
	while (all->first)
		stream_close(all->first);
}

static int copy_params(struct stream *s, const struct http_param *param, size_t n)
{
	s->param = calloc(n + 1, sizeof(*s->param));
	for (size_t i = 0; s->param && i < n; i++) {
		s->param[i] = (struct http_param){ strdup(param[i].name), strdup(param[i].value) };
		s->n_params++;
		if (!s->param[i].name || !s->param[i].value)
			return -ENOMEM;
	}
	return s->param ? 0 : -ENOMEM;
}

int stream_open(struct streams *all, struct http_request *r, const struct catalog_inst *ci, char *reason)
{
	struct stream *s = calloc(1, sizeof(*s));
	const struct http_param *param;
	size_t n;
	int err;

	if (!s)
		return -ENOMEM;
	s->a = all->a;
	s->inst = ci->in.id;
	s->request = r;
	param = http_params(r, &n);
	uv_timer_init(all->a->loop, &s->timer);
	s->timer.data = s;
	s->next = all->first;
	s->link = &all->first;
	if (s->next)
		s->next->link = &s->next;
	all->first = s;
	err = copy_params(s, param, n);
	if (!err)
		err = run(s, reason);
	if (!err)
		err = uv_timer_start(&s->timer, on_tick, TICK_MS, TICK_MS);
	if (err)
		stream_close(s);
	return err;
}
