#include "render/encode/markup.h"
#include "render/encode/base64.h"
#include "render/encode/utf8.h"

static void put_escaped(FILE *f, char c)
{
	switch (c) {
	case '<': fputs("&lt;", f); break;
	case '>': fputs("&gt;", f); break;
	case '&': fputs("&amp;", f); break;
	case '"': fputs("&quot;", f); break;
	default: fputc(c, f);
	}
}

/* Sequence by sequence, because a text may have any length. */
void markup_text(FILE *f, const char *text)
{
	for (const unsigned char *at = (const unsigned char *)text; *at;) {
		size_t len = utf8_length(at);

		if (!len)
			fputs(UTF8_UNKNOWN, f);
		else if (len > 1)
			fwrite(at, 1, len, f);
		else
			put_escaped(f, *at < ' ' || *at == 0x7f ? ' ' : (char)*at);
		at += len ? len : 1;
	}
}

void markup_data(FILE *f, const char *type, const unsigned char *data, size_t len)
{
	fprintf(f, "data:%s;base64,", type);
	for (size_t at = 0; at < len; at += 3) {
		char four[BASE64_FOUR];

		base64_three(data + at, len - at, four);
		fwrite(four, 1, sizeof(four), f);
	}
}
