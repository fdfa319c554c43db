#include "ui/cli/watch/map.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 4000
#define ROWS_MAX 65536
#define MAP_TIME_MAX_S 4e9		/* in ns, the difference of two fits into 64 bits */

static const struct map_column not_observed = { .state = MAP_UNOBSERVED, .share = 1 };

/* --- numbers and names out of JSON --- */

/* A number, or null, which is no limit. */
static bool read_edge(const json_t *json, double *ret)
{
	*ret = json_is_null(json) ? INFINITY : json_number_value(json);
	return json_is_null(json) || (json_is_number(json) && *ret >= 0);
}

static bool read_text(const json_t *json, const char *name, char *out, size_t room)
{
	const char *text = json_string_value(json_object_get(json, name));

	if (!text || strlen(text) >= room)
		return false;
	strcpy(out, text);
	return true;
}

static bool read_numbers(const json_t *array, size_t n, double *out)
{
	if (json_array_size(array) != n)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!json_is_number(json_array_get(array, i)))
			return false;
		out[i] = json_number_value(json_array_get(array, i));
	}
	return true;
}

static bool read_colour(const json_t *json, __u32 *ret_rgb)
{
	const char *text = json_string_value(json);
	char *end;

	if (!text || text[0] != '#' || strlen(text) != 7)
		return false;
	*ret_rgb = (__u32)strtoul(text + 1, &end, 16);
	return !*end;
}

static bool read_state(const json_t *json, enum map_state *ret_state)
{
	static const char *const name[] = {
		[MAP_OK] = "ok", [MAP_ZERO] = "zero", [MAP_PARTIAL] = "partial", [MAP_UNOBSERVED] = "unobserved",
		[MAP_DROPPED] = "dropped", [MAP_IN_PROGRESS] = "in_progress",
	};

	for (size_t i = 0; i < sizeof(name) / sizeof(*name); i++)
		if (!strcmp(json_string_value(json) ?: "", name[i])) {
			*ret_state = (enum map_state)i;
			return true;
		}
	return false;
}

/* --- columns --- */

static void column_fini(struct map_column *c)
{
	free(c->cell);
	free(c->running);
}

static int read_cells(const json_t *array, size_t n_rows, struct map_column *c)
{
	c->n_cells = json_array_size(array);
	c->cell = calloc(c->n_cells + 1, sizeof(*c->cell));
	if (!c->cell)
		return -ENOMEM;
	for (size_t i = 0; i < c->n_cells; i++) {
		double pair[2];

		if (!read_numbers(json_array_get(array, i), 2, pair))
			return -EBADMSG;
		if (!(pair[0] >= 0 && pair[0] < (double)n_rows))
			return -ESTALE;
		c->cell[i] = (struct map_cell){ (size_t)pair[0], pair[1] };
	}
	return 0;
}

static int read_running(const json_t *array, struct map_column *c)
{
	c->n_running = json_array_size(array);
	c->running = calloc(c->n_running + 1, sizeof(*c->running));
	if (!c->running)
		return -ENOMEM;
	for (size_t i = 0; i < c->n_running; i++) {
		const json_t *three = json_array_get(array, i);
		struct map_running *r = &c->running[i];

		r->n = json_number_value(json_array_get(three, 2));
		if (!read_edge(json_array_get(three, 0), &r->low) || !read_edge(json_array_get(three, 1), &r->high))
			return -EBADMSG;
	}
	return 0;
}

static int read_column(const json_t *json, size_t n_rows, struct map_column *ret_column)
{
	struct map_column c = { .share = 1 };
	json_t *cells = NULL, *running = NULL, *state = NULL;
	int step = 0, err = 0;

	if (json_unpack((json_t *)json, "{s:o, s:F, s:F, s:F, s?F, s?b, s?F, s:F, s:F, s:o, s?o}", "state", &state,
			"reporting", &c.reporting, "expected", &c.expected, "lost", &c.lost, "sampled", &c.sampled,
			"clock_step", &step, "share", &c.share, "count", &c.count, "p50", &c.p50, "cells", &cells, "running", &running) ||
	    !read_state(state, &c.state))
		return -EBADMSG;
	c.clock_step = step;
	err = read_cells(cells, n_rows, &c);
	if (!err)
		err = read_running(running, &c);
	if (err)
		column_fini(&c);
	else
		*ret_column = c;
	return err;
}

/* --- the whole --- */

static int read_shade(const json_t *shade, struct map *m)
{
	const json_t *palette = json_object_get(shade, "palette");
	const char *yscale = json_string_value(json_object_get(shade, "yscale"));

	m->yscale = yscale && !strcmp(yscale, "linear") ? AXIS_LINEAR : AXIS_LOG;
	if (!read_text(shade, "transfer", m->transfer, sizeof(m->transfer)) ||
	    !read_numbers(json_object_get(shade, "scale"), m->n_rows, m->scale) ||
	    !read_numbers(json_object_get(shade, "levels"), SHADE_LEVELS, m->level) ||
	    json_array_size(palette) != PALETTE_COLOURS)
		return -EBADMSG;
	for (size_t i = 0; i < PALETTE_COLOURS; i++)
		if (!read_colour(json_array_get(palette, i), &m->palette[i]))
			return -EBADMSG;
	return read_colour(json_object_get(shade, "zero"), &m->zero) &&
	       read_colour(json_object_get(shade, "unobserved"), &m->unobserved) &&
	       read_colour(json_object_get(shade, "partial"), &m->partial) &&
	       read_colour(json_object_get(shade, "running"), &m->running) ? 0 : -EBADMSG;
}

/* Ascending, so that a row has a height. */
static int read_edges(const json_t *array, struct map *m)
{
	if (json_array_size(array) != m->n_rows + 1)
		return -EBADMSG;
	for (size_t i = 0; i <= m->n_rows; i++)
		if (!read_edge(json_array_get(array, i), &m->edge[i]) || (i && !(m->edge[i] > m->edge[i - 1])))
			return -EBADMSG;
	return 0;
}

static int read_columns(const json_t *array, struct map *m)
{
	int err = json_array_size(array) == m->n_cols ? 0 : -EBADMSG;

	for (size_t i = 0; i < m->n_cols && !err; i++)
		err = read_column(json_array_get(array, i), m->n_rows, &m->column[i]);
	return err == -ESTALE ? -EBADMSG : err;
}

static int read_head(const json_t *reply, struct map *m)
{
	double n_cols, n_rows;

	if (json_unpack((json_t *)reply, "{s:F, s:F, s:F, s:F, s:F, s:{s:F, s:F, s:F, s:F}}", "from", &m->from_s,
			"column", &m->column_s, "slot", &m->slot_s, "ncols", &n_cols, "nrows", &n_rows,
			"summary", "count", &m->all.count, "p50", &m->all.p50, "p99", &m->all.p99, "lost", &m->all.lost))
		return -EBADMSG;
	if (!read_text(reply, "measure", m->measure, sizeof(m->measure)) || !read_text(reply, "unit", m->unit, sizeof(m->unit)))
		return -EBADMSG;
	if (!(n_cols >= 1 && n_cols <= COLUMNS_MAX && n_rows >= 1 && n_rows <= ROWS_MAX))
		return -EBADMSG;
	if (!(m->column_s > 0 && m->column_s < 1e9 && fabs(m->from_s) < 1e11))
		return -EBADMSG;
	m->point = !strcmp(json_string_value(json_object_get(reply, "scope")) ?: "", "point");
	m->n_cols = (size_t)n_cols;
	m->n_rows = (size_t)n_rows;
	return 0;
}

int map_read(const json_t *reply, struct map **ret_map)
{
	struct map *m = calloc(1, sizeof(*m));
	int err = m ? read_head(reply, m) : -ENOMEM;

	if (!err) {
		m->edge = calloc(m->n_rows + 1, sizeof(*m->edge));
		m->scale = calloc(m->n_rows, sizeof(*m->scale));
		m->column = calloc(m->n_cols, sizeof(*m->column));
		err = m->edge && m->scale && m->column ? 0 : -ENOMEM;
	}
	if (!err)
		err = read_edges(json_object_get(reply, "edge"), m);
	if (!err)
		err = read_shade(json_object_get(reply, "shade"), m);
	if (!err)
		err = read_columns(json_object_get(reply, "columns"), m);
	if (err)
		map_free(m);
	else
		*ret_map = m;
	return err;
}

void map_free(struct map *m)
{
	for (size_t i = 0; m && m->column && i < m->n_cols; i++)
		column_fini(&m->column[i]);
	if (m) {
		free(m->edge);
		free(m->scale);
		free(m->column);
	}
	free(m);
}

/* --- live --- */

/* Makes room for so many columns at the right. */
static void shift_left(struct map *m, double n)
{
	size_t shift = n < (double)m->n_cols ? (size_t)n : m->n_cols;

	for (size_t i = 0; i < shift; i++)
		column_fini(&m->column[i]);
	memmove(m->column, m->column + shift, (m->n_cols - shift) * sizeof(*m->column));
	for (size_t i = m->n_cols - shift; i < m->n_cols; i++)
		m->column[i] = not_observed;
	m->from_s += n * m->column_s;
}

int map_put_column(struct map *m, const json_t *event)
{
	const json_t *from = json_object_get(event, "from");
	double at = round((json_number_value(from) - m->from_s) / m->column_s), last = (double)m->n_cols - 1;
	struct map_column c;
	int err = json_is_number(from) && fabs(at) < 1e9 ? 0 : -EBADMSG;

	if (!err)
		err = read_column(json_object_get(event, "column"), m->n_rows, &c);
	if (err)
		return err;
	if (at < 0) {
		column_fini(&c);
		return 0;
	}
	if (at > last) {
		shift_left(m, at - last);
		at = last;
	}
	column_fini(&m->column[(size_t)at]);
	m->column[(size_t)at] = c;
	return 0;
}

int map_put_levels(struct map *m, const json_t *event)
{
	double level[SHADE_LEVELS];

	if (!read_numbers(json_object_get(event, "levels"), SHADE_LEVELS, level))
		return -EBADMSG;
	memcpy(m->level, level, sizeof(level));
	return 0;
}

__s64 map_ns(double time_s)
{
	return (__s64)llround(fmax(-MAP_TIME_MAX_S, fmin(time_s, MAP_TIME_MAX_S)) * 1e9);
}

bool map_is_observed(const struct map *m)
{
	for (size_t col = 0; col < m->n_cols; col++)
		if (m->column[col].reporting > 0 || m->column[col].count > 0)
			return true;
	return false;
}

double map_end_s(const struct map *m)
{
	return m->from_s + (double)m->n_cols * m->column_s;
}

long map_column_at(const struct map *m, double time_s)
{
	double at = floor((time_s - m->from_s) / m->column_s + 1e-6);

	return at >= 0 && at < (double)m->n_cols ? (long)at : -1;
}

bool map_is_underflow(const struct map *m, double low)
{
	return low == 0 && m->yscale == AXIS_LOG;
}

bool map_is_overflow(double high)
{
	return isinf(high);
}
