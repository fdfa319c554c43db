#include "aggregator/base/writer.h"
#include "collector/core/saturating.h"
#include "render/encode/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void writer_raw(struct bytes *out, const char *text)
{
	bytes_put(out, text, strlen(text));
}

/* Counts the bytes that need no escape: nearly always all. */
static size_t plain_length(const unsigned char *at)
{
	size_t len = 0;

	while (at[len] >= 0x20 && at[len] < 0x7f && at[len] != '"' && at[len] != '\\')
		len++;
	return len;
}

void writer_text(struct bytes *out, const char *text)
{
	char escape[8];

	bytes_put(out, "\"", 1);
	for (const unsigned char *at = (const unsigned char *)text; *at;) {
		size_t plain = plain_length(at), len = plain ? plain : utf8_length(at);

		if (*at == '"' || *at == '\\') {
			escape[0] = '\\';
			escape[1] = (char)*at;
			bytes_put(out, escape, 2);
		} else if (*at < 0x20 || *at == 0x7f) {
			snprintf(escape, sizeof(escape), "\\u%04x", *at);
			bytes_put(out, escape, 6);
		} else if (len) {
			bytes_put(out, at, len);
		} else {
			bytes_put(out, UTF8_UNKNOWN, strlen(UTF8_UNKNOWN));
		}
		at += len ? len : 1;
	}
	bytes_put(out, "\"", 1);
}

#define DIGITS 20			/* of a 64-bit number, at most */

/* Writes its digits before `end`; returns how many. */
static size_t put_digits(char *end, __u64 n)
{
	char *at = end;

	do
		*--at = (char)('0' + n % 10);
	while (n /= 10);
	return (size_t)(end - at);
}

static bool fits_json(__u64 n)
{
	return n == clamp_json(n);
}

void writer_number(struct bytes *out, __u64 n)
{
	char text[DIGITS], *end = text + sizeof(text);
	size_t len;

	if (!fits_json(n)) {
		writer_real(out, (double)n);
		return;
	}
	len = put_digits(end, n);
	bytes_put(out, end - len, len);
}

static void put_large_pair(struct bytes *out, __u64 a, __u64 b)
{
	writer_comma(out);
	writer_raw(out, "[");
	writer_number(out, a);
	writer_raw(out, ",");
	writer_number(out, b);
	writer_raw(out, "]");
}

/* Writes from the end into a local buffer, then copies once: a grid has hundreds of thousands of pairs. */
void writer_pair(struct bytes *out, __u64 a, __u64 b)
{
	char text[2 * DIGITS + 4], *end = text + sizeof(text), *at = end;

	if (!fits_json(a | b)) {
		put_large_pair(out, a, b);
		return;
	}
	*--at = ']';
	at -= put_digits(at, b);
	*--at = ',';
	at -= put_digits(at, a);
	*--at = '[';
	if (out->len && out->data[out->len - 1] != '[')
		*--at = ',';
	bytes_put(out, at, (size_t)(end - at));
}

void writer_real(struct bytes *out, double x)
{
	char text[32];

	if (!isfinite(x))
		snprintf(text, sizeof(text), "null");
	else if (snprintf(text, sizeof(text), "%.15g", x), strtod(text, NULL) != x)
		snprintf(text, sizeof(text), "%.17g", x);
	writer_raw(out, text);
}

void writer_seconds(struct bytes *out, __s64 ns)
{
	char text[48];
	size_t len;

	len = (size_t)snprintf(text, sizeof(text), "%s%" PRId64 ".%09" PRId64, ns < 0 ? "-" : "",
			       (int64_t)llabs(ns / 1000000000), (int64_t)llabs(ns % 1000000000));
	while (text[len - 1] == '0')
		len--;
	if (text[len - 1] == '.')
		len--;
	bytes_put(out, text, len);
}

void writer_comma(struct bytes *out)
{
	if (out->len && !strchr("[{", out->data[out->len - 1]))
		bytes_put(out, ",", 1);
}

void writer_name(struct bytes *out, const char *name)
{
	writer_comma(out);
	writer_text(out, name);
	bytes_put(out, ":", 1);
}

void writer_name_number(struct bytes *out, const char *name, __u64 n)
{
	writer_name(out, name);
	writer_number(out, n);
}

void writer_name_seconds(struct bytes *out, const char *name, __s64 ns)
{
	writer_name(out, name);
	writer_seconds(out, ns);
}

void writer_name_real(struct bytes *out, const char *name, double x)
{
	writer_name(out, name);
	writer_real(out, x);
}

void writer_name_flag(struct bytes *out, const char *name, int is)
{
	writer_name(out, name);
	writer_raw(out, is ? "true" : "false");
}

void writer_name_text(struct bytes *out, const char *name, const char *text)
{
	writer_name(out, name);
	writer_text(out, text);
}

void writer_open(struct bytes *out, const char *name, const char *bracket)
{
	if (name)
		writer_name(out, name);
	else
		writer_comma(out);
	writer_raw(out, bracket);
}

char *writer_take(struct bytes *out, size_t *ret_len)
{
	char *text;

	bytes_put(out, "", 1);
	if (out->err) {
		bytes_fini(out);
		return NULL;
	}
	text = (char *)out->data;
	*ret_len = out->len - 1;
	memset(out, 0, sizeof(*out));
	return text;
}
