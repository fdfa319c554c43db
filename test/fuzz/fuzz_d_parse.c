/* fuzz_d_parse - compiles any bytes as a D script, up to BPF instructions, prints the tree, and values by its formats: the
 * first byte's lowest bit chooses -n. */
#include "collector/d/check/check.h"
#include "collector/d/emit/emit.h"
#include "collector/d/emit/lower.h"
#include "collector/d/text/format.h"
#include "collector/d/tree/parse.h"

#include <errno.h>
#include <limits.h>
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

/* Every value by every conversion that the checker let through, though it may have another type. */
static bool print_format(const struct d_node *n)
{
	static const struct d_format_value values[] = {
		{ .value = (__u64)INT_MIN, .size = 4, .is_signed = true }, { .value = (__u64)-1, .size = 8 }, { .value = 1ull << 31, .size = 4 },
		{ .text = "a\n\377", .text_len = 3 },
	};
	size_t n_values = sizeof(values) / sizeof(*values);
	FILE *out = n->kind == NODE_CALL && n->format ? fopen("/dev/null", "w") : NULL;

	for (size_t i = 0; out && i < n_values; i++)
		d_format_print(n->format, values + i, n_values - i, out);
	if (out)
		fclose(out);
	return false;
}

static void print_formats(const struct d_program *p)
{
	for (const struct d_clause *c = p->clauses; c; c = c->next)
		d_node_has(c->item->statements, print_format);
}

/* All clauses as those of BEGIN, and again as those of two system calls. */
static int lower(struct d_program *p, enum d_context context, struct d_error *error)
{
	static const int tables[1 << 10];
	static const struct d_maps maps = { 3, 4, 5, 6, 7, 8, tables, 9, { 0 } };
	struct d_probe probes[] = { { .id = 1, .context = context, .field = { "a", "b", "c", "d" } },
				    { .id = 2, .context = context, .field = { "a", "b", "c", "d" } } };
	struct d_plan plan = { 0 };
	struct d_code code;
	int err = 0;

	for (struct d_clause *c = p->clauses; c && !err; c = c->next) {
		err = d_plan_add(&plan, c, &probes[0]);
		if (!err && context != CONTEXT_DTRACE && c->id % 3)
			err = d_plan_add(&plan, c, &probes[1]);
	}
	if (!err && plan.n_groups)
		err = d_lower(p, &plan.groups[0], context == CONTEXT_DTRACE ? NULL : &plan.groups[0], error);
	if (!err && plan.n_groups && p->n_tables < sizeof(tables) / sizeof(*tables) && !d_emit(&plan.groups[0].ir, &maps, &code))
		d_code_fini(&code);
	d_plan_fini(&plan);
	return err == -E2BIG ? 0 : err;
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
		if (!err) {
			print_formats(&program);
			err = lower(&program, CONTEXT_DTRACE, &error);
		}
		if (!err)
			err = lower(&program, CONTEXT_SYSCALL_ENTRY, &error);
	}
	if (err && (!error.tag || !error.line || !error.column || !*error.text))
		abort();		/* every refusal says why */
	d_arena_fini(&arena);
	return 0;
}
