#include "collector/d/text/error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_LEN 64			/* longer names get no suggestion */

/* A line may say which line of which file is next: # 7 "x.h", #line 7 "x.h", #line 7.  The preprocessor also makes lines 0,
 * which have no text. */
static void take_mark(const char *text, size_t len, struct d_error *e)
{
	char line[128], file[sizeof(e->file)], next[10];
	int n;

	if (*text != '#')
		return;
	snprintf(line, sizeof(line), "%.*s", (int)len, text);
	n = sscanf(line, "# %9[0-9] \"%63[^\"\n]", next, file);
	if (n < 1)
		n = sscanf(line, "# line %9[0-9] \"%63[^\"\n]", next, file);
	if (n < 1 || !atoi(next))
		return;
	e->line = (unsigned)atoi(next) - 1;
	if (n == 2)		/* the preprocessor reads the script from its standard input */
		strcpy(e->file, strcmp(file, "<stdin>") ? file : "");
}

static void find_place(const struct d_script *s, __u32 at, struct d_error *e)
{
	__u32 begin = 0;

	e->at = at;
	e->line = 1;
	for (__u32 i = 0; i < at && i < s->len; i++)
		if (s->text[i] == '\n') {
			take_mark(s->text + begin, i - begin, e);
			e->line++;
			begin = i + 1;
		}
	e->column = (at < s->len ? at : s->len) - begin + 1;
}

static int fail(struct d_error *e, const struct d_script *s, __u32 at, const char *tag, const char *format, va_list args)
{
	if (e->tag)
		return -EINVAL;
	e->tag = tag;
	e->script = s->text;
	find_place(s, at, e);
	vsnprintf(e->text, sizeof(e->text), format, args);
	return -EINVAL;
}

int d_fail(struct d_error *e, const struct d_script *s, __u32 at, const char *tag, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fail(e, s, at, tag, format, args);
	va_end(args);
	return -EINVAL;
}

int d_fail_full(struct d_error *e, const struct d_script *s, __u32 at)
{
	return d_fail(e, s, at, "D_UNKNOWN", "the script is too large");
}

int d_fail_args(struct d_error *e, const struct d_script *s, const struct d_arena *a, __u32 at, const char *tag,
		const char *format, va_list args)
{
	return a->failed ? d_fail_full(e, s, at) : fail(e, s, at, tag, format, args);
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

const char *d_suggestion_text(const struct d_suggestion *s, const char *prefix, char *out)
{
	*out = '\0';
	if (s->best)
		snprintf(out, D_SUGGESTION_LEN, "; is %s%s meant?", prefix, s->best);
	return out;
}
