/* flame.h - a flame graph: amounts of folded stacks as a tree of boxes, as SVG.
 *
 *      main;work;read 3        |      read      |  write  |
 *      main;work;write 2  -->  |           work           |      |
 *      main 1                  |              main               |
 *                              |               all               |
 *
 * Shape   A stack is a text of frames from the root to the leaf, joined by `;`; behind a frame "-" (which gets no box) they are
 *         the kernel's.  A frame's width is the amount of all stacks that go through it; its children lie on it in the
 *         order of their names, so that two pictures compare, and what ended in it is to their right.
 * Laws    amounts are whole: children add up to at most their parent, and with what ended there exactly; the root is the
 *         total; the order of the stacks does not matter (test_flame.c).
 * Narrow  what would be narrower than FLAME_MIN px is not drawn; a line below says how many frames and how much that was.
 * SVG     needs nothing but itself, no script; text is text, and each box has a title: name, amount, share.
 * Errors  -EINVAL: a size; -ENOMEM.
 * Memory  the bytes are the caller's, to be freed with free(); names are borrowed from the stacks.  Equal input, equal bytes.
 * Thread  any.
 */
#ifndef HEATSCOPE_FLAME_H
#define HEATSCOPE_FLAME_H

#include "render/grid/axis.h"
#include "render/draw/figure.h"

#define FLAME_MIN 0.5

struct flame_stack {
	const char *text;
	__u64 amount;
};

struct flame_frame {
	const char *name;
	size_t len;
	bool kernel;
	unsigned depth;			/* of the root: 0 */
	__u64 from, amount;		/* where it begins, counted from the left */
	size_t parent;			/* the root's: 0 */
};

struct flame_tree {
	struct flame_frame *frame;	/* each after its parent; the first is the root */
	size_t n;
};

/* The sum of all amounts must be less than 2^64. */
int flame_tree_make(const struct flame_stack *stack, size_t n, struct flame_tree *ret_tree);
void flame_tree_fini(struct flame_tree *t);

struct flame {
	const struct flame_stack *stack;
	size_t n;
	enum axis_unit unit;		/* of the amounts */
	__s64 from_ns, to_ns;		/* the time it is of */
	const char *note;		/* what else is to be known; NULL or "": nothing */
};

/* Of the options: width, theme, title, subtitle, version, zone.  It is as high as it needs to be. */
int flame_render(const struct flame *f, const struct figure_options *o, __u8 **ret_bytes, size_t *ret_len);

/* "main;work;read 3" a line, by name; what is 0 is left out. */
int flame_fold(const struct flame_stack *stack, size_t n, char **ret_text, size_t *ret_len);

#endif
