#include "collector/d/compile.h"
#include "test/collector/d/d_kit.h"

#include <errno.h>

static int lower(struct d_compile *c, const char *text, struct d_error *error)
{
	const struct d_script script = { "x.d", text, strlen(text) };
	unsigned n;
	int err;

	*error = (struct d_error){ 0 };
	assert_int_equal(d_compile_init(c), 0);
	err = d_compile_add(c, &script, 0, &n, error);
	return err ? err : d_compile_end(c, error);
}

static void check_ir(char *path, const char *script)
{
	struct d_compile c;
	struct d_error e;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_int_equal(lower(&c, script, &e), 0);
	for (size_t i = 0; i < c.plan.n_groups; i++) {
		fprintf(out, "%s", i ? "\n" : "");
		d_ir_print(&c.plan.groups[i].ir, out);
	}
	fclose(out);
	strcpy(strrchr(path, '.'), ".ir");
	d_kit_golden(path, text);
	free(text);
	d_compile_fini(&c);
}

TEST(programs_are_the_golden_ones) { assert_int_equal(d_kit_each("ir", check_ir), 8); }

TEST(refuses_what_programs_do_not_have_yet)
{
	static const struct {
		const char *text;
		unsigned column;
	} rows[] = {
		{ "BEGIN { trace(execargs); }", 15 }, { "BEGIN { x = strstr(\"a\", \"b\"); }", 13 },
		{ "BEGIN { x = rand(); }", 13 }, { "BEGIN { jstack(); }", 9 }, { "BEGIN /execargs == \"a\"/ { }", 8 },
		{ "int a[3]; BEGIN { a[1] = 2; }", 19 }, { "BEGIN { x = ucaller; }", 13 }, { "BEGIN { x = copyin(arg0, arg1); }", 26 },
		{ "BEGIN { x = copyin(arg0, 1025); }", 26 }, { "BEGIN { *(int *)arg0 = 1; }", 9 },
		{ "struct s { int a; }; BEGIN { this->x = *(struct s *)arg0; }", 30 },
		{ "struct s { int a; } s; BEGIN { s.a = 1; }", 33 }, { "BEGIN { x = lltostr(1, 16); }", 13 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct d_compile c;
		struct d_error e;

		assert_int_equal(lower(&c, rows[i].text, &e), -EINVAL);
		assert_string_equal(e.tag, "D_UNKNOWN");
		if (e.column != rows[i].column)
			print_message("%s: %u %s\n", rows[i].text, e.column, e.text);
		assert_int_equal(e.column, rows[i].column);
		d_compile_fini(&c);
	}
}

/* Inlines that double: the checker bounds the size of an expression, but not that of a clause. */
TEST(size_is_bounded)
{
	struct d_compile c;
	struct d_error e;
	char text[4096];
	size_t len = snprintf(text, sizeof(text), "inline int x0 = pid;");

	for (unsigned i = 1; i < 13; i++)
		len += snprintf(text + len, sizeof(text) - len, "inline int x%u = x%u + x%u;", i, i - 1, i - 1);
	len += snprintf(text + len, sizeof(text) - len, "BEGIN {");
	for (unsigned i = 0; i < 20; i++)
		len += snprintf(text + len, sizeof(text) - len, " y = x12;");
	snprintf(text + len, sizeof(text) - len, " }");
	assert_int_equal(lower(&c, text, &e), -EINVAL);
	assert_non_null(strstr(e.text, "instructions"));
	d_compile_fini(&c);
}

/* Statements use the same memory one after the other. */
TEST(scratch_is_that_of_the_largest_statement)
{
	char text[8192] = "BEGIN {";
	struct d_compile c;
	struct d_error e;

	for (unsigned i = 0; i < 60; i++)
		strcat(text, " x = strjoin(probename, strjoin(execname, \"a\"));");
	strcat(text, " }");
	assert_int_equal(lower(&c, text, &e), 0);
	assert_in_range(c.program.scratch_len, 1024, 2048);
	d_compile_fini(&c);
}

TEST(associative_arrays_are_bounded)
{
	char *text = malloc(1 << 16);
	struct d_compile c;
	struct d_error e;
	size_t len = sprintf(text, "BEGIN {");

	for (unsigned i = 0; i <= D_TABLES_MAX; i++)
		len += sprintf(text + len, " a%u[1] = 1;", i);
	strcpy(text + len, " }");
	assert_int_equal(lower(&c, text, &e), -EINVAL);
	assert_string_equal(e.tag, "D_ID_OFLOW");
	d_compile_fini(&c);
	free(text);
}

TEST(a_clause_has_at_most_64_actions)
{
	struct d_compile c;
	struct d_error e;
	char text[2048] = "BEGIN {";

	for (unsigned i = 0; i < D_ACTIONS_MAX; i++)
		strcat(text, " trace(pid);");
	strcat(text, " }");
	assert_int_equal(lower(&c, text, &e), 0);
	d_compile_fini(&c);
	strcpy(strrchr(text, '}'), "trace(1); }");
	assert_int_equal(lower(&c, text, &e), -EINVAL);
	d_compile_fini(&c);
}

TEST_MAIN()
