#include "ui/cli/terminal/answer.h"

#include <string.h>

#define NUMBERS_MAX 32
#define NUMBER_MAX 1000000u

struct numbers {
	size_t n;
	unsigned number[NUMBERS_MAX];	/* an empty one is 0 */
};

/* "62;4;22" */
static struct numbers read_numbers(const unsigned char *text, size_t len)
{
	struct numbers all = { .n = 1 };

	for (size_t i = 0; i < len; i++) {
		unsigned *last = &all.number[all.n - 1];

		if (text[i] == ';' && all.n == NUMBERS_MAX)
			return all;
		if (text[i] == ';')
			all.n++;
		else if (text[i] >= '0' && text[i] <= '9' && *last < NUMBER_MAX)
			*last = *last * 10 + text[i] - '0';
	}
	return all;
}

static void take_cell(const struct numbers *p, struct answer *r)
{
	unsigned height = p->number[1], width = p->number[2];

	if (!height || !width || height > ANSWER_CELL_MAX || width > ANSWER_CELL_MAX)
		return;
	r->cell_width = width;
	r->cell_height = height;
}

static void take_attributes(const struct numbers *p, struct answer *r)
{
	r->ended = true;
	for (size_t i = 1; i < p->n; i++)	/* the first is its class */
		r->sixel |= p->number[i] == 4;
}

/* Is it an answer to us? */
static bool take_csi(const unsigned char *text, size_t len, unsigned char final, struct answer *r)
{
	bool private = len && *text == '?';
	struct numbers p = read_numbers(text + private, len - private);

	if (final == 'c' && private)
		take_attributes(&p, r);
	else if (final == 't' && !private && p.n == 3 && p.number[0] == 6)
		take_cell(&p, r);
	else if (final == 'S' && private && p.n == 3 && p.number[0] == 1)
		r->n_colours = !p.number[1] && p.number[2] <= ANSWER_COLOURS_MAX ? p.number[2] : r->n_colours;
	else
		return false;
	return true;
}

static bool is_parameter(unsigned char c) { return (c >= '0' && c <= '9') || c == ';' || c == '?'; }

static size_t read_csi(const unsigned char *data, size_t len, struct answer *r, bool *ret_more)
{
	size_t end = 2;

	while (end < len && is_parameter(data[end]))
		end++;
	*ret_more = end == len;
	return end < len && take_csi(data + 2, end - 2, data[end], r) ? end + 1 : 0;
}

/* ESC _ G ... ESC \; of one that is cut off nothing may be read as keys. */
static size_t read_kitty(const unsigned char *data, size_t len, bool whole, struct answer *r, bool *ret_more)
{
	static const char ok[] = "i=" ANSWER_KITTY_ID ";OK";
	const unsigned char *end = memmem(data, len, "\x1b\\", 2);

	*ret_more = !end;
	if (!end)
		return whole ? len : 0;
	r->kitty |= (size_t)(end - data) == 3 + strlen(ok) && !memcmp(data + 3, ok, strlen(ok));
	return (size_t)(end - data) + 2;
}

size_t answer_read(const unsigned char *data, size_t len, bool whole, struct answer *r, bool *ret_more)
{
	*ret_more = false;
	if (data[0] != 0x1b)
		return 0;
	if (len >= 3 && data[1] == '_' && data[2] == 'G')
		return read_kitty(data, len, whole, r, ret_more);
	if (len >= 2 && data[1] == '[')
		return read_csi(data, len, r, ret_more);
	*ret_more = len < 3 && (len == 1 || data[1] == '_');
	return 0;
}
