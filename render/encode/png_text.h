/* png_text.h - texts inside a PNG: put in, and found again.
 *
 *      ... IDAT | tEXt "Creation Time" | iTXt keyword, deflated text | IEND
 *
 * Form    PNG (3rd edition) 11.3.3: a long text is a compressed iTXt chunk, a short one an iTXt as it is, or a tEXt
 *         if it is ASCII.  Whatever draws PNGs passes over them.
 * Trust   png_text_get() reads the bytes of anybody: every length is checked against the file, every CRC of a text
 *         against its chunk, and no more than PNG_TEXT_MAX bytes come out.
 * Errors  png_text_put(): -EINVAL, not a whole PNG; -ENOMEM.  png_text_get(): -EINVAL and why in `reason`, -ENOMEM.
 * Memory  what comes back is the caller's, to be freed with free().
 */
#ifndef HEATSCOPE_PNG_TEXT_H
#define HEATSCOPE_PNG_TEXT_H

#include <linux/types.h>
#include <stddef.h>

#define PNG_TEXT_MAX (16u << 20)
#define PNG_TEXT_REASON 128

struct png_text {
	const char *keyword;		/* Latin-1, 1..79 bytes */
	const char *text;		/* UTF-8 */
	size_t len;
};

/* A copy with the notes before its end. */
int png_text_put(const __u8 *png, size_t len, const struct png_text *entry, size_t n, __u8 **ret_png, size_t *ret_len);

/* The text of that keyword, NUL-terminated; it must be a compressed one. */
int png_text_get(const __u8 *png, size_t len, const char *keyword, char **ret_text, size_t *ret_len, char *reason);

#endif
