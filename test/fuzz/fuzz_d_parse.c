/* fuzz_d_parse - parses any bytes as a D script, and prints the tree: the first byte's lowest bit chooses -n. */
#include "collector/d/parse.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const __u8 *data, size_t len)
{
	static const char *const arguments[] = { "5s", "-7", "two words" };
	struct d_arena arena = { .most = 16u << 20 };
	struct d_macros macros = { .script = "x.d", .argument = arguments, .n_arguments = 3, .target = 42 };
	struct d_error error = { 0 };
	struct d_types types;
	struct d_script script;
	struct d_unit unit;
	char *text = NULL;
	size_t text_len;
	FILE *out;

	if (!len || d_types_init(&types, &arena))
		return 0;
	script = (struct d_script){ NULL, (const char *)data + 1, len - 1 };
	if (!d_parse(&script, data[0] & 1 ? D_PARSE_SPECS : 0, &types, &macros, &unit, &error)) {
		out = open_memstream(&text, &text_len);
		if (out) {
			d_tree_print(&unit, out);
			fclose(out);
			free(text);
		}
	} else if (!error.tag || !error.line || !error.column || !*error.text) {
		abort();		/* every refusal says why */
	}
	d_arena_fini(&arena);
	return 0;
}
