/* fuzz_d_parse - parses and checks any bytes as a D script, and prints the tree: the first byte's lowest bit chooses -n. */
#include "collector/d/check.h"
#include "collector/d/parse.h"

#include <stdlib.h>

static void print(const struct d_unit *unit)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return;
	d_tree_print(unit, out);
	fclose(out);
	free(text);
}

int LLVMFuzzerTestOneInput(const __u8 *data, size_t len)
{
	static const char *const arguments[] = { "5s", "-7", "two words" };
	struct d_arena arena = { .most = 16u << 20 };
	struct d_macros macros = { .script = "x.d", .argument = arguments, .n_arguments = 3, .target = 42 };
	struct d_error error = { 0 };
	struct d_types types;
	struct d_program program;
	struct d_script script;
	struct d_unit unit;
	int err;

	if (!len || d_types_init(&types, &arena))
		return 0;
	script = (struct d_script){ NULL, (const char *)data + 1, len - 1 };
	err = d_parse(&script, data[0] & 1 ? D_PARSE_SPECS : 0, &types, &macros, &unit, &error);
	if (!err) {
		print(&unit);
		d_program_init(&program, &types);
		err = d_check(&program, &unit, &error);
	}
	if (err && (!error.tag || !error.line || !error.column || !*error.text))
		abort();		/* every refusal says why */
	d_arena_fini(&arena);
	return 0;
}
