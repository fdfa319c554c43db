#include "aggregator/store/store_queue.h"

#include "collector/core/log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAILURE_AGAIN_NS 60000000000ull

struct job {
	struct job *next;
	store_queue_work work;
	store_queue_done done;
	void *arg;
	bool is_write;			/* of the leader, in this term */
	__u64 term;
	int err;
};

struct store_queue {
	uv_loop_t *loop;
	struct store *store;
	struct cube *cube;
	struct incoming_batch *first, **end;	/* waiting */
	size_t bytes;			/* of waiting batches and those in flight */
	struct job *first_job, **end_job;
	struct store_queue_observer *observers;
	void (*settled)(void *arg, const struct incoming_batch *a, int err);
	void *settled_arg;
	struct store_queue_counters counters;
	__u64 failure_logged_ns;	/* uv_hrtime() */
	__u64 (*term)(void *arg);	/* NULL: we always lead */
	void *term_arg;
	__u64 n_texts;			/* of the store, when the observers last heard of it */
	bool begun, draining;
	void (*idle)(void *arg);
	void *idle_arg;

	/* The worker's present task: either batches or a job.  The loop does not touch it while busy. */
	uv_work_t work;
	bool busy, job_turn;
	struct job *job;
	struct incoming_batch *taken;
	struct batch *batch;
	bool *fresh;
	size_t n_batches;
	__u64 took_ns;
	int err;
};

static void queue_next(struct store_queue *f);

int store_queue_new(uv_loop_t *loop, struct store *store, struct cube *cube, struct store_queue **ret_queue)
{
	struct store_queue *f = calloc(1, sizeof(*f));

	if (!f)
		return -ENOMEM;
	f->loop = loop;
	f->store = store;
	f->cube = cube;
	f->end = &f->first;
	f->end_job = &f->first_job;
	f->work.data = f;
	*ret_queue = f;
	return 0;
}

void store_queue_free(struct store_queue *f)
{
	free(f);
}

/* While the worker does nothing. */
static void note_state(struct store_queue *f)
{
	if (f->store->ops->memory)
		f->store->ops->memory(f->store, &f->counters.memory);
	if (f->store->ops->shards)
		f->counters.n_shards = f->store->ops->shards(f->store, f->counters.shard);
}

void store_queue_begin(struct store_queue *f)
{
	f->begun = true;
	note_state(f);
	queue_next(f);
}

/* --- on the worker --- */

static void work_batches(struct store_queue *f)
{
	__u64 start_ns = uv_hrtime();

	f->err = f->store->ops->add(f->store, f->batch, f->n_batches, f->fresh);
	f->took_ns = uv_hrtime() - start_ns;
}

static void queue_work(uv_work_t *req)
{
	struct store_queue *f = req->data;

	if (f->job)
		f->job->err = f->job->work(f->job->arg, f->store);
	else
		work_batches(f);
}

/* --- back on the loop --- */

/* Returns the slots that a batch may have changed: its own, its run's, and those that its loss touches. */
static void batch_slots(const struct batch *b, __s64 *ret_first, __s64 *ret_last)
{
	*ret_first = b->slot;
	*ret_last = b->slot + (b->run > 1 ? (__s64)b->run - 1 : 0);
	if (b->loss.n && b->loss.first < *ret_first)
		*ret_first = b->loss.first;
	if (b->loss.n && b->loss.last > *ret_last)
		*ret_last = b->loss.last;
}

static void observers_notify(struct store_queue *f, __u64 inst, __s64 first, __s64 last)
{
	struct store_queue_observer *o, *after;

	for (o = f->observers; o; o = after) {
		after = o->next;
		if (o->amended)
			o->amended(o->arg, inst, first, last);
	}
}

static void announce_stored(struct store_queue *f, const struct batch *b)
{
	for (struct store_queue_observer *o = f->observers; o; o = o->next)
		if (o->stored)
			o->stored(o->arg, b);
}

/* Most batches of one commit report the same instrumentation and neighbouring slots, so
 * observers are notified once per such run of batches. */
static void announce_amended(struct store_queue *f)
{
	__s64 first = 0, last = -1, from, to;
	__u64 inst = 0;

	for (struct incoming_batch *a = f->taken; a; a = a->next) {
		if (!a->fresh)
			continue;
		batch_slots(&a->batch, &from, &to);
		if (last >= first && a->batch.inst == inst && from <= last + 1 && to >= first - 1) {
			first = from < first ? from : first;
			last = to > last ? to : last;
			continue;
		}
		if (last >= first)
			observers_notify(f, inst, first, last);
		inst = a->batch.inst;
		first = from;
		last = to;
	}
	if (last >= first)
		observers_notify(f, inst, first, last);
}

static void count_batch(struct store_queue *f, const struct incoming_batch *a)
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

static void fill_cube(struct store_queue *f, const struct incoming_batch *a, int (*add)(struct cube *c, const struct batch *b))
{
	int err = add(f->cube, &a->batch);

	/* -ESTALE: older than the cube, but the store has it.  -ENOENT: deleted meanwhile. */
	if (!err || err == -ESTALE || err == -ENOENT)
		return;
	/* An incomplete cube would break the law: without it, readers go to the store. */
	log_warning("instrumentation %llu is removed from memory, requests for it read the store: %s",
		(unsigned long long)a->batch.inst, uv_strerror(err));
	cube_drop(f->cube, a->batch.inst);
}

void store_queue_heard(struct store_queue *f, const struct incoming_batch *a, bool is_fold)
{
	__s64 first, last;

	fill_cube(f, a, is_fold ? cube_fold : cube_add);
	batch_slots(&a->batch, &first, &last);
	observers_notify(f, a->batch.inst, first, last);
}

/* It is not known whether the store has the batches.  If it has, they come again as known, and the cube never gets them. */
static void leave_batches(struct store_queue *f)
{
	__s64 first, last;

	for (const struct incoming_batch *a = f->taken; a; a = a->next) {
		batch_slots(&a->batch, &first, &last);
		cube_leave(f->cube, a->batch.inst, first, last);
	}
	for (struct store_queue_observer *o = f->observers; o; o = o->next)
		if (o->unsure)
			o->unsure(o->arg);
}

/* The senders keep the batches and send them again, so nothing else says that they are not stored.  Logged once a minute. */
static void note_failure(struct store_queue *f)
{
	char *failure = f->counters.failure;
	__u64 now_ns = uv_hrtime();

	if (!f->err && failure[0])
		log_info("batches are stored again");
	else if (f->err && (!failure[0] || now_ns - f->failure_logged_ns >= FAILURE_AGAIN_NS)) {
		log_warning("batches are not stored: %s; their senders keep them and send them again", store_queue_reason(f, f->err));
		f->failure_logged_ns = now_ns;
	}
	snprintf(failure, sizeof(f->counters.failure), "%s", f->err ? store_queue_reason(f, f->err) : "");
}

static void settle_batches(struct store_queue *f)
{
	struct incoming_batch *a;
	size_t i = 0;

	f->counters.commits += !f->err;
	f->counters.failed_commits += f->err != 0;
	note_failure(f);
	if (f->took_ns > f->counters.commit_ns_max)
		f->counters.commit_ns_max = f->took_ns;
	for (a = f->taken; a && !f->err; a = a->next, i++) {
		a->fresh = f->fresh[i];
		count_batch(f, a);
		if (!a->fresh)
			continue;
		fill_cube(f, a, cube_add);
		announce_stored(f, &a->batch);
	}
	if (!f->err)
		announce_amended(f);
	if (f->err == -EAGAIN)
		leave_batches(f);
	while ((a = f->taken)) {
		f->taken = a->next;
		f->bytes -= a->len;
		if (f->settled)
			f->settled(f->settled_arg, a, f->err);
		incoming_batch_free(a);
	}
	free(f->batch);
	free(f->fresh);
	f->batch = NULL;
	f->fresh = NULL;
}

/* Readers go on without damaged pieces, and the columns count as partly lost.  Logged at 1, 2, 4, 8 ... of them. */
static void note_damage(struct store_queue *f)
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

static void announce_texts(struct store_queue *f)
{
	struct store_queue_observer *o, *after;

	f->n_texts = f->store->n_texts;
	for (o = f->observers; o; o = after) {
		after = o->next;
		if (o->texts)
			o->texts(o->arg);
	}
}

static void queue_after(uv_work_t *req, int status)
{
	struct store_queue *f = req->data;
	struct job *job = f->job;

	note_damage(f);
	note_state(f);
	f->job = NULL;
	if (f->store->n_texts != f->n_texts)
		announce_texts(f);
	if (job) {
		job->done(job->arg, job->err);
		free(job);
	} else {
		settle_batches(f);
	}
	f->busy = false;
	queue_next(f);
}

/* --- taking turns --- */

static __u64 term_of(const struct store_queue *f)
{
	return f->term ? f->term(f->term_arg) : 1;
}

static struct job *pop_job(struct store_queue *f)
{
	struct job *job = f->first_job;

	if (!job)
		return NULL;
	f->first_job = job->next;
	if (!f->first_job)
		f->end_job = &f->first_job;
	return job;
}

static bool take_job(struct store_queue *f)
{
	struct job *job;

	while ((job = pop_job(f)) && job->is_write && term_of(f) != job->term) {
		job->done(job->arg, -EREMOTE);
		free(job);
	}
	f->job = job;
	return job;
}

/* Takes all waiting batches, as the one array that a store wants. */
static bool take_batches(struct store_queue *f)
{
	size_t n = 0;

	if (!f->first)
		return false;
	for (struct incoming_batch *a = f->first; a; a = a->next)
		n++;
	f->batch = calloc(n, sizeof(*f->batch));
	f->fresh = calloc(n, sizeof(*f->fresh));
	f->taken = f->first;
	f->first = NULL;
	f->end = &f->first;
	if (!f->batch || !f->fresh) {
		f->err = -ENOMEM;
		settle_batches(f);
		return false;
	}
	n = 0;
	for (struct incoming_batch *a = f->taken; a; a = a->next)
		f->batch[n++] = a->batch;
	f->n_batches = n;
	return true;
}

static void queue_next(struct store_queue *f)
{
	bool some;

	if (f->busy || !f->begun)
		return;
	f->busy = true;			/* the callbacks below may add and submit */
	f->job_turn = !f->job_turn;
	some = f->job_turn ? take_job(f) || take_batches(f) : take_batches(f) || take_job(f);
	if (some) {
		uv_queue_work(f->loop, &f->work, queue_work, queue_after);
		return;
	}
	f->busy = false;
	if (f->draining && f->idle) {
		void (*idle)(void *arg) = f->idle;

		f->idle = NULL;
		idle(f->idle_arg);
	}
}

int store_queue_add(struct store_queue *f, struct incoming_batch *a)
{
	if (f->draining)
		return -ESHUTDOWN;
	a->next = NULL;
	*f->end = a;
	f->end = &a->next;
	f->bytes += a->len;
	queue_next(f);
	return 0;
}

static int submit(struct store_queue *f, const struct job *job)
{
	struct job *copy;

	if (f->draining)
		return -ESHUTDOWN;
	copy = malloc(sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	*copy = *job;
	*f->end_job = copy;
	f->end_job = &copy->next;
	queue_next(f);
	return 0;
}

int store_queue_submit(struct store_queue *f, store_queue_work work_fn, store_queue_done done, void *arg)
{
	return submit(f, &(struct job){ .work = work_fn, .done = done, .arg = arg });
}

int store_queue_submit_write(struct store_queue *f, store_queue_work work_fn, store_queue_done done, void *arg)
{
	__u64 term = term_of(f);

	if (!term)
		return -EREMOTE;
	return submit(f, &(struct job){ .work = work_fn, .done = done, .arg = arg, .is_write = true, .term = term });
}

void store_queue_lead_by(struct store_queue *f, __u64 (*term)(void *arg), void *arg)
{
	f->term = term;
	f->term_arg = arg;
}

size_t store_queue_waiting(const struct store_queue *f)
{
	return f->bytes;
}

void store_queue_disown(struct store_queue *f, void *from)
{
	for (struct incoming_batch *a = f->first; a; a = a->next)
		if (a->from == from)
			a->from = NULL;
	for (struct incoming_batch *a = f->taken; a; a = a->next)
		if (a->from == from)
			a->from = NULL;
}

/* All of them leave the queue before any is settled: a callback may add batches at its end. */
void store_queue_drop(struct store_queue *f, __u64 inst)
{
	struct incoming_batch **at = &f->first, *dropped = NULL, **end = &dropped, *a;

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
		incoming_batch_free(a);
	}
}

void store_queue_on_settled(struct store_queue *f, void (*settled)(void *arg, const struct incoming_batch *a, int err), void *arg)
{
	f->settled = settled;
	f->settled_arg = arg;
}

void store_queue_observe(struct store_queue *f, struct store_queue_observer *o)
{
	o->next = f->observers;
	f->observers = o;
}

void store_queue_unobserve(struct store_queue *f, struct store_queue_observer *o)
{
	struct store_queue_observer **at = &f->observers;

	while (*at && *at != o)
		at = &(*at)->next;
	if (*at)
		*at = o->next;
}

const char *store_queue_error(int err)
{
	return err == -EREMOTE ? STORE_QUEUE_REFUSED : strerror(-err);
}

const char *store_queue_reason(const struct store_queue *f, int err)
{
	return err == f->err && f->store->reason[0] ? f->store->reason : strerror(-err);
}

const struct store_queue_counters *store_queue_counters(const struct store_queue *f)
{
	return &f->counters;
}

void store_queue_drain(struct store_queue *f, void (*idle)(void *arg), void *arg)
{
	f->draining = true;
	f->begun = true;
	f->idle = idle;
	f->idle_arg = arg;
	queue_next(f);
}
