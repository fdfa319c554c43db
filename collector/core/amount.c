#include "collector/core/amount.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct suffix {
	const char *name;
	__u64 worth;
};

struct scale {
	const char *unit;		/* as in replies */
	const char *smallest, *list;	/* for sentences */
	struct suffix suffix[9];
};

static const struct scale scales[] = {
	[UNIT_NONE] = { "", "", "none", { { "", 1 } } },
	[UNIT_NS] = { "ns", "ns", "ns, us, ms, s", { { "ns", 1 }, { "us", 1000 }, { "µs", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } } },
	[UNIT_BYTES] = { "bytes", "B", "B, kB, MB, GB, KiB, MiB, GiB", { { "B", 1 }, { "KiB", 1 << 10 }, { "MiB", 1 << 20 }, { "GiB", 1 << 30 },
		{ "kB", 1000 }, { "MB", 1000000 }, { "GB", 1000000000 } } },
	[UNIT_PERCENT] = { "%", "", "%", { { "", 1 }, { "%", 1 } } },
	[UNIT_PER_S] = { "/s", "", "/s", { { "", 1 }, { "/s", 1 } } },
	[UNIT_BYTES_PER_S] = { "bytes/s", "B/s", "B/s, kB/s, MB/s, GB/s", { { "B/s", 1 }, { "kB/s", 1000 }, { "MB/s", 1000000 },
		{ "GB/s", 1000000000 }, { "KiB/s", 1 << 10 }, { "MiB/s", 1 << 20 }, { "GiB/s", 1 << 30 } } },
};

const char *amount_unit_name(enum ruler_unit unit)
{
	return (size_t)unit < sizeof(scales) / sizeof(*scales) ? scales[unit].unit : "";
}

enum ruler_unit amount_unit(const char *name)
{
	for (enum ruler_unit unit = UNIT_NS; unit <= UNIT_BYTES_PER_S; unit++)
		if (!strcmp(scales[unit].unit, name))
			return unit;
	return UNIT_NONE;
}

struct wrong {
	const char **at;
	char *reason;
};

static int refuse(const struct wrong *w, const char *at, const char *format, ...) __attribute__((format(printf, 3, 4)));
static int refuse(const struct wrong *w, const char *at, const char *format, ...)
{
	va_list args;

	if (w->at)
		*w->at = at;
	va_start(args, format);
	vsnprintf(w->reason, AMOUNT_REASON, format, args);
	va_end(args);
	return -EINVAL;
}

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && strchr(" \t\r\n", *at))
		at++;
	return at;
}

static bool is_digit(const char *at, const char *end)
{
	return at < end && *at >= '0' && *at <= '9';
}

struct decimal {
	__u64 whole, part, place;	/* whole + part / place */
};

/* Returns the first character after the digits.  Too many digits: whole is the highest number, or place is 0. */
static const char *decimal_read(const char *at, const char *end, struct decimal *ret)
{
	struct decimal d = { 0, 0, 1 };

	for (; is_digit(at, end); at++)
		d.whole = d.whole > INT64_MAX / 10 ? UINT64_MAX : d.whole * 10 + (__u64)(*at - '0');
	*ret = d;
	if (at == end || *at != '.')
		return at;
	at++;
	for (unsigned n = 0; is_digit(at, end); at++, n++) {
		if (n < 9) {
			d.part = d.part * 10 + (__u64)(*at - '0');
			d.place *= 10;
		} else if (*at != '0') {
			d.place = 0;
		}
	}
	*ret = d;
	return at;
}

static int decimal_scale(const struct wrong *w, const char *at, const struct decimal *d, const struct scale *s, __u64 worth, __u64 *ret)
{
	if (d->whole > INT64_MAX / worth)
		return refuse(w, at, "this number is too large");
	if (!d->place || d->part * worth % d->place)
		return refuse(w, at, "this is not a whole number%s%s", *s->smallest ? " of " : "", s->smallest);
	if (d->whole * worth > INT64_MAX - d->part * worth / d->place)
		return refuse(w, at, "this number is too large");
	*ret = d->whole * worth + d->part * worth / d->place;
	return 0;
}

static const struct suffix *suffix_find(const struct scale *s, const char *name, size_t len)
{
	for (const struct suffix *suffix = s->suffix; suffix->name; suffix++)
		if (strlen(suffix->name) == len && !strncmp(suffix->name, name, len))
			return suffix;
	return NULL;
}

int amount_parse(const char *text, size_t len, enum ruler_unit unit, const char *name, __u64 *ret, const char **ret_at,
		 char reason[AMOUNT_REASON])
{
	const struct wrong w = { ret_at, reason };
	const struct scale *s = &scales[unit];
	const char *end = text + len, *at = skip_blanks(text, end), *rest;
	const struct suffix *suffix;
	struct decimal d;

	if (!is_digit(at, end))
		return refuse(&w, at, "%s is a number: digits%s", name, *s->smallest ? " and a unit" : "");
	rest = skip_blanks(decimal_read(at, end, &d), end);
	while (end > rest && strchr(" \t\r\n", end[-1]))
		end--;
	suffix = suffix_find(s, rest, (size_t)(end - rest));
	if (!suffix && rest == end && !d.whole && !d.part)
		suffix = s->suffix;		/* 0 is the same in every unit */
	if (!suffix && rest == end)
		return refuse(&w, at, "%s needs a unit: one of %s", name, s->list);
	if (!suffix)
		return refuse(&w, rest, "\"%.*s\" is not a unit of %s (units: %s)",
			(int)(end - rest < 40 ? end - rest : 40), rest, name, s->list);
	return decimal_scale(&w, at, &d, s, suffix->worth, ret);
}
