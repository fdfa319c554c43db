#include "ui/cli/watch/session.h"

#include "ui/cli/base/command.h"
#include "ui/cli/watch/ask.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define RETRY_MS 2000
#define SUMS_MS 2000
#define KEYS_MS 2000
#define INST_MS 5000

struct path {
	char text[512 + PARAMS_MAX];
};

static const char *path_of(const struct session *s, const char *what, const struct query_string *p, struct path *out)
{
	char path[512];

	snprintf(out->text, sizeof(out->text), "%s%s", inst_path(s->subject.id, what, path), p ? p->text : "");
	return out->text;
}

/* --- replies --- */

static bool is_live(const struct session *s) { return !(s->view.end_s > 0); }

static void lose_stream(struct session *s, int err, const char *reason)
{
	s->ended = s->ended || err == -ENOENT;
	s->state = !err || err == -ECONNREFUSED ? FRAME_LOST : FRAME_REFUSED;
	snprintf(s->why, sizeof(s->why), "%s", reason);
	s->changed = true;
}

static void take_map(struct session *s, struct map *m)
{
	map_free(s->map);
	s->map = m;
	s->summary = m->all;
	s->want_map |= view_see(&s->view, m, s->n_fine);
	s->state = is_live(s) ? FRAME_LIVE : FRAME_PAUSED;
	s->changed = true;
}

static void take_grid(struct session *s, const json_t *json)
{
	struct map *m;
	int err = map_read(json, &m);

	if (err)
		lose_stream(s, err, "heatscoped sent a map that cannot be read: is it another version?");
	else
		take_map(s, m);
}

static void take_column(struct session *s, const json_t *json)
{
	int err = map_put_column(s->map, json);

	if (err == -ESTALE)
		s->want_map = true;
	else if (!err)
		s->want_map |= view_see(&s->view, s->map, s->n_fine);
	s->changed = true;
}

static void on_event(void *arg, const char *type, const char *data)
{
	struct session *s = arg;
	json_t *json = json_loads(data, 0, NULL);

	if (json && !strcmp(type, "grid"))
		take_grid(s, json);
	else if (json && s->map && !strcmp(type, "column"))
		take_column(s, json);
	else if (json && s->map && !strcmp(type, "shade"))
		s->changed |= !map_put_levels(s->map, json);
	json_decref(json);
}

static void on_stream(void *arg, const char *data, size_t len)
{
	struct session *s = arg;

	s->want_map |= event_stream_push(&s->event_stream, data, len) != 0;
}

static void on_stream_end(void *arg, int err, const char *reason, const json_t *reply)
{
	struct session *s = arg;

	s->stream = NULL;
	lose_stream(s, err, err ? reason : "heatscoped has ended the stream; trying again");
}

static void on_grid(void *arg, int err, const char *reason, const json_t *reply)
{
	struct session *s = arg;

	s->grid = NULL;
	if (err)
		lose_stream(s, err, reason);
	else
		take_grid(s, reply);
}

static void on_sums(void *arg, int err, const char *reason, const json_t *reply)
{
	struct session *s = arg;
	struct map *m;

	s->sums = NULL;
	if (err || map_read(reply, &m))
		return;				/* the stream reports the error */
	s->summary = m->all;
	s->changed = true;
	map_free(m);
}

static void on_keys(void *arg, int err, const char *reason, const json_t *reply)
{
	struct session *s = arg;
	struct list l;

	s->keys = NULL;
	if (err || list_read(reply, &l))
		return;
	list_fini(&s->list);
	s->list = l;
	s->view.row = s->view.row > l.n ? l.n : s->view.row;
	s->changed = true;
}

static void on_inst(void *arg, int err, const char *reason, const json_t *reply)
{
	struct session *s = arg;

	s->inst = NULL;
	if (err == -ENOENT || (err && !is_live(s)))	/* for a live view the stream reports errors */
		lose_stream(s, err, reason);
	if (!err)
		subject_read(reply, &s->subject);	/* of another shape: it stays as it was */
	s->changed = true;
}

/* --- requests --- */

static void start_call(struct session *s, const char *what, const struct query_string *p,
		       const struct call_reader *reader, struct call **ret_call)
{
	struct path path;
	int err = call_start(&s->calls, path_of(s, what, p, &path), reader, s, ret_call);

	if (err)
		lose_stream(s, err, s->calls.client->reason);
}

static void stop_map(struct session *s)
{
	call_cancel(s->stream);
	call_cancel(s->grid);
	call_cancel(s->sums);		/* of what was shown before */
	s->stream = s->grid = s->sums = NULL;
	event_stream_fini(&s->event_stream);
}

static void ask_map(struct session *s)
{
	static const struct call_reader stream = { on_stream, on_stream_end }, grid = { NULL, on_grid };
	struct query_string p = { .len = 0 };

	stop_map(s);
	s->want_map = false;
	if (!frame_is_broken(s->state))
		s->state = FRAME_CONNECTING;
	ask_parameters(&s->view, &s->subject, s->n_cols, s->theme, &p);
	if (is_live(s)) {
		start_call(s, "/value/stream", &p, &stream, &s->stream);
	} else {
		ask_seconds("end_time", s->view.end_s, &p);
		start_call(s, "/value/grid", &p, &grid, &s->grid);
	}
}

static void put_shown(const struct session *s, struct query_string *p)
{
	query_string_put(p, "measure", s->map->measure);
	ask_seconds("start_time", s->map->from_s, p);
	ask_seconds("duration", (double)s->map->n_cols * s->map->column_s, p);
}

static void ask_sums(struct session *s)
{
	static const struct call_reader reader = { NULL, on_sums };
	struct query_string p = { .len = 0 };

	put_shown(s, &p);
	query_string_put(&p, "ncols", "1");
	query_string_put(&p, "row_bits", "0");
	ask_selected(&s->view, &p);
	start_call(s, "/value/grid", &p, &reader, &s->sums);
}

static void ask_keys(struct session *s)
{
	static const struct call_reader reader = { NULL, on_keys };
	struct query_string p = { .len = 0 };

	s->want_list = false;
	put_shown(s, &p);
	if (s->view.by)
		query_string_put(&p, "by", s->subject.field[s->view.by - 1]);
	start_call(s, "/value/keys", &p, &reader, &s->keys);
}

static void ask_due(struct session *s, long long now_ms)
{
	static const struct call_reader inst = { NULL, on_inst };
	bool broken = frame_is_broken(s->state) && !s->stream && !s->grid;

	if (!s->n_cols)
		return;
	if (s->want_map || (broken && now_ms >= s->retry_ms)) {
		s->retry_ms = now_ms + RETRY_MS;
		ask_map(s);
	}
	if (s->map && is_live(s) && s->state == FRAME_LIVE && !s->sums && now_ms >= s->sums_ms) {
		s->sums_ms = now_ms + SUMS_MS;
		ask_sums(s);
	}
	if (s->map && !s->keys && (s->want_list || (s->view.overlay == OVERLAY_LIST && now_ms >= s->keys_ms))) {
		s->keys_ms = now_ms + KEYS_MS;
		ask_keys(s);
	}
	if (!s->inst && now_ms >= s->inst_ms) {
		s->inst_ms = now_ms + INST_MS;
		start_call(s, "", NULL, &inst, &s->inst);
	}
}

/* --- from outside --- */

int session_init(struct session *s, struct client *c)
{
	s->want_map = true;
	s->state = FRAME_CONNECTING;
	s->event_stream = (struct event_stream){ .on = on_event, .arg = s };
	return calls_init(&s->calls, c);
}

void session_fini(struct session *s)
{
	calls_fini(&s->calls);
	event_stream_fini(&s->event_stream);
	list_fini(&s->list);
	map_free(s->map);
}

void session_resize(struct session *s, const struct layout *l, long n_fine)
{
	s->changed = true;
	if (!l->fits)
		return;
	s->want_map |= s->n_cols != l->map_cols;
	s->n_cols = l->map_cols;
	s->n_pixels = l->n_pixels;
	s->n_fine = n_fine;
	if (s->map)
		s->want_map |= view_see(&s->view, s->map, s->n_fine);
}

unsigned session_press(struct session *s, int key)
{
	const struct scene scene = { &s->subject, &s->list, s->map, s->n_cols, s->n_pixels };
	unsigned effect = view_press(&s->view, key, &scene);

	s->changed = true;
	s->want_map |= (effect & VIEW_ASK) != 0;
	s->want_list |= (effect & VIEW_LIST) != 0;
	if (effect & VIEW_LIST) {		/* what is on its way is of another list */
		call_cancel(s->keys);
		s->keys = NULL;
	}
	return effect & (VIEW_QUIT | VIEW_SUSPEND | VIEW_REDRAW);
}

void session_wait(struct session *s, long long now_ms, struct curl_waitfd *fd, unsigned n, int timeout_ms)
{
	ask_due(s, now_ms);
	calls_wait(&s->calls, fd, n, s->changed ? 0 : timeout_ms);
}

struct frame session_frame(struct session *s)
{
	__s64 now_s = time(NULL), from_s = s->map ? (__s64)s->map->from_s : now_s, to_s = s->map ? (__s64)map_end_s(s->map) : now_s;

	s->zone = zone_local(from_s, to_s);
	return (struct frame){ &s->subject, &s->view, s->map, &s->list, &s->summary, s->state, s->why, s->look,
			       &s->zone, false };
}
