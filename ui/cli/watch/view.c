#include "ui/cli/watch/view.h"

#include <math.h>
#include <stdio.h>

static const double steps[] = {
	1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 21600, 43200, 86400,
};
#define N_STEPS (sizeof(steps) / sizeof(*steps))

/* --- time --- */

double view_column_s(double duration_s, double slot_s, long n_cols)
{
	size_t i = 0;

	while (i + 1 < N_STEPS && steps[i] * slot_s * (double)n_cols < duration_s * (1 - 1e-9))
		i++;
	return steps[i] * slot_s;
}

static size_t step_of(const struct view *v, const struct scene *scene)
{
	size_t i = 0;

	while (i + 1 < N_STEPS && steps[i] * scene->subject->slot_s < v->column_s * (1 - 1e-9))
		i++;
	return i;
}

static double shown_end_s(const struct view *v, const struct scene *scene)
{
	return v->end_s > 0 ? v->end_s : scene->map ? map_end_s(scene->map) : 0;
}

/* The time under the cursor stays where it is; in a live view the end does. */
static unsigned zoom_time(struct view *v, const struct scene *scene, int direction)
{
	size_t step = step_of(v, scene);
	double before_s = v->column_s, at_s = v->pointing ? v->time_s : v->end_s;

	if (direction < 0 ? !step : step + 1 == N_STEPS) {
		snprintf(v->hint, sizeof(v->hint), direction < 0 ? "a column is one slot: there is nothing finer" :
			 "there is nothing coarser");
		return VIEW_REDRAW;
	}
	v->column_s = steps[direction < 0 ? step - 1 : step + 1] * scene->subject->slot_s;
	if (v->end_s > 0)
		v->end_s = ceil((at_s + (v->end_s - at_s) * v->column_s / before_s) / v->column_s) * v->column_s;
	return VIEW_ASK;
}

static unsigned pause_view(struct view *v, const struct scene *scene)
{
	if (v->end_s > 0)
		v->end_s = 0;
	else
		v->end_s = shown_end_s(v, scene);
	return VIEW_ASK;
}

/* Moves by half of the time shown; the view then stands still. */
static unsigned move_time(struct view *v, const struct scene *scene, int direction)
{
	double end_s = shown_end_s(v, scene), half = floor((double)scene->n_cols / 2);

	if (!(end_s > 0) || (direction > 0 && !(v->end_s > 0)))
		return 0;
	v->end_s = end_s + direction * half * v->column_s;
	return VIEW_ASK;
}

/* --- what is shown --- */

static unsigned ask_again(struct view *v)
{
	v->used = v->zoomed = (struct domain){ .high = 0 };
	return VIEW_ASK | VIEW_LIST;
}

static unsigned change_measure(struct view *v, const struct scene *scene, size_t by)
{
	v->measure = (v->measure + by) % scene->subject->n_measures;
	v->pointing = false;
	return ask_again(v);
}

static unsigned change_yscale(struct view *v, const struct scene *scene)
{
	bool is_linear = v->yscale == YSCALE_LINEAR;

	if (v->yscale == YSCALE_AUTO)
		is_linear = scene->map && scene->map->yscale == AXIS_LINEAR;
	v->yscale = is_linear ? YSCALE_LOG : YSCALE_LINEAR;
	return ask_again(v) & ~VIEW_LIST;
}

static unsigned change_transfer(struct view *v)
{
	static const enum shade_transfer next[] = {
		[SHADE_LOG] = SHADE_LINEAR, [SHADE_LINEAR] = SHADE_RANK, [SHADE_RANK] = SHADE_SQRT,
		[SHADE_SQRT] = SHADE_PERCENT, [SHADE_PERCENT] = SHADE_LOG,
	};

	v->transfer = next[v->transfer];
	return VIEW_ASK;
}

static unsigned change_palette(struct view *v)
{
	v->ramp = (v->ramp + 1) % PALETTE_RAMPS;
	return VIEW_ASK;
}

static unsigned zoom_values(struct view *v, double factor)
{
	struct domain now = v->zoomed.high > 0 ? v->zoomed : v->used;
	double middle = now.kind == AXIS_LOG ? sqrt(now.low * now.high) : (now.low + now.high) / 2;

	if (!(v->used.high > 0))
		return 0;
	now = domain_zoom(now, v->used, factor, v->pointing ? v->value : middle);
	if (now.low <= v->used.low * (1 + 1e-9) && now.high >= v->used.high * (1 - 1e-9))
		now.high = 0;
	v->zoomed = now;
	return VIEW_ASK;
}

static unsigned change_by(struct view *v, const struct scene *scene)
{
	if (scene->subject->n_fields < 2) {
		snprintf(v->hint, sizeof(v->hint), "keys have one field: there is no other to list them by");
		return VIEW_REDRAW;
	}
	v->by = (v->by + 1) % (scene->subject->n_fields + 1);
	v->overlay = OVERLAY_LIST;
	v->row = 0;
	return VIEW_LIST;
}

/* --- cursor --- */

static unsigned begin_pointing(struct view *v, const struct scene *scene)
{
	const struct map *m = scene->map;
	struct plot p = view_plot(v, m, scene->n_pixels);
	const struct map_column *last = &m->column[m->n_cols - 1];

	v->pointing = true;
	v->time_s = map_end_s(m) - m->column_s / 2;
	v->value = last->count > 0 ? last->p50 : plot_value(&p, scene->n_pixels / 2);
	return VIEW_REDRAW;
}

static unsigned move_cursor(struct view *v, const struct scene *scene, int key)
{
	const struct map *m = scene->map;
	struct plot p;
	long col;

	if (!m)
		return 0;
	if (!v->pointing)
		return begin_pointing(v, scene);
	p = view_plot(v, m, scene->n_pixels);
	col = map_column_at(m, v->time_s);
	col = col < 0 ? 0 : col;			/* it has gone out at the left */
	if (key == KEY_UP || key == KEY_DOWN)
		v->value = plot_value(&p, plot_step(&p, plot_pixel(&p, v->value), key == KEY_UP ? 1 : -1));
	if (key == KEY_LEFT)
		col--;
	if (key == KEY_RIGHT)
		col++;
	if (key == KEY_HOME)
		col = 0;
	if (key == KEY_END || col >= (long)m->n_cols)
		col = (long)m->n_cols - 1;
	v->time_s = m->from_s + ((double)(col < 0 ? 0 : col) + 0.5) * m->column_s;
	return VIEW_REDRAW;
}

/* --- overlays --- */

static unsigned choose_row(struct view *v, const struct scene *scene)
{
	if (v->row && v->by) {
		snprintf(v->hint, sizeof(v->hint), "only a whole key can be shown alone: f lists them");
		return VIEW_REDRAW;
	}
	if (v->row > scene->list->n)
		return 0;
	v->isolated = v->row && *scene->list->row[v->row - 1].key;
	if (v->isolated)
		snprintf(v->selected, sizeof(v->selected), "%s", scene->list->row[v->row - 1].key);
	v->overlay = OVERLAY_NONE;
	return VIEW_ASK;
}

static unsigned move_row(struct view *v, const struct scene *scene, long by)
{
	long row = (long)v->row + by, last = (long)scene->list->n;

	v->row = (size_t)(row < 0 ? 0 : row > last ? last : row);
	return VIEW_REDRAW;
}

/* Keys that mean something else while the list is shown. */
static bool press_list(struct view *v, int key, const struct scene *scene, unsigned *ret_effect)
{
	switch (key) {
	case KEY_UP: *ret_effect = move_row(v, scene, -1); return true;
	case KEY_DOWN: *ret_effect = move_row(v, scene, 1); return true;
	case KEY_PAGE_UP: *ret_effect = move_row(v, scene, -10); return true;
	case KEY_PAGE_DOWN: *ret_effect = move_row(v, scene, 10); return true;
	case KEY_HOME: *ret_effect = move_row(v, scene, -(long)v->row); return true;
	case KEY_END: *ret_effect = move_row(v, scene, (long)scene->list->n); return true;
	case KEY_LEFT: case KEY_RIGHT: *ret_effect = 0; return true;
	case KEY_ENTER: *ret_effect = choose_row(v, scene); return true;
	default: return false;
	}
}

static unsigned toggle_overlay(struct view *v, enum view_overlay overlay)
{
	v->overlay = v->overlay == overlay ? OVERLAY_NONE : overlay;
	v->row = 0;
	return v->overlay == OVERLAY_LIST ? VIEW_REDRAW | VIEW_LIST : VIEW_REDRAW;
}

static unsigned press_escape(struct view *v)
{
	if (v->overlay != OVERLAY_NONE)
		v->overlay = OVERLAY_NONE;
	else
		v->pointing = false;
	return VIEW_REDRAW;
}

/* --- keys --- */

static unsigned press_key(struct view *v, int key, const struct scene *scene)
{
	switch (key) {
	case 'q': case KEY_INTERRUPT: return VIEW_QUIT;
	case KEY_SUSPEND: return VIEW_SUSPEND;
	case KEY_REDRAW: return VIEW_REDRAW;
	case KEY_ESCAPE: return press_escape(v);
	case '?': return toggle_overlay(v, OVERLAY_HELP);
	case 'k': return toggle_overlay(v, OVERLAY_LIST);
	case 'f': return change_by(v, scene);
	case 'm': return change_measure(v, scene, 1);
	case 'M': return change_measure(v, scene, scene->subject->n_measures - 1);
	case 'l': return change_yscale(v, scene);
	case 't': return change_transfer(v);
	case 'p': return change_palette(v);
	case ' ': return pause_view(v, scene);
	case '+': case '=': return zoom_time(v, scene, -1);
	case '-': return zoom_time(v, scene, 1);
	case ']': return zoom_values(v, 0.5);
	case '[': return zoom_values(v, 2);
	case '0': return ask_again(v) & ~VIEW_LIST;
	case KEY_PAGE_UP: return move_time(v, scene, -1);
	case KEY_PAGE_DOWN: return move_time(v, scene, 1);
	case KEY_UP: case KEY_DOWN: case KEY_LEFT: case KEY_RIGHT:
	case KEY_HOME: case KEY_END: return move_cursor(v, scene, key);
	default: return 0;
	}
}

unsigned view_press(struct view *v, int key, const struct scene *scene)
{
	unsigned effect;

	v->hint[0] = 0;
	if (v->overlay == OVERLAY_LIST && press_list(v, key, scene, &effect))
		return effect | VIEW_REDRAW;
	return press_key(v, key, scene) | VIEW_REDRAW;
}

/* --- the map --- */

bool view_see(struct view *v, const struct map *m, long n_pixels)
{
	struct plot p;
	int bits;

	v->used = domain_widen(v->used, domain_of(m));
	p = view_plot(v, m, n_pixels);
	bits = plot_row_bits(&p);
	if (bits == v->row_bits)
		return false;
	v->row_bits = bits;
	return true;
}

struct plot view_plot(const struct view *v, const struct map *m, long n_pixels)
{
	struct domain zoomed = v->zoomed;

	if (zoomed.high > 0 && zoomed.kind == m->yscale)
		return (struct plot){ m, zoomed, n_pixels };
	return (struct plot){ m, v->used.high > 0 && v->used.kind == m->yscale ? v->used : domain_of(m), n_pixels };
}
