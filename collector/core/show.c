#include "collector/core/show.h"
#include "collector/core/utf8_length.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

/* --- one character --- */

static unsigned code_point(const unsigned char *at, size_t n)
{
	unsigned c = n < 2 ? at[0] : at[0] & (0x7fu >> n);

	for (size_t i = 1; i < n; i++)
		c = c << 6 | (at[i] & 0x3fu);
	return c;
}

/* Does this character control a terminal, hide, or move the characters around it? */
static bool is_obeyed(unsigned c)
{
	static const struct { unsigned first, last; } range[] = {
		{ 0, 0x1f }, { 0x7f, 0x9f }, { 0xad, 0xad }, { 0x61c, 0x61c }, { 0x180e, 0x180e },
		{ 0x200b, 0x200b }, { 0x200e, 0x200f }, { 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0xfeff, 0xfeff }, { 0xfff9, 0xfffb },
	};

	for (size_t i = 0; i < sizeof(range) / sizeof(*range); i++)
		if (c >= range[i].first && c <= range[i].last)
			return true;
	return false;
}

/* Writes the shown form of the character at text, of which `left` bytes exist, and its length; returns how many bytes
 * the character has. */
static size_t one_escape(const char *text, size_t left, char out[SHOW_MAX + 1], size_t *ret_len)
{
	static const char letter[] = { ['\t'] = 't', ['\n'] = 'n', ['\r'] = 'r' };
	unsigned char b[5] = { 0 };
	size_t n;
	unsigned c;

	memcpy(b, text, left < 4 ? left : 4);
	n = utf8_length(b);
	c = code_point(b, n);
	if (!n)
		*ret_len = (size_t)snprintf(out, SHOW_MAX + 1, "\\x%02x", b[0]);
	else if (c < sizeof(letter) && letter[c])
		*ret_len = (size_t)snprintf(out, SHOW_MAX + 1, "\\%c", letter[c]);
	else if (is_obeyed(c))
		*ret_len = (size_t)snprintf(out, SHOW_MAX + 1, "\\u%04x", c & 0xffff);
	else
		memcpy(out, b, *ret_len = n);
	return n ? n : 1;
}

/* --- texts --- */

size_t show_escape(const char *text, size_t len, char *out, size_t room)
{
	size_t whole = 0, at = 0, n;
	char one[SHOW_MAX + 1];

	for (size_t i = 0; i < len; whole += n) {
		i += one_escape(text + i, len - i, one, &n);
		if (at != whole || whole + n >= room)
			continue;
		memcpy(out + at, one, n);
		at += n;
	}
	if (room)
		out[at] = 0;
	return whole;
}

static size_t width_of(const char *text, size_t len)
{
	size_t width = 0, n;
	char one[SHOW_MAX + 1];

	for (size_t i = 0; i < len; width += (unsigned char)one[0] < 0x80 ? n : 1)
		i += one_escape(text + i, len - i, one, &n);
	return width;
}

size_t show_width(const char *text)
{
	return width_of(text, strlen(text));
}

static void put_text(FILE *out, const char *text, size_t len)
{
	char one[SHOW_MAX + 1];
	size_t n;

	for (size_t i = 0; i < len; fwrite(one, 1, n, out))
		i += one_escape(text + i, len - i, one, &n);
}

/* Returns the bytes of a line's end at text: 2, 1, or 0 if the line does not end here. */
static size_t line_end(const char *text, size_t left)
{
	return left && text[0] == '\n' ? 1 : left > 1 && text[0] == '\r' && text[1] == '\n' ? 2 : 0;
}

void show_lines(FILE *out, const char *text, size_t len, bool csv)
{
	bool quoted = false;
	size_t n;

	for (size_t i = 0, begin = 0; i <= len; i += n) {
		size_t end = quoted ? 0 : line_end(text + i, len - i);

		n = end ? end : 1;
		if (!end && i < len) {
			quoted ^= csv && text[i] == '"';
			continue;
		}
		put_text(out, text + begin, i - begin);
		fwrite(text + i, 1, end, out);
		begin = i + end;
	}
}

/* --- formats --- */

/* A conversion: "%-*.3llu", with the numbers that its stars stand for. */
struct conversion {
	char spec[40];
	size_t len;
	int width, precision;		/* precision -1: none */
	bool left;
	char size, letter;		/* size: 0, 'l', 'L' for ll, 'z', 'j' */
};

struct source {				/* where read_conversion() takes a conversion from */
	const char *at;			/* place in the format */
	va_list args;
};

static void spec_put(struct conversion *c, char letter)
{
	if (c->len + 1 < sizeof(c->spec))
		c->spec[c->len++] = letter;
}

/* Reads "12", or "*" and an argument; 0 if there is neither. */
static int read_number(struct source *from, struct conversion *c)
{
	int n = 0;

	if (*from->at == '*') {
		from->at++;
		n = va_arg(from->args, int);
	}
	while (*from->at >= '0' && *from->at <= '9')
		n = 10 * n + *from->at++ - '0';
	if (n)
		c->len += (size_t)snprintf(c->spec + c->len, sizeof(c->spec) - c->len, "%d", n);
	return n;
}

/* Reads the part of a conversion after its '%'. */
static struct conversion read_conversion(struct source *from)
{
	struct conversion c = { .spec = "%", .len = 1, .precision = -1 };

	while (*from->at && strchr("-+ #0", *from->at)) {
		c.left |= *from->at == '-';
		spec_put(&c, *from->at++);
	}
	c.width = read_number(from, &c);
	if (c.width < 0) {			/* as in printf() */
		c.left = true;
		c.width = -c.width;
	}
	if (*from->at == '.') {
		spec_put(&c, *from->at++);
		c.precision = read_number(from, &c);
	}
	while (*from->at && strchr("lzj", *from->at)) {
		c.size = c.size == 'l' ? 'L' : *from->at;
		spec_put(&c, *from->at++);
	}
	c.letter = *from->at;
	if (c.letter)
		spec_put(&c, *from->at++);
	return c;
}

static void put_padding(FILE *out, int n)
{
	while (n-- > 0)
		putc(' ', out);
}

static void put_string(FILE *out, const struct conversion *c, const char *text)
{
	size_t len = c->precision < 0 ? strlen(text) : strnlen(text, (size_t)c->precision);
	int pad = c->width - (int)width_of(text, len);

	put_padding(out, c->left ? 0 : pad);
	put_text(out, text, len);
	put_padding(out, c->left ? pad : 0);
}

/* Signed and unsigned numbers of the same size are passed in the same way. */
static void put_whole(FILE *out, const struct conversion *c, va_list *args)
{
	switch (c->size) {
	case 'l': fprintf(out, c->spec, va_arg(*args, long)); break;
	case 'L': fprintf(out, c->spec, va_arg(*args, long long)); break;
	case 'z': fprintf(out, c->spec, va_arg(*args, size_t)); break;
	case 'j': fprintf(out, c->spec, va_arg(*args, intmax_t)); break;
	default: fprintf(out, c->spec, va_arg(*args, int)); break;
	}
}

static void put_conversion(FILE *out, struct source *from)
{
	struct conversion c = read_conversion(from);
	const char *text;

	switch (c.letter) {
	case 's':
		text = va_arg(from->args, const char *);
		put_string(out, &c, text ? text : "(null)");
		break;
	case 'c':
		put_string(out, &c, (const char[2]){ (char)va_arg(from->args, int) });
		break;
	case 'd': case 'i': case 'u': case 'x':
		put_whole(out, &c, &from->args);
		break;
	case 'e': case 'f': case 'g':
		fprintf(out, c.spec, va_arg(from->args, double));
		break;
	case '%':
		putc('%', out);
		break;
	default:
		abort();			/* our own format is wrong */
	}
}

static void put_format(FILE *out, struct source *from)
{
	while (*from->at) {
		size_t plain = strcspn(from->at, "%");

		fwrite(from->at, 1, plain, out);
		from->at += plain;
		if (!*from->at)
			break;
		from->at++;
		put_conversion(out, from);
	}
}

/* Writes in one piece, because stderr has no buffer and another process may write to it, too. */
void show_print(FILE *out, const char *format, ...)
{
	struct source from = { .at = format };
	char *text = NULL;
	size_t len;
	FILE *piece = open_memstream(&text, &len);

	va_start(from.args, format);
	put_format(piece ? piece : out, &from);
	va_end(from.args);
	if (piece && !fclose(piece))
		fwrite(text, 1, len, out);
	free(text);
}
