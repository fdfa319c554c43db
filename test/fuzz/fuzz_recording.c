/* fuzz_recording - reads any bytes as a recording: it is read or refused with a sentence. */
#include "collector/probe/recording.h"
#include "collector/core/frame.h"
#include "test/kit/sample_kit.h"

#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* Corrects the CRCs first: only after them the parsing begins. */
static void mend(uint8_t *data, size_t len)
{
	struct cursor c = { .data = data, .len = len };

	while (len - c.at >= FRAME_HEAD && !memcmp(data + c.at, "HSC1", 4)) {
		uint8_t *head = data + c.at;
		uint32_t size, crc;

		c.at += 8;
		size = (uint32_t)cursor_get_int(&c, 4);
		c.at += 4;
		if (size > len - c.at)
			return;
		crc = (uint32_t)crc32(crc32(0, head + 4, 8), head + FRAME_HEAD, size);
		for (int i = 0; i < 4; i++)
			head[12 + i] = (uint8_t)(crc >> (8 * i));
		c.at += size;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	uint8_t *copy = malloc(len + 1);
	struct recording *r = NULL;
	char reason[REASON_MAX] = "";

	memcpy(copy, data, len);
	if (!recording_parse(copy, len, &r, reason))
		recording_free(r);
	else if (!reason[0])
		abort();
	mend(copy, len);
	if (!recording_parse(copy, len, &r, reason))
		recording_free(r);
	free(copy);
	return 0;
}
