#include "collector/proc/counter_file.h"
#include "collector/core/refuse.h"
#include "collector/proc/slurp.h"

#include <fcntl.h>
#include <stdlib.h>

int counter_file_start(size_t n_values, void **ret_self, char *reason)
{
	struct counter_file *file = calloc(1, sizeof(*file));

	*ret_self = file;
	if (!file)
		return no_memory(reason);
	file->counters.n_values = n_values;
	return 0;
}

void counter_file_stop(void *self)
{
	struct counter_file *file = self;

	counter_delta_fini(&file->counters);
	bytes_fini(&file->text);
	free(file);
}

int counter_file_read(struct counter_file *file, const char *path, counter_file_parse *parse, counter_file_give *give,
		      const struct meter_request *request, const struct meter_out *out)
{
	__u64 growth[COUNTER_DELTA_VALUES];
	int err = slurp(AT_FDCWD, path, &file->text);

	if (err)
		return err;
	counter_delta_begin(&file->counters);
	err = parse(file->text.data, file->text.len, &file->counters, out->words);
	for (size_t i = 0; i < file->counters.now.n && !err && request->since_ns; i++)
		if (counter_delta_of(&file->counters, i, growth))
			give(request, out, &file->counters.now.thing[i], growth);
	return err;
}
