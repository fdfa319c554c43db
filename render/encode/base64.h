/* base64.h - encodes bytes as text (RFC 4648, padded). */
#ifndef HEATSCOPE_BASE64_H
#define HEATSCOPE_BASE64_H

#include <linux/types.h>
#include <stddef.h>

#define BASE64_FOUR 4

/* Encodes up to three of `left` bytes as four characters. */
void base64_three(const __u8 *data, size_t left, char ret_four[BASE64_FOUR]);

/* Encodes all bytes; the text ends with NUL, the caller frees it with free().  NULL: no memory. */
char *base64_text(const __u8 *data, size_t len);

#endif
