#include "render/encode/png_text.h"
#include "render/encode/deflate.h"
#include <errno.h>
#include <isa-l/crc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD 8				/* of a chunk: length and type */
#define FRAME 12			/* that, and the CRC after the data */
#define CHUNK_MAX 0x7fffffffu
#define LONG 256			/* bytes: longer texts are deflated */
#define KEYWORD_MAX 79

static const __u8 magic[8] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' };

static __u32 get_be(const __u8 *at)
{
	return (__u32)at[0] << 24 | (__u32)at[1] << 16 | (__u32)at[2] << 8 | at[3];
}

static void put_be(__u8 *at, __u32 n)
{
	for (int i = 0; i < 4; i++)
		at[i] = (__u8)(n >> (24 - 8 * i));
}

/* ---- put ---- */

struct chunk {				/* a text as the file has it */
	const char *type;
	__u8 head[KEYWORD_MAX + 5];	/* the keyword, and the bytes of iTXt between keyword and text */
	size_t head_len;
	__u8 *packed;			/* NULL: the text is not deflated */
	size_t len;			/* of the text */
};

static bool is_ascii(const struct png_text *n)
{
	for (size_t i = 0; i < n->len; i++)
		if ((__u8)n->text[i] >= 0x80)
			return false;
	return true;
}

/* iTXt: keyword 0, compressed?, method 0, language 0, translated keyword 0. */
static int chunk_make(const struct png_text *n, struct chunk *c)
{
	size_t len = strlen(n->keyword);
	bool packed = n->len >= LONG, plain = !packed && is_ascii(n);

	if (!len || len > KEYWORD_MAX)
		return -EINVAL;
	*c = (struct chunk){ .type = plain ? "tEXt" : "iTXt", .head_len = len + (plain ? 1 : 5), .len = n->len };
	memcpy(c->head, n->keyword, len);
	if (packed)
		c->head[len + 1] = 1;
	return packed ? deflate_pack((const __u8 *)n->text, n->len, DEFLATE_SMALL, &c->packed, &c->len) : 0;
}

static __u8 *chunk_write(const struct chunk *c, const char *text, __u8 *to)
{
	size_t len = c->head_len + c->len;

	put_be(to, (__u32)len);
	memcpy(to + 4, c->type, 4);
	memcpy(to + HEAD, c->head, c->head_len);
	memcpy(to + HEAD + c->head_len, c->packed ? (const char *)c->packed : text, c->len);
	put_be(to + HEAD + len, crc32_gzip_refl(0, to + 4, 4 + len));
	return to + FRAME + len;
}

int png_text_put(const __u8 *png, size_t len, const struct png_text *entry, size_t n, __u8 **ret_png, size_t *ret_len)
{
	struct chunk *chunk = calloc(n + 1, sizeof(*chunk));
	size_t more = 0, before = len - FRAME;
	__u8 *out = NULL, *to;
	int err = !chunk ? -ENOMEM : len < sizeof(magic) + FRAME || memcmp(png + before + 4, "IEND", 4) ? -EINVAL : 0;

	for (size_t i = 0; i < n && !err; i++) {
		err = chunk_make(&entry[i], &chunk[i]);
		more += FRAME + chunk[i].head_len + chunk[i].len;
	}
	if (!err && (more > CHUNK_MAX || !(out = malloc(len + more))))
		err = -ENOMEM;
	if (!err) {
		memcpy(out, png, before);
		to = out + before;
		for (size_t i = 0; i < n; i++)
			to = chunk_write(&chunk[i], entry[i].text, to);
		memcpy(to, png + before, FRAME);
		*ret_png = out;
		*ret_len = len + more;
	}
	for (size_t i = 0; chunk && i < n; i++)
		free(chunk[i].packed);
	free(chunk);
	return err;
}

/* ---- get ---- */

static int refuse_text(char *reason, const char *why, size_t at)
{
	snprintf(reason, PNG_TEXT_REASON, why, at);
	return -EINVAL;
}

/* The offset of the deflated text in a chunk's data; 0: it is another text, or not deflated. */
static size_t text_at(const __u8 *data, size_t len, const char *keyword)
{
	size_t at = strlen(keyword) + 3;
	const __u8 *end;

	if (len < at || memcmp(data, keyword, at - 2) || data[at - 2] != 1 || data[at - 1])
		return 0;
	for (int i = 0; i < 2; i++) {	/* language, translated keyword */
		end = memchr(data + at, 0, len - at);
		if (!end)
			return 0;
		at = (size_t)(end - data) + 1;
	}
	return at;
}

static int unpack_text(const __u8 *data, size_t len, size_t at, char **ret_text, size_t *ret_len, char *reason)
{
	__u8 *text = NULL, *ended;
	size_t n = 0;
	int err = deflate_unpack(data, len, PNG_TEXT_MAX, &text, &n);

	if (err == -E2BIG)
		return refuse_text(reason, "the text at byte %zu is longer than 16 MiB", at);
	if (err == -EBADMSG)
		return refuse_text(reason, "the text at byte %zu is damaged: it cannot be unpacked", at);
	if (err)
		return err;
	ended = realloc(text, n + 1);
	if (!ended) {
		free(text);
		return -ENOMEM;
	}
	ended[n] = 0;
	*ret_text = (char *)ended;
	*ret_len = n;
	return 0;
}

int png_text_get(const __u8 *png, size_t len, const char *keyword, char **ret_text, size_t *ret_len, char *reason)
{
	size_t at = sizeof(magic), n, text;

	if (len < at || memcmp(png, magic, at))
		return refuse_text(reason, "not a PNG", 0);
	for (; at < len; at += FRAME + n) {
		if (len - at < FRAME)
			return refuse_text(reason, "cut: it ends within a chunk, at byte %zu", at);
		n = get_be(png + at);
		if (n > len - at - FRAME)
			return refuse_text(reason, "cut or damaged: the chunk at byte %zu is longer than the file", at);
		if (!memcmp(png + at + 4, "IEND", 4))
			return refuse_text(reason, "a PNG without data: not made by heatscope, made without data, "
					   "or stripped of it", 0);
		if (memcmp(png + at + 4, "iTXt", 4))
			continue;
		if (crc32_gzip_refl(0, png + at + 4, 4 + n) != get_be(png + at + HEAD + n))
			return refuse_text(reason, "damaged: the text at byte %zu has another checksum", at);
		text = text_at(png + at + HEAD, n, keyword);
		if (text)
			return unpack_text(png + at + HEAD + text, n - text, at, ret_text, ret_len, reason);
	}
	return refuse_text(reason, "cut: it ends without an end, at byte %zu", at);
}
