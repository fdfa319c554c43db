#include "collector/d/text/format.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <time.h>

#define WIDTH_MAX 1000000		/* also of a precision */
#define POINTER_WIDTH 16		/* of the flag ? */

/* ---- parse ---- */

static const char *parse_flags(const char *at, const char *end, struct d_directive *d)
{
	static const char letters[] = "#0-+ '@";

	for (; at < end; at++) {
		const char *flag = *at ? strchr(letters, *at) : NULL;

		if (flag)
			d->flags |= 1u << (flag - letters);
		else if (*at == '?')
			d->width = POINTER_WIDTH;
		else
			break;
	}
	return at;
}

static const char *parse_number(const char *at, const char *end, int *ret_number, bool *ret_star)
{
	*ret_number = 0;
	if (at < end && *at == '*') {
		*ret_star = true;
		return at + 1;
	}
	for (; at < end && isdigit((unsigned char)*at); at++) {
		*ret_number = *ret_number * 10 + *at - '0';
		if (*ret_number > WIDTH_MAX)
			*ret_number = WIDTH_MAX;
	}
	return at;
}

/* Flags and widths may come in any order: %6@d is %@6d. */
static const char *parse_directive(const char *at, const char *end, struct d_directive *d)
{
	const char *begin;
	int number;
	bool star;

	do {
		begin = at;
		at = parse_flags(at, end, d);
		star = false;
		begin = at == begin ? NULL : begin;
		if (at < end && (*at == '*' || isdigit((unsigned char)*at))) {
			at = parse_number(at, end, &number, &star);
			d->has_star_width |= star;
			d->width = star ? 0 : number;
			begin = at;
		}
	} while (begin);
	if (at < end && *at == '.') {
		d->has_precision = true;
		at = parse_number(at + 1, end, &d->precision, &d->has_star_precision);
	}
	at = parse_flags(at, end, d);
	while (at < end && strchr("hlLwzjt", *at) && *at)
		at++;
	return at;
}

int d_format_parse(const char *format, size_t len, struct d_arena *a, struct d_directive **ret_list, const char **ret_reason)
{
	const char *at = format, *end = format + len;

	*ret_list = NULL;
	for (;;) {
		struct d_directive *d = d_alloc(a, sizeof(*d));
		const char *percent = memchr(at, '%', end - at);

		if (!d)
			return -ENOMEM;
		d->text = at;
		d->text_len = (percent ? percent : end) - at;
		*ret_list = d;
		ret_list = &d->next;
		if (!percent)
			return 0;
		at = parse_directive(percent + 1, end, d);
		if (at >= end) {
			*ret_reason = "missing conversion specifier at the end of the format";
			return -EINVAL;
		}
		d->conversion = *at++;
		if (!d->conversion || !strchr("%aAcCdeEfFgGikopsSTuxXyY", d->conversion)) {
			*ret_reason = "unknown conversion specifier";
			return -EINVAL;
		}
	}
}

/* ---- print ---- */

static void print_padded(const char *text, size_t len, const struct d_directive *d, int width, int precision, FILE *out)
{
	int pad;

	if (precision >= 0 && (size_t)precision < len)
		len = precision;
	pad = width > 0 && (size_t)width > len ? width - (int)len : 0;
	if (!(d->flags & FORMAT_LEFT))
		fprintf(out, "%*s", pad, "");
	fwrite(text, 1, len, out);
	if (d->flags & FORMAT_LEFT)
		fprintf(out, "%*s", pad, "");
}

/* The value as printf() takes it, with 64 bits. */
static __u64 extend_value(const struct d_format_value *v, bool is_signed)
{
	unsigned unused = v->size && v->size < 8 ? 64 - 8 * v->size : 0;

	return is_signed ? (__u64)((__s64)(v->value << unused) >> unused) : v->value << unused >> unused;
}

/* %i is signed; %d and the like are as the value. */
static void print_integer(const struct d_format_value *v, const struct d_directive *d, int width, int precision, FILE *out)
{
	char spec[16], conversion = d->conversion, *at = spec;
	__u64 value;

	if (conversion == 'p')
		conversion = 'x';
	else if (!strchr("uoxX", conversion))
		conversion = v->is_signed || conversion == 'i' ? 'd' : 'u';
	value = extend_value(v, conversion == 'd');
	*at++ = '%';
	if (d->flags & FORMAT_ALTERNATE)
		*at++ = '#';
	if (d->flags & FORMAT_ZERO)
		*at++ = '0';
	if (d->flags & FORMAT_LEFT)
		*at++ = '-';
	if (d->flags & FORMAT_PLUS)
		*at++ = '+';
	if (d->flags & FORMAT_BLANK)
		*at++ = ' ';
	if (d->flags & FORMAT_GROUP)
		*at++ = '\'';
	snprintf(at, 8, "*%sll%c", precision >= 0 ? ".*" : "", conversion);
	if (precision >= 0)
		fprintf(out, spec, width, precision, (long long)value);
	else
		fprintf(out, spec, width, (long long)value);
}

static void print_time(const struct d_format_value *v, const struct d_directive *d, int width, FILE *out)
{
	time_t s = v->value / 1000000000u;
	char text[64];
	struct tm tm;

	localtime_r(&s, &tm);
	strftime(text, sizeof(text), d->conversion == 'T' ? "%a, %d %b %G %T %Z" : "%Y %b %e %T", &tm);
	print_padded(text, strlen(text), d, width, -1, out);
}

/* Characters that do not print become escapes, as in a C string. */
static void print_escaped(const struct d_format_value *v, const struct d_directive *d, int width, int precision, FILE *out)
{
	char text[4 * 4096];
	size_t len = 0;

	for (size_t i = 0; i < v->text_len && len < sizeof(text) - 4; i++) {
		static const char special[] = "\n\r\t\f\a\b\v\"\\", letter[] = "nrtfabv\"\\";
		const char *at = v->text[i] ? strchr(special, v->text[i]) : NULL;

		if (at)
			len += sprintf(text + len, "\\%c", letter[at - special]);
		else if (isprint((unsigned char)v->text[i]))
			text[len++] = v->text[i];
		else
			len += sprintf(text + len, "\\%03o", (unsigned char)v->text[i]);
	}
	print_padded(text, len, d, width, precision, out);
}

static void print_value(const struct d_directive *d, const struct d_format_value *v, int width, int precision, FILE *out)
{
	char c = v->value;

	if (d->conversion == 'Y' || d->conversion == 'T') {
		print_time(v, d, width, out);
	} else if (d->conversion == 'c' && !v->text) {
		print_padded(&c, 1, d, width, -1, out);
	} else if (d->conversion == 'S' && v->text) {
		print_escaped(v, d, width, precision, out);
	} else if (v->text) {
		print_padded(v->text, v->text_len, d, width, precision, out);
	} else {
		print_integer(v, d, width, precision, out);
	}
}

static const struct d_format_value *take_value(const struct d_format_value **values, size_t *n)
{
	static const struct d_format_value nothing = { .size = 8 };

	if (!*n)
		return &nothing;
	--*n;
	return (*values)++;
}

/* The value of a `*`: at most WIDTH_MAX, at least its negative. */
static int take_star(const struct d_format_value **values, size_t *n)
{
	int number = (int)take_value(values, n)->value;

	return number > WIDTH_MAX ? WIDTH_MAX : number < -WIDTH_MAX ? -WIDTH_MAX : number;
}

void d_format_print(const struct d_directive *d, const struct d_format_value *values, size_t n, FILE *out)
{
	for (; d; d = d->next) {
		struct d_directive own = *d;

		fwrite(d->text, 1, d->text_len, out);
		if (d->conversion == '%')
			fputc('%', out);
		if (!d->conversion || d->conversion == '%')
			continue;
		if (d->has_star_width)
			own.width = take_star(&values, &n);
		if (own.width < 0) {
			own.flags |= FORMAT_LEFT;
			own.width = -own.width;
		}
		if (d->has_star_precision)
			own.precision = take_star(&values, &n);
		if (!d->has_precision || own.precision < 0)
			own.precision = -1;
		print_value(&own, take_value(&values, &n), own.width, own.precision, out);
	}
}
