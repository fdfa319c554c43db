#include "collector/core/slice.h"

#include <errno.h>
#include <string.h>

int labels_compare(const struct labels *a, const struct labels *b)
{
	size_t shorter = a->len < b->len ? a->len : b->len;
	int order = shorter ? memcmp(a->bytes, b->bytes, shorter) : 0;

	return order ? order : (int)a->len - (int)b->len;
}

int labels_count(const struct labels *key)
{
	size_t at = 0;
	int n = 0;

	for (; at < key->len; n++)
		at += 1 + (size_t)key->bytes[at];
	return at == key->len && n <= KEY_FIELDS_MAX ? n : -EBADMSG;
}

/* Steps over one label; returns where the next one begins. */
static size_t label_end(const struct labels *key, size_t at)
{
	return at + 1 + key->bytes[at];
}

int labels_text(const struct labels *key, unsigned index, char *out)
{
	size_t at = 0;

	while (index-- && at < key->len)
		at = label_end(key, at);
	if (at >= key->len || label_end(key, at) > key->len)
		return -EINVAL;
	if (!key->bytes[at]) {
		strcpy(out, "other");
		return 0;
	}
	memcpy(out, key->bytes + at + 1, key->bytes[at]);
	out[key->bytes[at]] = 0;
	return 0;
}

void labels_put(struct bytes *key, const char *text)
{
	bytes_put_text(key, text ? text : "");
}

void labels_keep(const struct labels *key, __u32 keep, struct bytes *out)
{
	size_t end;

	for (size_t at = 0; at < key->len; at = end, keep >>= 1) {
		end = label_end(key, at);
		if (end > key->len)
			return;
		if (keep & 1)
			bytes_put(out, key->bytes + at, end - at);
	}
}
