#include "test/kit/check.h"
#include "ui/cli/terminal/answer.h"

#include <stdio.h>
#include <string.h>

static bool same(const struct answer *a, const struct answer *b)
{
	return a->kitty == b->kitty && a->sixel == b->sixel && a->ended == b->ended && a->cell_width == b->cell_width &&
	       a->cell_height == b->cell_height && a->n_colours == b->n_colours;
}

static const struct { const char *bytes; struct answer is; } cases[] = {
	{ "\x1b_Gi=31;OK\x1b\\", { .kitty = true } },
	{ "\x1b_Gi=31;ENOTSUP:no\x1b\\", { .kitty = false } },
	{ "\x1b_Gi=32;OK\x1b\\", { .kitty = false } },
	{ "\x1b[?62;4;22c", { .sixel = true, .ended = true } },
	{ "\x1b[?62;22c", { .ended = true } },
	{ "\x1b[?4c", { .ended = true } },		/* its class, not what it can */
	{ "\x1b[?1;2;3;4c", { .sixel = true, .ended = true } },
	{ "\x1b[?c", { .ended = true } },
	{ "\x1b[6;20;10t", { .cell_width = 10, .cell_height = 20 } },
	{ "\x1b[6;0;10t", { .cell_width = 0 } },
	{ "\x1b[6;20;129t", { .cell_width = 0 } },
	{ "\x1b[6;20;4294967306t", { .cell_width = 0 } },
	{ "\x1b[?1;0;256S", { .n_colours = 256 } },
	{ "\x1b[?1;3;0S", { .n_colours = 0 } },	/* it failed */
	{ "\x1b[?1;0;65537S", { .n_colours = 0 } },
};
#define N_CASES (sizeof(cases) / sizeof(*cases))

TEST(every_answer_is_taken_as_a_whole)
{
	for (size_t i = 0; i < N_CASES; i++) {
		struct answer a = { .kitty = false };
		char text[64];
		bool more;

		snprintf(text, sizeof(text), "%st", cases[i].bytes);
		if (answer_read((const unsigned char *)text, strlen(text), false, &a, &more) != strlen(text) - 1 || more || !same(&a, &cases[i].is))
			fail_msg("case %zu: %s", i, cases[i].bytes + 1);
	}
}

/* Cut anywhere it waits for the rest, and nothing is taken yet. */
TEST(what_is_cut_is_waited_for)
{
	static const struct answer none = { .kitty = false };

	for (size_t i = 0; i < N_CASES; i++)
		for (size_t len = 1; len < strlen(cases[i].bytes); len++) {
			struct answer a = none;
			bool more = false;

			if (answer_read((const unsigned char *)cases[i].bytes, len, false, &a, &more) || !more || !same(&a, &none))
				fail_msg("case %zu, %zu bytes", i, len);
		}
}

TEST(keys_are_no_answers)
{
	static const char *const keys[] = { "q", "\x1b[A", "\x1b[1;5D", "\x1b[5~", "\x1bOA", "\x1b[6;20;10;3t", "\x1b[8;24;80t", "\x1b[c", "\x1b[?2;0;9S",
					    "\x1b[I", "\x1b_q", "\x03" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		struct answer a = { .kitty = false };
		bool more = true;

		if (answer_read((const unsigned char *)keys[i], strlen(keys[i]), false, &a, &more) || more || a.ended)
			fail_msg("case %zu is an answer", i);
	}
}

/* Of kitty's answer that never ends nothing is read as keys. */
TEST(one_without_an_end_is_dropped_whole)
{
	static const char text[] = "\x1b_Gi=31;O";
	struct answer a = { .kitty = false };
	bool more;

	assert_int_equal(answer_read((const unsigned char *)text, strlen(text), true, &a, &more), strlen(text));
	assert_false(a.kitty);
}

TEST_MAIN()
