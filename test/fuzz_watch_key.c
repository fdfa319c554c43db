/* Bytes as any terminal may send them: each becomes a part of a key, and what waits for more is a beginning of one. */
#include "ui/cli/watch_key.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	for (size_t at = 0, n; at < len; at += n) {
		int key = -1;

		n = key_read(data + at, len - at, false, &key);
		if (!n && len - at > 64)
			abort();
		if (!n)
			n = key_read(data + at, len - at, true, &key);
		if (!n || n > len - at || key < 0 || key > KEY_PAGE_DOWN)
			abort();
	}
	return 0;
}
