#include "collector/d/text/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NAME_MAX_LEN 64			/* longer names get no suggestion */

static void find_place(const struct d_script *s, __u32 at, struct d_error *e)
{
	e->line = e->column = 1;
	for (__u32 i = 0; i < at && i < s->len; i++) {
		e->column++;
		if (s->text[i] == '\n') {
			e->line++;
			e->column = 1;
		}
	}
}

int d_fail(struct d_error *e, const struct d_script *s, __u32 at, const char *tag, const char *format, ...)
{
	va_list args;

	if (e->tag)
		return -EINVAL;
	e->tag = tag;
	e->script = s->text;
	find_place(s, at, e);
	va_start(args, format);
	vsnprintf(e->text, sizeof(e->text), format, args);
	va_end(args);
	return -EINVAL;
}

/* Edit distance of Levenshtein: how many characters to insert, delete or replace. */
static unsigned edit_distance(const char *a, size_t n, const char *b, size_t m)
{
	unsigned row[NAME_MAX_LEN + 1];

	for (size_t j = 0; j <= m; j++)
		row[j] = j;
	for (size_t i = 1; i <= n; i++) {
		unsigned corner = row[0];

		row[0] = i;
		for (size_t j = 1; j <= m; j++) {
			unsigned best = corner + (a[i - 1] != b[j - 1]);

			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			corner = row[j];
			row[j] = best;
		}
	}
	return row[m];
}

void d_suggest(struct d_suggestion *s, const char *known)
{
	size_t n = strlen(s->unknown), m = strlen(known);
	unsigned limit = n <= 3 ? 1 : n <= 7 ? 2 : 3, distance;

	if (n > NAME_MAX_LEN || m > NAME_MAX_LEN || n < 2 || (n > m ? n - m : m - n) > limit)
		return;
	distance = edit_distance(s->unknown, n, known, m);
	if (distance > limit || distance >= n || (s->best && distance >= s->distance))
		return;
	s->best = known;
	s->distance = distance;
}
