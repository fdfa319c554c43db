#include "ui/cli/terminal/look.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static bool text_holds(const char *text, const char *part) { return text && strcasestr(text, part); }

static bool text_is(const char *text, const char *word) { return text && !strcasecmp(text, word); }

static enum look_depth depth_of(const char *no_color, const char *colorterm, const char *term)
{
	if ((no_color && *no_color) || !term || !*term)
		return DEPTH_MONO;
	if (text_is(term, "dumb") || text_holds(term, "-mono") || text_holds(term, "vt100"))
		return DEPTH_MONO;
	if (text_is(colorterm, "truecolor") || text_is(colorterm, "24bit") || text_holds(term, "-direct"))
		return DEPTH_TRUE;
	return text_holds(term, "256color") ? DEPTH_256 : DEPTH_16;
}

/* The first of the three variables that is set decides (POSIX, 8.2). */
static bool is_utf8(const char *(*get)(const char *name))
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < 3; i++) {
		const char *value = get(names[i]);

		if (value && *value)
			return text_holds(value, "utf-8") || text_holds(value, "utf8");
	}
	return false;
}

struct look look_of(const char *(*get)(const char *name))
{
	return (struct look){ depth_of(get("NO_COLOR"), get("COLORTERM"), get("TERM")), is_utf8(get) };
}

static unsigned colour_distance(__u32 a, __u32 b)
{
	int red = (int)(a >> 16 & 255) - (int)(b >> 16 & 255), green = (int)(a >> 8 & 255) - (int)(b >> 8 & 255);
	int blue = (int)(a & 255) - (int)(b & 255);

	return (unsigned)(red * red + green * green + blue * blue);
}

/* Of xterm's 256 colours those that are alike everywhere: 16 + a cube of six steps, 232 + 24 greys. */
static __u32 colour_256(unsigned i)
{
	static const __u8 step[] = { 0, 95, 135, 175, 215, 255 };
	unsigned grey = 8 + 10 * (i - 232), cube = i - 16;

	if (i >= 232)
		return grey << 16 | grey << 8 | grey;
	return (__u32)step[cube / 36] << 16 | (__u32)step[cube / 6 % 6] << 8 | step[cube % 6];
}

static __u32 colour_16(unsigned i)
{
	static const __u32 colour[] = {
		0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
		0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
	};

	return colour[i];
}

static unsigned nearest_colour(__u32 rgb, __u32 (*colour)(unsigned), unsigned first, unsigned last)
{
	unsigned best = first;

	for (unsigned i = first; i <= last; i++)
		if (colour_distance(rgb, colour(i)) < colour_distance(rgb, colour(best)))
			best = i;
	return best;
}

void look_put_colour(struct bytes *out, struct look look, bool background, __u32 rgb)
{
	unsigned base = background ? 40 : 30, i;
	char text[32] = "";

	if (look.depth <= DEPTH_MONO || rgb == LOOK_DEFAULT)
		return;
	if (look.depth == DEPTH_TRUE)
		snprintf(text, sizeof(text), ";%u;2;%u;%u;%u", base + 8, rgb >> 16 & 255, rgb >> 8 & 255, rgb & 255);
	else if (look.depth == DEPTH_256)
		snprintf(text, sizeof(text), ";%u;5;%u", base + 8, nearest_colour(rgb, colour_256, 16, 255));
	else if ((i = nearest_colour(rgb, colour_16, 0, 15)) < 8)
		snprintf(text, sizeof(text), ";%u", base + i);
	else
		snprintf(text, sizeof(text), ";%u", base + 60 + i - 8);
	bytes_put(out, text, strlen(text));
}

static char ascii_of(__u32 character)
{
	static const struct { __u32 character; char ascii; } table[] = {
		{ 0xb5, 'u' }, { 0x2013, '-' }, { 0x2026, '~' }, { 0x2265, '>' }, { 0x2500, '-' }, { 0x2502, '|' },
		{ 0x2524, '+' }, { 0x252c, '+' }, { 0x2514, '+' }, { 0x25b2, '^' }, { 0x25b6, '>' },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (table[i].character == character)
			return table[i].ascii;
	return '?';
}

void look_put_character(struct bytes *out, struct look look, __u32 c)
{
	size_t more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
	static const __u8 first[] = { 0, 0xc0, 0xe0, 0xf0 };

	if (more && !look.utf8) {
		c = (__u8)ascii_of(c);
		more = 0;
	}
	bytes_put_int(out, first[more] | c >> 6 * more, 1);
	while (more--)
		bytes_put_int(out, 0x80 | (c >> 6 * more & 0x3f), 1);
}
