/* fuzz_worksheet - imports any bytes as a worksheet: an accepted one is complete, and its export is accepted again. */
#include "aggregator/worksheets/worksheet.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	json_t *given = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, NULL), *first, *second;
	char reason[REASON_MAX];

	if (given && !worksheet_read(given, &first, reason)) {
		if (worksheet_read(first, &second, reason) || !json_equal(first, second))
			abort();
		json_decref(first);
		json_decref(second);
	}
	json_decref(given);
	return 0;
}
