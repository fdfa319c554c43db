#include "collector/proc/counter_file.h"
#include "collector/proc/slurp.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

struct growth_file *growth_file_start(size_t n_values, char *reason)
{
	struct growth_file *file = calloc(1, sizeof(*file));

	if (!file) {
		snprintf(reason, REASON_MAX, "no memory");
		return NULL;
	}
	file->counters.n_values = n_values;
	return file;
}

void growth_file_stop(void *self)
{
	struct growth_file *file = self;

	growth_fini(&file->counters);
	bytes_fini(&file->text);
	free(file);
}

int growth_file_read(struct growth_file *file, const char *path, growth_file_parse *parse, growth_file_give *give,
		     const struct meter_look *look, const struct meter_out *out)
{
	__u64 growth[GROWTH_VALUES];
	int err = slurp(AT_FDCWD, path, &file->text);

	if (err)
		return err;
	growth_begin(&file->counters);
	err = parse(file->text.data, file->text.len, &file->counters, out->words);
	for (size_t i = 0; i < file->counters.now.n && !err && look->since_ns; i++)
		if (growth_of(&file->counters, i, growth))
			give(look, out, &file->counters.now.thing[i], growth);
	return err;
}
