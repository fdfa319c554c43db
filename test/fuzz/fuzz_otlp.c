/* fuzz_otlp - reads any bytes as the answer of a receiver of OTLP, as protobuf, JSON and text, and as a file of headers.  Messages
 * are printable; headers are lines that can be sent. */
#include "aggregator/export/otlp_answer.h"
#include "aggregator/export/otlp_headers.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void must(int holds)
{
	if (!holds)
		abort();
}

static int is_printable(const char *text)
{
	while (*text >= ' ' && *text <= '~')
		text++;
	return !*text;
}

static void check_answer(long status, const char *type, const void *data, size_t len)
{
	struct otlp_answer a;

	otlp_answer_read(status, type, data, len, &a);
	must(strlen(a.message) < sizeof(a.message) && is_printable(a.message));
	must(status == 200 || !a.n_rejected);
}

static void check_headers(const uint8_t *data, size_t len)
{
	struct otlp_headers *h = calloc(1, sizeof(*h));

	if (h && len <= OTLP_HEADERS_BYTES) {
		memcpy(h->text, data, len);
		otlp_headers_parse(h, len);
		for (size_t i = 0; i < h->n; i++)
			must(strchr(h->line[i], ':') && !strpbrk(h->line[i], "\r\n"));
	}
	free(h);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const char *const types[] = { "application/x-protobuf", "application/json", "text/plain" };

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		check_answer(200, types[i], data, len);
		check_answer(400, types[i], data, len);
	}
	check_headers(data, len);
	return 0;
}
