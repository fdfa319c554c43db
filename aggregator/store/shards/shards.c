#include "aggregator/store/shards/private.h"

#include "collector/core/array.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DELETED "shards.deleted."
#define DELETING_S 3600			/* more than a call of inst_delete() takes, and the clocks of two machines differ */

/* --- adding --- */

struct part {				/* the batches of one shard */
	size_t n, room;
	struct batch *batch;
	size_t *at;			/* index in add()'s array */
	bool *is_new;
};

struct adding {
	struct shards *g;
	struct part part[STORE_SHARDS_MAX];
};

static int add_part(void *arg, struct shard *h)
{
	struct adding *a = arg;
	struct part *p = &a->part[h - a->g->shard];

	return h->store->ops->add(h->store, p->batch, p->n, p->is_new);
}

static int divide_batches(struct adding *a, const struct batch *batch, size_t n)
{
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		struct part *p = &a->part[shard_for(a->g, &batch[i]) - a->g->shard];
		size_t room = p->room;

		err = array_grow(&p->batch, p->n, &p->room, sizeof(*p->batch));
		if (!err && p->room != room)
			err = array_resize(&p->at, p->room, sizeof(*p->at));
		if (err)
			break;
		p->batch[p->n] = batch[i];
		p->at[p->n++] = i;
	}
	for (size_t i = 0; i < a->g->n && !err; i++)
		err = (a->part[i].is_new = calloc(a->part[i].n + 1, sizeof(bool))) ? 0 : -ENOMEM;
	return err;
}

/* If some shards have stored their part and others not, all batches have to come again. */
static int add_parts(struct adding *a)
{
	struct running run[STORE_SHARDS_MAX] = { 0 };
	bool is_same = true;
	int err;

	for (size_t i = 0; i < a->g->n; i++)
		run[i].shard = a->part[i].n ? &a->g->shard[i] : NULL;
	err = call_shards(a->g, run, add_part, a);
	for (size_t i = 0; i < a->g->n; i++)
		is_same = is_same && (!run[i].shard || run[i].err == err);
	return is_same ? err : -EAGAIN;
}

static int shards_add(struct store *s, const struct batch *batch, size_t n, bool *ret_new)
{
	struct adding a = { .g = shards_of(s) };
	int err = set_look(a.g, false);

	memset(ret_new, 0, n * sizeof(*ret_new));
	for (size_t i = 0; i < n && !err; i++)
		err = store_check(s, &batch[i]);
	if (!err)
		err = lengths_check(a.g, batch, n);
	if (!err)
		err = divide_batches(&a, batch, n);
	if (!err)
		err = add_parts(&a);
	for (struct part *p = a.part; p < a.part + a.g->n; p++) {
		for (size_t i = 0; i < p->n && !err; i++)
			ret_new[p->at[i]] = p->is_new[i];
		free(p->batch);
		free(p->at);
		free(p->is_new);
	}
	return err;
}

/* --- instrumentations and texts: the home has them --- */

static int shards_inst_put(struct store *s, __u64 inst, const char *json)
{
	struct shards *g = shards_of(s);

	return home_called(g, g->home->store->ops->inst_put(g->home->store, inst, json));
}

static int shards_inst_each(struct store *s, void (*each)(void *arg, __u64 inst, const char *json), void *arg)
{
	struct shards *g = shards_of(s);

	return home_called(g, g->home->store->ops->inst_each(g->home->store, each, arg));
}

static int shards_next_id(struct store *s, __u64 *ret_id)
{
	struct shards *g = shards_of(s);

	return home_called(g, g->home->store->ops->next_id(g->home->store, ret_id));
}

static int shards_identity(struct store *s, char ret_uuid[40])
{
	snprintf(ret_uuid, 40, "%s", shards_of(s)->home->id);
	return 0;
}

static int shards_remember(struct store *s, const char *name, const char *text)
{
	return home_remember(shards_of(s), name, text);
}

static int shards_recall(struct store *s, const char *name, char *ret_text, size_t room)
{
	struct shards *g = shards_of(s);

	return home_called(g, g->home->store->ops->recall(g->home->store, name, ret_text, room));
}

static int shards_recall_each(struct store *s, const char *prefix, void (*each)(void *arg, const char *name, const char *text),
			      void *arg)
{
	struct shards *g = shards_of(s);

	return home_called(g, g->home->store->ops->recall_each(g->home->store, prefix, each, arg));
}

/* --- deleting --- */

static int delete_there(void *arg, struct shard *h)
{
	return h->store->ops->inst_delete(h->store, *(const __u64 *)arg);
}

static int note_deletion(struct shards *g, __u64 inst, const char *text)
{
	char name[STORE_NAME_MAX];

	snprintf(name, sizeof(name), DELETED "%llu", (unsigned long long)inst);
	return home_remember(g, name, text);
}

static int deletion_done(struct shards *g, __u64 inst)
{
	return note_deletion(g, inst, "");
}

/* Removes the data of a deleted instrumentation from all shards but the home. */
static int delete_rest(struct shards *g, __u64 inst)
{
	struct running run[STORE_SHARDS_MAX] = { 0 };
	int err;

	for (size_t i = 0; i < g->n; i++)
		run[i].shard = &g->shard[i] == g->home ? NULL : &g->shard[i];
	err = call_shards(g, run, delete_there, &inst);
	return err ? err : deletion_done(g, inst);
}

static int shards_inst_delete(struct store *s, __u64 inst)
{
	struct shards *g = shards_of(s);
	size_t at = length_place(g, inst);
	char name[STORE_NAME_MAX];
	char since[32];
	int err;

	snprintf(since, sizeof(since), "%lld", (long long)time(NULL));
	err = note_deletion(g, inst, since);
	if (!err)
		err = home_called(g, delete_there(&inst, g->home));
	if (err)
		return err;
	if (at < g->n_lengths && g->length[at].inst == inst)
		length_forget(g, at);
	length_name(inst, name);
	if (home_remember(g, name, "") || delete_rest(g, inst))
		s->reason[0] = 0;	/* shrink() will do it */
	return 0;
}

#define DELETED_MAX 64			/* that one call of shrink() removes */

struct deleted {
	size_t n;
	__u64 inst[DELETED_MAX];
	char since[DELETED_MAX][24];	/* the text: seconds of the wall clock */
	bool is_alive[DELETED_MAX];	/* the home has it: it was not deleted after all */
};

static void take_deleted(void *arg, const char *name, const char *text)
{
	struct deleted *d = arg;

	if (d->n == DELETED_MAX)
		return;
	snprintf(d->since[d->n], sizeof(d->since[0]), "%s", text);
	d->inst[d->n++] = strtoull(name + strlen(DELETED), NULL, 10);
}

static void note_alive(void *arg, __u64 inst, const char *json)
{
	struct deleted *d = arg;

	for (size_t i = 0; i < d->n; i++)
		d->is_alive[i] |= d->inst[i] == inst;
}

/* Has the deletion failed?  A young one may still run, by another handle. */
static bool is_undone(const struct deleted *d, size_t i)
{
	return d->is_alive[i] && time(NULL) - strtoll(d->since[i], NULL, 10) > DELETING_S;
}

/* They were deleted while a shard was away.  If that was the home, they are not deleted. */
static int delete_rests(struct shards *g)
{
	struct store *s = g->home->store;
	struct deleted d = { 0 };
	int err = home_called(g, s->ops->recall_each(s, DELETED, take_deleted, &d));

	if (!err && d.n)
		err = home_called(g, s->ops->inst_each(s, note_alive, &d));
	for (size_t i = 0; i < d.n && !err; i++)
		err = is_undone(&d, i) ? deletion_done(g, d.inst[i]) : d.is_alive[i] ? 0 : delete_rest(g, d.inst[i]);
	return err;
}

/* --- tidying --- */

struct tidying {
	__u64 inst;
	const __s64 *slot;		/* of each tier; or one */
	__s64 oldest[STORE_SHARDS_MAX];
	struct shards *g;
};

static int expire_shard(void *arg, struct shard *h)
{
	const struct tidying *t = arg;

	return h->store->ops->expire(h->store, t->inst, t->slot);
}

static int shards_expire(struct store *s, __u64 inst, const __s64 slot[TIERS])
{
	struct tidying t = { .inst = inst, .slot = slot };

	return tidy_all(shards_of(s), expire_shard, &t);
}

static int compact_shard(void *arg, struct shard *h)
{
	const struct tidying *t = arg;

	return h->store->ops->compact(h->store, t->inst, *t->slot);
}

static int shards_compact(struct store *s, __u64 inst, __s64 slot)
{
	struct tidying t = { .inst = inst, .slot = &slot };

	return tidy_all(shards_of(s), compact_shard, &t);
}

static int limit_shard(void *arg, struct shard *h)
{
	return h->store->ops->limit(h->store, *(const __u64 *)arg);
}

static int shards_limit(struct store *s, __u64 bytes)
{
	struct shards *g = shards_of(s);
	__u64 part = bytes && bytes < g->n ? 1 : bytes / g->n;

	return call_all(g, limit_shard, &part);
}

static int shrink_shard(void *arg, struct shard *h)
{
	return h->store->ops->shrink(h->store);
}

static int shards_shrink(struct store *s)
{
	struct shards *g = shards_of(s);
	int err = tidy_all(g, shrink_shard, NULL);

	return err ? err : delete_rests(g);
}

static int size_shard(void *arg, struct shard *h)
{
	return h->store->ops->size ? h->store->ops->size(h->store, &h->state.bytes) : 0;
}

/* heatscoped calls it every ten seconds, so by it it also notices that the set has another shard. */
static int shards_size(struct store *s, __u64 *ret_bytes)
{
	struct shards *g = shards_of(s);
	int err = set_look(g, true);

	err = err ? err : tidy_all(g, size_shard, NULL);

	*ret_bytes = 0;			/* of those that are away, as they were */
	for (size_t i = 0; i < g->n; i++)
		*ret_bytes += g->shard[i].state.bytes;
	return err;
}

static int oldest_shard(void *arg, struct shard *h)
{
	struct tidying *t = arg;

	return h->store->ops->oldest(h->store, t->inst, &t->oldest[h - t->g->shard]);
}

static int shards_oldest(struct store *s, __u64 inst, __s64 *ret_slot)
{
	struct tidying t = { .inst = inst, .g = shards_of(s) };
	int err = tidy_all(t.g, oldest_shard, &t);

	if (err)
		return err;
	*ret_slot = t.oldest[0];
	for (size_t i = 1; i < t.g->n; i++)
		*ret_slot = t.oldest[i] > *ret_slot ? t.oldest[i] : *ret_slot;
	return 0;
}

/* --- describing --- */

static void shards_memory(const struct store *s, struct store_memory *ret_memory)
{
	const struct shards *g = (const struct shards *)s;

	*ret_memory = (struct store_memory){ 0 };
	for (size_t i = 0; i < g->n; i++) {
		struct store_memory one = { 0 };

		if (g->shard[i].store->ops->memory)
			g->shard[i].store->ops->memory(g->shard[i].store, &one);
		ret_memory->pages += one.pages;
		ret_memory->sums += one.sums;
	}
}

static size_t shards_shards(const struct store *s, struct store_shard ret_shard[STORE_SHARDS_MAX])
{
	const struct shards *g = (const struct shards *)s;

	for (size_t i = 0; i < g->n; i++)
		ret_shard[i] = g->shard[i].state;
	return g->n;
}

/* --- opening --- */

static void shards_free(struct shards *g)
{
	free(g->length);
	free(g);
}

static void shards_close(struct store *s)
{
	struct shards *g = (struct shards *)s;

	for (size_t i = 0; i < g->n; i++)
		g->shard[i].store->ops->close(g->shard[i].store);
	shards_free(g);
}

static const struct store_ops shards_ops = {
	.close = shards_close,
	.add = shards_add,
	.read = shards_read,
	.inst_put = shards_inst_put,
	.inst_delete = shards_inst_delete,
	.inst_each = shards_inst_each,
	.next_id = shards_next_id,
	.identity = shards_identity,
	.remember = shards_remember,
	.recall = shards_recall,
	.recall_each = shards_recall_each,
	.expire = shards_expire,
	.oldest = shards_oldest,
	.limit = shards_limit,
	.shrink = shards_shrink,
	.size = shards_size,
	.memory = shards_memory,
	.shards = shards_shards,
	.compact = shards_compact,
};

static int open_set(struct store *const store[], const char *const name[], size_t n, struct store **ret_store, char *reason,
		    size_t room)
{
	struct founding f;
	struct listing l;
	struct shards *g;
	int err;

	if (n < 2 || n > STORE_SHARDS_MAX)
		return refuse_in(-EINVAL, reason, room, "%zu shards: there can be 2 to %d", n, STORE_SHARDS_MAX);
	g = calloc(1, sizeof(*g));
	if (!g)
		return refuse_in(-ENOMEM, reason, room, "shards: no memory");
	g->store.ops = &shards_ops;
	g->n = n;
	for (size_t i = 0; i < n; i++) {
		g->shard[i].store = store[i];
		snprintf(g->shard[i].state.address, sizeof(g->shard[i].state.address), "%s", name[i]);
	}
	err = set_identify(g);
	if (!err)
		err = set_check(g, &f, &l);
	if (err) {
		snprintf(reason, room, "%s", g->store.reason[0] ? g->store.reason : strerror(-err));
		shards_free(g);
		return err;
	}
	*ret_store = &g->store;
	return 0;
}

int shards_found(struct store *s, __s64 now_ns)
{
	return s->ops == &shards_ops ? set_found(shards_of(s), now_ns) : 0;
}

int shards_open(struct store *const store[], const char *const name[], size_t n, __s64 now_ns, struct store **ret_store,
		char *reason, size_t room)
{
	struct store *s;
	int err = open_set(store, name, n, &s, reason, room);

	if (err)
		return err;
	err = shards_found(s, now_ns);
	if (err) {
		snprintf(reason, room, "%s", s->reason[0] ? s->reason : strerror(-err));
		shards_free((struct shards *)s);
		return err;
	}
	*ret_store = s;
	return 0;
}

/* --- several ClickHouse servers --- */

struct addresses {
	char *text;			/* cut into them */
	size_t n;
	const char *at[STORE_SHARDS_MAX];
};

static int split_addresses(const char *list, struct addresses *ret, char *reason, size_t room)
{
	char *rest = NULL;

	ret->n = 0;
	ret->text = strdup(list);
	if (!ret->text)
		return refuse_in(-ENOMEM, reason, room, "shards: no memory");
	for (char *at = strtok_r(ret->text, ", ", &rest); at; at = strtok_r(NULL, ", ", &rest)) {
		if (ret->n == STORE_SHARDS_MAX)
			return refuse_in(-EINVAL, reason, room, "there can be at most %d ClickHouse servers", STORE_SHARDS_MAX);
		for (size_t len = strlen(at); len && at[len - 1] == '/';)
			at[--len] = 0;
		ret->at[ret->n++] = at;
	}
	return ret->n ? 0 : refuse_in(-EINVAL, reason, room, "the address of ClickHouse is missing");
}

/* A shard of a set has a part of the data only. */
static int check_alone(struct store *s, const char *address, char *reason, size_t room)
{
	char home[40];
	int err = s->ops->recall(s, HOME, home, sizeof(home));

	if (err)
		return refuse_in(err, reason, room, "%s", s->reason[0] ? s->reason : strerror(-err));
	if (!home[0])
		return 0;
	return refuse_in(-EINVAL, reason, room, "%.120s is one of several shards: the list lacks the others", address);
}

int shards_open_clickhouse(const struct store_clickhouse_conf *conf, struct store **ret_store, char *reason, size_t room)
{
	struct store *store[STORE_SHARDS_MAX];
	struct addresses a;
	size_t n = 0;
	int err = split_addresses(conf->url, &a, reason, room);

	for (; n < a.n && !err; n += !err) {
		struct store_clickhouse_conf one = *conf;

		one.url = a.at[n];
		err = store_clickhouse_open(&one, &store[n], reason, room);
	}
	if (!err && n == 1)
		err = check_alone(store[0], a.at[0], reason, room);
	if (!err && n == 1)
		*ret_store = store[0];
	else if (!err)
		err = open_set(store, a.at, n, ret_store, reason, room);
	for (size_t i = 0; i < n && err; i++)
		store[i]->ops->close(store[i]);
	free(a.text);
	return err;
}
