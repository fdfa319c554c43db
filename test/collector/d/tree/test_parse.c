#include "test/collector/d/d_kit.h"

#include <errno.h>
#include <time.h>

/* ---- golden files: every golden/tree/x.d has its tree in x.tree ---- */

static void check_tree(char *path, const char *text)
{
	static const char *const arguments[] = { "5", "first" };
	struct d_case c = { .macros = { .script = "x.d", .argument = arguments, .n_arguments = 2, .target = 1234 } };
	char *tree;

	if (d_case_parse(&c, text, 0))
		print_message("%s:%u:%u: [%s] %s\n", path, c.error.line, c.error.column, c.error.tag, c.error.text);
	assert_null(c.error.tag);
	tree = d_case_tree(&c);
	strcpy(strrchr(path, '.'), ".tree");
	d_kit_golden(path, tree);
	free(tree);
	d_case_fini(&c);
}

TEST(trees_are_the_golden_ones) { assert_int_equal(d_kit_each("tree", check_tree), 8); }

/* ---- expressions ---- */

static void check_expression(const char *text, const char *tree)
{
	struct d_case c = { 0 };
	char script[512], *got = NULL;
	size_t len;
	FILE *out = open_memstream(&got, &len);

	snprintf(script, sizeof(script), "BEGIN { %s }", text);
	d_case_parse(&c, script, 0);
	assert_null(c.error.tag);
	d_node_print(c.unit.items->statements, out);
	fclose(out);
	assert_string_equal(got, tree);
	free(got);
	d_case_fini(&c);
}

TEST(operators_have_cs_precedence)
{
	static const struct {
		const char *text, *tree;
	} rows[] = {
		{ "a + b * c", "(+ a (* b c))" }, { "a * b + c", "(+ (* a b) c)" }, { "a - b - c", "(- (- a b) c)" },
		{ "a << b + c", "(<< a (+ b c))" }, { "a < b << c", "(< a (<< b c))" }, { "a == b < c", "(== a (< b c))" },
		{ "a & b == c", "(& a (== b c))" }, { "a ^ b & c", "(^ a (& b c))" }, { "a | b ^ c", "(| a (^ b c))" },
		{ "a && b | c", "(&& a (| b c))" }, { "a ^^ b && c", "(^^ a (&& b c))" }, { "a || b ^^ c", "(|| a (^^ b c))" },
		{ "a ? b : c ? d : e", "(?: a b (?: c d e))" }, { "a ? x = 1 : 1", "(?: a (= x 1) 1)" },
		{ "a = b = c", "(= a (= b c))" }, { "a = b ? c : d", "(= a (?: b c d))" }, { "a += b, c", "(, (+= a b) c)" },
		{ "!a++", "(! (post++ a))" }, { "-a[1, 2]->b.c", "(- (. (-> ([] a 1 2) b) c))" }, { "*&a", "(* (& a))" },
		{ "(int)a + b", "(+ (cast <int> a) b)" }, { "(int *)a->b", "(cast <int *> (-> a b))" },
		{ "sizeof (int) + 1", "(+ (sizeof <int>) 1)" }, { "sizeof a", "(sizeof a)" }, { "sizeof (a)[1]", "(sizeof ([] a 1))" },
		{ "offsetof (struct s, m)", "(offsetof <struct s> m)" }, { "stringof (a)", "(stringof a)" },
		{ "xlate <struct s *> (a)->m", "(-> (xlate <struct s *> a) m)" }, { "self->a + this->b", "(+ self->a this->b)" }, { "self->self", "self->self" },
		{ "@[a] = count()", "(= (@_ a) (call count))" }, { "@x[a, \"b\"] = quantize(c, 2)", "(= (@x a \"b\") (call quantize c 2))" },
		{ "vmlinux`jiffies + `x", "(+ vmlinux`jiffies `x)" }, { "a / b", "(/ a b)" }, { "a >>= b >> c", "(>>= a (>> b c))" },
		{ "- -a - --a", "(- (- (- a)) (-- a))" }, { "a->string", "(-> a string)" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		check_expression(rows[i].text, rows[i].tree);
}

/* ---- refusals ---- */

TEST(refuses_with_place_and_tag)
{
	static const struct {
		const char *text, *tag;
		unsigned line, column;
	} rows[] = {
		{ "BEGIN\n{\n  x = ;\n}", "D_SYNTAX", 3, 7 }, { "BEGIN { (1 }", "D_SYNTAX", 1, 12 }, { "BEGIN { x[1 }", "D_SYNTAX", 1, 13 },
		{ "BEGIN {", "D_SYNTAX", 1, 8 }, { "BEGIN }", "D_SYNTAX", 1, 7 }, { "BEGIN", "D_SYNTAX", 1, 6 },
		{ "BEGIN /1 {}", "D_SYNTAX", 1, 10 }, { "BEGIN // {}\n", "D_SYNTAX", 2, 1 }, { "BEGIN, { }", "D_SYNTAX", 1, 8 },
		{ "BEGIN { f(1)(2); }", "D_FUNC_IDENT", 1, 9 }, { "BEGIN { for (;;) ; }", "D_SYNTAX", 1, 9 },
		{ "inline int x;", "D_SYNTAX", 1, 13 }, { "translator int { };", "D_SYNTAX", 1, 16 }, { "BEGIN { self.x = 1; }", "D_SYNTAX", 1, 13 },
		{ "BEGIN { a b; }", "D_SYNTAX", 1, 11 }, { "BEGIN { printf(\"a\" }", "D_SYNTAX", 1, 20 }, { "} BEGIN {}", "D_SYNTAX", 1, 1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct d_case c = { 0 };

		assert_int_equal(d_case_parse(&c, rows[i].text, 0), -EINVAL);
		if (c.error.line != rows[i].line || c.error.column != rows[i].column)
			print_message("%s: %s at %u:%u\n", rows[i].text, c.error.text, c.error.line, c.error.column);
		assert_string_equal(c.error.tag, rows[i].tag);
		assert_int_equal(c.error.line, rows[i].line);
		assert_int_equal(c.error.column, rows[i].column);
		d_case_fini(&c);
	}
}

TEST(a_body_may_lack_on_the_command_line)
{
	struct d_case c = { 0 };

	assert_int_equal(d_case_parse(&c, "syscall:::entry /pid == 1/", D_PARSE_SPECS), 0);
	assert_non_null(c.unit.items->predicate);
	assert_false(c.unit.items->has_body);
	d_case_fini(&c);
}

/* ---- bounds: each of these would take a deep stack, if nothing bounded it ---- */

static void check_deep(const char *before, const char *repeated, const char *after, unsigned n)
{
	size_t len = strlen(before) + n * strlen(repeated) + strlen(after) + 1;
	struct d_case c = { 0 };
	char *text = malloc(len), *at;

	assert_non_null(text);
	at = stpcpy(text, before);
	for (unsigned i = 0; i < n; i++)
		at = stpcpy(at, repeated);
	stpcpy(at, after);
	assert_int_not_equal(d_case_parse(&c, text, 0), 0);
	if (!strstr(c.error.text, "more than"))
		print_message("%s%s ...: %s\n", before, repeated, c.error.text);
	assert_non_null(strstr(c.error.text, "more than"));
	d_case_fini(&c);
	free(text);
}

TEST(nesting_is_bounded)
{
	check_deep("BEGIN { x = ", "(", "", 100000);
	check_deep("BEGIN { x = ", "- ", "1; }", 100000);
	check_deep("BEGIN { x = 1", " + 1", "; }", 100000);
	check_deep("BEGIN { x = 1", " ? 1 : 1", "; }", 100000);
	check_deep("BEGIN { ", "x = ", "1; }", 100000);
	check_deep("BEGIN { ", "if (1) { ", "", 100000);
	check_deep("BEGIN { x", "[1]", "; }", 100000);
	check_deep("BEGIN { x = ", "(int)", "1; }", 100000);
	check_deep("int ", "*", "x;", 100000);
	check_deep("int ", "(", "x;", 100000);
	check_deep("int x", "[1]", ";", 100000);
	check_deep("int x", "(int (*)", "", 50000);
	check_deep("", "struct { ", "", 100000);
	check_deep("BEGIN { x = 1", ", 1", "; }", 100000);
}

TEST(size_is_bounded)
{
	size_t len = D_SCRIPT_MAX + 1;
	char *text = malloc(len);
	struct d_case c = { 0 };

	memset(text, ' ', len);
	assert_int_equal(d_case_parse_bytes(&c, text, len, 0), -EINVAL);
	d_case_fini(&c);
	free(text);
}

TEST(memory_is_bounded)
{
	struct d_case c = { 0 };

	c.script = (struct d_script){ NULL, "BEGIN { x = 1 + 2; }", 20 };
	c.arena.most = 17u << 10;
	assert_int_equal(d_types_init(&c.types, &c.arena), 0);
	c.arena.most = c.arena.used;
	while (d_alloc(&c.arena, 16))
		;
	assert_int_equal(d_parse(&c.script, 0, &c.types, &c.macros, &c.unit, &c.error), -ENOMEM);
	assert_string_equal(c.error.text, "the script is too large");
	d_case_fini(&c);
}

static void check_many(const char *before, const char *format, const char *after, unsigned n, const char *error)
{
	char *text = malloc(D_SCRIPT_MAX), *at;
	struct d_case c = { 0 };

	assert_non_null(text);
	at = stpcpy(text, before);
	for (unsigned i = 0; i < n; i++)
		at += sprintf(at, format, i);
	stpcpy(at, after);
	d_case_parse(&c, text, 0);
	assert_string_equal(c.error.text, error);
	d_case_fini(&c);
	free(text);
}

/* Quadratic work would take longer. */
TEST(many_names_take_linear_time)
{
	clock_t begin = clock();

	check_many("enum e {", "e%u,", "};", 140000, "");
	check_many("struct s {", "int m%u;", "};", 4096, "");
	check_many("struct s {", "int m%u;", "};", 80000, "more than 4096 members in a struct or union");
	check_many("", "typedef int t%u;", "", 40000, "");
	assert_true(clock() - begin < 10 * CLOCKS_PER_SEC);
}

TEST_MAIN()
