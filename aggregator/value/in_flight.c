#include "aggregator/value/in_flight.h"
#include "aggregator/value/kind.h"

int value_in_flight_fold(struct value *v)
{
	int axis = value_in_flight_axis(v), err;
	struct query q;

	if (axis < 0)
		return 0;
	q = value_query(v, axis);
	err = value_fold_add(v, &q, false);
	v->runs = !err;
	return err;
}

int value_in_flight_add(struct value *v, __s64 n_slots, __u64 min, __u64 max, struct in_flight **ret_in_flight)
{
	int axis = value_in_flight_axis(v), err;
	struct store_reader to = { .arg = NULL };
	struct query q;

	if (axis < 0)
		return 0;
	q = value_query(v, axis);
	err = in_flight_new(&q, n_slots, min, max, ret_in_flight);
	if (err)
		return err;
	to.arg = *ret_in_flight;
	to.cover = in_flight_reader(*ret_in_flight)->cover;
	value_take(v, axis, VALUE_WHOLE, &to);
	return 0;
}

int value_in_flight_read(struct value *v, struct in_flight *r, struct store *store)
{
	const struct store_reader slices = { .arg = r, .slice = in_flight_reader(r)->slice };
	struct store_range range = { .axis = value_in_flight_axis(v) };

	in_flight_slots(r, &range.first, &range.last);
	return store->ops->read(store, v->in.id, &range, &slices);
}

void value_in_flight_take(struct value *v, struct in_flight *r)
{
	const struct store_reader to = { .arg = r, .slice = in_flight_reader(r)->slice };

	value_take(v, value_in_flight_axis(v), VALUE_WHOLE, &to);
}

int value_in_flight_record(struct value *v, struct in_flight *r)
{
	const struct store_reader slices = { .arg = &v->slice_buffer, .slice = slice_buffer_recorder(&v->slice_buffer)->slice };
	int axis = value_in_flight_axis(v);
	__s64 first, last;

	value_in_flight_take(v, r);
	in_flight_slots(r, &first, &last);
	v->slice_buffer.axes[axis] = true;
	return cube_read(v->services->cube, v->in.id, first, last, axis, 0, &slices);
}
