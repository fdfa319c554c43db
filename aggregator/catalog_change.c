#include "catalog_private.h"

#include "request.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS 1000000000ll

/* --- clones --- */

int catalog_clone(struct catalog *c, __u64 id, const json_t *request, __s64 now_ns, catalog_made done, void *arg,
		  char *reason)
{
	const struct catalog_inst *ci = catalog_inst_of(c, id);
	json_t *all = ci ? request_of(&ci->in, ci->numeric) : NULL;
	int err = all ? 0 : ci ? -ENOMEM : -ENOENT;

	if (!err && json_object_update(all, (json_t *)request))
		err = catalog_refuse(reason, "what shall be different must be given as a JSON object or as parameters");
	if (!err)
		err = catalog_create(c, all, now_ns, done, arg, reason);
	json_decref(all);
	return err;
}

/* --- changes --- */

struct changing {
	struct catalog *catalog;
	struct instrumentation in;	/* as it shall be */
	char *text;
	catalog_made done;
	void *arg;
};

static int change_work(void *arg, struct store *store)
{
	struct changing *ch = arg;

	return store->ops->inst_put(store, ch->in.id, ch->text);
}

static void apply(struct catalog *c, struct catalog_inst *ci, const struct instrumentation *in)
{
	bool wanted = ci->in.suspended != in->suspended;
	int err;

	ci->in = *in;
	err = cube_resize(c->cube, in->id, catalog_cube_slots(c, in));
	if (err && err != -ENOENT)
		fprintf(stderr, "heatscoped: instrumentation %llu keeps its room in memory: %s\n", (unsigned long long)in->id,
			strerror(-err));
	for (struct source *s = c->sources; s && wanted; s = s->next)
		source_forget(s, in->id);	/* how it fared says nothing of how it will */
	catalog_changed(c, wanted);
}

static void change_done(void *arg, int err)
{
	struct changing *ch = arg;
	struct catalog_inst *ci = catalog_inst_of(ch->catalog, ch->in.id);

	if (ci)
		ci->n_changes--;
	if (ci && !err)
		apply(ch->catalog, ci, &ch->in);
	ch->done(ch->arg, ci ? err : -ENOENT, err ? NULL : ci);
	free(ch->text);
	free(ch);
}

static int change_new(struct catalog *c, const struct catalog_inst *ci, const json_t *request, struct changing **ret,
		      char *reason)
{
	struct changing *ch = calloc(1, sizeof(*ch));
	struct catalog_inst next = *ci;
	int err = ch ? request_change(request, ci->n_changes ? &ci->asked : &ci->in, ci->numeric, ci->metric, &ch->in, reason)
		     : -ENOMEM;

	if (!err) {
		next.in = ch->in;
		ch->catalog = c;
		ch->text = catalog_inst_text(&next);
		err = ch->text ? 0 : -ENOMEM;
	}
	if (err)
		free(ch);
	else
		*ret = ch;
	return err;
}

int catalog_change(struct catalog *c, __u64 id, const json_t *request, catalog_made done, void *arg, char *reason)
{
	struct catalog_inst *ci = catalog_inst_of(c, id);
	struct changing *ch;
	int err = ci ? change_new(c, ci, request, &ch, reason) : -ENOENT;

	if (err)
		return err;
	ch->done = done;
	ch->arg = arg;
	err = flush_submit(c->flush, change_work, change_done, ch);
	if (err) {
		free(ch->text);
		free(ch);
		return err;
	}
	ci->asked = ch->in;
	ci->n_changes++;
	return 0;
}

/* --- idleness --- */

void catalog_touch(struct catalog *c, __u64 id, __s64 now_ns)
{
	struct catalog_inst *ci = catalog_inst_of(c, id);

	if (ci)
		ci->touched_ns = now_ns;
}

void catalog_reap(struct catalog *c, __s64 now_ns)
{
	struct catalog_inst *ci, *after;

	for (ci = c->first; ci; ci = after) {
		after = ci->next;
		if (!ci->touched_ns || ci->touched_ns > now_ns)	/* since the start; the clock was set back */
			ci->touched_ns = now_ns;
		if (c->keep || !ci->in.idle_max_s || now_ns - ci->touched_ns < (__s64)ci->in.idle_max_s * NS)
			continue;
		fprintf(stderr, "heatscoped: instrumentation %llu (%s.%s) is deleted: nobody asked for it for %u s, its idle-max\n",
			(unsigned long long)ci->in.id, ci->in.module, ci->in.stat, ci->in.idle_max_s);
		catalog_delete(c, ci->in.id, NULL, NULL);
	}
}
