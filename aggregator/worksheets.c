#include "worksheets.h"
#include "array.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "worksheet."
#define NEXT "next-worksheet"

const char worksheets_ready[] =
#include "aggregator/ready_worksheets.inc"	/* made by Makefile.am */
	"\n";

struct item {
	char id[WORKSHEET_ID_MAX];
	json_t *worksheet;
	bool leaving;			/* what came later would bring it back */
};

struct worksheets {
	struct flush *flush;
	__u64 next_id;
	size_t n, room, n_ready;	/* the first n_ready are not changed */
	struct item *item;		/* those that were saved by rising id */
};

/* ---- the list ---- */

/* Takes the reference. */
static int append(struct worksheets *w, const char *id, json_t *worksheet)
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

static struct item *find(const struct worksheets *w, const char *id)
{
	for (size_t i = 0; i < w->n; i++)
		if (!strcmp(w->item[i].id, id))
			return &w->item[i];
	return NULL;
}

static void take_out(struct worksheets *w, const char *id)
{
	struct item *item = find(w, id);

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

static json_t *resource(const struct worksheets *w, const struct item *item)
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
	const struct item *item = find(w, id);

	return item ? resource(w, item) : NULL;
}

json_t *worksheets_list(const struct worksheets *w)
{
	json_t *all = json_array(), *one;

	for (size_t i = 0; i < w->n; i++) {
		one = resource(w, &w->item[i]);
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
		err = err ?: append(w, json_string_value(json_object_get(given, "id")), worksheet);
	}
	json_decref(all);
	w->n_ready = w->n;
	return err;
}

int worksheets_new(struct flush *flush, struct worksheets **ret_worksheets)
{
	struct worksheets *w = calloc(1, sizeof(*w));
	int err = w ? 0 : -ENOMEM;

	if (!err) {
		w->flush = flush;
		w->next_id = 1;
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

struct loading {
	struct worksheets *worksheets;
	int err;
};

static void load_one(void *arg, const char *name, const char *text)
{
	struct loading *l = arg;
	json_t *given = json_loads(text, 0, NULL), *worksheet;
	__u64 number = strtoull(name + strlen(PREFIX), NULL, 10);
	char id[WORKSHEET_ID_MAX], why[REASON_MAX] = "it is not JSON";
	int err = given ? worksheet_read(given, &worksheet, why) : -EINVAL;

	snprintf(id, sizeof(id), "%llu", (unsigned long long)number);
	if (!err)
		err = append(l->worksheets, id, worksheet);
	if (err == -EINVAL)
		fprintf(stderr, "heatscoped: worksheet %s is left out, and stays in the store: %s\n", id, why);
	else if (err)
		l->err = err;
	if (number >= l->worksheets->next_id)
		l->worksheets->next_id = number + 1;
	json_decref(given);
}

int worksheets_load(struct worksheets *w, struct store *store)
{
	struct loading l = { .worksheets = w };
	char next[24] = "";
	int err = store->ops->recall_each(store, PREFIX, load_one, &l);

	if (!err)
		err = l.err;
	if (!err)
		err = store->ops->recall(store, NEXT, next, sizeof(next));
	if (!err && strtoull(next, NULL, 10) > w->next_id)
		w->next_id = strtoull(next, NULL, 10);
	return err;
}

/* ---- writing ---- */

struct entry {				/* on its way to the store */
	struct worksheets *worksheets;
	char id[WORKSHEET_ID_MAX];
	__u64 next_id;			/* 0: no new one */
	json_t *worksheet;		/* as it becomes; NULL: gone */
	char *text;
	worksheets_done done;
	void *arg;
};

static int entry_work(void *arg, struct store *store)
{
	const struct entry *e = arg;
	char name[64], next[24];
	int err = 0;

	snprintf(name, sizeof(name), PREFIX "%020llu", strtoull(e->id, NULL, 10));
	snprintf(next, sizeof(next), "%llu", (unsigned long long)e->next_id);
	if (e->next_id)			/* first: an id that was given is never given again */
		err = store->ops->remember(store, NEXT, next);
	return err ? err : store->ops->remember(store, name, e->text ? e->text : "");
}

static void entry_free(struct entry *e)
{
	json_decref(e->worksheet);
	free(e->text);
	free(e);
}

/* What is stored is what is shown: both change here. */
static void entry_done(void *arg, int err)
{
	struct entry *e = arg;
	struct item *item = find(e->worksheets, e->id);

	if (item && !e->worksheet)		/* else a change that was asked for before it was to leave */
		item->leaving = false;
	if (!err && !e->worksheet) {
		take_out(e->worksheets, e->id);
	} else if (!err && item) {
		json_decref(item->worksheet);
		item->worksheet = json_incref(e->worksheet);
	} else if (!err && e->next_id) {
		err = append(e->worksheets, e->id, json_incref(e->worksheet));
	}
	e->done(e->arg, err, e->id);
	entry_free(e);
}

/* Takes the reference; worksheet NULL: gone. */
static int submit(struct worksheets *w, const char *id, json_t *worksheet, bool is_new, worksheets_done done, void *arg)
{
	struct entry *e = calloc(1, sizeof(*e));
	int err = e ? 0 : -ENOMEM;

	if (err) {
		json_decref(worksheet);
		return err;
	}
	*e = (struct entry){ .worksheets = w, .next_id = is_new ? w->next_id : 0, .worksheet = worksheet, .done = done, .arg = arg };
	snprintf(e->id, sizeof(e->id), "%s", id);
	if (worksheet) {
		e->text = json_dumps(worksheet, JSON_COMPACT);
		err = e->text ? 0 : -ENOMEM;
	}
	if (!err)
		err = flush_submit(w->flush, entry_work, entry_done, e);
	if (err)
		entry_free(e);
	return err;
}

/* Takes the reference. */
static int submit_new(struct worksheets *w, json_t *worksheet, worksheets_done done, void *arg, char *reason)
{
	char id[WORKSHEET_ID_MAX];

	if (w->n - w->n_ready >= WORKSHEETS_MAX) {
		json_decref(worksheet);
		snprintf(reason, REASON_MAX, "there are %d worksheets, which is the most; delete one first", WORKSHEETS_MAX);
		return -EINVAL;
	}
	snprintf(id, sizeof(id), "%llu", (unsigned long long)w->next_id++);
	return submit(w, id, worksheet, true, done, arg);
}

int worksheets_add(struct worksheets *w, const json_t *given, worksheets_done done, void *arg, char *reason)
{
	json_t *worksheet;
	int err = worksheet_read(given, &worksheet, reason);

	return err ? err : submit_new(w, worksheet, done, arg, reason);
}

int worksheets_clone(struct worksheets *w, const char *id, const json_t *changes, worksheets_done done, void *arg, char *reason)
{
	const struct item *item = find(w, id);
	json_t *worksheet;
	int err = item ? worksheet_change(item->worksheet, changes, &worksheet, reason) : -ENOENT;

	return err ? err : submit_new(w, worksheet, done, arg, reason);
}

/* A saved one; -EINVAL: it comes with heatscoped. */
static int find_saved(const struct worksheets *w, const char *id, struct item **ret_item, char *reason)
{
	struct item *item = find(w, id);

	if (!item || item->leaving)
		return -ENOENT;
	if (is_ready(w, item)) {
		snprintf(reason, REASON_MAX, "the worksheet %s comes with heatscoped and stays as it is: clone it, and change the clone", id);
		return -EINVAL;
	}
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
	return err ? err : submit(w, id, worksheet, false, done, arg);
}

int worksheets_remove(struct worksheets *w, const char *id, worksheets_done done, void *arg, char *reason)
{
	struct item *item;
	int err = find_saved(w, id, &item, reason);

	if (!err)
		err = submit(w, id, NULL, false, done, arg);
	if (!err)
		item->leaving = true;
	return err;
}
