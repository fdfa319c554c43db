#include "render/draw/flame.h"
#include "collector/core/array.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- order ---- */

/* Compares frame by frame: a `;` is less than every byte that can continue a name. */
static int by_text(const void *a, const void *b)
{
	const unsigned char *x = *(const unsigned char *const *)a, *y = *(const unsigned char *const *)b;

	while (*x && *x == *y) {
		x++;
		y++;
	}
	return (*x == ';' ? 1 : *x ? *x + 1 : 0) - (*y == ';' ? 1 : *y ? *y + 1 : 0);
}

static int sorted_stacks(const struct flame_stack *stack, size_t n, struct flame_stack **ret)
{
	*ret = malloc((n + 1) * sizeof(**ret));
	if (!*ret)
		return -ENOMEM;
	if (n)
		memcpy(*ret, stack, n * sizeof(**ret));
	qsort(*ret, n, sizeof(**ret), by_text);
	return 0;
}

/* ---- frames ---- */

/* The next frame of a text; 0: there is none. */
static int next_frame(const char **at, struct flame_frame *f)
{
	if (!f->kernel && (*at)[0] == '-' && (*at)[1] == ';') {
		f->kernel = true;
		*at += 2;
	}
	if (!**at)
		return 0;
	f->name = *at;
	f->len = strcspn(*at, ";");
	*at += f->len + ((*at)[f->len] == ';');
	return 1;
}

static bool is_same(const struct flame_frame *a, const struct flame_frame *b)
{
	return a->kernel == b->kernel && a->len == b->len && !memcmp(a->name, b->name, a->len);
}

/* Stacks come sorted, so the children of a frame come one after another: only the last child can be this frame. */
static long child_of(struct flame_tree *t, size_t *room, size_t parent, size_t last, const struct flame_frame *f, __u64 from)
{
	int err;

	if (last && is_same(&t->frame[last], f))
		return (long)last;
	err = array_grow(&t->frame, t->n, room, sizeof(*t->frame));
	if (err)
		return err;
	t->frame[t->n] = *f;
	t->frame[t->n].depth = t->frame[parent].depth + 1;
	t->frame[t->n].parent = parent;
	t->frame[t->n].from = from;
	return (long)t->n++;
}

/* The child of `parent` on the path to the frame that was added last; 0: there is none. */
static size_t child_on_path(const struct flame_tree *t, size_t parent)
{
	size_t at = t->n - 1;

	while (at && t->frame[at].parent != parent)
		at = t->frame[at].parent;
	return at;
}

/* An amount that ends in a frame comes before the frame's children, but lies to their right: a child begins where the
 * child before it ends. */
static int add_stack(struct flame_tree *t, size_t *room, const struct flame_stack *s)
{
	struct flame_frame f = { .name = NULL };
	const char *at = s->text;
	long here = 0;

	t->frame[0].amount += s->amount;
	while (next_frame(&at, &f)) {
		size_t parent = (size_t)here, elder = child_on_path(t, parent);
		__u64 from = elder ? t->frame[elder].from + t->frame[elder].amount : t->frame[parent].from;

		f.amount = 0;
		here = child_of(t, room, parent, elder, &f, from);
		if (here < 0)
			return (int)here;
		t->frame[here].amount += s->amount;
	}
	return 0;
}

int flame_tree_make(const struct flame_stack *stack, size_t n, struct flame_tree *ret_tree)
{
	struct flame_tree t = { .frame = NULL };
	struct flame_stack *order = NULL;
	size_t room = 0;
	int err = sorted_stacks(stack, n, &order);

	err = err ?: array_grow(&t.frame, t.n, &room, sizeof(*t.frame));
	if (!err)
		t.frame[t.n++] = (struct flame_frame){ .name = "all", .len = 3 };
	for (size_t i = 0; i < n && !err; i++)
		if (order[i].amount)
			err = add_stack(&t, &room, &order[i]);
	free(order);
	if (err)
		flame_tree_fini(&t);
	else
		*ret_tree = t;
	return err;
}

void flame_tree_fini(struct flame_tree *t)
{
	free(t->frame);
	memset(t, 0, sizeof(*t));
}

/* ---- folded ---- */

int flame_fold(const struct flame_stack *stack, size_t n, char **ret_text, size_t *ret_len)
{
	struct flame_stack *order;
	FILE *f;
	int err = sorted_stacks(stack, n, &order), failed;

	if (err)
		return err;
	*ret_text = NULL;
	f = open_memstream(ret_text, ret_len);
	for (size_t i = 0; f && i < n; i++)
		if (order[i].amount)
			fprintf(f, "%s %llu\n", order[i].text, (unsigned long long)order[i].amount);
	free(order);
	failed = !f || ferror(f);
	if ((f && fclose(f)) || failed) {
		free(*ret_text);
		return -ENOMEM;
	}
	return 0;
}
