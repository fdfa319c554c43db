/* fuzz_clickhouse_row - reads any bytes as rows that a ClickHouse server returns for slices.  The histogram of a row that is
 * accepted can be read. */
#include "aggregator/store/clickhouse/row.h"

#include <stdint.h>
#include <stdlib.h>

static void must(int holds)
{
	if (!holds)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cursor c = { .data = data, .len = size };
	struct bytes hist = { 0 };
	struct hist_reader reader;

	while (!c.err && c.at < size) {
		struct row_slice row = row_get_slice(&c);

		if (c.err)
			break;
		bytes_clear(&hist);
		if (!row_slice_encode(&row, &hist))
			must(!hist_reader_open(&reader, row.slice.ruler, hist.data, hist.len));
		else
			must(!hist.len);
	}
	bytes_fini(&hist);
	return 0;
}
