/* counter_file.h - a meter (meter.h) of counters that stand in one file of /proc: what such meters share.
 *
 *      x_start: growth_file_start(n counters)    x_read: growth_file_read(path, parse, give)    .stop = growth_file_stop
 *
 * Unit    counters are in the file's unit; what `give` makes of their growth is in its metric's.
 * Errors  0 or -errno, as meter.h says; -EBADMSG of `parse`: not what the file looks like.
 * Memory  growth_file_stop() frees what growth_file_start() gave; what `parse` and `give` get is lent for the call.
 * Thread  one thread.
 */
#ifndef HEATSCOPE_GROWTH_FILE_H
#define HEATSCOPE_GROWTH_FILE_H

#include "collector/core/bytes.h"
#include "collector/proc/counter_delta.h"
#include "collector/proc/meter.h"

struct growth_file {
	struct growth counters;
	struct bytes text;		/* of the file, when last read */
};

/* NULL, and why: no memory. */
struct growth_file *growth_file_start(size_t n_values, char *reason);
void growth_file_stop(void *self);

/* Adds a growth_thing per line. */
typedef int growth_file_parse(const void *text, size_t len, struct growth *counters, struct words *words);

/* Makes an event, or several or none, of what has grown since the snapshot before. */
typedef void growth_file_give(const struct meter_look *look, const struct meter_out *out, const struct growth_thing *thing,
			      const __u64 growth[GROWTH_VALUES]);

int growth_file_read(struct growth_file *file, const char *path, growth_file_parse *parse, growth_file_give *give,
		     const struct meter_look *look, const struct meter_out *out);

#endif
