#include "render/draw/flame.h"
#include "test/kit/check.h"
#include "test/kit/contrast_kit.h"
#include <errno.h>
#include <expat.h>
#include <stdio.h>

#define N_STACKS 60

static char texts[N_STACKS][64];

/* Makes stacks of few names, so that they share frames; some are the beginning of others, some are equal. */
static void some_stacks(struct flame_stack *stack)
{
	for (size_t i = 0; i < N_STACKS; i++) {
		size_t n = check_below(6), at = 0;

		for (size_t k = 0; k < n; k++)
			at += (size_t)snprintf(texts[i] + at, sizeof(texts[i]) - at, "%s%s", k ? ";" : "",
					       (const char *[]){ "a", "b", "a b", "a.b", "-", "+" }[check_below(6)]);
		texts[i][at] = 0;
		stack[i] = (struct flame_stack){ texts[i], check_below(3) ? check_below(1000) : 0 };
	}
}

static __u64 total_of(const struct flame_stack *stack, size_t n)
{
	__u64 total = 0;

	for (size_t i = 0; i < n; i++)
		total += stack[i].amount;
	return total;
}

/* Each frame lies within its parent and after its left sibling; no two siblings have the same name. */
static void check_tree(const struct flame_tree *t, __u64 total)
{
	assert_int_equal(t->frame[0].amount, total);
	for (size_t i = 1; i < t->n; i++) {
		const struct flame_frame *f = &t->frame[i], *parent = &t->frame[f->parent];

		assert_true(f->parent < i && f->depth == parent->depth + 1 && f->amount > 0);
		assert_true(f->from >= parent->from && f->from + f->amount <= parent->from + parent->amount);
		for (size_t k = i + 1; k < t->n; k++) {
			const struct flame_frame *g = &t->frame[k];

			if (g->parent != f->parent)
				continue;
			assert_true(g->from >= f->from + f->amount);
			assert_false(g->kernel == f->kernel && g->len == f->len && !memcmp(g->name, f->name, f->len));
		}
	}
}

TEST(amounts_add_up)
{
	struct flame_stack stack[N_STACKS];
	struct flame_tree t;

	for (int round = 0; round < 300; round++) {
		some_stacks(stack);
		assert_int_equal(flame_tree_make(stack, N_STACKS, &t), 0);
		check_tree(&t, total_of(stack, N_STACKS));
		flame_tree_fini(&t);
	}
}

TEST(the_order_of_the_stacks_does_not_matter)
{
	struct flame_stack stack[N_STACKS];
	struct flame_tree a, b;

	for (int round = 0; round < 100; round++) {
		some_stacks(stack);
		assert_int_equal(flame_tree_make(stack, N_STACKS, &a), 0);
		for (size_t i = N_STACKS - 1; i; i--) {
			size_t k = check_below(i + 1);
			struct flame_stack one = stack[i];

			stack[i] = stack[k];
			stack[k] = one;
		}
		assert_int_equal(flame_tree_make(stack, N_STACKS, &b), 0);
		assert_int_equal(a.n, b.n);
		for (size_t i = 0; i < a.n; i++) {
			assert_int_equal(a.frame[i].from, b.frame[i].from);
			assert_int_equal(a.frame[i].amount, b.frame[i].amount);
			assert_int_equal(a.frame[i].len, b.frame[i].len);
			assert_memory_equal(a.frame[i].name, b.frame[i].name, a.frame[i].len);
		}
		flame_tree_fini(&a);
		flame_tree_fini(&b);
	}
}

static const struct flame_frame *frame_named(const struct flame_tree *t, const char *name)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->frame[i].len == strlen(name) && !memcmp(t->frame[i].name, name, t->frame[i].len))
			return &t->frame[i];
	return NULL;
}

TEST(children_lie_by_name_and_amounts_that_end_at_the_right)
{
	static const struct flame_stack stack[] = {
		{ "main;work;write", 2 }, { "main", 1 }, { "main;work;-;read", 3 }, { "main;wait", 4 }, { "main;work", 5 },
	};
	struct flame_tree t;

	assert_int_equal(flame_tree_make(stack, 5, &t), 0);
	assert_int_equal(t.n, 6);
	assert_int_equal(frame_named(&t, "all")->amount, 15);
	assert_int_equal(frame_named(&t, "main")->amount, 15);
	assert_int_equal(frame_named(&t, "wait")->from, 0);
	assert_int_equal(frame_named(&t, "work")->from, 4);
	assert_int_equal(frame_named(&t, "work")->amount, 10);
	assert_int_equal(frame_named(&t, "read")->from, 4);
	assert_int_equal(frame_named(&t, "write")->from, 7);
	assert_true(frame_named(&t, "read")->kernel);
	assert_false(frame_named(&t, "write")->kernel);
	flame_tree_fini(&t);
}

TEST(folded_is_by_name_and_keeps_the_amounts)
{
	static const struct flame_stack stack[] = { { "b;c", 2 }, { "a;b", 3 }, { "x", 0 }, { "a", 7 }, { "a b", 1 } };
	char *text;
	size_t len;

	assert_int_equal(flame_fold(stack, 5, &text, &len), 0);
	assert_string_equal(text, "a 7\na;b 3\na b 1\nb;c 2\n");
	assert_int_equal(len, strlen(text));
	free(text);
	assert_int_equal(flame_fold(NULL, 0, &text, &len), 0);
	assert_int_equal(len, 0);
	free(text);
}

/* ---- the picture ---- */

struct seen {
	unsigned boxes, titles, texts, depth;
	double root, sum[8];		/* widths: of the first box, and of those of a row, by y */
	double y[8];
	size_t n_rows;
	char inside[16], all[8192];
};

static double attribute_of(const char **attribute, const char *name)
{
	for (; *attribute; attribute += 2)
		if (!strcmp(attribute[0], name))
			return atof(attribute[1]);
	return -1;
}

static void on_start(void *arg, const char *name, const char **attribute)
{
	struct seen *s = arg;
	double y = attribute_of(attribute, "y"), width = attribute_of(attribute, "width");
	size_t row = 0;

	s->depth++;
	snprintf(s->inside, sizeof(s->inside), "%s", name);
	s->titles += !strcmp(name, "title");
	s->texts += !strcmp(name, "text");
	assert_string_not_equal(name, "script");
	if (strcmp(name, "rect") || y < 0)
		return;
	if (!s->boxes++)
		s->root = width;
	while (row < s->n_rows && s->y[row] != y)
		row++;
	s->n_rows += row == s->n_rows;
	s->y[row] = y;
	s->sum[row] += width;
}

static void on_end(void *arg, const char *name)
{
	((struct seen *)arg)->depth--;
}

static void on_text(void *arg, const char *text, int len)
{
	struct seen *s = arg;

	strncat(s->all, text, (size_t)len < sizeof(s->all) - strlen(s->all) - 1 ? (size_t)len : 0);
}

static struct seen picture_of(const struct flame_stack *stack, size_t n, struct figure_options *o)
{
	struct flame f = { .stack = stack, .n = n, .unit = AXIS_NS, .from_ns = 1700000000000000000ll, .to_ns = 1700000060000000000ll };
	struct seen s = { .boxes = 0 };
	XML_Parser p = XML_ParserCreate(NULL);
	__u8 *svg;
	size_t len;

	assert_int_equal(flame_render(&f, o, &svg, &len), 0);
	XML_SetUserData(p, &s);
	XML_SetElementHandler(p, on_start, on_end);
	XML_SetCharacterDataHandler(p, on_text);
	if (!XML_Parse(p, (const char *)svg, (int)len, 1))
		fail_msg("expat: %s", XML_ErrorString(XML_GetErrorCode(p)));
	XML_ParserFree(p);
	free(svg);
	assert_int_equal(s.depth, 0);
	return s;
}

TEST(the_picture_has_every_name_amount_and_share)
{
	static const struct flame_stack stack[] = {
		{ "main;a<b> & \"c\";-;read", 3000000 }, { "main;\xff\x01;x", 1000000 },
	};
	struct figure_options o;

	figure_defaults(&o);
	o.title = "a <title> & more";
	for (int theme = 0; theme < 2; theme++) {
		struct seen s;

		o.theme = theme ? PALETTE_DARK : PALETTE_LIGHT;
		s = picture_of(stack, 2, &o);
		assert_int_equal(s.boxes, 6);
		assert_int_equal(s.titles, 7);
		assert_non_null(strstr(s.all, "main: 4 ms (100 %)"));
		assert_non_null(strstr(s.all, "a<b> & \"c\": 3 ms (75 %)"));
		assert_non_null(strstr(s.all, "read (kernel): 3 ms (75 %)"));
		assert_non_null(strstr(s.all, "a <title> & more"));
		assert_non_null(strstr(s.all, "every frame is drawn"));
		for (size_t row = 0; row < s.n_rows; row++)
			assert_true(s.sum[row] <= s.root + 0.001);
	}
}

TEST(narrow_frames_are_counted)
{
	struct flame_stack stack[101];
	char name[101][24];
	struct figure_options o;
	struct seen s;

	figure_defaults(&o);
	for (int i = 0; i < 100; i++) {
		snprintf(name[i], sizeof(name[i]), "main;narrow%d;leaf", i);
		stack[i] = (struct flame_stack){ name[i], 1 };
	}
	stack[100] = (struct flame_stack){ "main;wide", 9900 };
	s = picture_of(stack, 101, &o);
	assert_int_equal(s.boxes, 3);
	assert_non_null(strstr(s.all, "200 frames narrower than half a pixel are not drawn: 1 % of the width"));
}

TEST(no_stacks_are_a_picture_too)
{
	struct figure_options o;
	struct seen s;

	figure_defaults(&o);
	s = picture_of(NULL, 0, &o);
	assert_int_equal(s.boxes, 1);
}

TEST(refuses_bad_sizes)
{
	struct flame f = { .n = 0 };
	struct figure_options o;
	__u8 *svg;
	size_t len;

	figure_defaults(&o);
	o.width = FIGURE_WIDTH_MIN - 1;
	assert_int_equal(flame_render(&f, &o, &svg, &len), -EINVAL);
	o.width = FIGURE_SIDE_MAX + 1;
	assert_int_equal(flame_render(&f, &o, &svg, &len), -EINVAL);
}

/* The colours that boxes have are those of many names. */
TEST(names_can_be_read_on_their_boxes)
{
	struct flame_stack stack[200];
	char name[200][24];
	struct figure_options o;

	figure_defaults(&o);
	for (int i = 0; i < 200; i++) {
		snprintf(name[i], sizeof(name[i]), "%sf%d", i % 2 ? "-;" : "", i);
		stack[i] = (struct flame_stack){ name[i], 1 };
	}
	for (int theme = 0; theme < 2; theme++) {
		struct flame f = { .stack = stack, .n = 200 };
		struct palette p;
		__u8 *svg;
		size_t len, n = 0;

		o.theme = theme ? PALETTE_DARK : PALETTE_LIGHT;
		palette_make(o.theme, PALETTE_USUAL, &p);
		assert_int_equal(flame_render(&f, &o, &svg, &len), 0);
		for (const char *at = (char *)svg; (at = strstr(at, "\" fill=\"#")); n++) {
			at += strlen("\" fill=\"#");
			if (n)			/* the page is the first */
				assert_true(contrast(p.text, (__u32)strtoul(at, NULL, 16)) >= 4.5);
		}
		assert_true(n > 200);
		free(svg);
	}
}

TEST_MAIN()
