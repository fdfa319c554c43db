/* bpf_d - D programs compute in the kernel what a reference interpreter of their tree computes; BEGIN, END and exit().
 *
 * 300 random expressions each of integers and of strings, with variables of all scopes (HEATSCOPE_ROUNDS: another number), and
 * as many random programs load.  HEATSCOPE_TEST runs one test.
 * Needs root and BTF; skipped (77) without. */
#include "collector/d/tree/parse.h"
#include "test/collector/d/d_interpreter.h"
#include "test/collector/d/d_run_kit.h"
#include "test/collector/d/d_text_interpreter.h"

#include <stdio.h>
#include <unistd.h>

#define ROUNDS 300

/* ---- random expressions ---- */

static const struct {
	const char *name;
	unsigned size;
	bool is_signed;
} types[] = {
	{ "char", 1, true }, { "uchar_t", 1, false }, { "short", 2, true }, { "ushort_t", 2, false }, { "int", 4, true },
	{ "uint_t", 4, false }, { "long", 8, true }, { "ulong_t", 8, false },
};

static const char *const scopes[] = { "", "self->", "this->" };

static void put_variable(FILE *out, unsigned i) { fprintf(out, "%sv%u", scopes[i % 3], i); }

static void put_literal(FILE *out)
{
	static const char *const suffix[] = { "", "u", "l", "ul" };
	static const __u64 special[] = { 0, 1, 2, 63, 64, 127, 128, 255, 32768, 65535, 0x7fffffff, 0x80000000, 0xffffffff, 1ull << 63, -1ull };
	__u64 v = check_below(3) ? check_value() : special[check_below(sizeof(special) / sizeof(*special))];

	fprintf(out, check_below(2) ? "%llu%s" : "0x%llx%s", (unsigned long long)v, suffix[check_below(4)]);
}

static void put_expression(FILE *out, unsigned depth);

static void put_operands(FILE *out, const char *op, unsigned depth)
{
	fputc('(', out);
	put_expression(out, depth - 1);
	fprintf(out, " %s ", op);
	put_expression(out, depth - 1);
	fputc(')', out);
}

static void put_change(FILE *out, unsigned depth)
{
	static const char *const op[] = { "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=" };

	fputc('(', out);
	put_variable(out, check_below(D_VARIABLES));
	fprintf(out, " %s ", op[check_below(11)]);
	put_expression(out, depth - 1);
	fputc(')', out);
}

static void put_step(FILE *out)
{
	static const char *const op[] = { "++", "--" };
	bool is_prefix = check_below(2);
	const char *o = op[check_below(2)];

	fprintf(out, " %s", is_prefix ? o : "");
	put_variable(out, check_below(D_VARIABLES));
	fprintf(out, "%s ", is_prefix ? "" : o);
}

static void put_expression(FILE *out, unsigned depth)
{
	static const char *const binary[] = { "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "<", ">", "<=", ">=", "==", "!=",
					      "&&", "||", "^^" };
	static const char *const unary[] = { "-", "~", "!", "+" };

	switch (depth ? check_below(12) : check_below(2)) {
	case 0:
		put_literal(out);
		return;
	case 1:
		put_variable(out, check_below(D_VARIABLES));
		return;
	case 2:
		fprintf(out, "(%s (", unary[check_below(4)]);
		put_expression(out, depth - 1);
		fputs("))", out);
		return;
	case 3:
		fprintf(out, "((%s)", types[check_below(8)].name);
		put_expression(out, depth - 1);
		fputc(')', out);
		return;
	case 4:
		fputc('(', out);
		put_expression(out, depth - 1);
		fputs(" ? ", out);
		put_expression(out, depth - 1);
		fputs(" : ", out);
		put_expression(out, depth - 1);
		fputc(')', out);
		return;
	case 5:
		put_change(out, depth);
		return;
	case 6:
		put_step(out);
		return;
	}
	put_operands(out, binary[check_below(19)], depth);
}

/* Declarations of all variables, a clause that gives them values, and one that prints an expression and the variables. */
static char *random_script(struct d_interpreter *d)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	for (unsigned i = 0; i < D_VARIABLES; i++) {
		static const char *const storage[] = { "", "self ", "this " };
		unsigned t = check_below(8);

		fprintf(out, "%s%s v%u;\n", storage[i % 3], types[t].name, i);
		d->variable[i] = (struct d_number){ 0, types[t].size, types[t].is_signed };
	}
	fputs("BEGIN {", out);
	for (unsigned i = 0; i < D_VARIABLES; i++) {
		__u64 v = check_below(4) ? check_value() : 0;

		fputc(' ', out);
		put_variable(out, i);
		fprintf(out, " = %llu;", (unsigned long long)v);
		d->variable[i].bits = d_narrow(v, d->variable[i].size, d->variable[i].is_signed);
	}
	fputs(" }\nBEGIN { printf(\"%d\\n\", (long)(", out);
	put_expression(out, 1 + check_below(5));
	fputs(")); }\nBEGIN { printf(\"", out);
	for (unsigned i = 0; i < D_VARIABLES; i++)
		fputs("%d ", out);
	fputc('"', out);
	for (unsigned i = 0; i < D_VARIABLES; i++) {
		fputs(", (long)", out);
		put_variable(out, i);
	}
	fputs("); }\n", out);
	fclose(out);
	return text;
}

/* A script that was parsed again, for an interpreter. */
struct parsed {
	struct d_arena arena;
	struct d_types types;
	struct d_unit unit;
};

/* Returns the expression that the first clause with a printf prints. */
static const struct d_node *parse_again(struct parsed *p, const char *script)
{
	const struct d_script s = { "x.d", script, strlen(script) };
	struct d_macros macros = { 0 };
	struct d_error e = { 0 };
	const struct d_item *item;

	*p = (struct parsed){ .arena = { .most = 16u << 20 } };
	assert_int_equal(d_types_init(&p->types, &p->arena), 0);
	assert_int_equal(d_parse(&s, 0, &p->types, &macros, &p->unit, &e), 0);
	for (item = p->unit.items; item->kind != ITEM_CLAUSE || item->statements->kind != NODE_CALL; item = item->next)
		;
	return item->statements->list->next;
}

static char *expected_output(struct d_interpreter *d, const char *script)
{
	struct parsed p;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	struct d_number value = d_evaluate(d, parse_again(&p, script));

	if (!d->fault)
		fprintf(out, "%lld\n", (long long)value.bits);
	for (unsigned i = 0; i < D_VARIABLES; i++)
		fprintf(out, "%lld ", (long long)d->variable[i].bits);
	fclose(out);
	d_arena_fini(&p.arena);
	return text;
}

TEST(the_kernel_computes_what_the_interpreter_computes)
{
	const char *rounds = getenv("HEATSCOPE_ROUNDS");
	unsigned n = rounds ? (unsigned)strtoul(rounds, NULL, 0) : ROUNDS, n_faults = 0, n_refused = 0;

	for (unsigned i = 0; i < n; i++) {
		struct d_interpreter d = { 0 };
		char *script = random_script(&d), *expected = expected_output(&d, script);
		struct run r;

		if (!run(&r, script)) {
			n_refused++;		/* it divides by a constant 0 */
		} else {
			if (strcmp(r.text, expected))
				print_message("round %u\n%s", i, script);
			assert_string_equal(r.text, expected);
			assert_int_equal(r.errors_len > 0, d.fault);
			n_faults += d.fault;
			free(r.text);
			free(r.errors);
		}
		free(script);
		free(expected);
	}
	print_message("%u expressions: %u divide by zero, %u refused for it\n", n, n_faults, n_refused);
	assert_true(n < ROUNDS || (n_faults > n / 100 && n_faults + n_refused < n / 2));
}

/* ---- random texts ---- */

static void put_text(FILE *out, unsigned depth);

static void put_literal_text(FILE *out)
{
	unsigned n = check_below(6) ? check_below(12) : check_below(300);

	fputc('"', out);
	for (unsigned i = 0; i < n; i++)
		fputc(check_below(8) ? 'a' + check_below(3) : 'a' + check_below(26), out);
	fputc('"', out);
}

static void put_two_texts(FILE *out, const char *before, const char *between, unsigned depth)
{
	fputs(before, out);
	put_text(out, depth - 1);
	fputs(between, out);
	put_text(out, depth - 1);
	fputc(')', out);
}

static void put_number(FILE *out, unsigned depth)
{
	static const char *const relation[] = { " < ", " > ", " <= ", " >= ", " == ", " != " };

	switch (depth ? check_below(3) : 0) {
	case 0:
		fprintf(out, "%d", (int)check_below(24) - 8);
		return;
	case 1:
		fputs("strlen(", out);
		put_text(out, depth - 1);
		fputc(')', out);
		return;
	}
	put_two_texts(out, "(", relation[check_below(6)], depth);
}

static void put_text_variable(FILE *out)
{
	unsigned i = check_below(D_TEXT_VARIABLES);

	fprintf(out, "%st%u", scopes[i % 3], i);
}

static void put_substr(FILE *out, unsigned depth)
{
	fputs("substr(", out);
	put_text(out, depth - 1);
	fputs(", ", out);
	put_number(out, depth - 1);
	if (check_below(2)) {
		fputs(", ", out);
		put_number(out, depth - 1);
	}
	fputc(')', out);
}

static void put_text(FILE *out, unsigned depth)
{
	switch (depth ? check_below(8) : check_below(2)) {
	case 0:
		put_literal_text(out);
		return;
	case 1:
		put_text_variable(out);
		return;
	case 2:
		put_substr(out, depth);
		return;
	case 3:
		fputs("lltostr(", out);
		put_number(out, depth - 1);
		fputc(')', out);
		return;
	case 4:
		fputc('(', out);
		put_text_variable(out);
		fputs(" = ", out);
		put_text(out, depth - 1);
		fputc(')', out);
		return;
	case 5:
		fputc('(', out);
		put_number(out, depth - 1);
		put_two_texts(out, " ? ", " : ", depth);
		return;
	}
	put_two_texts(out, "strjoin(", ", ", depth);
}

static char *random_text_script(void)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	fputs("string t0; self string t1; this string t2; string t3; self string t4; this string t5;\nBEGIN { printf(\"%s\\n\", ", out);
	put_text(out, 1 + check_below(4));
	fputs("); }\nBEGIN { printf(\"%s|%s|%s|%s|%s|%s\", t0, self->t1, this->t2, t3, self->t4, this->t5); }\n", out);
	fclose(out);
	return text;
}

static char *expected_texts(const char *script)
{
	struct d_text_interpreter d = { 0 };
	char *text = NULL, value[D_STRING_SIZE];
	struct parsed p;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	d_text_of(&d, parse_again(&p, script), value);
	fprintf(out, "%s\n", value);
	for (unsigned i = 0; i < D_TEXT_VARIABLES; i++)
		fprintf(out, "%s%s", i ? "|" : "", d.variable[i]);
	fclose(out);
	d_arena_fini(&p.arena);
	return text;
}

TEST(the_kernel_computes_the_texts_that_the_interpreter_computes)
{
	const char *rounds = getenv("HEATSCOPE_ROUNDS");
	unsigned n = rounds ? (unsigned)strtoul(rounds, NULL, 0) : ROUNDS;

	for (unsigned i = 0; i < n; i++) {
		char *script = random_text_script(), *expected = expected_texts(script);
		struct run r;

		assert_true(run(&r, script));
		if (strcmp(r.text, expected))
			print_message("round %u\n%s", i, script);
		assert_string_equal(r.text, expected);
		free(r.text);
		free(r.errors);
		free(script);
		free(expected);
	}
}

/* ---- pointers ---- */

/* A script reads in its copy of a struct of this process what C reads in it. */
TEST(pointers_point_to_what_they_do_in_c)
{
	struct part {
		short s[4];
		unsigned char u;
	};
	struct whole {
		char c;
		int bits : 5;
		unsigned more : 20;
		struct part part[3];
		char name[6];
		struct whole *next;
		long long wide;
	} w;
	struct run r;
	char script[4096], expected[1024];

	for (unsigned round = 0; round < 100; round++) {
		unsigned i = check_below(3), k = check_below(4);

		for (size_t at = 0; at < sizeof(w); at++)
			((__u8 *)&w)[at] = (__u8)check_random();
		for (size_t at = 0; at < sizeof(w.name); at++)
			w.name[at] = (char)('a' + check_below(26));		/* without NUL */
		w.next = &w;
		snprintf(script, sizeof(script), "struct part { short s[4]; unsigned char u; };\n"
			 "struct whole { char c; int bits : 5; unsigned more : 20; struct part part[3]; char name[6]; struct whole *next; long long wide; };\n"
			 "struct whole *w; struct part *p; short *s; string t;\n"
			 "BEGIN { w = (struct whole *)copyin(%llu, sizeof (struct whole)); p = &w->part[%u]; s = p->s;\n"
			 "	printf(\"%%d %%d %%u %%d %%d\", w->c, w->bits, w->more, w->part[%u].s[%u], (*w).part[%u].u);\n"
			 "	printf(\" %%d %%d %%d %%d\", *(s + %u), s[%u], *&p->s[%u], (int)(p + 1 - w->part));\n"
			 "	s += 2; printf(\" %%d\", *s); s--; printf(\" %%d\", *s++); printf(\" %%d\", (int)(s - p->s));\n"
			 "	t = w->name; printf(\" %%s %%s %%d %%d\", t, w->name, w->name == t, (int)strlen(w->name));\n"
			 "	printf(\" %%d %%d %%d\", w->next == (struct whole *)%llu, (int)(w < w + 1), (int)((char *)&w->next - (char *)w));\n"
			 "	printf(\" %%d\", ((struct whole *)copyin((uintptr_t)w->next, sizeof (struct whole)))->wide);  }",
			 (unsigned long long)(uintptr_t)&w, i, i, k, i, k, k, k, (unsigned long long)(uintptr_t)&w);
		snprintf(expected, sizeof(expected), "%d %d %u %d %d %d %d %d %d %d %d 2 %.6s %.6s 1 6 1 1 %d %lld", w.c, w.bits, w.more, w.part[i].s[k],
			 w.part[i].u, w.part[i].s[k], w.part[i].s[k], w.part[i].s[k], i + 1, w.part[i].s[2], w.part[i].s[1], w.name, w.name,
			 (int)offsetof(struct whole, next), w.wide);
		assert_true(run(&r, script));
		assert_string_equal(r.text, expected);
		assert_int_equal(r.errors_len, 0);
		free(r.text);
		free(r.errors);
	}
}

/* A copy that the predicate made stays as it is in the clause. */
TEST(a_copy_of_the_predicate_is_kept)
{
	static const char text[] = "the text of this process";
	char script[512];
	struct run r;

	snprintf(script, sizeof(script), "string t; BEGIN /(this->p = (char *)copyin(%llu, sizeof (uint64_t) * 2))[0] == 't'/ { t = strjoin(\"one\", \"two\"); "
		 "printf(\"%%s %%s\", t, stringof(this->p)); }", (unsigned long long)(uintptr_t)text);
	assert_true(run(&r, script));
	assert_string_equal(r.text, "onetwo the text of this");
	free(r.text);
	free(r.errors);
}

/* ---- random programs ---- */

__attribute__((noinline, noclone, used)) long probed_function(long a) { return a; }

static void put_statement(FILE *out, unsigned depth);

#define NODE "struct node { char a; int b : 3; unsigned c : 7; struct node *next; char text[10]; short d[4]; };\n"

static void put_integer(FILE *out, unsigned depth);

static void put_pointed(FILE *out, unsigned depth)
{
	static const char *const around[][2] = {
		{ "*(int *)(", ")" }, { "((struct node *)(", "))->next->c" }, { "((short *)(", "))[3]" }, { "*(uint64_t *)copyin(", ", 8)" },
		{ "(long)((struct node *)(", ") + 1)" }, { "((char *)(", ") - (char *)arg1)" }, { "((struct node *)copyin(", ", sizeof (struct node)))->d[v0]" },
		{ "strlen(((struct node *)(", "))->text)" },
	};
	unsigned i = check_below(sizeof(around) / sizeof(*around));

	fputs(around[i][0], out);
	put_integer(out, depth - 1);
	fputs(around[i][1], out);
}

/* Integers and texts over variables that the declarations below have, and over what every probe has. */
static void put_integer(FILE *out, unsigned depth)
{
	static const char *const leaf[] = { "pid", "tid", "arg0", "arg1", "arg5", "timestamp", "vtimestamp", "walltimestamp", "errno", "cpu", "id", "epid",
					    "v0", "self->v1", "this->v2", "$pid", "7", "0", "-1", "4096" };
	static const char *const op[] = { "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "<", "==", "&&", "||", "!=" };

	switch (depth ? check_below(9) : 0) {
	case 0: case 1:
		fputs(leaf[check_below(20)], out);
		return;
	case 2:
		fputs("strlen(", out);
		put_text(out, depth - 1);
		fputc(')', out);
		return;
	case 3:
		fputs(check_below(3) ? "a[" : "self->c[", out);
		put_integer(out, depth - 1);
		fputs(", ", out);
		put_text(out, depth - 1);
		fputc(']', out);
		return;
	case 4:
		put_pointed(out, depth);
		return;
	case 5:
		fputc('(', out);
		put_integer(out, depth - 1);
		fputs(" ? ", out);
		put_integer(out, depth - 1);
		fputs(" : ", out);
		put_integer(out, depth - 1);
		fputc(')', out);
		return;
	}
	fputc('(', out);
	put_integer(out, depth - 1);
	fprintf(out, " %s ", op[check_below(15)]);
	put_integer(out, depth - 1);
	fputc(')', out);
}

static void put_key(FILE *out, unsigned depth)
{
	fputc('[', out);
	put_integer(out, depth);
	fputs(", ", out);
	switch (check_below(4)) {
	case 0: fputs("execname", out); break;
	case 1: fputs("probefunc", out); break;
	default: put_text(out, depth);
	}
	fputc(']', out);
}

static void put_aggregation(FILE *out, unsigned depth)
{
	static const char *const function[] = { "count(", "sum(", "min(", "max(", "avg(", "stddev(", "quantize(", "lquantize(", "llquantize(" };
	unsigned which = check_below(9);

	fprintf(out, "@a%u", which);
	put_key(out, depth);
	fprintf(out, " = %s", function[which]);
	if (which)
		put_integer(out, depth);
	fputs(which == 7 ? ", -100, 100, 7)" : which == 8 ? ", 10, 0, 5, 20)" : ")", out);
}

static void put_statement(FILE *out, unsigned depth)
{
	switch (check_below(10)) {
	case 0: case 1: case 2:
		put_aggregation(out, depth);
		break;
	case 3:
		fputs("printf(\"%d %s %x\", ", out);
		put_integer(out, depth);
		fputs(", ", out);
		put_text(out, depth);
		fputs(", ", out);
		put_integer(out, depth);
		fputc(')', out);
		break;
	case 4:
		fputs(check_below(3) ? "a" : "self->c", out);
		put_key(out, depth);
		fputs(check_below(2) ? " = 0" : "++", out);
		break;
	case 5:
		fputs("b[", out);
		put_integer(out, depth);
		fputs("] = ", out);
		put_text(out, depth);
		break;
	case 6:
		fputs("if (", out);
		put_integer(out, depth);
		fputs(") { ", out);
		put_statement(out, depth);
		fputs("} else { ", out);
		put_statement(out, depth);
		fputs("} ", out);
		return;
	case 7:
		fprintf(out, "%s = ", ((const char *[]){ "v0", "self->v1", "this->v2" })[check_below(3)]);
		put_integer(out, depth);
		break;
	case 8:
		fputs("@s[stack(5), ", out);
		put_text(out, depth);
		fputs("] = count(); trace(", out);
		put_text(out, depth);
		fputc(')', out);
		break;
	default:
		put_text_variable(out);
		fputs(" = ", out);
		put_text(out, depth);
	}
	fputs("; ", out);
}

/* Clauses of several kinds of probes, which share variables; each loads, whatever it would do. */
static char *random_program(unsigned depth)
{
	static const char *const probes[] = {
		"BEGIN", "syscall::read:entry, syscall::write:entry", "syscall:::return", "syscall::w*:entry", "tick-1s", "profile-99", "sched:::off-cpu", "sched:::on-cpu",
		"pid%1$d:a.out:probed_function:entry", "pid%1$d:a.out:probed_*:return",
	};
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	unsigned n = 1 + check_below(4);

	fputs(NODE "self int c[int, string]; int v0; self char v1; this short v2; string t0; self string t1; this string t2; string t3; self string t4; this string t5;\n"
	      "int a[int, string]; string b[long];\n", out);
	for (unsigned i = 0; i < n; i++) {
		fprintf(out, probes[check_below(sizeof(probes) / sizeof(*probes))], getpid());
		if (check_below(2)) {
			fputs(" / ", out);		/* no comment begins */
			put_integer(out, depth);
			fputs(" /", out);
		}
		fputs(" { ", out);
		for (unsigned statement = check_below(4); statement; statement--)
			put_statement(out, depth);
		fputs("}\n", out);
	}
	fclose(out);
	return text;
}

static bool is_stated_limit(const char *reason) { return strstr(reason, "needs more values at once than the stack"); }

TEST(random_programs_load)
{
	const char *rounds = getenv("HEATSCOPE_ROUNDS");
	unsigned n = rounds ? (unsigned)strtoul(rounds, NULL, 0) : ROUNDS, n_programs = 0, n_limits = 0;

	for (unsigned i = 0; i < n; i++) {
		char *script = random_program(1 + check_below(2)), reason[D_REASON_MAX] = "";
		struct run r;

		if (compile_with(&r, script, i % 2 && strstr(script, "quantize"))) {
			open_run(&r);
			for (size_t g = 0; g < r.compile.plan.n_groups; g++) {
				if (!d_session_load(&r.session, &r.compile.plan.groups[g], reason)) {
					n_programs++;
					continue;
				}
				if (!is_stated_limit(reason))
					print_message("%s\n%s\n", script, reason);
				assert_true(is_stated_limit(reason));
				n_limits++;
			}
			close_run(&r);
			free(r.text);
			free(r.errors);
		}
		free(script);
	}
	print_message("%u programs, %u beyond the stack\n", n_programs, n_limits);
	assert_true(n < 100 || (n_programs > n && n_limits < n / 10));
}

int main(void) { return check_in_kernel(); }
