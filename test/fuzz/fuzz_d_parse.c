/* fuzz_d_parse - compiles any bytes as a D script, up to BPF instructions, and prints the tree: the first byte's
 * lowest bit chooses -n. */
#include "collector/d/check.h"
#include "collector/d/emit.h"
#include "collector/d/lower.h"
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

/* All clauses as those of one probe. */
static int lower(struct d_program *p, struct d_error *error)
{
	static const struct d_maps maps = { 3, 4, 5, 6 };
	struct d_clause *clauses[64];
	struct d_code code;
	struct d_ir ir;
	size_t n = 0;
	int err;

	for (struct d_clause *c = p->clauses; c && n < 64; c = c->next)
		clauses[n++] = c;
	err = d_lower(p, clauses, n, (struct d_firing){ 1, ACTIVITY_BEGIN }, &ir, error);
	if (err)
		return err;
	if (!d_emit(&ir, &maps, p->memory[SCOPE_THIS], &code))
		d_code_fini(&code);
	d_ir_fini(&ir);
	return 0;
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
		if (!err)
			err = lower(&program, &error);
	}
	if (err && (!error.tag || !error.line || !error.column || !*error.text))
		abort();		/* every refusal says why */
	d_arena_fini(&arena);
	return 0;
}
