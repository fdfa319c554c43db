#include "aggregator/store/saved_object.h"

#include "collector/core/log.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {				/* on its way to the store */
	struct saved_objects *saved;		/* the worker must not touch it */
	const char *noun;
	__u64 id, next_id;		/* next_id 0: the object is not new */
	char *text;			/* NULL: remove it */
	store_queue_done done;
	void *arg;
};

static void next_id_name(const char *noun, char out[STORE_NAME_MAX])
{
	snprintf(out, STORE_NAME_MAX, "next-%s", noun);
}

static int entry_work(void *arg, struct store *store)
{
	const struct entry *e = arg;
	char name[STORE_NAME_MAX], next[24];
	int err = 0;

	if (e->next_id) {
		next_id_name(e->noun, name);
		snprintf(next, sizeof(next), "%llu", (unsigned long long)e->next_id);
		err = store_remember(store, name, next);
	}
	snprintf(name, sizeof(name), "%s.%020llu", e->noun, (unsigned long long)e->id);
	return err ? err : store_remember(store, name, e->text ? e->text : "");
}

static void log_failure(const struct saved_objects *k, __u64 id, bool drops, int err)
{
	log_error("%s %llu is not %s: %s", k->noun, (unsigned long long)id, drops ? "removed from the store" : "stored",
		store_queue_error(err));
}

static void entry_done(void *arg, int err)
{
	struct entry *e = arg;

	if (err)
		log_failure(e->saved, e->id, !e->text, err);
	if (err && e->next_id)
		e->saved->lost(e->saved->owner, e->id);
	if (e->done)
		e->done(e->arg, err);
	free(e->text);
	free(e);
}

/* Takes e.text, which only a removal lacks, unless memory was short. */
static int submit_entry(const struct entry *e, bool drops)
{
	struct entry *copy = e->text || drops ? malloc(sizeof(*copy)) : NULL;
	int err = copy ? 0 : -ENOMEM;

	if (!err) {
		*copy = *e;
		copy->noun = e->saved->noun;
		err = store_queue_submit_write(e->saved->store_queue, entry_work, entry_done, copy);
	}
	if (err) {
		log_failure(e->saved, e->id, drops, err);
		free(e->text);
		free(copy);
	}
	return err;
}

int saved_object_add(struct saved_objects *k, __u64 id, char *text, store_queue_done done, void *arg)
{
	return submit_entry(&(struct entry){ .saved = k, .id = id, .next_id = k->next_id, .text = text, .done = done, .arg = arg }, false);
}

int saved_object_put(struct saved_objects *k, __u64 id, char *text, store_queue_done done, void *arg)
{
	return submit_entry(&(struct entry){ .saved = k, .id = id, .text = text, .done = done, .arg = arg }, false);
}

int saved_object_drop(struct saved_objects *k, __u64 id, store_queue_done done, void *arg)
{
	return submit_entry(&(struct entry){ .saved = k, .id = id, .done = done, .arg = arg }, true);
}

/* ---- at start ---- */

struct loading {
	struct saved_objects *saved;
	saved_object_each each;
	void *arg;
	int err;
};

static void load_one(void *arg, const char *name, const char *text)
{
	struct loading *l = arg;
	__u64 id = strtoull(name + strlen(l->saved->noun) + 1, NULL, 10);
	char reason[REASON_MAX] = "it is damaged";
	int err = l->err ? 0 : id ? l->each(l->arg, id, text, reason) : -EBADMSG;

	if (err == -EBADMSG)
		log_error("%s %llu is left out, and stays in the store: %s", l->saved->noun, (unsigned long long)id, reason);
	else if (err)
		l->err = err;
	if (id >= l->saved->next_id)
		l->saved->next_id = id + 1;
}

int saved_object_load(struct saved_objects *k, struct store *store, saved_object_each each, void *arg)
{
	struct loading l = { .saved = k, .each = each, .arg = arg };
	char name[STORE_NAME_MAX], next[24] = "";
	__u64 next_id;
	int err;

	next_id_name(k->noun, name);
	err = store->ops->recall(store, name, next, sizeof(next));
	next_id = strtoull(next, NULL, 10);
	if (next_id > k->next_id)
		k->next_id = next_id;
	snprintf(name, sizeof(name), "%s.", k->noun);
	if (!err)
		err = store->ops->recall_each(store, name, load_one, &l);
	return err ? err : l.err;
}
