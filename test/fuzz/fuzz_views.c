/* fuzz_views - parses any bytes as the parameter `views`: an accepted one has ids, and at most the allowed number. */
#include "aggregator/live/views.h"
#include "collector/core/instrumentation.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), reason[REASON_MAX];
	const struct http_param param = { "views", text };
	struct views v;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = 0;
	if (!views_read(&param, 1, &v, reason)) {
		if (!v.n || v.n > VIEWS_MAX)
			abort();
		for (size_t i = 0; i < v.n; i++)
			if (!v.view[i].inst)
				abort();
		views_fini(&v);
	}
	free(text);
	return 0;
}
