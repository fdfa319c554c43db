/* keys: lists the totals of each key, and how many of its events still run. */
#include "aggregator/value/kind.h"
#include "aggregator/value/reply.h"
#include "aggregator/value/in_flight.h"

#include <stdlib.h>

#define RUNNING_TAIL 60			/* looks for the last reported slot among so many at the end of the time */

struct keys_value {
	struct value v;
	struct in_flight *running;	/* NULL: not measured */
};

static struct keys_value *keys_of(struct value *v) { return (struct keys_value *)v; }

static int keys_folds(struct value *v, const struct catalog_inst *ci, int axis, char *reason)
{
	int err = value_totals_folds(v, ci, axis, reason);

	return err ? err : value_in_flight_add(v, RUNNING_TAIL, 0, 0, &keys_of(v)->running);
}

static int keys_read(struct value *v, struct store *store)
{
	struct in_flight *running = keys_of(v)->running;
	int err = value_read_slices(v, store);

	return err || !running ? err : value_in_flight_read(v, running, store);
}

/* Records one measure of all slots, and the running events of the last few. */
static int keys_record(struct value *v, __s64 first, __s64 last)
{
	struct in_flight *running = keys_of(v)->running;
	int err = value_record_slices(v, first, last);

	return err || !running ? err : value_in_flight_record(v, running);
}

static int keys_make(struct value *v)
{
	struct in_flight *r = keys_of(v)->running;
	struct bytes out = { 0 };
	size_t n;
	const struct key_total *total = key_fold_totals(v->key_fold[0], (enum key_order)v->p.order, &n);
	struct in_flight_total *runs = NULL;
	struct payload_running running = { .n = 0 };
	int err = r ? in_flight_error(r) : 0;
	__s64 slot = r ? in_flight_last(r) : -1;

	if (!err && slot >= 0)
		err = in_flight_totals(r, slot, v->drop, &runs, &running.n);
	if (err)
		return err;
	running.end_ns = (slot + 1) * (__s64)v->in.slot_ns;
	running.total = runs;
	reply_begin(v, &out);
	payload_order(&out, (enum key_order)v->p.order);
	payload_keys(&out, total, n, v->head.n_snapshots, slot < 0 ? NULL : &running);
	free(runs);
	return reply_end(v, &out);
}

static void keys_free(struct value *v)
{
	in_flight_free(keys_of(v)->running);
}

const struct value_kind value_keys = {
	.name = "keys", .size = sizeof(struct keys_value), .class = ADMISSION_SMALL, .totals = true,
	.folds = keys_folds, .read = keys_read, .record = keys_record, .make = keys_make, .free = keys_free,
};
