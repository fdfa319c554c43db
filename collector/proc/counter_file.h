/* counter_file.h - runs a meter (meter.h) whose counters are in one file of /proc.
 *
 *      x_start: counter_file_start(n counters)    x_read: counter_file_read(path, parse, give)
 *      .stop = counter_file_stop
 *
 * Unit    counters are in the file's unit; `give` converts their growth to the unit of its metric.
 * Errors  0 or -errno, as meter.h says; -EBADMSG from `parse`: the file has another format.
 * Memory  counter_file_stop() frees the result of counter_file_start(); arguments of `parse` and `give` are valid
 *         during the call only.
 * Thread  one thread.
 */
#ifndef HEATSCOPE_COUNTER_FILE_H
#define HEATSCOPE_COUNTER_FILE_H

#include "collector/core/bytes.h"
#include "collector/proc/counter_delta.h"
#include "collector/proc/meter.h"

struct counter_file {
	struct counter_delta counters;
	struct bytes text;		/* of the file, as last read */
};

/* Makes the meter's state; *ret_self is a struct counter_file.  -ENOMEM with the reason. */
int counter_file_start(size_t n_values, void **ret_self, char *reason);
void counter_file_stop(void *self);

/* Adds a counter_delta_thing per line. */
typedef int counter_file_parse(const void *text, size_t len, struct counter_delta *counters, struct words *words);

/* Makes one event, several or none, from the growth since the previous snapshot. */
typedef void counter_file_give(const struct meter_request *request, const struct meter_out *out,
			       const struct counter_delta_thing *thing, const __u64 growth[COUNTER_DELTA_VALUES]);

int counter_file_read(struct counter_file *file, const char *path, counter_file_parse *parse, counter_file_give *give,
		      const struct meter_request *request, const struct meter_out *out);

#endif
