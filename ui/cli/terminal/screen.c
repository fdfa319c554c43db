#include "ui/cli/terminal/screen.h"

#include "collector/core/show.h"
#include "collector/core/utf8_length.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#define ELLIPSIS 0x2026
#define UNKNOWN 0xfffd

int screen_init(struct screen *s, long n_cols, long n_lines)
{
	*s = (struct screen){ n_cols, n_lines, calloc((size_t)(n_cols * n_lines), sizeof(struct screen_cell)) };
	if (!s->cell)
		return -ENOMEM;
	screen_clear(s);
	return 0;
}

void screen_fini(struct screen *s)
{
	free(s->cell);
	s->cell = NULL;
}

void screen_clear(struct screen *s)
{
	for (long i = 0; i < s->n_cols * s->n_lines; i++)
		s->cell[i] = (struct screen_cell){ ' ', STYLE_PLAIN };
}

void screen_put(struct screen *s, long line, long col, __u32 character, struct style style)
{
	if (line >= 0 && line < s->n_lines && col >= 0 && col < s->n_cols)
		s->cell[line * s->n_cols + col] = (struct screen_cell){ character, style };
}

/* --- texts --- */

#define SHOWN_MAX (8 * SCREEN_SIDE_MAX)	/* bytes: more than a line can have, but for characters without a width */

/* The next character of an escaped text, and how many columns it takes. */
static __u32 next_character(const unsigned char **at, int *ret_width)
{
	size_t n = utf8_length(*at);
	__u32 c = n < 2 ? **at : **at & (0x7f >> n);

	for (size_t i = 1; i < n; i++)
		c = c << 6 | ((*at)[i] & 0x3f);
	*at += n ? n : 1;
	*ret_width = c < 0x7f ? 1 : wcwidth((wchar_t)c);
	if (*ret_width < 0) {			/* a character of no known width might be as wide as it likes */
		c = UNKNOWN;
		*ret_width = 1;
	}
	return c;
}

long screen_width(const char *text)
{
	char shown[SHOWN_MAX];
	long width = 0;
	int one;

	show_escape(text, strlen(text), shown, sizeof(shown));
	for (const unsigned char *at = (const unsigned char *)shown; *at; width += one)
		next_character(&at, &one);
	return width;
}

long screen_text(struct screen *s, long line, long col, long room, const char *text, struct style style)
{
	bool cut = screen_width(text) > room;
	char shown[SHOWN_MAX];
	long used = 0;
	int width;

	show_escape(text, strlen(text), shown, sizeof(shown));
	for (const unsigned char *at = (const unsigned char *)shown; *at; used += width) {
		__u32 c = next_character(&at, &width);

		if (used + width > room - cut)
			break;
		if (width)
			screen_put(s, line, col + used, c, style);
		if (width == 2)
			screen_put(s, line, col + used + 1, SCREEN_TAIL, style);
	}
	if (cut && used < room)
		screen_put(s, line, col + used++, ELLIPSIS, style);
	return used;
}

void screen_text_right(struct screen *s, long line, long end, const char *text, struct style style)
{
	long width = screen_width(text);

	screen_text(s, line, width < end ? end - width : 0, end, text, style);
}

/* --- to the terminal --- */

static bool same_style(struct style a, struct style b)
{
	return a.front == b.front && a.back == b.back && a.reverse == b.reverse && a.bold == b.bold;
}

struct pen {				/* what writes to a terminal */
	struct bytes *out;
	struct look look;
	struct style style;		/* in force */
};

static void put_style(struct pen *pen, struct style style)
{
	struct bytes *out = pen->out;

	pen->style = style;
	if (pen->look.depth == DEPTH_PLAIN)
		return;
	bytes_put(out, "\x1b[0", 3);
	if (style.bold)
		bytes_put(out, ";1", 2);
	if (style.reverse)
		bytes_put(out, ";7", 2);
	look_put_colour(out, pen->look, false, style.front);
	look_put_colour(out, pen->look, true, style.back);
	bytes_put(out, "m", 1);
}

/* Cells first .. end of a line. */
static void put_run(struct pen *pen, const struct screen_cell *cell, long first, long end)
{
	for (long i = first; i < end; i++) {
		if (cell[i].character == SCREEN_TAIL)
			continue;
		if (!same_style(pen->style, cell[i].style))
			put_style(pen, cell[i].style);
		look_put_character(pen->out, pen->look, cell[i].character == SCREEN_PICTURE ? ' ' : cell[i].character);
		if (!pen->look.utf8 && i + 1 < end && cell[i + 1].character == SCREEN_TAIL)
			bytes_put(pen->out, " ", 1);
	}
}

static bool cell_differs(const struct screen_cell *a, const struct screen_cell *b)
{
	return a->character != b->character || !same_style(a->style, b->style);
}

static void put_line(struct pen *pen, const struct screen *before, const struct screen *screen, long line)
{
	const struct screen_cell *was = before->cell + line * before->n_cols;
	const struct screen_cell *now = screen->cell + line * screen->n_cols;
	long n_cols = screen->n_cols;
	char move[32];

	for (long i = 0, end; i < n_cols; i = end) {
		for (end = i; end < n_cols && cell_differs(&was[end], &now[end]); )
			end++;
		while (end > i && end < n_cols && now[end].character == SCREEN_TAIL)
			end++;
		if (end == i) {
			end++;
			continue;
		}
		bytes_put(pen->out, move, (size_t)snprintf(move, sizeof(move), "\x1b[%ld;%ldH", line + 1, i + 1));
		put_run(pen, now, i, end);
	}
}

void screen_update(struct bytes *out, struct look look, const struct screen *before, const struct screen *now)
{
	struct pen pen = { out, look, STYLE_PLAIN };

	put_style(&pen, STYLE_PLAIN);
	for (long line = 0; line < now->n_lines; line++)
		put_line(&pen, before, now, line);
	put_style(&pen, STYLE_PLAIN);
}

static bool is_blank(const struct screen_cell *c, struct look look)
{
	return c->character == ' ' && (look.depth == DEPTH_PLAIN || same_style(c->style, STYLE_PLAIN));
}

static long line_end(const struct screen_cell *cell, struct look look, long n_cols)
{
	while (n_cols && is_blank(&cell[n_cols - 1], look))
		n_cols--;
	return n_cols;
}

void screen_print(struct bytes *out, struct look look, const struct screen *s)
{
	for (long line = 0; line < s->n_lines; line++) {
		const struct screen_cell *cell = s->cell + line * s->n_cols;
		struct pen pen = { out, look, STYLE_PLAIN };

		put_run(&pen, cell, 0, line_end(cell, look, s->n_cols));
		if (!same_style(pen.style, STYLE_PLAIN))
			put_style(&pen, STYLE_PLAIN);
		bytes_put(out, "\n", 1);
	}
}
