/* error.h - says why a script is refused: where, DTrace's error tag, a sentence.
 *
 *      script, offset --d_fail()--> { line, column, tag, text }
 *
 * Shape   lines and columns count from 1, a line from the last mark before it, # LINE "FILE"; a column is a byte.  A tag is one of DTrace's (D_SYNTAX ...), as -x errtags
 *         prints it.
 * Errors  d_fail() keeps the first error, and returns -EINVAL, so a function can end by `return d_fail(...)`.
 * Memory  texts are copied; the tag and the script's text are borrowed.
 * Thread  any, one at a time for each d_error.
 */
#ifndef HEATSCOPE_TEXT_ERROR_H
#define HEATSCOPE_TEXT_ERROR_H

#include "collector/d/text/arena.h"

#include <linux/types.h>
#include <stdarg.h>
#include <stddef.h>

#define D_SCRIPT_MAX (1u << 20)		/* bytes of a script */

/* The text of a D program.  It is borrowed. */
struct d_script {
	const char *name;		/* of the file; NULL: from the command line */
	const char *text;
	size_t len;
};

struct d_error {
	const char *tag;		/* NULL: no error so far */
	unsigned line, column;
	__u32 at;
	char file[64];			/* "": the script; what a mark of the C preprocessor names, # LINE "FILE", if it is another */
	const char *script;		/* compare this pointer with d_script.text: the script in which it is */
	char text[240];
};

int d_fail(struct d_error *e, const struct d_script *s, __u32 at, const char *tag, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
/* Likewise; if the arena is full, the error is that the script is too large. */
int d_fail_args(struct d_error *e, const struct d_script *s, const struct d_arena *a, __u32 at, const char *tag,
		const char *format, va_list args) __attribute__((format(printf, 6, 0)));
/* The arena is full. */
int d_fail_full(struct d_error *e, const struct d_script *s, __u32 at);

/* The known name that is nearest to an unknown one, if it is near: probefunc for probfunc.  Begins as { unknown }; then
 * every known name is offered. */
struct d_suggestion {
	const char *unknown;
	const char *best;		/* NULL: no name is near */
	unsigned distance;
};

void d_suggest(struct d_suggestion *s, const char *known);

/* The end of a message: "; is @count meant?" with the prefix "@"; "" if no name is near.  out: D_SUGGESTION_LEN bytes. */
#define D_SUGGESTION_LEN 96
const char *d_suggestion_text(const struct d_suggestion *s, const char *prefix, char *out);

#endif
