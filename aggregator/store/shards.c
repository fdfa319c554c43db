#include "aggregator/store/shards.h"

#include "collector/core/array.h"
#include "collector/core/key.h"
#include "collector/core/refuse.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#define OWN_TEXTS "shards."		/* these begin so */
#define HOME "shards.home"
#define MEMBER "shards.member."
#define LENGTH "shards.length."
#define DELETED "shards.deleted."

#define JOIN_NS 600000000000ll		/* longer than LOOK_NS and a call; intake.h takes no slots that are so far ahead */
#define LOOK_NS 60000000000ull
#define STOP_NS 300000000000ll
#define AWAY_NS 8000000000ull

struct shard {
	struct store *store;
	struct store_shard state;
	char id[40];
	__u64 seed;			/* a hash of the id */
	__s64 since_ns;			/* it takes batches of slots that begin then or later; 0: any */
	__u64 away_ns;			/* uv_hrtime() when a call found that it is away; 0: the last one did not */
};

struct length {				/* of an instrumentation's slots */
	__u64 inst, slot_ns;
	bool is_kept;			/* the home has its text */
};

struct shards {
	struct store store;
	struct shard *home;
	size_t n;
	struct shard shard[STORE_SHARDS_MAX];
	size_t n_lengths, lengths_room;
	struct length *length;		/* ascending */
	__u64 looked_ns;		/* uv_hrtime() when the home's list was read last */
};

#define fail(g, err, ...) refuse_in(err, (g)->store.reason, sizeof((g)->store.reason), __VA_ARGS__)

static struct shards *shards_of(struct store *s)
{
	struct shards *g = (struct shards *)s;

	s->reason[0] = 0;
	for (size_t i = 0; i < g->n; i++)
		g->shard[i].store->now_ns = s->now_ns;
	return g;
}

/* --- calling shards --- */

typedef int (*shard_call)(void *arg, struct shard *h);

struct running {			/* a call of one shard */
	struct shard *shard;		/* NULL: it is not called */
	shard_call call;
	void *arg;
	pthread_t thread;
	int err;
};

static void *run_call(void *arg)
{
	struct running *r = arg;

	r->err = r->call(r->arg, r->shard);
	return NULL;
}

/* The last one needs no thread; nor does one for which there is none. */
static void run_all(struct running *run, size_t n)
{
	bool has_thread[STORE_SHARDS_MAX] = { false };
	size_t last = n;

	while (last && !run[last - 1].shard)
		last--;
	for (size_t i = 0; i < last; i++)
		has_thread[i] = run[i].shard && i + 1 < last && !pthread_create(&run[i].thread, NULL, run_call, &run[i]);
	for (size_t i = 0; i < last; i++)
		if (run[i].shard && !has_thread[i])
			run_call(&run[i]);
	for (size_t i = 0; i < last; i++)
		if (has_thread[i])
			pthread_join(run[i].thread, NULL);
}

/* Many reasons contain the address already. */
static void take_reason(struct shards *g, const struct shard *h, int err)
{
	const char *why = h->store->reason[0] ? h->store->reason : err ? strerror(-err) : "";

	if (!why[0])
		return;
	if (strstr(why, h->state.address))
		snprintf(g->store.reason, sizeof(g->store.reason), "%s", why);
	else
		snprintf(g->store.reason, sizeof(g->store.reason), "%.80s: %.170s", h->state.address, why);
}

static void note_called(struct shard *h, int err)
{
	h->state.is_away = err == -EAGAIN;
	h->away_ns = h->state.is_away ? uv_hrtime() : 0;
}

static void add_counters(struct shards *g)
{
	g->store.n_damaged = g->store.n_dropped = g->store.n_lost = 0;
	for (size_t i = 0; i < g->n; i++) {
		g->store.n_damaged += g->shard[i].store->n_damaged;
		g->store.n_dropped += g->shard[i].store->n_dropped;
		g->store.n_lost += g->shard[i].store->n_lost;
	}
}

/* Returns the first error. */
static int call_shards(struct shards *g, struct running *run, shard_call call, void *arg)
{
	int err = 0;

	for (size_t i = 0; i < g->n; i++) {
		run[i].call = call;
		run[i].arg = arg;
	}
	run_all(run, g->n);
	add_counters(g);
	for (size_t i = 0; i < g->n; i++) {
		if (run[i].shard)
			note_called(run[i].shard, run[i].err);
		if (run[i].err ? !err : run[i].shard && !g->store.reason[0])
			take_reason(g, &g->shard[i], run[i].err);
		err = err ? err : run[i].err;
	}
	return err;
}

static int call_all(struct shards *g, shard_call call, void *arg)
{
	struct running run[STORE_SHARDS_MAX] = { 0 };

	for (size_t i = 0; i < g->n; i++)
		run[i].shard = &g->shard[i];
	return call_shards(g, run, call, arg);
}

/* One that is away costs each call a time-out, so it is left out. */
static int tidy_all(struct shards *g, shard_call call, void *arg)
{
	struct running run[STORE_SHARDS_MAX] = { 0 };
	__u64 now = uv_hrtime();

	for (size_t i = 0; i < g->n; i++) {
		bool is_away = g->shard[i].away_ns && now - g->shard[i].away_ns < AWAY_NS;

		run[i].shard = is_away ? NULL : &g->shard[i];
		run[i].err = is_away ? -EAGAIN : 0;
	}
	return call_shards(g, run, call, arg);
}

/* After a call of the home alone. */
static int home_called(struct shards *g, int err)
{
	note_called(g->home, err);
	take_reason(g, g->home, err);
	return err;
}

/* --- the set of shards --- */

struct listing {			/* of the home's list */
	struct shards *g;
	bool is_listed[STORE_SHARDS_MAX];
	__s64 foreign_ns;		/* since when one that our list does not have takes batches; INT64_MAX: there is none */
	char foreign[200];		/* the address that it had when it was added */
};

/* "SINCE ADDRESS" */
static void take_member(void *arg, const char *name, const char *text)
{
	struct listing *l = arg;
	const char *id = name + strlen(MEMBER);
	char *address;
	__s64 since_ns = strtoll(text, &address, 10);

	for (size_t i = 0; i < l->g->n; i++)
		if (!strcmp(l->g->shard[i].id, id)) {
			l->g->shard[i].since_ns = since_ns;
			l->is_listed[i] = true;
			return;
		}
	if (since_ns >= l->foreign_ns)
		return;
	l->foreign_ns = since_ns;
	snprintf(l->foreign, sizeof(l->foreign), "%s", address + strspn(address, " "));
}

static int read_members(struct shards *g, struct listing *l)
{
	struct store *s = g->home->store;

	*l = (struct listing){ .g = g, .foreign_ns = INT64_MAX };
	return home_called(g, s->ops->recall_each(s, MEMBER, take_member, l));
}

/* Refuses when another heatscoped has added a shard that soon takes batches.  `now`: even if the list was read a moment
 * ago. */
static int look_at_members(struct shards *g, bool now)
{
	struct listing l;
	int err;

	if (!now && g->looked_ns && uv_hrtime() - g->looked_ns < LOOK_NS)
		return 0;
	err = read_members(g, &l);
	if (!err && l.foreign_ns < INT64_MAX && (!g->store.now_ns || g->store.now_ns + STOP_NS >= l.foreign_ns))
		err = fail(g, -EAGAIN, "another heatscoped has added the shard %.120s: restart this one with the same list of "
			   "addresses", l.foreign);
	g->looked_ns = err ? 0 : uv_hrtime();
	return err;
}

static __u64 hash_text(__u64 hash, const char *text)
{
	for (const char *c = text; *c; c++)
		hash = hash_byte(hash, (__u8)*c);
	return hash;
}

/* The last steps are those of SplitMix64, see claim() in members.c. */
static __u64 claim(const struct shard *h, const char *source)
{
	__u64 hash = hash_text(h->seed, source);

	hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9ull;
	hash = (hash ^ hash >> 27) * 0x94d049bb133111ebull;
	return hash ^ hash >> 31;
}

/* Returns the shard to which a batch of this name belongs. */
static struct shard *shard_for(struct shards *g, const struct batch *b)
{
	__int128 begin_ns = (__int128)b->slot * (__int128)b->slot_ns;
	struct shard *best = g->home;	/* it has been there from the beginning */
	__u64 best_claim = claim(best, b->source);

	for (struct shard *h = g->shard; h < g->shard + g->n; h++) {
		__u64 theirs = claim(h, b->source);

		if (h == g->home || (h->since_ns > 0 && begin_ns < h->since_ns))
			continue;
		if (theirs > best_claim || (theirs == best_claim && strcmp(h->id, best->id) > 0)) {
			best = h;
			best_claim = theirs;
		}
	}
	return best;
}

/* --- the lengths of slots --- */

static size_t length_place(const struct shards *g, __u64 inst)
{
	return array_place(g->n_lengths, at, g->length[at].inst < inst);
}

static void length_forget(struct shards *g, size_t at)
{
	memmove(&g->length[at], &g->length[at + 1], (--g->n_lengths - at) * sizeof(*g->length));
}

static void length_name(__u64 inst, char ret_name[STORE_NAME_MAX])
{
	snprintf(ret_name, STORE_NAME_MAX, LENGTH "%llu", (unsigned long long)inst);
}

static int length_read(struct shards *g, __u64 inst, __u64 *ret_slot_ns)
{
	char name[STORE_NAME_MAX], text[24];
	int err;

	length_name(inst, name);
	err = home_called(g, g->home->store->ops->recall(g->home->store, name, text, sizeof(text)));
	if (!err)
		*ret_slot_ns = strtoull(text, NULL, 10);
	return err;
}

/* The length of a new instrumentation is that of its first batch; until length_keep() it may still be refused. */
static int length_know(struct shards *g, const struct batch *b, size_t at)
{
	struct length fresh = { .inst = b->inst };
	int err = length_read(g, b->inst, &fresh.slot_ns);

	if (!err)
		err = array_grow(&g->length, g->n_lengths, &g->lengths_room, sizeof(fresh));
	if (err)
		return err;
	fresh.is_kept = fresh.slot_ns > 0;
	if (!fresh.is_kept)
		fresh.slot_ns = b->slot_ns;
	memmove(&g->length[at + 1], &g->length[at], (g->n_lengths++ - at) * sizeof(fresh));
	g->length[at] = fresh;
	return 0;
}

static int length_check(struct shards *g, const struct batch *b)
{
	size_t at = length_place(g, b->inst);
	int err = at < g->n_lengths && g->length[at].inst == b->inst ? 0 : length_know(g, b, at);

	if (err || g->length[at].slot_ns == b->slot_ns)
		return err;
	return fail(g, -EBADMSG, "a batch of %s has slots of %llu ns, not of %llu ns", b->source, (unsigned long long)b->slot_ns,
		    (unsigned long long)g->length[at].slot_ns);
}

/* Another heatscoped may have written one at the same time: the last one stays. */
static int length_keep(struct shards *g, struct length *length)
{
	struct store *s = g->home->store;
	char name[STORE_NAME_MAX], text[24];
	__u64 slot_ns;
	int err;

	length_name(length->inst, name);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)length->slot_ns);
	err = home_called(g, s->ops->remember(s, name, text));
	if (!err)
		err = length_read(g, length->inst, &slot_ns);
	if (!err && slot_ns != length->slot_ns)
		err = fail(g, -EAGAIN, "another heatscoped has batches of instrumentation %llu with slots of %llu ns",
			   (unsigned long long)length->inst, (unsigned long long)slot_ns);
	length->is_kept = !err;
	return err;
}

/* Refuses before any text is written. */
static int lengths_check(struct shards *g, const struct batch *batch, size_t n)
{
	int err = 0;

	for (size_t i = 0; i < n && !err; i++)
		err = length_check(g, &batch[i]);
	for (size_t i = 0; i < g->n_lengths && !err; i++)
		err = g->length[i].is_kept ? 0 : length_keep(g, &g->length[i]);
	for (size_t i = g->n_lengths; i-- > 0;)
		if (!g->length[i].is_kept)
			length_forget(g, i);
	return err;
}

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
	int err = look_at_members(a.g, false);

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

/* --- reading --- */

struct exemplar_set {			/* the exemplars of a batch */
	char source[SOURCE_MAX];
	__s64 slot;
	__u8 *data;
	size_t len;
};

struct shard_dropped {			/* as a shard gave it: once, or not at all */
	__s64 first, last;
};

struct reading {
	__u64 inst;
	const struct store_range *range;
	const struct store_reader *reader;
	pthread_mutex_t lock;		/* while the reader is called */
	size_t n_sets, sets_room;
	struct exemplar_set *set;
	size_t n_dropped;
	struct shard_dropped dropped[STORE_SHARDS_MAX];
	int err;
};

static const struct store_reader *lock_reader(struct reading *r)
{
	pthread_mutex_lock(&r->lock);
	return r->reader;
}

static void unlock_reader(struct reading *r)
{
	pthread_mutex_unlock(&r->lock);
}

static void on_slice(void *arg, __s64 slot, const struct slice *s)
{
	const struct store_reader *to = lock_reader(arg);

	to->slice(to->arg, slot, s);
	unlock_reader(arg);
}

static void on_count(void *arg, const struct slice *s, __u64 n)
{
	const struct store_reader *to = lock_reader(arg);

	to->count(to->arg, s, n);
	unlock_reader(arg);
}

static void on_cover(void *arg, const char *source, __s64 first, __s64 last)
{
	const struct store_reader *to = lock_reader(arg);

	to->cover(to->arg, source, first, last);
	unlock_reader(arg);
}

static void on_loss(void *arg, const char *source, const struct loss *loss)
{
	const struct store_reader *to = lock_reader(arg);

	to->loss(to->arg, source, loss);
	unlock_reader(arg);
}

static void on_mark(void *arg, const struct mark *mark)
{
	const struct store_reader *to = lock_reader(arg);

	to->mark(to->arg, mark);
	unlock_reader(arg);
}

static void on_sparse(void *arg, const char *source, __s64 first, __s64 last, __u64 n)
{
	const struct store_reader *to = lock_reader(arg);

	to->sparse(to->arg, source, first, last, n);
	unlock_reader(arg);
}

static bool on_wants(void *arg, const struct labels *key)
{
	const struct store_reader *to = lock_reader(arg);
	bool wants = to->wants(to->arg, key);

	unlock_reader(arg);
	return wants;
}

static void on_damaged(void *arg, __s64 first, __s64 last)
{
	const struct store_reader *to = lock_reader(arg);

	to->damaged(to->arg, first, last);
	unlock_reader(arg);
}

static void on_dropped(void *arg, __s64 first, __s64 last)
{
	struct reading *r = arg;

	lock_reader(r);
	if (r->n_dropped < STORE_SHARDS_MAX)
		r->dropped[r->n_dropped++] = (struct shard_dropped){ first, last };
	unlock_reader(r);
}

static int keep_exemplars(struct reading *r, const char *source, __s64 slot, const __u8 *data, size_t len)
{
	struct exemplar_set e = { .slot = slot, .data = malloc(len + 1), .len = len };
	int err = e.data ? array_grow(&r->set, r->n_sets, &r->sets_room, sizeof(e)) : -ENOMEM;

	if (err) {
		free(e.data);
		return err;
	}
	snprintf(e.source, sizeof(e.source), "%s", source);
	memcpy(e.data, data, len);
	r->set[r->n_sets++] = e;
	return 0;
}

/* They are kept until all shards have given theirs, and are sorted. */
static void on_exemplars(void *arg, const char *source, __s64 slot, const __u8 *data, size_t len)
{
	struct reading *r = arg;
	int err;

	lock_reader(r);
	err = keep_exemplars(r, source, slot, data, len);
	r->err = r->err ? r->err : err;
	unlock_reader(r);
}

static int read_shard(void *arg, struct shard *h)
{
	struct reading *r = arg;
	const struct store_reader *to = r->reader;
	const struct store_reader reader = {
		.arg = r,
		.slice = to->slice ? on_slice : NULL,
		.count = to->count ? on_count : NULL,
		.cover = to->cover ? on_cover : NULL,
		.loss = to->loss ? on_loss : NULL,
		.mark = to->mark ? on_mark : NULL,
		.sparse = to->sparse ? on_sparse : NULL,
		.dropped = to->dropped ? on_dropped : NULL,
		.wants = to->wants ? on_wants : NULL,
		.exemplars = to->exemplars ? on_exemplars : NULL,
		.damaged = to->damaged ? on_damaged : NULL,
	};

	return h->store->ops->read(h->store, r->inst, r->range, &reader);
}

static int by_slot(const void *a, const void *b)
{
	const struct exemplar_set *x = a, *y = b;

	return (x->slot > y->slot) - (x->slot < y->slot);
}

static void give_exemplars(struct reading *r)
{
	if (r->n_sets)
		qsort(r->set, r->n_sets, sizeof(*r->set), by_slot);
	for (size_t i = 0; i < r->n_sets; i++)
		r->reader->exemplars(r->reader->arg, r->set[i].source, r->set[i].slot, r->set[i].data, r->set[i].len);
}

static int by_first(const void *a, const void *b)
{
	const struct shard_dropped *x = a, *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

/* Ranges that overlap or touch are given as one. */
static void give_dropped(struct reading *r)
{
	const struct shard_dropped *d = r->dropped;
	__s64 last;

	if (r->n_dropped)
		qsort(r->dropped, r->n_dropped, sizeof(*r->dropped), by_first);
	for (size_t i = 0, j; i < r->n_dropped; i = j) {
		last = d[i].last;
		for (j = i + 1; j < r->n_dropped && d[j].first <= last + 1; j++)
			last = d[j].last > last ? d[j].last : last;
		r->reader->dropped(r->reader->arg, d[i].first, last);
	}
}

static int shards_read(struct store *s, __u64 inst, const struct store_range *range, const struct store_reader *reader)
{
	struct shards *g = shards_of(s);
	struct reading r = { .inst = inst, .range = range, .reader = reader, .lock = PTHREAD_MUTEX_INITIALIZER };
	int err = look_at_members(g, false);

	if (!err)
		err = call_all(g, read_shard, &r);
	err = err ? err : r.err;
	if (!err) {
		give_exemplars(&r);
		give_dropped(&r);
	}
	for (size_t i = 0; i < r.n_sets; i++)
		free(r.set[i].data);
	free(r.set);
	pthread_mutex_destroy(&r.lock);
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

static int home_remember(struct shards *g, const char *name, const char *text)
{
	return home_called(g, g->home->store->ops->remember(g->home->store, name, text));
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
	int err = note_deletion(g, inst, "1");

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
	bool is_alive[DELETED_MAX];	/* the home has it: it was not deleted after all */
};

static void take_deleted(void *arg, const char *name, const char *text)
{
	struct deleted *d = arg;

	if (d->n < DELETED_MAX)
		d->inst[d->n++] = strtoull(name + strlen(DELETED), NULL, 10);
}

static void note_alive(void *arg, __u64 inst, const char *json)
{
	struct deleted *d = arg;

	for (size_t i = 0; i < d->n; i++)
		d->is_alive[i] |= d->inst[i] == inst;
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
		err = d.is_alive[i] ? deletion_done(g, d.inst[i]) : delete_rest(g, d.inst[i]);
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
	int err = look_at_members(g, true);

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

static int identify(struct shards *g)
{
	for (size_t i = 0; i < g->n; i++) {
		struct shard *h = &g->shard[i];
		int err = h->store->ops->identity(h->store, h->id);

		if (err) {
			take_reason(g, h, err);
			return err;
		}
		h->seed = hash_byte(hash_text(HASH_SEED, h->id), 0);
		for (size_t j = 0; j < i; j++)
			if (!strcmp(g->shard[j].id, h->id))
				return fail(g, -EINVAL, "%.80s and %.80s are the same database: each shard needs one of its own",
					    g->shard[j].state.address, h->state.address);
	}
	return 0;
}

static void note_any(void *arg, __u64 inst, const char *json)
{
	*(bool *)arg = true;
}

struct founding {			/* what the shards say when they are opened */
	char home[STORE_SHARDS_MAX][40];	/* the identity of each one's home; "": it has not been in a set */
	bool has_insts[STORE_SHARDS_MAX], has_texts[STORE_SHARDS_MAX];	/* of heatscoped, not of a set */
};

static void note_text(void *arg, const char *name, const char *text)
{
	if (*text && strncmp(name, OWN_TEXTS, strlen(OWN_TEXTS)))
		*(bool *)arg = true;
}

/* Instrumentations before members: see found_set().  Texts before homes: so texts that another heatscoped writes when its set is
 * founded choose no home. */
static int ask_shards(struct shards *g, struct founding *f)
{
	int err = 0;

	for (size_t i = 0; i < g->n && !err; i++) {
		struct store *s = g->shard[i].store;

		err = s->ops->inst_each(s, note_any, &f->has_insts[i]);
		if (!err)
			err = s->ops->recall_each(s, "", note_text, &f->has_texts[i]);
		if (!err)
			err = s->ops->recall(s, HOME, f->home[i], sizeof(f->home[i]));
		if (err)
			take_reason(g, &g->shard[i], err);
	}
	return err;
}

static struct shard *shard_called(struct shards *g, const char *id)
{
	for (struct shard *h = g->shard; h < g->shard + g->n; h++)
		if (!strcmp(h->id, id))
			return h;
	return NULL;
}

/* Instrumentations weigh more than texts. */
static int weight_of(const struct founding *f, size_t i)
{
	return 2 * f->has_insts[i] + f->has_texts[i];
}

/* Chooses the home: the one that all name; in a new set the one that was used alone, or the lowest identity. */
static int choose_home(struct shards *g, const struct founding *f)
{
	const struct shard *named = NULL;

	for (size_t i = 0; i < g->n; i++) {
		struct shard *home = shard_called(g, f->home[i]);

		if (f->home[i][0] && (!home || (named && home != g->home)))
			return fail(g, -EINVAL, "%.120s belongs to another set of shards%s", g->shard[i].state.address,
				    home ? "" : ", or the list lacks one of its set");
		if (f->home[i][0])
			named = g->home = home;
	}
	for (size_t i = 0; i < g->n && !named; i++)
		if (!g->home || weight_of(f, i) > weight_of(f, (size_t)(g->home - g->shard)) ||
		    (weight_of(f, i) == weight_of(f, (size_t)(g->home - g->shard)) && strcmp(g->shard[i].id, g->home->id) < 0))
			g->home = &g->shard[i];
	return 0;
}

static int check_members(struct shards *g, const struct founding *f, const struct listing *l)
{
	if (l->foreign_ns < INT64_MAX)
		return fail(g, -EINVAL, "the list lacks the shard that was added as %.120s, and so its data",
			    l->foreign);
	for (size_t i = 0; i < g->n; i++)
		if (&g->shard[i] != g->home && f->has_insts[i])
			return fail(g, -EINVAL, "%.80s cannot be a shard next to %.80s: it has instrumentations of its own; give "
				    "an empty database", g->shard[i].state.address, g->home->state.address);
	return 0;
}

/* A shard that the list did not have.  In a new set all shards take batches from the beginning. */
static int add_member(struct shards *g, struct shard *h, bool is_new_set, __s64 now_ns)
{
	char name[STORE_NAME_MAX], text[256];
	__s64 since_ns = h == g->home || is_new_set ? 0 : now_ns + JOIN_NS;

	snprintf(name, sizeof(name), MEMBER "%s", h->id);
	snprintf(text, sizeof(text), "%lld %s", (long long)since_ns, h->state.address);
	return home_remember(g, name, text);
}

static int name_home(struct shards *g, struct shard *h)
{
	int err = h->store->ops->remember(h->store, HOME, g->home->id);

	if (err)
		take_reason(g, h, err);
	return err;
}

/* Reads what the shards say, and checks that they are one set; writes nothing.  After an error the home is as before. */
static int check_set(struct shards *g, struct founding *f, struct listing *l)
{
	struct shard *was = g->home;
	int err;

	*f = (struct founding){ 0 };
	g->home = NULL;
	err = ask_shards(g, f);
	if (!err)
		err = choose_home(g, f);
	if (!err)
		err = read_members(g, l);
	if (!err)
		err = check_members(g, f, l);
	if (err)
		g->home = was;
	return err;
}

/* Two heatscoped may do so at once, with the same result.  A set is new while it has no instrumentation.  One that finds an
 * instrumentation reads the list after that, so it finds the whole list that the other has written before. */
static int found_set(struct shards *g, __s64 now_ns)
{
	struct founding f;
	struct listing l;
	bool is_new_set;
	int err = check_set(g, &f, &l);

	if (err)
		return err;
	is_new_set = !f.has_insts[g->home - g->shard];
	for (size_t i = 0; i < g->n && !err; i++)
		err = l.is_listed[i] ? 0 : add_member(g, &g->shard[i], is_new_set, now_ns);
	for (size_t i = 0; i < g->n && !err; i++)
		err = f.home[i][0] ? 0 : name_home(g, &g->shard[i]);
	return err ? err : look_at_members(g, true);
}

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
	err = identify(g);
	if (!err)
		err = check_set(g, &f, &l);
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
	return s->ops == &shards_ops ? found_set(shards_of(s), now_ns) : 0;
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
