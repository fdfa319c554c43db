#include "render/encode/svg.h"
#include "render/encode/markup.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IDS_MAX 64

/* Pixels stay pixels at every magnification. */
#define STYLE "<style>image{image-rendering:pixelated}</style>\n"

static void put_element(FILE *f, const char *name, const char *text)
{
	if (!text || !*text)
		return;
	fprintf(f, "<%s>", name);
	markup_text(f, text);
	fprintf(f, "</%s>\n", name);
}

/* The ids of the document, in the order of their first use. */
struct ids {
	unsigned long seen[IDS_MAX];
	size_t n;
};

static size_t id_number(struct ids *ids, unsigned long id)
{
	for (size_t i = 0; i < ids->n; i++)
		if (ids->seen[i] == id)
			return i;
	if (ids->n < IDS_MAX)
		ids->seen[ids->n++] = id;
	return ids->n - 1;
}

/* The length of a name such as "image2727" or "surface2712" ("source-2727" in Cairo 1.18); 0 for any other text. */
static size_t id_at(const char *at, size_t left)
{
	static const char *const name[] = { "image", "surface", "source-" };

	for (size_t i = 0; i < sizeof(name) / sizeof(*name); i++) {
		size_t len = strlen(name[i]);

		if (left > len + 1 && !memcmp(at, name[i], len) && at[len] >= '0' && at[len] <= '9')
			return len;
	}
	return 0;
}

/* Ids follow a quote or a hash; nothing else at these places looks like an id. */
static void put_renumbered(FILE *f, const char *at, size_t len)
{
	struct ids ids = { .n = 0 };
	size_t done = 0;

	for (size_t i = 1; i < len; i++) {
		size_t name = at[i - 1] == '"' || at[i - 1] == '#' ? id_at(at + i, len - i) : 0;
		char *end;

		if (!name)
			continue;
		fwrite(at + done, 1, i + name - done, f);
		fprintf(f, "%zu", id_number(&ids, strtoul(at + i + name, &end, 10)));
		done = (size_t)(end - at);
		i = done;
	}
	fwrite(at + done, 1, len - done, f);
}

int svg_finish(const __u8 *svg, size_t len, const char *title, const char *description, __u8 **ret_svg, size_t *ret_len)
{
	const char *text = (const char *)svg, *start = len ? memmem(text, len, "<svg", 4) : NULL;
	const char *end = start ? memchr(start, '>', len - (size_t)(start - text)) : NULL;
	char *out = NULL;
	size_t out_len = 0;
	FILE *f;
	int failed;

	if (!end)
		return -EINVAL;
	f = open_memstream(&out, &out_len);
	if (!f)
		return -ENOMEM;
	fwrite(text, 1, (size_t)(end - text), f);
	fputs(" role=\"img\">\n", f);
	put_element(f, "title", title);
	put_element(f, "desc", description);
	fputs(STYLE, f);
	end += 1 + (end[1] == '\n');
	put_renumbered(f, end, len - (size_t)(end - text));
	failed = ferror(f);
	if (fclose(f) || failed) {
		free(out);
		return -ENOMEM;
	}
	*ret_svg = (__u8 *)out;
	*ret_len = out_len;
	return 0;
}
