#include "aggregator/store/saved_object.h"

#include "collector/core/log.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {				/* on its way to the store */
	struct keep *keep;		/* not the worker's */
	const char *noun;
	__u64 id, next_id;		/* next_id 0: it is not new */
	char *text;			/* NULL: gone */
	flush_done done;
	void *arg;
};

static void next_name(const char *noun, char out[STORE_NAME_MAX])
{
	snprintf(out, STORE_NAME_MAX, "next-%s", noun);
}

static int entry_work(void *arg, struct store *store)
{
	const struct entry *e = arg;
	char name[STORE_NAME_MAX], next[24];
	int err = 0;

	if (e->next_id) {
		next_name(e->noun, name);
		snprintf(next, sizeof(next), "%llu", (unsigned long long)e->next_id);
		err = store->ops->remember(store, name, next);
	}
	snprintf(name, sizeof(name), "%s.%020llu", e->noun, (unsigned long long)e->id);
	return err ? err : store->ops->remember(store, name, e->text ? e->text : "");
}

static void say(const struct keep *k, __u64 id, bool drops, int err)
{
	log_error("%s %llu is not %s: %s", k->noun, (unsigned long long)id, drops ? "removed from the store" : "stored",
		strerror(-err));
}

static void entry_done(void *arg, int err)
{
	struct entry *e = arg;

	if (err)
		say(e->keep, e->id, !e->text, err);
	if (err && e->next_id)
		e->keep->lost(e->keep->owner, e->id);
	if (e->done)
		e->done(e->arg, err);
	free(e->text);
	free(e);
}

/* Takes e.text, which of all but a removal is there unless memory was short. */
static int submit(const struct entry *e, bool drops)
{
	struct entry *copy = e->text || drops ? malloc(sizeof(*copy)) : NULL;
	int err = copy ? 0 : -ENOMEM;

	if (!err) {
		*copy = *e;
		copy->noun = e->keep->noun;
		err = flush_submit(e->keep->flush, entry_work, entry_done, copy);
	}
	if (err) {
		say(e->keep, e->id, drops, err);
		free(e->text);
		free(copy);
	}
	return err;
}

int keep_add(struct keep *k, __u64 id, char *text, flush_done done, void *arg)
{
	return submit(&(struct entry){ .keep = k, .id = id, .next_id = k->next_id, .text = text, .done = done, .arg = arg }, false);
}

int keep_put(struct keep *k, __u64 id, char *text, flush_done done, void *arg)
{
	return submit(&(struct entry){ .keep = k, .id = id, .text = text, .done = done, .arg = arg }, false);
}

int keep_drop(struct keep *k, __u64 id, flush_done done, void *arg)
{
	return submit(&(struct entry){ .keep = k, .id = id, .done = done, .arg = arg }, true);
}

/* ---- at start ---- */

struct loading {
	struct keep *keep;
	keep_each each;
	void *arg;
	int err;
};

static void load_one(void *arg, const char *name, const char *text)
{
	struct loading *l = arg;
	__u64 id = strtoull(name + strlen(l->keep->noun) + 1, NULL, 10);
	char reason[REASON_MAX] = "it is damaged";
	int err = l->err ? 0 : id ? l->each(l->arg, id, text, reason) : -EBADMSG;

	if (err == -EBADMSG)
		log_error("%s %llu is left out, and stays in the store: %s", l->keep->noun, (unsigned long long)id, reason);
	else if (err)
		l->err = err;
	if (id >= l->keep->next_id)
		l->keep->next_id = id + 1;
}

int keep_load(struct keep *k, struct store *store, keep_each each, void *arg)
{
	struct loading l = { .keep = k, .each = each, .arg = arg };
	char name[STORE_NAME_MAX], next[24] = "";
	__u64 next_id;
	int err;

	next_name(k->noun, name);
	err = store->ops->recall(store, name, next, sizeof(next));
	next_id = strtoull(next, NULL, 10);
	if (next_id > k->next_id)
		k->next_id = next_id;
	snprintf(name, sizeof(name), "%s.", k->noun);
	if (!err)
		err = store->ops->recall_each(store, name, load_one, &l);
	return err ? err : l.err;
}
