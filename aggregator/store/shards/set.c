#include "aggregator/store/shards/private.h"

#include "collector/core/key.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#define MEMBER "shards.member."
#define JOIN_NS 600000000000ll		/* longer than LOOK_NS and a call; intake.h takes no slots that are so far ahead */
#define LOOK_NS 60000000000ull
#define STOP_NS 300000000000ll

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
int set_look(struct shards *g, bool now)
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
struct shard *shard_for(struct shards *g, const struct batch *b)
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

/* --- opening and founding it --- */

int set_identify(struct shards *g)
{
	for (size_t i = 0; i < g->n; i++) {
		struct shard *h = &g->shard[i];
		int err = h->store->ops->identity(h->store, h->id);

		if (err) {
			shards_take_reason(g, h, err);
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

static void note_text(void *arg, const char *name, const char *text)
{
	if (*text && strncmp(name, OWN_TEXTS, strlen(OWN_TEXTS)))
		*(bool *)arg = true;
}

/* Instrumentations before members: see set_found().  Texts before homes: so texts that another heatscoped writes when its set is
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
			shards_take_reason(g, &g->shard[i], err);
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
		shards_take_reason(g, h, err);
	return err;
}

/* Reads what the shards say, and checks that they are one set; writes nothing.  After an error the home is as before. */
int set_check(struct shards *g, struct founding *f, struct listing *l)
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
int set_found(struct shards *g, __s64 now_ns)
{
	struct founding f;
	struct listing l;
	bool is_new_set;
	int err = set_check(g, &f, &l);

	if (err)
		return err;
	is_new_set = !f.has_insts[g->home - g->shard];
	for (size_t i = 0; i < g->n && !err; i++)
		err = l.is_listed[i] ? 0 : add_member(g, &g->shard[i], is_new_set, now_ns);
	for (size_t i = 0; i < g->n && !err; i++)
		err = f.home[i][0] ? 0 : name_home(g, &g->shard[i]);
	return err ? err : set_look(g, true);
}
