/* annotation.h - defines an annotation, a text at a moment (a deploy) or a range of time (an alert that fired).
 *
 *      from_ns == to_ns: a moment     from_ns < to_ns: a range     to_ns ANNOTATION_OPEN: it has not ended yet
 *
 * Shape   sorted by from_ns, then by id.  A grid has the annotations that touch its time.
 * Memory  an annotation is a plain value; annotation_list_free() frees a list (NULL is fine), grid_free() frees the
 *         grid's list.
 */
#ifndef HEATSCOPE_ANNOTATION_H
#define HEATSCOPE_ANNOTATION_H

#include <linux/types.h>
#include <stddef.h>

#define ANNOTATION_TEXT_MAX 240		/* bytes */
#define ANNOTATION_OPEN 0x7fffffffffffffffll

enum annotation_kind { ANNOTATION_NOTE, ANNOTATION_ALERT };

struct annotation {
	__u64 id;
	__u64 inst;			/* id of the instrumentation; 0: it belongs to all */
	__s64 from_ns, to_ns;		/* wall clock, ns from the epoch */
	enum annotation_kind kind;
	char text[ANNOTATION_TEXT_MAX + 1];	/* UTF-8, one line, not empty */
};

struct annotation_list {
	size_t n;
	struct annotation item[];
};

void annotation_list_free(struct annotation_list *a);
struct annotation_list *annotation_list_copy(const struct annotation_list *a);	/* NULL: no memory, or of NULL */

/* Does it touch the time from..to (half-open)? */
int annotation_touches(const struct annotation *a, __s64 from_ns, __s64 to_ns);

const char *annotation_kind_name(enum annotation_kind kind);	/* "note", "alert" */

#endif
