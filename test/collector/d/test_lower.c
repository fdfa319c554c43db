#include "collector/d/lower.h"
#include "test/kit/d_kit.h"

#include <errno.h>

/* All clauses of the script, as those of BEGIN. */
static int lower(struct d_case *c, const char *text, struct d_ir *ret_ir)
{
	struct d_clause *clauses[64];
	size_t n = 0;

	assert_int_equal(d_case_check(c, text), 0);
	for (struct d_clause *clause = c->program.clauses; clause; clause = clause->next)
		clauses[n++] = clause;
	return d_lower(&c->program, clauses, n, (struct d_firing){ 1, ACTIVITY_BEGIN }, ret_ir, &c->error);
}

static void check_ir(char *path, const char *script)
{
	struct d_case c = { 0 };
	struct d_ir ir;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_int_equal(lower(&c, script, &ir), 0);
	d_ir_print(&ir, out);
	fclose(out);
	strcpy(strrchr(path, '.'), ".ir");
	d_kit_golden(path, text);
	free(text);
	d_ir_fini(&ir);
	d_case_fini(&c);
}

TEST(programs_are_the_golden_ones) { assert_int_equal(d_kit_each("ir", check_ir), 4); }

TEST(refuses_what_programs_do_not_have_yet)
{
	static const struct {
		const char *text;
		unsigned column;
	} rows[] = {
		{ "BEGIN { @a = count(); }", 12 }, { "BEGIN { trace(execname); }", 15 }, { "BEGIN { x = \"a\"; }", 9 }, { "BEGIN { x = *(int *)1; }", 13 },
		{ "BEGIN { x = strlen(\"a\"); }", 13 }, { "BEGIN { stack(); }", 9 }, { "BEGIN /execname == \"a\"/ { }", 17 },
		{ "int a[int]; BEGIN { a[1] = 2; }", 21 }, { "BEGIN { x = vtimestamp; }", 13 }, { "BEGIN { x = (int *)1 + 1; }", 22 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct d_case c = { 0 };
		struct d_ir ir;

		assert_int_equal(lower(&c, rows[i].text, &ir), -EINVAL);
		assert_string_equal(c.error.tag, "D_UNKNOWN");
		if (c.error.column != rows[i].column)
			print_message("%s: %u %s\n", rows[i].text, c.error.column, c.error.text);
		assert_int_equal(c.error.column, rows[i].column);
		d_case_fini(&c);
	}
}

/* Inlines that double: 2^40 instructions, if nothing bounded them. */
TEST(size_is_bounded)
{
	struct d_case c = { 0 };
	char text[4096];
	size_t len = snprintf(text, sizeof(text), "inline int x0 = pid;");
	struct d_ir ir;

	for (unsigned i = 1; i < 40; i++)
		len += snprintf(text + len, sizeof(text) - len, "inline int x%u = x%u + x%u;", i, i - 1, i - 1);
	snprintf(text + len, sizeof(text) - len, "BEGIN { y = x39; }");
	assert_int_equal(lower(&c, text, &ir), -EINVAL);
	assert_non_null(strstr(c.error.text, "instructions"));
	d_case_fini(&c);
}

TEST(a_clause_has_at_most_64_actions)
{
	struct d_case c = { 0 };
	char text[2048] = "BEGIN {";
	struct d_ir ir;

	for (unsigned i = 0; i < D_ACTIONS_MAX; i++)
		strcat(text, " trace(pid);");
	strcat(text, " }");
	assert_int_equal(lower(&c, text, &ir), 0);
	d_ir_fini(&ir);
	d_case_fini(&c);
	memset(&c, 0, sizeof(c));
	strcpy(strrchr(text, '}'), "trace(1); }");
	assert_int_equal(lower(&c, text, &ir), -EINVAL);
	d_case_fini(&c);
}

TEST_MAIN()
