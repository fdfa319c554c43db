/* fuzz_watch_event - reads any bytes as a stream, in pieces whose lengths they give: a map that is read can be drawn. */
#include "ui/cli/watch/event_stream.h"
#include "ui/cli/watch/frame.h"
#include "ui/cli/watch/picture.h"

#include <stdint.h>
#include <string.h>

#define GIVEN_MAX 4			/* levels and colours of a map that is given the others */
#define DRAWN_MAX 1			/* maps of a stream, and its last: drawing takes longer than reading */

struct reader {
	struct map *map;		/* NULL: none yet */
	bool changed;			/* since it was drawn */
	int n_drawn;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void paint(const struct view *v, const struct map *m)
{
	const struct graphics g = { GRAPHICS_SIXEL, 2, 4, 64 };
	struct layout l = layout_of(LAYOUT_COLS_MIN, LAYOUT_LINES_MIN, (struct look){ DEPTH_TRUE, true });
	struct plot plot = view_plot(v, m, l.n_pixels);
	struct picture p;

	if (!picture_paint(&plot, &l, g, &p))
		picture_fini(&p);
}

/* The smallest screen there is. */
static void draw(const struct map *m)
{
	static const struct subject subject = { .title = "x", .n_measures = 1, .measure = { "latency" } };
	struct view view = { .column_s = 1, .pointing = true, .time_s = map_end_s(m) - m->column_s / 2, .value = m->edge[0] };
	struct list list = { .n = 0 };
	struct frame f = { &subject, &view, m, &list, &m->all, FRAME_LIVE, "", { DEPTH_TRUE, true }, 0, false };
	struct screen screen;

	view_see(&view, m, 14);
	if (screen_init(&screen, LAYOUT_COLS_MIN, LAYOUT_LINES_MIN))
		return;
	frame_draw(&f, &screen);
	screen_fini(&screen);
	paint(&view, m);
}

static json_t *numbers(size_t n)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(array, json_integer((json_int_t)i));
	return array;
}

static json_t *colours(size_t n)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(array, json_sprintf("#0000%02x", (unsigned)i));
	return array;
}

/* The first few may be given; then the rest is as in `all`. */
static void fill(json_t *shade, const char *name, json_t *all)
{
	json_t *given = json_object_get(shade, name);

	if (!given)
		json_object_set(shade, name, all);
	else if (json_array_size(given) <= GIVEN_MAX)
		for (size_t i = json_array_size(given); i < json_array_size(all); i++)
			json_array_append(given, json_array_get(all, i));
}

/* Adds the long parts that are the same in every map, so that inputs may omit them and are short and quickly read. */
static void complete(json_t *grid)
{
	static json_t *levels, *palette;
	json_t *shade = json_object_get(grid, "shade");

	levels = levels ?: numbers(SHADE_LEVELS);
	palette = palette ?: colours(PALETTE_COLOURS);
	if (json_is_object(shade)) {
		fill(shade, "levels", levels);
		fill(shade, "palette", palette);
	}
}

static void read_grid(struct reader *r, json_t *json)
{
	struct map *read;

	complete(json);
	if (map_read(json, &read))
		return;
	map_free(r->map);
	r->map = read;
	r->changed = true;
}

static void on_event(void *arg, const char *type, const char *text)
{
	json_t *json = json_loads(text, 0, NULL);
	struct reader *r = arg;

	if (!strcmp(type, "grid"))
		read_grid(r, json);
	else if (r->map && !strcmp(type, "column"))
		r->changed |= !map_put_column(r->map, json);
	else if (r->map && !strcmp(type, "shade"))
		r->changed |= !map_put_levels(r->map, json);
	if (r->changed && r->n_drawn < DRAWN_MAX) {
		draw(r->map);
		r->n_drawn++;
		r->changed = false;
	}
	json_decref(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct reader r = { .map = NULL };
	struct event_stream e = { .on = on_event, .arg = &r };

	for (size_t at = 0, n; at < len; at += n) {
		n = 1 + data[at] % 200u;
		n = n < len - at ? n : len - at;
		if (event_stream_push(&e, data + at, n))
			break;
	}
	if (r.changed)
		draw(r.map);
	event_stream_fini(&e);
	map_free(r.map);
	return 0;
}
