#include "test/collector/d/d_kit.h"

#include <errno.h>
#include <time.h>

static void check_refused(const char *text, const char *tag)
{
	struct d_case c = { 0 };

	if (d_case_check(&c, text) != -EINVAL || strcmp(c.error.tag, tag))
		print_message("%s: [%s] %s\n", text, c.error.tag ? c.error.tag : "accepted", c.error.text);
	assert_non_null(c.error.tag);
	assert_string_equal(c.error.tag, tag);
	assert_int_equal(c.error.line, 1);
	d_case_fini(&c);
}

TEST(refuses_with_dtraces_tags)
{
	static const struct {
		const char *statement, *tag;
	} rows[] = {
		{ "x = y", "D_IDENT_UNDEF" }, { "x = self->y", "D_VAR_UNDEF" }, { "x = this->y", "D_VAR_UNDEF" }, { "x = `jiffies", "D_SYM_BADREF" },
		{ "pid = 1", "D_OP_WRITE" }, { "pid++", "D_OP_WRITE" }, { "1 = 2", "D_OP_LVAL" }, { "1++", "D_OP_LVAL" },
		{ "x = 1; x = \"a\"", "D_OP_INCOMPAT" }, { "x = \"a\"; x = 1", "D_OP_INCOMPAT" }, { "x = 1 + \"a\"", "D_OP_ARITH" },
		{ "x = 1 % \"a\"", "D_OP_INT" }, { "x = ~\"a\"", "D_OP_INT" }, { "x = -\"a\"", "D_OP_ARITH" }, { "x = !\"a\"", "D_OP_SCALAR" },
		{ "x = \"a\" && 1", "D_OP_SCALAR" }, { "x = \"a\" ? 1 : 2", "D_OP_SCALAR" }, { "x = 1 ? \"a\" : 2", "D_OP_INCOMPAT" },
		{ "x = (struct q *)1 + 1", "D_OP_INCOMPLETE" },
		{ "x = (struct q *)1; x++", "D_OP_INCOMPLETE" }, { "x = (struct q *)1; x += 2", "D_OP_INCOMPLETE" },
		{ "x = 1 == \"a\"", "D_OP_INCOMPAT" }, { "x = *1", "D_DEREF_NONPTR" }, { "x = *(void *)1", "D_DEREF_VOID" },
		{ "x = &1", "D_ADDROF_LVAL" }, { "x = 1; y = &x", "D_ADDROF_VAR" }, { "x = pid.y", "D_OP_SOU" }, { "x = pid->y", "D_OP_PTR" },
		{ "x = 1 / 0", "D_DIV_ZERO" }, { "x = pid % 0", "D_DIV_ZERO" }, { "x = pid / (3 - 3)", "D_DIV_ZERO" }, { "x = 1; x /= 0", "D_DIV_ZERO" },
		{ "x = sizeof (void)", "D_SIZEOF_TYPE" }, { "x = offsetof (int, a)", "D_OFFSETOF_TYPE" }, { "x = (struct s)1", "D_CAST_INVAL" },
		{ "x = printf(\"a\")", "D_CG_EXPR" }, { "x = exit(0)", "D_CG_EXPR" }, { "nosuch(1)", "D_FUNC_UNDEF" }, { "pid(1)", "D_FUNC_IDKIND" },
		{ "exit()", "D_PROTO_LEN" }, { "exit(1, 2)", "D_PROTO_LEN" }, { "exit(\"a\")", "D_PROTO_ARG" }, { "x = strlen(1)", "D_PROTO_ARG" },
		{ "x = strjoin(\"a\")", "D_PROTO_LEN" }, { "trunc(1)", "D_PROTO_ARG" }, { "@a = count(); trace(@a)", "D_PROTO_ARG" }, { "trace(@a)", "D_AGG_UNDEF" },
		{ "printf(1)", "D_PRINTF_ARG_FMT" }, { "printf(\"\")", "D_PRINTF_FMT_EMPTY" }, { "printf(\"%d\")", "D_PRINTF_ARG_PROTO" },
		{ "printf(\"%d\", \"a\")", "D_PRINTF_ARG_TYPE" }, { "@a = count(); printf(\"%d\", @a)", "D_PRINTF_ARG_TYPE" }, { "printf(\"a\", 1)", "D_PRINTF_ARG_EXTRA" },
		{ "printf(\"%*d\")", "D_PRINTF_DYN_PROTO" }, { "printf(\"%*d\", \"a\", 1)", "D_PRINTF_DYN_TYPE" }, { "printf(\"%@d\", 1)", "D_PRINTF_AGG_CONV" },
		{ "printf(\"%d %\", 1)", "D_SYNTAX" }, { "printf(\"%n\", 1)", "D_SYNTAX" },
		{ "@a", "D_AGG_NULL" }, { "@a = 1", "D_AGG_FUNC" }, { "@a = strlen(\"a\")", "D_AGG_FUNC" }, { "x = @a", "D_OP_DYN" }, { "x = count()", "D_SYNTAX" },
		{ "@a = count(); @a = sum(1)", "D_AGG_REDEF" }, { "@a[1] = count(); @a[1, 2] = count()", "D_PROTO_LEN" },
		{ "@a[1] = count(); @a[\"a\"] = count()", "D_PROTO_ARG" }, { "@a += count()", "D_OP_LVAL" }, { "@a = cuont()", "D_FUNC_UNDEF" },
		{ "@a = count(); clear(@a[1])", "D_AGG_KEY" }, { "@a = lquantize(1, 5, 5)", "D_LQUANT_STEPVAL" }, { "@a = lquantize(1, pid, 5)", "D_PROTO_ARG" },
		{ "@a = lquantize(1, 0, 5); @a = lquantize(1, 0, 6)", "D_LQUANT_MATCHBASE" },
		{ "@a = llquantize(1, 10, 0, 3, 10); @a = llquantize(1, 10, 0, 4, 10)", "D_LLQUANT_MATCHFACTOR" },
		{ "@a = llquantize(1, 2, 0, 61, 2048)", "D_LLQUANT_STEPVAL" }, { "printa(1)", "D_PRINTA_PROTO" }, { "@a = count(); printa(@a, 1)", "D_PRINTA_AGGARG" },
		{ "@a = count(); @b[1] = count(); printa(@a, @b)", "D_PRINTA_AGGKEY" }, { "@a = count(); printa(\"%d %@d\", @a)", "D_PRINTF_ARG_PROTO" },
		{ "@a[execname] = count(); printa(\"%d %@d\", @a)", "D_PRINTF_ARG_TYPE" },
		{ "trace(curpsinfo->pr_psargs)", "D_UNKNOWN" }, { "trace(args[0])", "D_UNKNOWN" }, { "trace(fds[0].fi_name)", "D_UNKNOWN" },
		{ "x = pid[1]", "D_ARR_BADREF" }, { "x = xlate <int> (1)", "D_XLATE_SOU" },
		{ "setopt((char *)0)", "D_PROTO_ARG" }, { "setopt((\"a\", \"b\"))", "D_PROTO_ARG" }, { "setopt(execname)", "D_PROTO_ARG" },
		{ "setopt(\"quiet\", 0)", "D_PROTO_ARG" }, { "setopt(\"quiet\", strjoin(\"a\", \"b\"))", "D_PROTO_ARG" },
		{ "self->a = 1; setopt(\"quiet\", self->a)", "D_PROTO_ARG" }, { "setopt(\"quiet\", \"1\", 2)", "D_PROTO_LEN" },
		{ "printf(\"%f\", 1)", "D_UNKNOWN" }, { "printf(\"%a\", 1)", "D_UNKNOWN" }, { "printf(\"%e %G\", 1, 2)", "D_UNKNOWN" },
		{ "printf(\"%C\", 1)", "D_UNKNOWN" }, { "printf(\"%y\", 1)", "D_UNKNOWN" }, { "printf(\"%c\", (int *)0)", "D_PRINTF_ARG_TYPE" },
		{ "printf(\"%T\", \"a\")", "D_PRINTF_ARG_TYPE" }, { "printf(\"%k\", 1)", "D_PRINTF_ARG_TYPE" },
		{ "@a = count(); printa(\"%@f\", @a)", "D_UNKNOWN" }, { "@a = count(); printa(\"%@*d\", @a)", "D_PRINTF_DYN_PROTO" },
		{ "@a = count(); printa(\"%@.*d\", @a)", "D_PRINTF_DYN_PROTO" }, { "@a = count(); printa(\"%@k\", @a)", "D_PRINTF_ARG_TYPE" },
		{ "@a[pid] = count(); printa(\"%a\", @a)", "D_UNKNOWN" },
	};
	char script[256];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		snprintf(script, sizeof(script), "BEGIN { %s; }", rows[i].statement);
		check_refused(script, rows[i].tag);
	}
	check_refused("BEGIN /\"a\"/ { }", "D_PRED_SCALAR");
	check_refused("BEGIN /execname/ { }", "D_PRED_SCALAR");
	check_refused("int x; string x;", "D_DECL_IDRED");
	check_refused("string pid; BEGIN { trace(pid); }", "D_DECL_IDRED");
	check_refused("pid_t pid; BEGIN { trace(pid); }", "D_DECL_IDRED");
	check_refused("inline int pid = 1; BEGIN { trace(pid); }", "D_DECL_IDRED");
	check_refused("inline string S = 1; BEGIN { trace(S); }", "D_OP_INCOMPAT");
	check_refused("inline string S = 0; BEGIN { trace(S); }", "D_OP_INCOMPAT");
	check_refused("inline int A = \"a\"; BEGIN { trace(A); }", "D_OP_INCOMPAT");
	check_refused("inline char *P = 1; BEGIN { trace(P); }", "D_OP_INCOMPAT");
	check_refused("int a[string]; BEGIN { a[1] = 2; }", "D_PROTO_ARG");
	check_refused("int a[string]; BEGIN { a[\"a\", 1] = 2; }", "D_PROTO_LEN");
	check_refused("struct s { int abc; }; struct s x; BEGIN { y = x.abd; }", "D_TYPE_MEMBER");
	check_refused("inline int A = 1; BEGIN { A = 2; }", "D_OP_WRITE");
	check_refused("BEGIN { if (\"a\") { } }", "D_OP_SCALAR");
}

TEST(suggests_names)
{
	static const struct {
		const char *text, *meant;
	} rows[] = {
		{ "BEGIN { trace(probfunc); }", "is probefunc meant?" }, { "BEGIN { printff(\"a\"); }", "is printf meant?" },
		{ "BEGIN { self->start = 1; trace(self->strat); }", "is start meant?" },
		{ "BEGIN { self->start = 1; trace(strat); }", "failed to resolve strat: Unknown variable name" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct d_case c = { 0 };

		assert_int_equal(d_case_check(&c, rows[i].text), -EINVAL);
		assert_non_null(strstr(c.error.text, rows[i].meant));
		d_case_fini(&c);
	}
}

TEST(expressions_have_cs_types_and_constants_fold)
{
	static const struct {
		const char *text, *type, *tree;
	} rows[] = {
		{ "6 * 7", "int", "42" }, { "1 + 2L", "long", "3" }, { "1u - 2", "unsigned int", "-1" }, { "(char)300", "char", "44" },
		{ "-1 < 0u", "int", "0" }, { "-1 < 0", "int", "1" }, { "'a' + 1", "int", "98" }, { "1 ? 2 : 3L", "long", "2" },
		{ "0 && pid", "int", "0" }, { "1 || pid", "int", "1" }, { "!5", "int", "0" }, { "~0", "int", "-1" },
		{ "sizeof (int)", "size_t", "4" }, { "-8 >> 1", "int", "-4" }, { "1 << 40", "int", "1099511627776" },
		{ "pid + 1", "pid_t", "(+ pid 1)" }, { "timestamp - 1", "uint64_t", "(- timestamp 1)" },
		{ "(uchar_t)pid + 1", "int", "(+ (cast <uchar_t> pid) 1)" }, { "\"a\"", "string", "\"a\"" },
		{ "(int *)0 + 1", "int *", "(+ (cast <int *> 0) 1)" }, { "pid ? 1u : 2", "unsigned int", "(?: pid 1 2)" },
		{ "0x7fffffff + 1", "int", "2147483648" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct d_case c = { 0 };
		char script[128], type[64], *got = NULL;
		size_t len;
		FILE *out = open_memstream(&got, &len);

		snprintf(script, sizeof(script), "BEGIN { x = %s; }", rows[i].text);
		assert_int_equal(d_case_check(&c, script), 0);
		d_node_print(c.unit.items->statements->b, out);
		fclose(out);
		assert_string_equal(got, rows[i].tree);
		assert_string_equal(d_type_print(c.unit.items->statements->b->type, type, sizeof(type)), rows[i].type);
		free(got);
		d_case_fini(&c);
	}
}

TEST(accepts)
{
	static const char *const rows[] = {
		"BEGIN { x = 1; x = 2; y = x++; z = -x; }", "BEGIN { i++; i += 2; trace(i); }", "BEGIN { self->a = 1; this->b = self->a; }",
		"inline int DEBUG = 0; BEGIN { DEBUG ? printf(\"a\") : 1; }", "inline string S = \"a\"; BEGIN { trace(S); }",
		"BEGIN { @a[pid, execname] = count(); @a[tid, probefunc] = count(); }", "BEGIN { printf(\"%s %d %5.2s %*d\\n\", execname, pid, \"abc\", 3, 4); }",
		"BEGIN { @a = count(); trunc(@a, 5); printa(\"%@d\", @a); setopt(\"aggsortkey\", true); }", "BEGIN { if (pid) { x = 1; } else { exit(1); } }",
		"struct s { int a; struct s *n; }; struct s *p; BEGIN { x = p->n->a; p = 0; }", "int a[string, int]; BEGIN { a[\"a\", 1]++; }",
		"BEGIN { x = strjoin(\"a\", execname); y = strlen(x); }", "enum { A = 3 }; BEGIN { x = A + 1; }", "BEGIN { printf(\"%s\", pid); }",
		"BEGIN /pid == $pid/ { exit(0) }", "BEGIN { x = 1, y = 2; }",
		"inline char *P = 0; inline uint64_t U = -1; inline string S = execname; BEGIN { trace(U); }", "self int pid; BEGIN { self->pid = 1; }",
		"BEGIN { setopt(\"quiet\"); setopt(\"quiet\", \"1\"); setopt(\"aggsortrev\", false); }",
		"BEGIN { printf(\"%x %p %u %o %X %c %i %Y %T %S\", (int *)0, (int *)0, (int *)0, 1, 2, 'a', 4, 5, 6, execname); }",
		"BEGIN { @a[pid] = count(); printa(\"%5d %@5d %% %@x\", @a, @a); }",
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct d_case c = { 0 };

		if (d_case_check(&c, rows[i]))
			print_message("%s: [%s] %s\n", rows[i], c.error.tag, c.error.text);
		assert_null(c.error.tag);
		d_case_fini(&c);
	}
}

TEST(a_number_that_is_printed_as_a_text_is_a_warning)
{
	static const struct { const char *script, *tag; unsigned line; } rows[] = {
		{ "BEGIN { printf(\"%s\", execname); trace(pid); }", NULL, 0 }, { "BEGIN { printf(\"%d %x\", pid, 1); }", NULL, 0 },
		{ "BEGIN {\nprintf(\"%s %s\", execname, pid); }", "D_PRINTF_ARG_TYPE", 2 },
		{ "BEGIN { printf(\"%d\", 1);\n\nprintf(\"%S\", arg0);\nprintf(\"%s\", tid); }", "D_PRINTF_ARG_TYPE", 3 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct d_case c = { 0 };

		assert_int_equal(d_case_check(&c, rows[i].script), 0);
		assert_int_equal(c.program.warning.tag != NULL, rows[i].tag != NULL);
		if (rows[i].tag)
			assert_string_equal(c.program.warning.tag, rows[i].tag);
		assert_int_equal(c.program.warning.line, rows[i].line);
		d_case_fini(&c);
	}
}

TEST(variables_get_aligned_memory_of_their_scope)
{
	struct d_case c = { 0 };
	__u32 n = 0;

	assert_int_equal(d_case_check(&c, "char a; int b; char d; uint64_t e; self short f; self int g; this char h; BEGIN { i = 1; }"), 0);
	assert_int_equal(c.program.memory[SCOPE_GLOBAL], 28);
	assert_int_equal(c.program.memory[SCOPE_SELF], 8);
	assert_int_equal(c.program.memory[SCOPE_THIS], 1);
	for (const struct d_variable *v = c.program.variables; v; v = v->next, n++)
		assert_int_equal(v->offset % d_type_resolve(v->type)->align, 0);
	assert_int_equal(n, 8);
	d_case_fini(&c);
	check_refused("int x[4096]; int y; int z[100000]; BEGIN { }", "D_ID_OFLOW");
}

TEST(inlines_do_not_nest_without_end)
{
	struct d_case c = { 0 };
	size_t room = 400000, len;
	char *text = malloc(room);

	len = snprintf(text, room, "inline int x0 = pid;");
	for (unsigned i = 1; i < 5000; i++)
		len += snprintf(text + len, room - len, "inline int x%u = x%u + 1;", i, i - 1);
	assert_int_equal(d_case_check(&c, text), -EINVAL);
	assert_string_equal(c.error.text, "inlines nested too deep");
	d_case_fini(&c);
	free(text);
}

static void check_text(const char *script, const char *text)
{
	struct d_case c = { 0 };

	assert_int_equal(d_case_check(&c, script), -EINVAL);
	assert_string_equal(c.error.text, text);
	d_case_fini(&c);
}

/* `first`, then `format` with i, i - 1 and i - 1 for i in 1 ... n, then `last`.  The caller frees it. */
static char *chain(const char *first, const char *format, unsigned n, const char *last)
{
	size_t room = 1u << 20, len;
	char *text = malloc(room);

	assert_non_null(text);
	len = snprintf(text, room, "%s", first);
	for (unsigned i = 1; i <= n; i++)
		len += snprintf(text + len, room - len, format, i, i - 1, i - 1);
	snprintf(text + len, room - len, "%s", last);
	return text;
}

static void check_chain(const char *first, const char *format, unsigned n, const char *last, const char *error)
{
	char *text = chain(first, format, n, last);

	check_text(text, error);
	free(text);
}

#define S "struct s { int a; }; "
#define TOO_LARGE "the expression is too large with its inlines and translators"

TEST(a_translator_does_not_use_itself_without_end)
{
	check_text(S "translator struct s < int p > { a = xlate <struct s> (p).a; }; BEGIN { trace(xlate <struct s> (1).a); }",
		   "translators nested more than 32 deep");
	check_text(S "translator struct s < int p > { a = xlate <struct s> (p).a + xlate <struct s> (p).a; }; "
		   "BEGIN { trace(xlate <struct s> (1).a); }", "translators nested more than 32 deep");
}

/* Each would be an expression of more than 2^40 nodes. */
TEST(expressions_are_bounded_with_what_they_use)
{
	char text[4096] = S "translator struct s < int p > { a = p + p; }; BEGIN { trace(";

	check_chain("inline int x0 = pid;", "inline int x%u = x%u + x%u;", 40, "BEGIN { a[x40] = 1; }", TOO_LARGE);
	check_chain("inline uint64_t x0 = timestamp;", "inline uint64_t x%u = (x%u, x%u);", 40, "BEGIN { a[x40] = 1; }", TOO_LARGE);
	for (unsigned i = 0; i < 40; i++)
		strcat(text, "xlate <struct s> (");
	strcat(text, "pid");
	for (unsigned i = 0; i < 40; i++)
		strcat(text, ").a");
	strcat(text, "); }");
	check_text(text, TOO_LARGE);
}

/* Constants fold, so the expressions are small; but each is checked as often as it is used. */
TEST(work_on_translators_is_bounded)
{
	struct d_case c = { 0 };
	char *text = chain("struct s0 { int a; }; translator struct s0 < int p > { a = 1; };",
			   "struct s%1$u { int a; }; translator struct s%1$u < int p > { a = xlate <struct s%2$u> (p).a + xlate <struct s%2$u> (p).a; };",
			   30, "BEGIN { trace(xlate <struct s30> (1).a); }");

	assert_int_not_equal(d_case_check(&c, text), 0);
	assert_string_equal(c.error.tag, "D_UNKNOWN");
	assert_string_equal(c.error.text, "the script is too large");
	d_case_fini(&c);
	free(text);
}

TEST(work_on_statements_is_bounded)
{
	char *x = chain("inline int x0 = pid;", "inline int x%u = x%u + x%u;", 12, "BEGIN {");
	char *text = chain(x, " y = x12;", 1000, " }");

	check_text(text, "the script is too large with its inlines and translators");
	free(text);
	free(x);
}

/* Quadratic work would take longer. */
TEST(many_names_take_linear_time)
{
	clock_t begin = clock();
	static const struct {
		const char *format;
		unsigned n;
	} rows[] = { { "inline int x%u = pid;", 30000 }, { "BEGIN { }", 60000 }, { "struct t x%u;", 50000 }, { "char *x%u; ", 2000 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char *text = chain("struct t { };", rows[i].format, rows[i].n, "");
		struct d_case c = { 0 };

		assert_int_equal(d_case_check(&c, text), 0);
		d_case_fini(&c);
		free(text);
	}
	assert_true(clock() - begin < 10 * CLOCKS_PER_SEC);
}

TEST(tables_are_bounded_whatever_makes_them)
{
	char *arrays = chain("BEGIN {", " a%u[1] = 1;", D_TABLES_MAX - 1, "");

	for (unsigned i = 0; i < 2; i++) {
		static const char *const last[] = { " @a = count(); @b = count(); z[1] = 1; }", " z[1] = 1; @a = count(); }" };
		char *text = chain(arrays, "", 0, last[i]);

		check_text(text, "more than 512 associative arrays and aggregations");
		free(text);
	}
	free(arrays);
}

TEST(types_of_expressions_are_bounded_in_depth)
{
	const char *format = "typedef p%2$u *p%1$u;";
	char *text = chain("typedef int p0;", format, 99, "p99 *v; BEGIN { a[1] = v; }");
	char *deeper = chain("typedef int p0;", format, 99, "typedef p99 *q; struct s { q m; }; struct s *p; BEGIN { x = &p->m; }");

	check_text(text, "types nested more than 200 deep");
	check_text(deeper, "types nested more than 200 deep");
	free(deeper);
	free(text);
}

/* Only so many bytes are free when the parser begins; a block of the arena has 16 KB. */
static int check_with_memory(struct d_case *c, const char *text, size_t free_bytes)
{
	int err;

	c->script = (struct d_script){ NULL, text, strlen(text) };
	c->arena.most = 64u << 20;
	assert_int_equal(d_types_init(&c->types, &c->arena), 0);
	assert_non_null(d_alloc(&c->arena, 64u << 10));
	assert_non_null(d_alloc(&c->arena, (16u << 10) - free_bytes));
	c->arena.most = c->arena.used;
	err = d_parse(&c->script, 0, &c->types, &c->macros, &c->unit, &c->error);
	if (err)
		return err;
	d_program_init(&c->program, &c->types);
	return d_check(&c->program, &c->unit, &c->error);
}

TEST(without_memory_a_script_is_too_large_wherever_it_ends)
{
	static const char *const rows[] = {
		"#pragma D option quiet\ntypedef int *t; t *p; enum e { A, B }; struct s { int a, b[2]; int (*c)(int); };",
		"int a[string, int]; inline int X = 1 + pid; BEGIN { x = X ? \"a\" : \"b\"; b[1, x] = &*(int *)0; y.z; }",
		"struct s { int a; }; translator struct s < int p > { a = p; }; BEGIN /pid == 1/ { trace(xlate <struct s> (2).a); }",
		"BEGIN { @a[pid, execname] = count(); printf(\"%d %s\", 1, \"a\"); } tick-1s { printa(\"%d %s %@d\", @a); } z:::x { }",
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		size_t bytes = 0;
		int err;

		do {
			struct d_case c = { 0 };

			err = check_with_memory(&c, rows[i], bytes);
			assert_true(!c.arena.failed || err == -ENOMEM);
			if (c.arena.failed)
				assert_string_equal(c.error.text, "the script is too large");
			bytes += 16;
			d_case_fini(&c);
		} while (err == -ENOMEM);
		assert_in_range(bytes, 512, 16u << 10);
	}
}

TEST_MAIN()
