/* flame.h - draws stacks as a flame graph (SVG), or writes them as folded text, a line per stack.
 *
 *      main;work;read 3        |      read      |  write  |
 *      main;work;write 2  -->  |           work           |      |
 *      main 1                  |              main               |
 *                              |               all               |
 *
 * Shape   A stack is a text of frames from the root to the leaf, joined by `;`.  Frames after a frame "-" (which gets
 *         no box) are the kernel's.
 * Boxes   The width of a frame is the amount of all stacks that go through it.  Its children lie on it, sorted by name,
 *         so two pictures can be compared.  Amounts that end in the frame itself lie to the right of its children.
 * Laws    Amounts are whole.  The children and the amount that ends in their parent add up to the parent exactly.  The
 *         root is the total.  The order of the stacks does not matter (test_flame.c).
 * Narrow  A frame narrower than FLAME_MIN px is not drawn.  A line below gives the number and the amount of such
 *         frames.
 * SVG     needs no script and no other file.  Text is text, and each box has a title: name, amount, share.
 * Errors  -EINVAL: a size; -ENOMEM.
 * Memory  the caller frees the bytes with free(); names are borrowed from the stacks.  Equal input, equal bytes.
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
	__u64 from, amount;		/* from: where it begins, from the left */
	size_t parent;			/* the root's: 0 */
};

struct flame_tree {
	struct flame_frame *frame;	/* each after its parent; the first is the root */
	size_t n;
};

/* Makes the tree of the stacks.  The sum of all amounts must be less than 2^64. */
int flame_tree_make(const struct flame_stack *stack, size_t n, struct flame_tree *ret_tree);
void flame_tree_fini(struct flame_tree *t);

struct flame {
	const struct flame_stack *stack;
	size_t n;
	enum axis_unit unit;		/* of the amounts */
	__s64 from_ns, to_ns;		/* the time that it covers */
	const char *note;		/* a note for the footer; NULL or "": none */
};

/* Uses these options: width, theme, title, subtitle, version, zone.  The height is what the boxes need. */
int flame_render(const struct flame *f, const struct figure_options *o, __u8 **ret_bytes, size_t *ret_len);

/* Writes lines such as "main;work;read 3", sorted by name, without amounts of 0. */
int flame_fold(const struct flame_stack *stack, size_t n, char **ret_text, size_t *ret_len);

#endif
