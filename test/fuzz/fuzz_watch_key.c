/* fuzz_watch_key - reads any bytes as a terminal's: each becomes a part of an answer or of a key, and bytes that wait
 * for more are the begin of one. */
#include "ui/cli/terminal/answer.h"
#include "ui/cli/terminal/key.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static size_t read_answer(const uint8_t *data, size_t len)
{
	struct answer a = { .kitty = false }, cut = { .kitty = false };
	bool more, whole_more;
	size_t n = answer_read(data, len, false, &a, &more), whole = answer_read(data, len, true, &cut, &whole_more);

	if (n > len || whole > len || (n && (more || n != whole)))
		abort();
	if (a.cell_width > ANSWER_CELL_MAX || a.cell_height > ANSWER_CELL_MAX || a.n_colours > ANSWER_COLOURS_MAX)
		abort();
	return whole;
}

static size_t read_key(const uint8_t *data, size_t len)
{
	int key = -1;
	size_t n = key_read(data, len, false, &key);

	if (!n && len > 64)
		abort();
	if (!n)
		n = key_read(data, len, true, &key);
	if (!n || n > len || key < 0 || key > KEY_PAGE_DOWN)
		abort();
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	for (size_t at = 0, n; at < len; at += n) {
		n = read_answer(data + at, len - at);
		if (!n)
			n = read_key(data + at, len - at);
	}
	return 0;
}
