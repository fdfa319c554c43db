#include "ui/cli/terminal/key.h"

#include "render/encode/utf8.h"

#include <stdlib.h>
#include <string.h>

#define SEQUENCE_MAX 64			/* longer ones are noise */

static int letter_key(unsigned char final)
{
	switch (final) {
	case 'A': return KEY_UP;
	case 'B': return KEY_DOWN;
	case 'C': return KEY_RIGHT;
	case 'D': return KEY_LEFT;
	case 'H': return KEY_HOME;
	case 'F': return KEY_END;
	default: return KEY_NONE;
	}
}

/* "\x1b[5~" */
static int numbered_key(int number)
{
	switch (number) {
	case 1: case 7: return KEY_HOME;
	case 4: case 8: return KEY_END;
	case 5: return KEY_PAGE_UP;
	case 6: return KEY_PAGE_DOWN;
	default: return KEY_NONE;
	}
}

/* ESC [ parameters (0x30..0x3f) intermediates (0x20..0x2f) final (0x40..0x7e), ECMA-48 5.4 */
static size_t read_csi(const unsigned char *data, size_t len, bool whole, int *ret_key)
{
	size_t at = 2;

	while (at < len && at < SEQUENCE_MAX && data[at] >= 0x20 && data[at] <= 0x3f)
		at++;
	*ret_key = KEY_NONE;
	if (at == len && at < SEQUENCE_MAX)
		return whole ? len : 0;
	if (at == SEQUENCE_MAX || data[at] < 0x40 || data[at] > 0x7e)
		return at;
	*ret_key = data[at] == '~' ? numbered_key(atoi((const char *)data + 2)) : letter_key(data[at]);
	return at + 1;
}

static size_t read_escape(const unsigned char *data, size_t len, bool whole, int *ret_key)
{
	*ret_key = KEY_ESCAPE;
	if (len == 1)
		return whole;
	if (data[1] == '[')
		return len == 2 && whole ? 2 : read_csi(data, len, whole, ret_key);
	if (data[1] != 'O')
		return 1;
	if (len == 2)
		return whole ? 2 : 0;
	*ret_key = data[2] == 'M' ? KEY_ENTER : letter_key(data[2]);	/* M: of the keypad */
	return 3;
}

static size_t read_text(const unsigned char *data, size_t len, bool whole, int *ret_key)
{
	unsigned char padded[5] = { 0 };
	size_t n;

	memcpy(padded, data, len < 4 ? len : 4);
	n = utf8_length(padded);
	*ret_key = n == 1 ? data[0] : KEY_NONE;
	if (!n && len < 4 && data[0] >= 0xc2 && data[0] < 0xf5 && !whole)
		return 0;
	return n ? n : 1;
}

size_t key_read(const unsigned char *data, size_t len, bool whole, int *ret_key)
{
	if (data[0] == KEY_ESCAPE)
		return read_escape(data, len, whole, ret_key);
	if (data[0] == '\n') {
		*ret_key = KEY_ENTER;
		return 1;
	}
	return read_text(data, len, whole, ret_key);
}
