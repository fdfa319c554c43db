#include "aggregator/http/framing.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

struct framing {
	size_t n_lengths, n_encodings, n_hosts;
	bool blank, length_bad, encoding_bad;
};

static enum MHD_Result count_framing(void *arg, enum MHD_ValueKind kind, const char *name, size_t name_len, const char *value,
				     size_t value_len)
{
	struct framing *f = arg;
	size_t digits = value ? strspn(value, "0123456789") : 0;

	if (name[strcspn(name, " \t")])
		f->blank = true;
	if (!strcasecmp(name, "Host"))
		f->n_hosts++;
	if (!strcasecmp(name, "Content-Length")) {
		f->n_lengths++;
		f->length_bad = f->length_bad || !digits || value[digits];
	}
	if (!strcasecmp(name, "Transfer-Encoding")) {
		f->n_encodings++;
		f->encoding_bad = f->encoding_bad || !value || strcasecmp(value, "chunked");
	}
	return MHD_YES;
}

const char *http_framing_error(struct MHD_Connection *connection, const char *version)
{
	struct framing f = { 0 };

	MHD_get_connection_values_n(connection, MHD_HEADER_KIND, count_framing, &f);
	if (f.blank)
		return "the name of a header has a blank in it";
	if (f.n_hosts > 1)
		return "there is more than one Host";
	if (f.n_lengths && f.n_encodings)
		return "Content-Length and Transfer-Encoding contradict each other: send one of them";
	if (f.n_lengths > 1 || f.length_bad)
		return "Content-Length must be one whole number";
	if (f.n_encodings > 1 || f.encoding_bad)
		return "Transfer-Encoding must be chunked";
	if (f.n_encodings && strcasecmp(version, "HTTP/1.1"))
		return "Transfer-Encoding needs HTTP/1.1";
	return NULL;
}
