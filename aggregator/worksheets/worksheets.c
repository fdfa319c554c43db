#include "aggregator/worksheets/worksheets.h"

#include "collector/core/array.h"
#include "aggregator/store/saved_object.h"
#include "collector/core/refuse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char worksheets_ready[] =
#include "aggregator/worksheets/ready_worksheets.inc"	/* Makefile.am makes it */
	"\n";

struct item {
	char id[WORKSHEET_ID_MAX];
	json_t *worksheet;
	bool leaving;			/* it is being removed; a later change would bring it back */
};

struct worksheets {
	struct saved_objects saved;
	size_t n, room, n_ready;	/* the first n_ready cannot be changed */
	struct item *item;		/* saved ones by rising id */
};

/* ---- the list ---- */

static void id_text(__u64 number, char out[WORKSHEET_ID_MAX])
{
	snprintf(out, WORKSHEET_ID_MAX, "%llu", (unsigned long long)number);
}

/* Takes the reference. */
static int append_item(struct worksheets *w, const char *id, json_t *worksheet)
{
	struct item *item;

	if (array_grow(&w->item, w->n, &w->room, sizeof(*w->item))) {
		json_decref(worksheet);
		return -ENOMEM;
	}
	item = &w->item[w->n++];
	*item = (struct item){ .worksheet = worksheet };
	snprintf(item->id, sizeof(item->id), "%s", id);
	return 0;
}

static struct item *find_item(const struct worksheets *w, const char *id)
{
	for (size_t i = 0; i < w->n; i++)
		if (!strcmp(w->item[i].id, id))
			return &w->item[i];
	return NULL;
}

static void take_out(struct worksheets *w, const char *id)
{
	struct item *item = find_item(w, id);

	if (!item)
		return;
	json_decref(item->worksheet);
	memmove(item, item + 1, (size_t)(w->item + w->n - (item + 1)) * sizeof(*item));
	w->n--;
}

static bool is_ready(const struct worksheets *w, const struct item *item)
{
	return item < w->item + w->n_ready;
}

static json_t *item_resource(const struct worksheets *w, const struct item *item)
{
	json_t *json = json_copy(item->worksheet);
	char uri[WORKSHEET_ID_MAX + 32];

	snprintf(uri, sizeof(uri), "/ca/worksheets/%s", item->id);
	json_object_set_new(json, "id", json_string(item->id));
	json_object_set_new(json, "uri", json_string(uri));
	json_object_set_new(json, "ready", json_boolean(is_ready(w, item)));
	return json;
}

json_t *worksheets_find(const struct worksheets *w, const char *id)
{
	const struct item *item = find_item(w, id);

	return item ? item_resource(w, item) : NULL;
}

json_t *worksheets_list(const struct worksheets *w)
{
	json_t *all = json_array(), *one;

	for (size_t i = 0; i < w->n; i++) {
		one = item_resource(w, &w->item[i]);
		json_object_set_new(one, "npanels", json_integer((json_int_t)json_array_size(json_object_get(one, "panels"))));
		json_object_del(one, "panels");
		json_array_append_new(all, one);
	}
	return all;
}

/* ---- beginning and end ---- */

static int load_ready(struct worksheets *w)
{
	json_t *all = json_loads(worksheets_ready, 0, NULL), *given, *worksheet;
	char reason[REASON_MAX];
	size_t i;
	int err = all ? 0 : -ENOMEM;

	json_array_foreach(all, i, given) {
		err = err ?: worksheet_read(given, &worksheet, reason);
		err = err ?: append_item(w, json_string_value(json_object_get(given, "id")), worksheet);
	}
	json_decref(all);
	w->n_ready = w->n;
	return err;
}

static void worksheet_lost(void *owner, __u64 number)
{
	char id[WORKSHEET_ID_MAX];

	id_text(number, id);
	take_out(owner, id);
}

int worksheets_new(struct store_queue *store_queue, struct worksheets **ret_worksheets)
{
	struct worksheets *w = calloc(1, sizeof(*w));
	int err = w ? 0 : -ENOMEM;

	if (!err) {
		w->saved = (struct saved_objects){ .store_queue = store_queue, .noun = "worksheet", .next_id = 1, .lost = worksheet_lost, .owner = w };
		err = load_ready(w);
	}
	if (err)
		worksheets_free(w);
	else
		*ret_worksheets = w;
	return err;
}

void worksheets_free(struct worksheets *w)
{
	for (size_t i = 0; w && i < w->n; i++)
		json_decref(w->item[i].worksheet);
	if (w)
		free(w->item);
	free(w);
}

static int load_one(void *arg, __u64 number, const char *text, char *reason)
{
	json_t *given = json_loads(text, 0, NULL), *worksheet;
	char id[WORKSHEET_ID_MAX];
	int err = given ? worksheet_read(given, &worksheet, reason) : -EBADMSG;

	id_text(number, id);
	if (!err)
		err = append_item(arg, id, worksheet);
	json_decref(given);
	return err == -EINVAL ? -EBADMSG : err;
}

int worksheets_load(struct worksheets *w, struct store *store)
{
	while (w->n > w->n_ready)
		json_decref(w->item[--w->n].worksheet);
	return saved_object_load(&w->saved, store, load_one, w);
}

/* ---- writing ---- */

struct saving {				/* on its way to the store */
	struct worksheets *worksheets;
	char id[WORKSHEET_ID_MAX];
	json_t *worksheet;		/* as it will be; NULL: removed */
	worksheets_done done;
	void *arg;
};

static void saving_free(struct saving *s)
{
	json_decref(s->worksheet);
	free(s);
}

/* People see the stored worksheet: this changes both. */
static void on_kept(void *arg, int err)
{
	struct saving *s = arg;
	struct item *item = find_item(s->worksheets, s->id);

	if (item && !s->worksheet)		/* otherwise the change was requested before the removal */
		item->leaving = false;
	if (!err && !s->worksheet) {
		take_out(s->worksheets, s->id);
	} else if (!err && item) {
		json_decref(item->worksheet);
		item->worksheet = json_incref(s->worksheet);
	}
	s->done(s->arg, err, s->id);
	saving_free(s);
}

/* Takes the reference; worksheet NULL: remove it. */
static int submit_worksheet(struct worksheets *w, const char *id, json_t *worksheet, bool is_new, worksheets_done done, void *arg)
{
	char *text = worksheet ? json_dumps(worksheet, JSON_COMPACT) : NULL;
	struct saving *s = malloc(sizeof(*s));
	__u64 number = strtoull(id, NULL, 10);
	int err;

	if (!s) {
		free(text);
		json_decref(worksheet);
		return -ENOMEM;
	}
	*s = (struct saving){ .worksheets = w, .worksheet = worksheet, .done = done, .arg = arg };
	snprintf(s->id, sizeof(s->id), "%s", id);
	if (!worksheet)
		err = saved_object_drop(&w->saved, number, on_kept, s);
	else if (is_new)
		err = saved_object_add(&w->saved, number, text, on_kept, s);
	else
		err = saved_object_put(&w->saved, number, text, on_kept, s);
	if (err)
		saving_free(s);
	return err;
}

/* Takes the reference.  Adds a new one at once, so that it counts, and removes it again if it could not be stored. */
static int submit_new(struct worksheets *w, json_t *worksheet, worksheets_done done, void *arg, char *reason)
{
	char id[WORKSHEET_ID_MAX];
	int err;

	if (w->n - w->n_ready >= WORKSHEETS_MAX) {
		json_decref(worksheet);
		return refuse(reason, "there are %d worksheets, which is the limit; delete one first", WORKSHEETS_MAX);
	}
	id_text(w->saved.next_id++, id);
	err = append_item(w, id, json_incref(worksheet));
	if (err) {
		json_decref(worksheet);
		return err;
	}
	err = submit_worksheet(w, id, worksheet, true, done, arg);
	if (err)
		take_out(w, id);
	return err;
}

int worksheets_add(struct worksheets *w, const json_t *given, worksheets_done done, void *arg, char *reason)
{
	json_t *worksheet;
	int err = worksheet_read(given, &worksheet, reason);

	return err ? err : submit_new(w, worksheet, done, arg, reason);
}

int worksheets_clone(struct worksheets *w, const char *id, const json_t *changes, worksheets_done done, void *arg, char *reason)
{
	const struct item *item = find_item(w, id);
	json_t *worksheet;
	int err = item ? worksheet_change(item->worksheet, changes, &worksheet, reason) : -ENOENT;

	return err ? err : submit_new(w, worksheet, done, arg, reason);
}

/* Finds a saved one; -EINVAL: it comes with heatscoped. */
static int find_saved(const struct worksheets *w, const char *id, struct item **ret_item, char *reason)
{
	struct item *item = find_item(w, id);

	if (!item || item->leaving)
		return -ENOENT;
	if (is_ready(w, item))
		return refuse(reason, "the worksheet %s comes with heatscoped and cannot be changed: clone it, and "
			"change the clone", id);
	*ret_item = item;
	return 0;
}

int worksheets_change(struct worksheets *w, const char *id, const json_t *changes, worksheets_done done, void *arg, char *reason)
{
	struct item *item;
	json_t *worksheet;
	int err = find_saved(w, id, &item, reason);

	if (!err)
		err = worksheet_change(item->worksheet, changes, &worksheet, reason);
	return err ? err : submit_worksheet(w, id, worksheet, false, done, arg);
}

int worksheets_remove(struct worksheets *w, const char *id, worksheets_done done, void *arg, char *reason)
{
	struct item *item;
	int err = find_saved(w, id, &item, reason);

	if (!err)
		err = submit_worksheet(w, id, NULL, false, done, arg);
	if (!err)
		item->leaving = true;
	return err;
}
