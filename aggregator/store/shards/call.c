#include "aggregator/store/shards/private.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <uv.h>

#define AWAY_NS 8000000000ull

struct shards *shards_of(struct store *s)
{
	struct shards *g = (struct shards *)s;

	s->reason[0] = 0;
	for (size_t i = 0; i < g->n; i++)
		g->shard[i].store->now_ns = s->now_ns;
	return g;
}

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
void shards_take_reason(struct shards *g, const struct shard *h, int err)
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
int call_shards(struct shards *g, struct running *run, shard_call call, void *arg)
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
			shards_take_reason(g, &g->shard[i], run[i].err);
		err = err ? err : run[i].err;
	}
	return err;
}

int call_all(struct shards *g, shard_call call, void *arg)
{
	struct running run[STORE_SHARDS_MAX] = { 0 };

	for (size_t i = 0; i < g->n; i++)
		run[i].shard = &g->shard[i];
	return call_shards(g, run, call, arg);
}

/* One that is away costs each call a time-out, so it is left out. */
int tidy_all(struct shards *g, shard_call call, void *arg)
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
int home_called(struct shards *g, int err)
{
	note_called(g->home, err);
	shards_take_reason(g, g->home, err);
	return err;
}

int home_remember(struct shards *g, const char *name, const char *text)
{
	return home_called(g, g->home->store->ops->remember(g->home->store, name, text));
}
