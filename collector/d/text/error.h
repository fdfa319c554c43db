/* error.h - says why a script is refused: where, DTrace's error tag, a sentence.
 *
 *      script, offset --d_fail()--> { line, column, tag, text } --d_error_print()--> "[D_SYNTAX] line 3: ..."
 *
 * Shape   lines and columns count from 1; a column is a byte.  A tag is one of DTrace's (D_SYNTAX ...), as -x errtags
 *         prints it.
 * Errors  d_fail() keeps the first error, and returns -EINVAL, so a function can end by `return d_fail(...)`.
 */
#ifndef HEATSCOPE_TEXT_ERROR_H
#define HEATSCOPE_TEXT_ERROR_H

#include <stddef.h>
#include <linux/types.h>

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
	const char *script;		/* the text in which it is */
	char text[240];
};

int d_fail(struct d_error *e, const struct d_script *s, __u32 at, const char *tag, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/* The known name that is nearest to an unknown one, if it is near: probefunc for probfunc.  Begins as { unknown }; then
 * every known name is offered. */
struct d_suggestion {
	const char *unknown;
	const char *best;		/* NULL: no name is near */
	unsigned distance;
};

void d_suggest(struct d_suggestion *s, const char *known);

#endif
