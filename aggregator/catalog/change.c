#include "aggregator/catalog/private.h"

#include "aggregator/catalog/request.h"
#include "collector/core/log.h"
#include "collector/core/refuse.h"

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

	if (!err && request_update(all, request))
		err = refuse(reason, "the changes must be given as a JSON object or as parameters");
	if (!err)
		err = catalog_create(c, all, now_ns, done, arg, reason);
	json_decref(all);
	return err;
}

/* --- changes --- */

struct changing {
	struct catalog *catalog;
	struct instrumentation in;	/* as it will be */
	char configured_name[CONF_NAME_MAX];
	char *text;
	catalog_made done;
	void *arg;
};

static int change_work(void *arg, struct store *store)
{
	struct changing *ch = arg;

	return store_inst_put(store, ch->in.id, ch->text);
}

bool catalog_apply_change(struct catalog *c, struct catalog_inst *ci, const struct instrumentation *in, const char *configured_name)
{
	bool wanted = ci->in.suspended != in->suspended;
	int err;

	ci->in = *in;
	snprintf(ci->configured_name, sizeof(ci->configured_name), "%s", configured_name);
	err = cube_resize(c->cube, in->id, catalog_cube_slots(c, in));
	if (err && err != -ENOENT)
		log_info("instrumentation %llu keeps its space in memory: %s", (unsigned long long)in->id,
			strerror(-err));
	for (struct source *s = c->sources; s && wanted; s = s->next)
		source_forget(s, in->id);	/* its former state says nothing about the new one */
	return wanted;
}

static void change_done(void *arg, int err)
{
	struct changing *ch = arg;
	struct catalog_inst *ci = catalog_inst_of(ch->catalog, ch->in.id);

	if (ci)
		ci->n_changes--;
	if (ci && !err)
		catalog_changed(ch->catalog, catalog_apply_change(ch->catalog, ci, &ch->in, ch->configured_name));
	if (ch->done)
		ch->done(ch->arg, ci ? err : -ENOENT, err ? NULL : ci);
	else if (ci && err)
		log_error("instrumentation %llu could not be changed in the store: %s",
			(unsigned long long)ci->in.id, store_queue_error(err));
	free(ch->text);
	free(ch);
}

static int change_submit(struct catalog *c, struct catalog_inst *ci, struct changing *ch)
{
	struct catalog_inst next = *ci;
	int err;

	next.in = ch->in;
	memcpy(next.configured_name, ch->configured_name, sizeof(next.configured_name));
	ch->catalog = c;
	ch->text = catalog_inst_text(&next);
	err = ch->text ? store_queue_submit_write(c->store_queue, change_work, change_done, ch) : -ENOMEM;
	if (err) {
		free(ch->text);
		return err;
	}
	ci->asked = ch->in;
	ci->n_changes++;
	return 0;
}

/* A configured instrumentation is changed in the configuration file only; a request may only suspend it. */
static int check_change(const struct catalog *c, const struct catalog_inst *ci, const struct instrumentation *in,
			char *reason)
{
	bool same = in->retention_s == ci->in.retention_s && in->minutes_s == ci->in.minutes_s &&
		    in->hours_s == ci->in.hours_s && in->idle_max_s == ci->in.idle_max_s;

	return same ? 0 : catalog_check_free(c, ci, reason);
}

static struct catalog_inst *inst_to_change(const struct catalog *c, __u64 id)
{
	struct catalog_inst *ci = catalog_inst_of(c, id);

	return ci && !ci->is_going ? ci : NULL;
}

int catalog_change(struct catalog *c, __u64 id, const json_t *request, catalog_made done, void *arg, char *reason)
{
	struct catalog_inst *ci = inst_to_change(c, id);
	struct changing *ch = ci ? calloc(1, sizeof(*ch)) : NULL;
	int err = ch ? 0 : ci ? -ENOMEM : -ENOENT;

	if (!err)
		err = request_change(request, ci->n_changes ? &ci->asked : &ci->in, ci->numeric, ci->metric, &ch->in, reason);
	if (!err)
		err = check_change(c, ci, &ch->in, reason);
	if (!err) {
		memcpy(ch->configured_name, ci->configured_name, sizeof(ch->configured_name));
		ch->done = done;
		ch->arg = arg;
		err = change_submit(c, ci, ch);
	}
	if (err)
		free(ch);
	return err;
}

int catalog_adopt(struct catalog *c, __u64 id, const struct instrumentation *in, const char *configured_name)
{
	struct catalog_inst *ci = inst_to_change(c, id);
	struct changing *ch = ci ? calloc(1, sizeof(*ch)) : NULL;
	int err = ch ? 0 : ci ? -ENOMEM : -ENOENT;

	if (!err) {
		ch->in = *in;
		snprintf(ch->configured_name, sizeof(ch->configured_name), "%s", configured_name);
		err = change_submit(c, ci, ch);
	}
	if (err)
		free(ch);
	return err;
}

void catalog_bind(struct catalog *c, __u64 id, unsigned line)
{
	struct catalog_inst *ci = catalog_inst_of(c, id);

	if (ci)
		ci->configured_line = line;
}

int catalog_check_free(const struct catalog *c, const struct catalog_inst *ci, char *reason)
{
	if (!ci->configured_line)
		return 0;
	return refuse(reason, "instrumentation %llu always exists: it is in %.140s, line %u; change it there and restart "
		      "heatscoped", (unsigned long long)ci->in.id, catalog_file_name(c), ci->configured_line);
}

/* --- everything off --- */

struct switching {
	struct catalog *catalog;
	bool off;
	store_queue_done done;
	void *arg;
};

static int switch_work(void *arg, struct store *store)
{
	const struct switching *s = arg;

	return store_remember(store, "off", s->off ? "yes" : "no");
}

static void switch_done(void *arg, int err)
{
	struct switching *s = arg;

	if (s->done)
		s->done(s->arg, err);
	free(s);
}

void catalog_apply_off(struct catalog *c, bool off)
{
	if (c->off == off)
		return;
	c->off = off;
	for (struct catalog_inst *ci = c->first; ci; ci = ci->next) {
		ci->off = off;
		for (struct source *source = c->sources; source; source = source->next)
			source_forget(source, ci->in.id);
	}
}

/* Turns off at once, before the setting is stored: the person who turns it off is in a hurry. */
int catalog_set_off(struct catalog *c, bool off, store_queue_done done, void *arg)
{
	struct switching *s = malloc(sizeof(*s));
	int err;

	if (!s)
		return -ENOMEM;
	*s = (struct switching){ c, off, done, arg };
	err = store_queue_submit_write(c->store_queue, switch_work, switch_done, s);
	if (err) {
		free(s);
		return err;
	}
	catalog_apply_off(c, off);
	catalog_changed(c, true);
	return 0;
}

bool catalog_is_off(const struct catalog *c)
{
	return c->off;
}

/* --- idleness --- */

void catalog_touched(struct catalog *c, __u64 id, __s64 boot_ns)
{
	struct catalog_inst *ci = catalog_inst_of(c, id);

	if (ci)
		ci->touched_ns = boot_ns;
}

void catalog_touch(struct catalog *c, __u64 id, __s64 boot_ns)
{
	struct catalog_inst *ci = catalog_inst_of(c, id);

	catalog_touched(c, id, boot_ns);
	if (ci)
		ci->client_ns = boot_ns;
}

void catalog_reap(struct catalog *c, __s64 boot_ns)
{
	for (struct catalog_inst *ci = c->first; ci; ci = ci->next) {
		if (!ci->touched_ns)
			ci->touched_ns = boot_ns;
		if (c->keep || ci->is_going || ci->configured_line || !ci->in.idle_max_s ||
		    boot_ns - ci->touched_ns < (__s64)ci->in.idle_max_s * NS)
			continue;
		log_info("instrumentation %llu (%s.%s) is deleted: there was no request for it for %u s, its idle-max",
			(unsigned long long)ci->in.id, ci->in.module, ci->in.stat, ci->in.idle_max_s);
		catalog_delete(c, ci->in.id, NULL, NULL);
	}
}
