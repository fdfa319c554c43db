#include "collector/trace/function_name.h"

#include <string.h>

struct reading {
	const char *at, *end;
	char *out;
	size_t len, room;		/* room: bytes for the name, without its NUL */
	const char *last;		/* the last part, which a constructor repeats */
	size_t last_len;
};

static void put(struct reading *r, const char *text, size_t len)
{
	if (len > r->room - r->len)
		len = r->room - r->len;
	memcpy(r->out + r->len, text, len);
	r->len += len;
}

static void put_part(struct reading *r, const char *text, size_t len)
{
	if (r->len)
		put(r, "::", 2);
	put(r, text, len);
}

/* Reads "3foo" */
static int read_source_name(struct reading *r)
{
	size_t n = 0;

	while (r->at < r->end && *r->at >= '0' && *r->at <= '9' && n < 10000)
		n = n * 10 + (size_t)(*r->at++ - '0');
	if (!n || n > (size_t)(r->end - r->at))
		return 0;
	r->last = r->at;
	r->last_len = n;
	put_part(r, r->at, n);
	r->at += n;
	return 1;
}

static int is_next(const struct reading *r, const char *text)
{
	size_t n = strlen(text);

	return (size_t)(r->end - r->at) >= n && !memcmp(r->at, text, n);
}

static int read_part(struct reading *r)
{
	if (is_next(r, "St") && !r->len) {
		r->at += 2;
		put_part(r, "std", 3);
		return 1;
	}
	if (r->last && (is_next(r, "C1") || is_next(r, "C2") || is_next(r, "C3"))) {
		r->at += 2;
		put_part(r, r->last, r->last_len);
		return 1;
	}
	if (r->last && (is_next(r, "D0") || is_next(r, "D1") || is_next(r, "D2"))) {
		r->at += 2;
		put_part(r, "~", 1);
		put(r, r->last, r->last_len);
		return 1;
	}
	return read_source_name(r);
}

/* Reads the text after "_Z": a nested name, up to E, or a single one. */
static int read_name(struct reading *r)
{
	if (!is_next(r, "N")) {
		r->at += is_next(r, "L");	/* visible in its file only */
		return read_part(r) && !is_next(r, "I") && (r->last || read_source_name(r));
	}
	for (r->at++; r->at < r->end && strchr("rVKRO", *r->at); )
		r->at++;
	while (!is_next(r, "E")) {
		r->at += is_next(r, "L");
		if (!read_part(r))
			return 0;
	}
	return r->last != NULL;
}

void function_name_clean(char *text)
{
	for (; *text; text++)
		if (*text <= ' ' || *text > '~' || *text == ';')
			*text = '?';
}

void function_name(const char *symbol, char *out, size_t room)
{
	size_t n = strlen(symbol), clone = symbol[0] ? 1 + strcspn(symbol + 1, ".") : 0;
	struct reading r = { .at = symbol + 2, .end = symbol + (clone < n ? clone : n), .out = out, .room = room - 1 };

	if (strncmp(symbol, "_Z", 2) || r.at > r.end || !read_name(&r)) {
		r.len = 0;
		put(&r, symbol, (size_t)(r.end - symbol));
	}
	out[r.len] = 0;
	function_name_clean(out);
}
