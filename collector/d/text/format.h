/* format.h - reads the format of printf(), and prints values by it, byte for byte as DTrace does.
 *
 *      "n %-5d\n" --d_format_parse()--> directives, each with the text before it --d_format_print()--> out
 *
 * Shape   a value is 64 bits with its type's size and sign, or a text.  A directive takes a value for each `*`, then
 *         its own.  Widths and precisions are at most 1000000; the caller checks that a value fits its conversion.
 * Errors  d_format_parse(): -EINVAL, *ret_reason says why.  -ENOMEM.
 * Memory  in the arena; texts point into the format.
 */
#ifndef HEATSCOPE_TEXT_FORMAT_H
#define HEATSCOPE_TEXT_FORMAT_H

#include "collector/d/text/arena.h"

#include <linux/types.h>
#include <stdio.h>

enum { FORMAT_ALTERNATE = 1, FORMAT_ZERO = 2, FORMAT_LEFT = 4, FORMAT_PLUS = 8, FORMAT_BLANK = 16, FORMAT_GROUP = 32,
       FORMAT_AGG = 64 };

struct d_directive {
	struct d_directive *next;
	const char *text;		/* before the conversion */
	size_t text_len;
	char conversion;		/* '\0': the format's end; '%' */
	__u8 flags;
	bool has_star_width, has_star_precision, has_precision;
	int width, precision;
};

struct d_format_value {
	const char *text;		/* NULL: an integer */
	size_t text_len;
	__u64 value;
	__u32 size;			/* bytes of its type */
	bool is_signed;
};

int d_format_parse(const char *format, size_t len, struct d_arena *a, struct d_directive **ret_list, const char **ret_reason);
void d_format_print(const struct d_directive *list, const struct d_format_value *values, size_t n, FILE *out);

#endif
