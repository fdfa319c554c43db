#include "collector/http/path_text.h"
#include "collector/http/path.h"

__u64 http_path_read(const char *path, size_t len, int whole, struct digest_sample *ret_tokens)
{
	struct path_pattern p;
	__u64 code;

	path_begin(&p);
	for (size_t i = 0; i < len; i++)
		path_byte(&p, (__u8)path[i]);
	p.tokens.cut |= !whole;
	code = path_code(&p);
	*ret_tokens = p.tokens;
	return code;
}
