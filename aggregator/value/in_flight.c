#include "aggregator/value/in_flight.h"
#include "aggregator/value/kind.h"

#include <errno.h>

int value_running_fold(struct value *v)
{
	int axis = value_running_axis(v), err;
	struct query q;

	if (axis < 0)
		return 0;
	q = value_query(v, axis);
	err = value_fold_add(v, &q, false);
	v->runs = !err;
	return err;
}

int value_running_add(struct value *v, __s64 n_slots, __u64 min, __u64 max, struct running **ret_running)
{
	int axis = value_running_axis(v), err;
	struct store_reader to = { .arg = NULL };
	struct query q;

	if (axis < 0)
		return 0;
	q = value_query(v, axis);
	err = running_new(&q, n_slots, min, max, ret_running);
	if (err)
		return err;
	to.arg = *ret_running;
	to.cover = running_reader(*ret_running)->cover;
	value_take(v, axis, false, &to);
	return 0;
}

int value_running_read(struct value *v, struct running *r, struct store *store)
{
	const struct store_reader slices = { .arg = r, .slice = running_reader(r)->slice };
	struct store_range range = { .axis = value_running_axis(v) };

	running_slots(r, &range.first, &range.last);
	return store->ops->read(store, v->in.id, &range, &slices);
}

void value_running_take(struct value *v, struct running *r)
{
	const struct store_reader to = { .arg = r, .slice = running_reader(r)->slice };

	value_take(v, value_running_axis(v), false, &to);
}

int value_running_record(struct value *v, struct running *r)
{
	const struct store_reader slices = { .arg = &v->slice_buffer, .slice = slice_buffer_recorder(&v->slice_buffer)->slice };
	int axis = value_running_axis(v);
	__s64 first, last;

	value_running_take(v, r);
	running_slots(r, &first, &last);
	v->slice_buffer.axes[axis] = true;
	return cube_read(v->services->cube, v->in.id, first, last, axis, 0, &slices);
}
