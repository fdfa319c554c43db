#include "aggregator/store/store_queue.h"

#include "collector/core/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct job {
	struct job *next;
	flush_work work;
	flush_done done;
	void *arg;
	int err;
};

struct flush {
	uv_loop_t *loop;
	struct store *store;
	struct cube *cube;
	struct arrival *first, **end;	/* waiting */
	size_t bytes;			/* of those waiting and under way */
	struct job *first_job, **end_job;
	struct flush_observer *observers;
	void (*settled)(void *arg, const struct arrival *a, int err);
	void *settled_arg;
	struct flush_counters counters;
	bool begun, draining;
	void (*idle)(void *arg);
	void *idle_arg;

	/* What the worker has: either batches or a job.  The loop keeps away from it while busy. */
	uv_work_t work;
	bool busy, job_turn;
	struct job *job;
	struct arrival *taken;
	struct batch *batch;
	bool *fresh;
	size_t n_batches;
	__u64 took_ns;
	int err;
};

static void next(struct flush *f);

int flush_new(uv_loop_t *loop, struct store *store, struct cube *cube, struct flush **ret_flush)
{
	struct flush *f = calloc(1, sizeof(*f));

	if (!f)
		return -ENOMEM;
	f->loop = loop;
	f->store = store;
	f->cube = cube;
	f->end = &f->first;
	f->end_job = &f->first_job;
	f->work.data = f;
	*ret_flush = f;
	return 0;
}

void flush_free(struct flush *f)
{
	free(f);
}

void flush_begin(struct flush *f)
{
	f->begun = true;
	next(f);
}

/* --- on the worker --- */

static void work_batches(struct flush *f)
{
	__u64 start_ns = uv_hrtime();

	f->err = f->store->ops->add(f->store, f->batch, f->n_batches, f->fresh);
	f->took_ns = uv_hrtime() - start_ns;
}

static void work(uv_work_t *req)
{
	struct flush *f = req->data;

	if (f->job)
		f->job->err = f->job->work(f->job->arg, f->store);
	else
		work_batches(f);
}

/* --- back on the loop --- */

/* The slots a batch may have changed: its own, its run's, and those its loss touches. */
static void batch_slots(const struct batch *b, __s64 *ret_first, __s64 *ret_last)
{
	*ret_first = b->slot;
	*ret_last = b->slot + (b->run > 1 ? (__s64)b->run - 1 : 0);
	if (b->loss.n && b->loss.first < *ret_first)
		*ret_first = b->loss.first;
	if (b->loss.n && b->loss.last > *ret_last)
		*ret_last = b->loss.last;
}

static void tell_observers(struct flush *f, __u64 inst, __s64 first, __s64 last)
{
	struct flush_observer *o, *after;

	for (o = f->observers; o; o = after) {
		after = o->next;
		o->amended(o->arg, inst, first, last);
	}
}

/* Batches of one commit mostly speak of the same instrumentation and of neighbouring slots, so
 * observers are told once per such run of batches. */
static void announce(struct flush *f)
{
	__s64 first = 0, last = -1, from, to;
	__u64 inst = 0;

	for (struct arrival *a = f->taken; a; a = a->next) {
		if (!a->fresh)
			continue;
		batch_slots(&a->batch, &from, &to);
		if (last >= first && a->batch.inst == inst && from <= last + 1 && to >= first - 1) {
			first = from < first ? from : first;
			last = to > last ? to : last;
			continue;
		}
		if (last >= first)
			tell_observers(f, inst, first, last);
		inst = a->batch.inst;
		first = from;
		last = to;
	}
	if (last >= first)
		tell_observers(f, inst, first, last);
}

static void count(struct flush *f, const struct arrival *a)
{
	struct hist_reader r;

	if (!a->fresh) {
		f->counters.duplicates++;
		return;
	}
	f->counters.batches++;
	for (size_t i = 0; i < a->batch.n_slices; i++) {
		const struct slice *s = &a->batch.slice[i];

		if (!s->axis && !s->weight && !hist_reader_open(&r, s->ruler, s->hist, s->hist_len))
			f->counters.events = events_add(f->counters.events, r.count);
	}
}

static void fill_cube(struct flush *f, const struct arrival *a)
{
	int err = cube_add(f->cube, &a->batch);

	/* -ESTALE: older than the cube, the store has it.  -ENOENT: deleted meanwhile. */
	if (!err || err == -ESTALE || err == -ENOENT)
		return;
	/* The law would be broken by a half-informed cube: without it, readers go to the store. */
	log_warning("instrumentation %llu is removed from memory, requests for it read the store: %s",
		(unsigned long long)a->batch.inst, uv_strerror(err));
	cube_drop(f->cube, a->batch.inst);
}

static void settle(struct flush *f)
{
	struct arrival *a;
	size_t i = 0;

	f->counters.commits += !f->err;
	f->counters.failed_commits += f->err != 0;
	if (f->took_ns > f->counters.commit_ns_max)
		f->counters.commit_ns_max = f->took_ns;
	for (a = f->taken; a && !f->err; a = a->next, i++) {
		a->fresh = f->fresh[i];
		count(f, a);
		if (a->fresh)
			fill_cube(f, a);
	}
	if (!f->err)
		announce(f);
	while ((a = f->taken)) {
		f->taken = a->next;
		f->bytes -= a->len;
		if (f->settled)
			f->settled(f->settled_arg, a, f->err);
		arrival_free(a);
	}
	free(f->batch);
	free(f->fresh);
	f->batch = NULL;
	f->fresh = NULL;
}

/* Reading goes on without them and their columns are partly lost: 1, 2, 4, 8 ... are logged, too. */
static void note_damage(struct flush *f)
{
	__u64 was = f->counters.damaged, now = f->store->n_damaged;

	f->counters.damaged = now;
	if ((f->counters.dropped ^ f->store->n_dropped) > f->counters.dropped)
		log_warning("the database is at its max-size: the oldest data are dropped (%llu times so far)",
			(unsigned long long)f->store->n_dropped);
	if ((f->counters.lost ^ f->store->n_lost) > f->counters.lost)
		log_warning("the database is at its max-size, and too much came at once to be added up: %llu events so far are lost",
			    (unsigned long long)f->store->n_lost);
	f->counters.dropped = f->store->n_dropped;
	f->counters.lost = clamp_json(f->store->n_lost);
	if ((was ^ now) > was)
		log_warning("%s (%llu damaged pieces met so far)",
			f->store->reason[0] ? f->store->reason : "the store is damaged", (unsigned long long)now);
}

static void after(uv_work_t *req, int status)
{
	struct flush *f = req->data;
	struct job *job = f->job;

	note_damage(f);
	if (f->store->ops->memory)
		f->store->ops->memory(f->store, &f->counters.memory);
	f->job = NULL;
	if (job) {
		job->done(job->arg, job->err);
		free(job);
	} else {
		settle(f);
	}
	f->busy = false;
	next(f);
}

/* --- taking turns --- */

static bool take_job(struct flush *f)
{
	f->job = f->first_job;
	if (!f->job)
		return false;
	f->first_job = f->job->next;
	if (!f->first_job)
		f->end_job = &f->first_job;
	return true;
}

/* All that wait, as the one array that a store wants. */
static bool take_batches(struct flush *f)
{
	size_t n = 0;

	if (!f->first)
		return false;
	for (struct arrival *a = f->first; a; a = a->next)
		n++;
	f->batch = calloc(n, sizeof(*f->batch));
	f->fresh = calloc(n, sizeof(*f->fresh));
	f->taken = f->first;
	f->first = NULL;
	f->end = &f->first;
	if (!f->batch || !f->fresh) {
		f->err = -ENOMEM;
		settle(f);
		return false;
	}
	n = 0;
	for (struct arrival *a = f->taken; a; a = a->next)
		f->batch[n++] = a->batch;
	f->n_batches = n;
	return true;
}

static void next(struct flush *f)
{
	bool some;

	if (f->busy || !f->begun)
		return;
	f->busy = true;			/* callbacks below may add and submit */
	f->job_turn = !f->job_turn;
	some = f->job_turn ? take_job(f) || take_batches(f) : take_batches(f) || take_job(f);
	if (some) {
		uv_queue_work(f->loop, &f->work, work, after);
		return;
	}
	f->busy = false;
	if (f->draining && f->idle) {
		void (*idle)(void *arg) = f->idle;

		f->idle = NULL;
		idle(f->idle_arg);
	}
}

int flush_add(struct flush *f, struct arrival *a)
{
	if (f->draining)
		return -ESHUTDOWN;
	a->next = NULL;
	*f->end = a;
	f->end = &a->next;
	f->bytes += a->len;
	next(f);
	return 0;
}

int flush_submit(struct flush *f, flush_work work_fn, flush_done done, void *arg)
{
	struct job *job;

	if (f->draining)
		return -ESHUTDOWN;
	job = calloc(1, sizeof(*job));
	if (!job)
		return -ENOMEM;
	*job = (struct job){ .work = work_fn, .done = done, .arg = arg };
	*f->end_job = job;
	f->end_job = &job->next;
	next(f);
	return 0;
}

size_t flush_waiting(const struct flush *f)
{
	return f->bytes;
}

void flush_disown(struct flush *f, void *from)
{
	for (struct arrival *a = f->first; a; a = a->next)
		if (a->from == from)
			a->from = NULL;
	for (struct arrival *a = f->taken; a; a = a->next)
		if (a->from == from)
			a->from = NULL;
}

/* They leave the queue before any of them is settled: whoever is told may add at its end. */
void flush_drop(struct flush *f, __u64 inst)
{
	struct arrival **at = &f->first, *dropped = NULL, **end = &dropped, *a;

	while ((a = *at)) {
		if (a->batch.inst != inst) {
			at = &a->next;
			continue;
		}
		*at = a->next;
		*end = a;
		end = &a->next;
		a->next = NULL;
	}
	f->end = at;
	while ((a = dropped)) {
		dropped = a->next;
		f->bytes -= a->len;
		if (f->settled)
			f->settled(f->settled_arg, a, 0);
		arrival_free(a);
	}
}

void flush_on_settled(struct flush *f, void (*settled)(void *arg, const struct arrival *a, int err), void *arg)
{
	f->settled = settled;
	f->settled_arg = arg;
}

void flush_observe(struct flush *f, struct flush_observer *o)
{
	o->next = f->observers;
	f->observers = o;
}

void flush_unobserve(struct flush *f, struct flush_observer *o)
{
	struct flush_observer **at = &f->observers;

	while (*at && *at != o)
		at = &(*at)->next;
	if (*at)
		*at = o->next;
}

const char *flush_reason(const struct flush *f, int err)
{
	return err == f->err && f->store->reason[0] ? f->store->reason : strerror(-err);
}

const struct flush_counters *flush_counters(const struct flush *f)
{
	return &f->counters;
}

void flush_drain(struct flush *f, void (*idle)(void *arg), void *arg)
{
	f->draining = true;
	f->begun = true;
	f->idle = idle;
	f->idle_arg = arg;
	next(f);
}
