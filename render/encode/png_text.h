/* png_text.h - puts texts into a PNG, and finds them again.
 *
 *      ... IDAT | tEXt "Creation Time" | iTXt keyword, deflated text | IEND
 *
 * Form    PNG (3rd edition) 11.3.3: a long text is a compressed iTXt chunk; a short one is an uncompressed iTXt, or a
 *         tEXt if it is ASCII.  Programs that draw PNGs skip these chunks.
 * Trust   none: png_text_get() checks every length, and the CRC of every text, and unpacks at most PNG_TEXT_MAX bytes.
 * Errors  png_text_put(): -EINVAL, not a whole PNG; -ENOMEM.  png_text_get(): -EINVAL with a sentence in `reason`,
 *         -ENOMEM.
 * Memory  the caller frees the results with free().
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

/* Makes a copy of the PNG with the texts before its end. */
int png_text_put(const __u8 *png, size_t len, const struct png_text *entry, size_t n, __u8 **ret_png, size_t *ret_len);

/* Finds the text of a keyword; it must be a compressed one.  The result ends with NUL. */
int png_text_get(const __u8 *png, size_t len, const char *keyword, char **ret_text, size_t *ret_len, char *reason);

#endif
