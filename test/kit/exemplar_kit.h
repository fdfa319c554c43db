/* exemplar_kit.h - encodes exemplars for tests: of values, with one field and one measure. */
#ifndef HEATSCOPE_EXEMPLAR_KIT_H
#define HEATSCOPE_EXEMPLAR_KIT_H

#include "collector/core/exemplars.h"
#include "test/kit/check.h"

struct kit_exemplar {
	__u64 value, since_ns;
	__u32 tag;			/* 0: not drawn */
	int worst;
	const char *text;
	const char *sent;		/* with its literals; NULL: that is not kept */
};

static inline int is_text(const struct labels *l, const char *text)
{
	return l->len == strlen(text) && !memcmp(l->bytes, text, l->len);
}

static inline void kit_exemplars(struct bytes *out, __u64 missed, const struct kit_exemplar *e, size_t n)
{
	bytes_put_varint(out, missed);
	bytes_put_varint(out, 1);
	labels_put(out, "digest");
	bytes_put_varint(out, 1);
	labels_put(out, "latency");
	bytes_put_varint(out, n);
	for (size_t i = 0; i < n; i++) {
		bytes_put_int(out, (e[i].worst ? EXEMPLAR_WORST : 0) | (e[i].tag ? EXEMPLAR_DRAWN : 0) |
			      (e[i].sent ? EXEMPLAR_TEXT : 0), 1);
		bytes_put_varint(out, e[i].since_ns);
		bytes_put_varint(out, 3);
		bytes_put_varint(out, 1);
		bytes_put_int(out, e[i].tag, 4);
		labels_put(out, e[i].text);
		bytes_put_varint(out, e[i].value);
		if (!e[i].sent)
			continue;
		bytes_put_varint(out, strlen(e[i].sent));
		bytes_put(out, e[i].sent, strlen(e[i].sent));
	}
	assert_int_equal(out->err, 0);
}

#endif
