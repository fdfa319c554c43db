/* otlp_headers.h - reads the headers that a receiver of OTLP wants: a token, a key, a tenant.
 *
 *      file: a line "Name: value" each; empty lines, and those that begin with #, are left out
 *
 * Secret  the file has mode 0600 (secret_file.h).
 * Errors  -EINVAL: not such lines, too many, or one that we send ourselves; else as secret_file.h.  `reason` (room bytes) gets one
 *         sentence that names the file, and no value.
 * Thread  any.
 */
#ifndef HEATSCOPE_EXPORT_OTLP_HEADERS_H
#define HEATSCOPE_EXPORT_OTLP_HEADERS_H

#include <stddef.h>

#define OTLP_HEADERS_MAX 16
#define OTLP_HEADERS_BYTES 8192

struct otlp_headers {
	size_t n;
	const char *line[OTLP_HEADERS_MAX];	/* in text */
	char text[OTLP_HEADERS_BYTES + 1];
};

/* After an error it has no headers. */
int otlp_headers_read(const char *path, struct otlp_headers *ret_headers, char *reason, size_t room);
void otlp_headers_clear(struct otlp_headers *h);

/* Finds the lines in h->text, len bytes long.  Returns 0, or the number of the line that is wrong. */
unsigned otlp_headers_parse(struct otlp_headers *h, size_t len);

#endif
