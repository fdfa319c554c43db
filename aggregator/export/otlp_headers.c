#include "aggregator/export/otlp_headers.h"

#include "collector/core/secret_file.h"
#include "collector/core/refuse.h"

#include <ctype.h>
#include <errno.h>
#include <gnutls/gnutls.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* Those of the body and of the connection are ours. */
static bool is_ours(const char *name, size_t len)
{
	static const char *const ours[] = { "Content-Type", "Content-Encoding", "Content-Length", "Transfer-Encoding", "Connection", "Expect",
					    "Host" };

	for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		if (strlen(ours[i]) == len && !strncasecmp(ours[i], name, len))
			return true;
	return false;
}

/* "Name: value": a name of RFC 9110's characters, and a value of printable ones. */
static bool is_header(const char *line)
{
	size_t len = 0;
	const char *at;

	while (isalnum((unsigned char)line[len]) || (line[len] && strchr("!#$%&'*+-.^_`|~", line[len])))
		len++;
	if (!len || line[len] != ':' || is_ours(line, len))
		return false;
	for (at = line + len + 1; *at == ' ' || *at == '\t'; at++)
		;
	if (!*at)
		return false;
	while (*at >= ' ' && *at <= '~')
		at++;
	return !*at;
}

unsigned otlp_headers_parse(struct otlp_headers *h, size_t len)
{
	unsigned number = 0;
	char *end;

	h->n = 0;
	h->text[len] = '\0';
	for (char *line = h->text; line < h->text + len; line = end + 1) {
		number++;
		end = line + strcspn(line, "\n");
		*end = '\0';
		if (end > line && end[-1] == '\r')
			end[-1] = '\0';
		if (!*line || *line == '#')
			continue;
		if (h->n == OTLP_HEADERS_MAX || !is_header(line))
			return number;
		h->line[h->n++] = line;
	}
	return 0;
}

void otlp_headers_clear(struct otlp_headers *h)
{
	gnutls_memset(h->text, 0, sizeof(h->text));
	h->n = 0;
}

int otlp_headers_read(const char *path, struct otlp_headers *ret_headers, char *reason, size_t room)
{
	size_t len = 0;
	int err = secret_file_read(path, "headers", ret_headers->text, OTLP_HEADERS_BYTES, &len, reason, room);
	unsigned line = err ? 0 : otlp_headers_parse(ret_headers, len);

	if (line)
		err = refuse_in(-EINVAL, reason, room, "%.200s: line %u is no header that can be sent: it must be like \"Authorization: "
			"Bearer ...\", at most %d of them, and none of the body's", path, line, OTLP_HEADERS_MAX);
	if (err)
		otlp_headers_clear(ret_headers);
	return err;
}
