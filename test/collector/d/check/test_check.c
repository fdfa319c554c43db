#include "test/kit/d_kit.h"

#include <errno.h>

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
		{ "x = pid[1]", "D_ARR_BADREF" }, { "x = xlate <int> (1)", "D_XLATE_SOU" },
	};
	char script[256];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		snprintf(script, sizeof(script), "BEGIN { %s; }", rows[i].statement);
		check_refused(script, rows[i].tag);
	}
	check_refused("BEGIN /\"a\"/ { }", "D_PRED_SCALAR");
	check_refused("BEGIN /execname/ { }", "D_PRED_SCALAR");
	check_refused("int x; string x;", "D_DECL_IDRED");
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
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct d_case c = { 0 };

		if (d_case_check(&c, rows[i]))
			print_message("%s: [%s] %s\n", rows[i], c.error.tag, c.error.text);
		assert_null(c.error.tag);
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

TEST_MAIN()
