#include "test/kit/check.h"
#include "ui/cli/terminal/screen.h"

#include <locale.h>
#include <stdio.h>

#define COLS 12
#define LINES 5

static const struct look plain = { DEPTH_PLAIN, true }, colours = { DEPTH_TRUE, true };

static char *printed(const struct screen *s, struct look look)
{
	struct bytes out = { 0 };

	screen_print(&out, look, s);
	bytes_put(&out, "", 1);
	assert_int_equal(out.err, 0);
	return (char *)out.data;
}

TEST(a_text_stays_in_its_room)
{
	static const struct { const char *text; long room; const char *shown; } cases[] = {
		{ "select", 6, "select" }, { "select", 10, "select" }, { "select", 5, "sele…" }, { "select", 1, "…" }, { "select", 0, "" },
		{ "µs", 2, "µs" }, { "日本語", 6, "日本語" }, { "日本語", 5, "日本…" }, { "日本語", 4, "日…" }, { "e\xcc\x81t", 2, "et" },
		{ "a\x1b[31mb", 12, "a\\u001b[31mb" }, { "a\nb", 12, "a\\nb" }, { "\xc2\x9b" "31m", 12, "\\u009b31m" }, { "\xe2\x80\xae" "a", 4, "\\u2…" },
		{ "\xff\xfe", 12, "\\xff\\xfe" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct screen s;
		char expected[64], *is;

		assert_int_equal(screen_init(&s, COLS, 1), 0);
		screen_text(&s, 0, 0, cases[i].room, cases[i].text, STYLE_PLAIN);
		is = printed(&s, plain);
		snprintf(expected, sizeof(expected), "%s\n", cases[i].shown);
		assert_string_equal(is, expected);
		free(is);
		screen_fini(&s);
	}
}

TEST(outside_nothing_is_written)
{
	struct screen s;
	char *is;

	assert_int_equal(screen_init(&s, 4, 2), 0);
	screen_put(&s, -1, 0, 'x', STYLE_PLAIN);
	screen_put(&s, 2, 0, 'x', STYLE_PLAIN);
	screen_put(&s, 0, 4, 'x', STYLE_PLAIN);
	screen_text(&s, 1, 2, 100, "abcdef", STYLE_PLAIN);
	is = printed(&s, plain);
	assert_string_equal(is, "\n  ab\n");
	free(is);
	screen_fini(&s);
}

/* Plays the bytes on a model of a terminal that knows the sequences we use. */
static void play(struct screen *shown, const char *text, size_t len)
{
	long line = 0, col = 0;
	bool reverse = false;

	for (const char *at = text, *end = text + len; at < end; at++) {
		long to_line, to_col;
		int n = 0;

		if (sscanf(at, "\x1b[%ld;%ldH%n", &to_line, &to_col, &n) == 2 && n) {
			line = to_line - 1;
			col = to_col - 1;
			at += n - 1;
		} else if (!strncmp(at, "\x1b[2J", 4)) {
			screen_clear(shown);
			at += 3;
		} else if (*at == '\x1b') {
			const char *m = memchr(at, 'm', (size_t)(end - at));

			reverse = memmem(at, (size_t)(m - at), ";7", 2) != NULL;
			at = m;
		} else {
			screen_put(shown, line, col++, (unsigned char)*at, reverse ? STYLE_REVERSE : STYLE_PLAIN);
		}
	}
}

static bool same(const struct screen *a, const struct screen *b)
{
	for (long i = 0; i < COLS * LINES; i++)
		if (a->cell[i].character != b->cell[i].character || a->cell[i].style.reverse != b->cell[i].style.reverse)
			return false;
	return true;
}

static void scribble(struct screen *s)
{
	for (size_t i = check_below(20); i; i--)
		screen_put(s, (long)check_below(LINES), (long)check_below(COLS), (__u32)('a' + check_below(5)), check_below(2) ? STYLE_REVERSE : STYLE_PLAIN);
}

TEST(an_update_makes_the_screen_from_the_one_before)
{
	struct screen before, now, shown;

	assert_int_equal(screen_init(&before, COLS, LINES) | screen_init(&now, COLS, LINES) | screen_init(&shown, COLS, LINES), 0);
	for (int round = 0; round < 500; round++) {
		struct bytes out = { 0 };

		screen_update(&out, (struct look){ DEPTH_MONO, false }, &before, &now);
		play(&shown, (char *)out.data, out.len);
		assert_true(same(&shown, &now));
		memcpy(before.cell, now.cell, COLS * LINES * sizeof(*now.cell));
		scribble(&now);
		bytes_fini(&out);
	}
	screen_fini(&before);
	screen_fini(&now);
	screen_fini(&shown);
}

TEST(what_is_alike_is_not_written)
{
	struct screen a, b;
	struct bytes out = { 0 };

	assert_int_equal(screen_init(&a, COLS, LINES) | screen_init(&b, COLS, LINES), 0);
	screen_text(&a, 1, 0, COLS, "the same", STYLE_PLAIN);
	screen_text(&b, 1, 0, COLS, "the sane", STYLE_PLAIN);
	screen_update(&out, colours, &a, &b);
	bytes_put(&out, "", 1);
	assert_string_equal((char *)out.data, "\x1b[0m\x1b[2;7Hn\x1b[0m");
	bytes_fini(&out);
	screen_fini(&a);
	screen_fini(&b);
}

TEST(a_line_of_text_ends_as_it_began)
{
	struct screen s;
	char *is;

	assert_int_equal(screen_init(&s, COLS, 1), 0);
	screen_put(&s, 0, 0, 'x', (struct style){ 0x010203, 0x040506, false, true });
	is = printed(&s, colours);
	assert_string_equal(is, "\x1b[0;1;38;2;1;2;3;48;2;4;5;6mx\x1b[0m\n");
	free(is);
	is = printed(&s, plain);
	assert_string_equal(is, "x\n");
	free(is);
	screen_fini(&s);
}

int main(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	return check_run(NULL, NULL);
}
