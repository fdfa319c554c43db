#include "collector/trace/text.h"
#include "collector/core/field_codes.h"
#include "collector/core/key.h"
#include "collector/core/slice.h"
#include "collector/ring/clean.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

void text_label(int texts_fd, __u64 code, char *out)
{
	struct text text;

	if (bpf_map_lookup_elem(texts_fd, &code, &text)) {
		codes_hash_label(code, out);
		return;
	}
	if (!text.text[0] && text.text[1])
		text.text[0] = '@';		/* an abstract Unix name */
	snprintf(out, LABEL_MAX + 1, "%.*s", (int)sizeof(text.text), text.text);
	if (clean_is_special(out))		/* a process that is really called other */
		clean_label(code, text.text, strlen(out), out);
}

/* Hashes as the kernel does: an abstract name begins with a NUL, which is hashed, too. */
static __u64 text_hash(const char *text, size_t len)
{
	__u64 hash = HASH_SEED;

	for (size_t i = 0; i < len; i++)
		hash = hash_byte(hash, (__u8)text[i]);
	return hash;
}

int text_codes(const char *text, __u64 mark, __u64 *ret_code, size_t max)
{
	char abstract[TEXT_MAX];
	__u64 forgotten;
	size_t len = strlen(text);
	int n = 0;

	if (len >= TEXT_MAX)
		return 0;
	if (max < 3)
		return -E2BIG;
	ret_code[n++] = text_hash(text, len ? len : 1) | mark;
	if (text[0] == '@' && len > 1) {
		memcpy(abstract, text, len);
		abstract[0] = 0;
		ret_code[n++] = text_hash(abstract, len) | mark;
	}
	if (clean_code(text, &forgotten) && (forgotten & mark) == mark)
		ret_code[n++] = forgotten;
	return n;
}
