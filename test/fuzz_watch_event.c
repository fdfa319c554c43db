/* A stream as anybody may send it, in pieces as its bytes say: what is read as a map can be drawn. */
#include "ui/cli/watch_event.h"
#include "ui/cli/watch_frame.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void draw(const struct map *m)
{
	static const struct subject subject = { .title = "x", .n_measures = 1, .measure = { "latency" } };
	struct view view = { .column_s = 1, .pointing = true, .time_s = map_end_s(m) - m->column_s / 2, .value = m->edge[0] };
	struct list list = { .n = 0 };
	struct frame f = { &subject, &view, m, &list, &m->all, FRAME_LIVE, "", { DEPTH_TRUE, true }, 0 };
	struct screen screen;

	view_see(&view, m, 38);
	if (screen_init(&screen, 80, 24))
		return;
	frame_draw(&f, &screen);
	screen_fini(&screen);
}

static void on_event(void *arg, const char *type, const char *text)
{
	json_t *json = json_loads(text, 0, NULL);
	struct map **m = arg, *read;

	if (!strcmp(type, "grid") && !map_read(json, &read)) {
		map_free(*m);
		*m = read;
	} else if (*m && !strcmp(type, "column")) {
		map_put_column(*m, json);
	} else if (*m && !strcmp(type, "shade")) {
		map_put_levels(*m, json);
	}
	if (*m)
		draw(*m);
	json_decref(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct map *m = NULL;
	struct events e = { .on = on_event, .arg = &m };

	for (size_t at = 0, n; at < len; at += n) {
		n = 1 + data[at] % 200u;
		n = n < len - at ? n : len - at;
		if (events_push(&e, data + at, n))
			break;
	}
	events_fini(&e);
	map_free(m);
	return 0;
}
