#include "render/encode/base64.h"
#include <stdlib.h>

void base64_three(const __u8 *data, size_t left, char ret_four[BASE64_FOUR])
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	__u32 three = (__u32)data[0] << 16 | (left > 1 ? (__u32)data[1] << 8 : 0) | (left > 2 ? data[2] : 0);

	ret_four[0] = digits[three >> 18];
	ret_four[1] = digits[three >> 12 & 63];
	ret_four[2] = left > 1 ? digits[three >> 6 & 63] : '=';
	ret_four[3] = left > 2 ? digits[three & 63] : '=';
}

char *base64_text(const __u8 *data, size_t len)
{
	char *text = malloc((len + 2) / 3 * BASE64_FOUR + 1), *to = text;

	for (size_t i = 0; text && i < len; i += 3, to += BASE64_FOUR)
		base64_three(data + i, len - i, to);
	if (text)
		*to = 0;
	return text;
}
