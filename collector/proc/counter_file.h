/* counter_file.h - holds the common part of meters (meter.h) whose counters stand in one file of /proc.
 *
 *      x_start: growth_file_start(n counters)    x_read: growth_file_read(path, parse, give)    .stop = growth_file_stop
 *
 * Unit    counters are in the file's unit; `give` converts their growth to the unit of its metric.
 * Errors  0 or -errno, as meter.h says; -EBADMSG from `parse`: the file has another format.
 * Memory  growth_file_stop() frees the result of growth_file_start(); arguments of `parse` and `give` are valid during
 *         the call only.
 * Thread  one thread.
 */
#ifndef HEATSCOPE_GROWTH_FILE_H
#define HEATSCOPE_GROWTH_FILE_H

#include "collector/core/bytes.h"
#include "collector/proc/counter_delta.h"
#include "collector/proc/meter.h"

struct growth_file {
	struct growth counters;
	struct bytes text;		/* of the file, as last read */
};

/* Returns NULL, with the reason, if there is no memory. */
struct growth_file *growth_file_start(size_t n_values, char *reason);
void growth_file_stop(void *self);

/* Adds a growth_thing per line. */
typedef int growth_file_parse(const void *text, size_t len, struct growth *counters, struct words *words);

/* Makes one event, several or none, from the growth since the previous snapshot. */
typedef void growth_file_give(const struct meter_look *look, const struct meter_out *out, const struct growth_thing *thing,
			      const __u64 growth[GROWTH_VALUES]);

int growth_file_read(struct growth_file *file, const char *path, growth_file_parse *parse, growth_file_give *give,
		     const struct meter_look *look, const struct meter_out *out);

#endif
