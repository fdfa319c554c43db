/* bpf_d - D programs compute in the kernel what a reference interpreter of their tree computes; BEGIN, END and exit().
 *
 * 300 random expressions each of integers and of strings, with variables of all scopes (HEATSCOPE_ROUNDS: another number), and
 * as many random programs load.  HEATSCOPE_TEST runs one test.
 * Needs root and BTF; skipped (77) without. */
#include "collector/d/compile.h"
#include "collector/d/session.h"
#include "collector/d/tree/parse.h"
#include "test/collector/d/d_interpreter.h"
#include "test/collector/d/d_text_interpreter.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 300

/* ---- run a script ---- */

struct run {
	struct d_compile compile;
	struct d_session session;
	struct d_consumer consumer;
	struct d_aggregates aggregates;
	struct d_symbols symbols;
	char *text, *errors;
	size_t len, errors_len;
};

/* has_metrics: aggregations send their values one by one. */
static bool compile_with(struct run *r, const char *text, bool has_metrics)
{
	const struct d_script script = { "x.d", text, strlen(text) };
	struct d_error e = { 0 };
	unsigned n;

	memset(r, 0, sizeof(*r));
	assert_int_equal(d_compile_init(&r->compile), 0);
	if (d_compile_add(&r->compile, &script, 0, &n, &e) || (has_metrics && !d_program_make_metrics(&r->compile.program)) ||
	    d_compile_end(&r->compile, &e)) {
		if (strcmp(e.tag, "D_DIV_ZERO"))
			print_message("%u:%u: [%s] %s\n", e.line, e.column, e.tag, e.text);
		assert_string_equal(e.tag, "D_DIV_ZERO");
		d_compile_fini(&r->compile);
		return false;
	}
	return true;
}

static bool compile(struct run *r, const char *text) { return compile_with(r, text, false); }

/* Fires BEGIN or END, if it has clauses. */
static void fire(struct run *r, __u32 probe, enum d_activity activity)
{
	char reason[D_REASON_MAX] = "";

	r->session.state->activity = activity;
	for (size_t i = 0; i < r->compile.plan.n_groups; i++) {
		struct d_group *g = &r->compile.plan.groups[i];

		if (g->probes[0]->id != probe)
			continue;
		if (d_session_load(&r->session, g, reason))
			print_message("%s\n", reason);
		assert_string_equal(reason, "");
		assert_int_equal(d_session_fire(&r->session, g, reason), 0);
		assert_int_equal(d_session_drain(&r->session), 0);
	}
}

static void open_run(struct run *r)
{
	char reason[D_REASON_MAX] = "";

	r->consumer = (struct d_consumer){ .clauses = r->compile.clauses, .n_clauses = r->compile.n_clauses, .probes = &r->compile.probes,
					   .quiet = true, .out = open_memstream(&r->text, &r->len), .err = open_memstream(&r->errors, &r->errors_len),
					   .aggregates = &r->aggregates, .symbols = &r->symbols };
	assert_int_equal(d_aggregates_init(&r->aggregates, &r->compile.program, &r->compile.probes, &r->symbols), 0);
	if (d_session_open(&r->session, &r->compile.program, &r->consumer, reason))
		print_message("%s\n", reason);
	assert_string_equal(reason, "");
}

/* Loads and attaches all programs; they run. */
static void open_attached(struct run *r)
{
	char reason[D_REASON_MAX] = "";

	open_run(r);
	for (size_t i = 0; i < r->compile.plan.n_groups; i++)
		if (d_session_load(&r->session, &r->compile.plan.groups[i], reason) || d_session_attach(&r->session, &r->compile.plan.groups[i], reason))
			print_message("%s\n", reason);
	assert_string_equal(reason, "");
	r->session.state->activity = ACTIVITY_ACTIVE;
}

/* The texts are the caller's to free. */
static void close_run(struct run *r)
{
	assert_int_equal(r->session.state->drops + r->session.state->self_drops + r->session.state->nesting_drops +
			 r->session.state->aggregation_drops, 0);
	assert_int_equal(d_session_take_all(&r->session, &r->aggregates), 0);
	d_aggregates_print_rest(&r->aggregates, r->consumer.out);
	d_aggregates_fini(&r->aggregates);
	d_symbols_fini(&r->symbols);
	d_session_close(&r->session);
	fclose(r->consumer.out);
	fclose(r->consumer.err);
	d_compile_fini(&r->compile);
}

/* Fires BEGIN, then END.  false: the checker found a division by zero. */
static bool run(struct run *r, const char *text)
{
	if (!compile(r, text))
		return false;
	open_run(r);
	fire(r, PROBE_BEGIN, ACTIVITY_BEGIN);
	fire(r, PROBE_END, ACTIVITY_DRAINING);
	close_run(r);
	return true;
}

static void check_output(const char *script, const char *out, const char *err)
{
	struct run r;

	assert_true(run(&r, script));
	if (strcmp(r.text, out))
		print_message("%s\n", script);
	assert_string_equal(r.text, out);
	assert_string_equal(r.errors, err);
	free(r.text);
	free(r.errors);
}

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

/* ---- random programs ---- */

long probed_function(long a, const char *name, long c, long d, long e, long f, long seventh);

static void put_statement(FILE *out, unsigned depth);

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
		fputs("a[", out);
		put_integer(out, depth - 1);
		fputs(", ", out);
		put_text(out, depth - 1);
		fputc(']', out);
		return;
	case 4:
		fputs("*(int *)(", out);
		put_integer(out, depth - 1);
		fputc(')', out);
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
		fputs("a", out);
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

	fputs("int v0; self char v1; this short v2; string t0; self string t1; this string t2; string t3; self string t4; this string t5;\n"
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

/* ---- aggregations ---- */

#define N_VALUES 30

/* DTrace's formulas, computed value by value. */
struct statistics {
	__s64 sum, min, max, avg, stddev;
	unsigned quantize[127], linear[12], log[37 + 37 + 1];
};

static int quantize_bucket(__s64 v)
{
	int log = 0;

	for (__u64 size = v < 0 ? -(__u64)v : (__u64)v; size > 1; size >>= 1)
		log++;
	return !v ? 63 : v > 0 ? 64 + log : log > 62 ? 0 : 62 - log;
}

/* llquantize(v, 10, 0, 3, 10): 0, 1 ... 9, 10, 20 ... 9000, 10000; index 37 is 0. */
static int log_bucket(__s64 v)
{
	__u64 size = v < 0 ? -(__u64)v : (__u64)v, from = 1;
	int cell = 0;

	for (int order = 0; size && order < 4; order++, from *= 10)
		if (size < 10 * from)
			return 37 + (v < 0 ? -1 : 1) * (cell + (int)(size / from));
		else
			cell += 9;
	return 37 + (size ? (v < 0 ? -37 : 37) : 0);
}

static void measure(const __s64 *v, struct statistics *s)
{
	long double mean = 0, squares = 0;
	__int128 sum = 0, square = 0, difference;

	*s = (struct statistics){ .min = INT64_MAX, .max = INT64_MIN };
	for (unsigned i = 0; i < N_VALUES; i++) {
		sum += v[i];
		square += (__int128)v[i] * v[i];
		s->min = v[i] < s->min ? v[i] : s->min;
		s->max = v[i] > s->max ? v[i] : s->max;
		s->quantize[quantize_bucket(v[i])]++;
		s->linear[v[i] < -50 ? 0 : v[i] >= 50 ? 11 : (v[i] + 50) / 10 + 1]++;
		s->log[log_bucket(v[i])]++;
	}
	s->sum = (__s64)sum;
	s->avg = s->sum / N_VALUES;
	difference = square / N_VALUES - (__int128)s->avg * s->avg;
	mean = (long double)difference;
	squares = sqrtl(mean);
	s->stddev = (__s64)squares;
}

static char *values_script(__s64 *v)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	for (unsigned i = 0; i < N_VALUES; i++) {
		v[i] = check_below(3) ? (__s64)check_below(240) - 120 : (__s64)(check_value() >> 4) * (check_below(2) ? 1 : -1);
		if (!check_below(30))
			v[i] = check_below(2) ? 1ll << check_below(58) : -(1ll << check_below(58));
		fprintf(out, "BEGIN { v = %lldll; @a = sum(v); @b = min(v); @c = max(v); @d = avg(v); @e = stddev(v); @f = quantize(v); "
			"@g = lquantize(v, -50, 50, 10); @h = llquantize(v, 10, 0, 3, 10); @i = count(); }\n", (long long)v[i]);
	}
	fputs("END { printa(\"%@d \", @a); printa(\"%@d \", @b); printa(\"%@d \", @c); printa(\"%@d \", @d); printa(\"%@d \", @e); printa(\"%@d\", @i); }", out);
	fclose(out);
	return text;
}

/* The counts of a printed table, added to 0 in the buckets that its labels name. */
static void check_table(const char *text, const __s64 *labels, const unsigned *counts, unsigned n)
{
	unsigned seen = 0, all = 0;

	for (unsigned i = 0; i < n; i++)
		all += counts[i];
	for (const char *line = strchr(text, '\n'); line && seen < all; line = strchr(line + 1, '\n')) {
		const char *bar = strchr(line + 1, '|');
		long long label, count;
		char *at = NULL;

		if (!bar || sscanf(bar + 41, "%lld", &count) != 1)
			continue;
		label = strtoll(line + 1 + strspn(line + 1, " <>="), &at, 10);
		for (unsigned i = 0; i < n; i++)
			if (labels[i] == label + (memchr(line, '<', 18) && labels[0] != -10000 ? -1 : 0)) {
				if ((unsigned)count != counts[i])
					print_message("%lld: %lld, not %u\n", label, count, counts[i]);
				assert_int_equal(count, counts[i]);
				seen += count;
			}
	}
	assert_int_equal(seen, all);
}

static void check_tables(const char *text, const struct statistics *s)
{
	__s64 quantize[127], linear[12], log[75];
	const char *table = strstr(text, "value");

	for (int i = 0; i < 127; i++)
		quantize[i] = i < 63 ? -(1ll << (62 - i)) : i == 63 ? 0 : 1ll << (i - 64);
	for (int i = 0; i < 12; i++)
		linear[i] = i ? -60 + 10 * i : -51;
	for (int i = 0; i <= 37; i++) {
		__s64 power = 1;

		for (int order = 0; order < (i - 1) / 9; order++)
			power *= 10;
		log[37 + i] = i ? power * (1 + (i - 1) % 9) : 0;
		log[37 - i] = -log[37 + i];
	}
	check_table(table, quantize, s->quantize, 127);
	table = strstr(table + 5, "value");
	check_table(table, linear, s->linear, 12);
	check_table(strstr(table + 5, "value"), log, s->log, 75);
}

TEST(aggregations_are_what_the_formulas_say)
{
	for (unsigned round = 0; round < 40; round++) {
		char *script, expected[256];
		__s64 v[N_VALUES];
		struct statistics s;
		struct run r;

		script = values_script(v);
		measure(v, &s);
		assert_true(run(&r, script));
		snprintf(expected, sizeof(expected), "%lld %lld %lld %lld %lld %d\n", (long long)s.sum, (long long)s.min, (long long)s.max,
			 (long long)s.avg, (long long)s.stddev, N_VALUES);
		r.text[strlen(expected)] = '\0';
		assert_string_equal(r.text, expected);
		r.text[strlen(expected)] = ' ';
		check_tables(r.text, &s);
		free(r.text);
		free(r.errors);
		free(script);
	}
}

TEST(rows_have_their_keys)
{
	check_output("BEGIN { @[\"a\", 1] = count(); @[\"a\", 2] = count(); @[\"a\", 1] = count(); x = \"a longer text than that\"; @[x, -1] = count(); }"
		     "END { printa(\"%s %d %@d;\", @); }", "a 2 1;a longer text than that -1 1;a 1 2;", "");
}

/* Each printa() takes an interval; what was taken is not counted again. */
TEST(intervals_add_up)
{
	check_output("BEGIN { @ = sum(1); printa(\"%@d \", @); clear(@); printa(\"%@d \", @); } END { @ = sum(100); printa(\"%@d \", @); "
		     "normalize(@, 50); printa(\"%@d \", @); denormalize(@); trunc(@); printa(\"%@d \", @); }", "1 0 100 2 ", "");
}

/* ---- clauses ---- */

TEST(variables_live_as_long_as_their_scope)
{
	check_output("BEGIN { g = 1; self->s = 2; this->t = 3; } BEGIN { printf(\"%d %d %d\", g, self->s, this->t); }"
		     "END { printf(\" %d %d %d\", g, self->s, this->t); }", "1 2 3 1 2 0", "");
}

TEST(predicates_choose_clauses)
{
	check_output("BEGIN { x = 5; } BEGIN /x == 5/ { trace(1); } BEGIN /x != 5/ { trace(2); } BEGIN /x > 4 && x < 6 || 0/ { trace(3); }",
		     "13", "");
}

TEST(branches_choose_actions)
{
	check_output("BEGIN { x = 1; if (x) { trace(1); } else { trace(2); } if (!x) { trace(3); } else if (x > 0) { trace(4); } "
		     "x ? trace(5) : trace(6); trace(7); }", "1457", "");
}

/* Found by the random expressions: the folded ?: made an int of the cast. */
TEST(a_cast_that_a_constant_chooses_still_cuts)
{
	check_output("BEGIN { x = 300; trace(1 ? (char)x : 1L); trace((0 ? 1 : (uchar_t)x) == 44); }", "441", "");
}

TEST(a_fault_ends_its_clause_only)
{
	check_output("BEGIN { x = 0; } BEGIN { y = 1; trace(1); z = 1 / x; y = 2; } BEGIN /1 % x/ { trace(2); } BEGIN { trace(y); }", "1",
		     "dtrace: error in dt_clause_1 for probe ID 1 (dtrace:::BEGIN): divide-by-zero\n"
		     "dtrace: error in dt_clause_2 for probe ID 1 (dtrace:::BEGIN): divide-by-zero\n");
}

TEST(error_clauses_run_after_a_fault)
{
	check_output("ERROR { printf(\"[%d %d %d %x %s]\", arg1, arg2, arg4, arg5, probename); n++; } ERROR /arg4 == 4/ { trace(1 / (pid - pid)); }"
		     "BEGIN { x = 0; this->t = 5; } BEGIN { y = 1 / x; } BEGIN { trace(n); trace(copyinstr(7)); } BEGIN { trace(n); } ERROR { trace(this->t); }",
		     "[4 0 4 0 ERROR]5[5 0 1 7 ERROR]52",
		     "dtrace: error in dt_clause_3 for probe ID 1 (dtrace:::BEGIN): divide-by-zero\n"
		     "dtrace: error in dt_clause_4 for probe ID 1 (dtrace:::BEGIN): invalid address (0x7)\n");
}

TEST(exit_ends_the_later_clauses_and_has_a_status)
{
	struct run r;

	assert_true(run(&r, "BEGIN { trace(1); exit(7); trace(2); } BEGIN { trace(3); } END { trace(4); }"));
	assert_string_equal(r.text, "124");
	assert_int_equal(r.consumer.exit_status, 7);
	free(r.text);
	free(r.errors);
}

TEST(elements_of_arrays_are_found_by_their_whole_key)
{
	check_output("BEGIN { a[\"x\", 1] = 5; a[\"x\", 2] = 6; a[\"xy\", 1] = 7; a[\"x\", 1]++; b[1] = \"one\"; b[-1] = strjoin(b[1], b[2]); }"
		     "BEGIN { printf(\"%d %d %d %d %s %s.\", a[\"x\", 1], a[\"x\", 2], a[\"xy\", 1], a[\"y\", 1], b[-1], b[2]); }", "6 6 7 0 one .", "");
}

TEST(a_zero_frees_a_variable)
{
	check_output("int d[int, string]; BEGIN { d[1, \"a\"] = 3; self->s = \"text\"; b[7] = \"b\"; } BEGIN { d[1, \"a\"] = 0; self->s = 0; b[7] = 0; }"
		     "BEGIN { printf(\"%d [%s] [%s]\", d[1, \"a\"], self->s, b[7]); }", "0 [] []", "");
}

TEST(a_translator_puts_the_argument_into_its_members)
{
	check_output("struct out { int twice; string text; }; translator struct out <int n> { twice = n * 2; text = strjoin(\"n\", lltostr(n)); };"
		     "BEGIN { x = 20; printf(\"%d %s\", xlate <struct out> (x + 1).twice, xlate <struct out *> (x)->text); }", "42 n20", "");
}

TEST(inlines_may_be_strings)
{
	check_output("inline string A = \"abc\"; inline string B = strjoin(A, \"d\"); BEGIN { printf(\"%s %d\", B, A == \"abc\"); }", "abcd 1", "");
}

TEST(memory_that_cannot_be_read_is_a_fault)
{
	check_output("BEGIN { trace(copyinstr(1)); } BEGIN /stringof(1) == \"\"/ { trace(1); } BEGIN { trace(*(int *)16); } BEGIN { trace(2); }", "12",
		     "dtrace: error in dt_clause_0 for probe ID 1 (dtrace:::BEGIN): invalid address (0x1)\n"
		     "dtrace: error in dt_clause_2 for probe ID 1 (dtrace:::BEGIN): invalid address (0x10)\n");
}

TEST(texts_of_the_process_and_the_probe)
{
	static const char hello[] = "hello from memory";
	char script[256], expected[128], name[17] = "";
	FILE *in = fopen("/proc/self/comm", "r");

	assert_int_equal(fscanf(in, "%16[^\n]", name), 1);
	fclose(in);
	snprintf(script, sizeof(script), "BEGIN { printf(\"%%s %%s %%s %%s %%s\", copyinstr(%lluull), copyinstr(%lluull, 5), execname, probeprov, probename); }",
		 (unsigned long long)(size_t)hello, (unsigned long long)(size_t)hello);
	snprintf(expected, sizeof(expected), "%s hello %s dtrace BEGIN", hello, name);
	check_output(script, expected, "");
}

/* Attaches, does something known, detaches; the aggregations are printed. */
static void check_probes(const char *script, void (*work)(void), const char *out)
{
	struct run r;

	assert_true(compile(&r, script));
	open_attached(&r);
	work();
	d_session_detach(&r.session);
	d_session_drain(&r.session);
	close_run(&r);
	if (strcmp(r.text, out))
		print_message("%s\n%s", script, r.errors);
	assert_string_equal(r.text, out);
	free(r.text);
	free(r.errors);
}

static void do_calls(void)
{
	int fds[2];
	char byte = 'x';

	assert_int_equal(pipe(fds), 0);
	for (unsigned i = 0; i < 1000; i++) {
		assert_int_equal(write(fds[1], &byte, 1), 1);
		assert_int_equal(read(fds[0], &byte, 1), 1);
	}
	assert_int_equal(read(-1, &byte, 1), -1);
	close(fds[0]);
	close(fds[1]);
}

TEST(every_system_call_is_counted_once)
{
	char script[1024];

	snprintf(script, sizeof(script),
		 "syscall::read:entry, syscall::write:entry, syscall::close:return /pid == %d/ { @[probefunc, probename] = count(); }"
		 "syscall::write:entry /pid == %d && arg2 == 1/ { @ones = count(); }"
		 "syscall::read:return /pid == %d && probefunc == \"read\"/ { @results[arg1, errno] = count(); }", getpid(), getpid(), getpid());
	check_probes(script, do_calls,
		     "\n  close                                               return                                                            2\n"
		     "  write                                               entry                                                          1000\n"
		     "  read                                                entry                                                          1001\n"
		     "             1000\n"
		     "               -9        9                1\n"
		     "                1        0             1000\n");
}

enum { N_WRITERS = 3, N_WRITES = 40000 };

static void *write_often(void *context)
{
	char bytes[64] = "";
	int fd = *(int *)context;

	for (unsigned i = 0; i < N_WRITES; i++)
		if (write(fd, bytes, 1 + i % 64) < 0)
			abort();
	return NULL;
}

/* While threads write, their counts are taken again and again: the intervals add up to every event, in every function. */
TEST(no_event_is_lost_or_twice_while_intervals_are_taken)
{
	char script[512], expected[256];
	pthread_t writers[N_WRITERS];
	int fd = open("/dev/null", O_WRONLY);
	unsigned n_intervals = 0;
	struct run r;

	snprintf(script, sizeof(script), "syscall::write:entry /pid == %d && arg0 == %d/ { @n = count(); @sum[tid] = sum(arg2); @max = max(arg2); @min = min(arg2);"
		 "@ = lquantize(arg2, 1, 65, 64); }", getpid(), fd);
	assert_true(compile(&r, script));
	open_attached(&r);
	for (unsigned i = 0; i < N_WRITERS; i++)
		assert_int_equal(pthread_create(&writers[i], NULL, write_often, &fd), 0);
	for (; n_intervals < 8; n_intervals++)
		assert_int_equal(d_session_take_all(&r.session, &r.aggregates), 0);
	for (unsigned i = 0; i < N_WRITERS; i++)
		pthread_join(writers[i], NULL);
	close(fd);
	d_session_detach(&r.session);
	assert_int_equal(d_session_take_all(&r.session, &r.aggregates), 0);
	assert_int_equal(r.aggregates.totals[1].n_rows, N_WRITERS);
	for (unsigned i = 0; i < N_WRITERS; i++)
		assert_int_equal(r.aggregates.totals[1].rows[i]->word[0], N_WRITES / 64 * (64 * 65 / 2));
	d_totals_trunc(&r.aggregates.totals[1], &r.aggregates.sort, 0);
	close_run(&r);
	snprintf(expected, sizeof(expected), "\n %16d\n %16d\n %16d\n", N_WRITERS * N_WRITES, 64, 1);
	assert_int_equal(strncmp(r.text, expected, strlen(expected)), 0);
	snprintf(expected, sizeof(expected), "               1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ %d   \n", N_WRITERS * N_WRITES);
	assert_non_null(strstr(r.text, expected));
	free(r.text);
	free(r.errors);
}

/* More keys than a map has elements: those of maps that fill up are taken while it runs. */
TEST(an_aggregation_has_more_keys_than_its_map)
{
	enum { N = 200000 };
	char script[256];
	struct run r;

	snprintf(script, sizeof(script), "syscall::lseek:entry /pid == %d/ { @[arg1] = count(); }", getpid());
	assert_true(compile(&r, script));
	open_attached(&r);
	for (unsigned i = 0; i < N; i++) {
		lseek(-1, i, SEEK_SET);
		if (i % 1000 == 0)
			assert_int_equal(d_session_take_full(&r.session, &r.aggregates), 0);
	}
	d_session_detach(&r.session);
	assert_int_equal(d_session_take_all(&r.session, &r.aggregates), 0);
	assert_int_equal(r.aggregates.totals[0].n_rows, N);
	d_totals_trunc(&r.aggregates.totals[0], &r.aggregates.sort, 0);
	close_run(&r);
	free(r.text);
	free(r.errors);
}

/* ---- metrics ---- */

static void seek_random(void)
{
	srand(7);
	for (unsigned i = 0; i < 5000; i++)
		lseek(-1, (off_t)((__u64)rand() << (rand() % 33)) * (rand() % 5 ? 1 : -1) / (rand() % 1000 ? 1 : 1ull << 40), SEEK_SET);
}

static char *text_of_seeks(bool has_metrics)
{
	char script[512];
	struct run r;

	snprintf(script, sizeof(script), "syscall::lseek:entry /pid == %d/ { @q[arg0, probefunc] = quantize((long)arg1); @l = lquantize((long)arg1, -100, 100000, 777);"
		 "@g[arg1 & 3] = llquantize((long)arg1, 10, 2, 12, 20); @n = count(); }", getpid());
	assert_true(compile_with(&r, script, has_metrics));
	open_attached(&r);
	seek_random();
	d_session_detach(&r.session);
	d_session_drain(&r.session);
	close_run(&r);
	assert_string_equal(r.errors, "");
	free(r.errors);
	return r.text;
}

TEST(values_one_by_one_make_the_same_tables_as_counts_in_the_kernel)
{
	char *counted = text_of_seeks(false), *sent = text_of_seeks(true);

	assert_non_null(strstr(counted, "5000\n"));
	assert_string_equal(counted, sent);
	free(counted);
	free(sent);
}

static void sleep_second(void) { usleep(1050000); }

TEST(timers_fire_at_their_rate)
{
	check_probes("profile-100 { n[cpu]++; } tick-100ms { i++; } tick-100ms /i == 9 && n[0] > 10/ { printf(\"nine\"); }", sleep_second, "nine");
}

#ifdef __x86_64__
/* Number 20 is getpid for 32-bit calls, and writev for others. */
static void do_compat_calls(void)
{
	for (unsigned i = 0; i < 100; i++) {
		long number = 20;

		__asm__ volatile("int $0x80" : "+a"(number) : : "memory", "r8", "r9", "r10", "r11");
		syscall(SYS_getuid);
	}
}

TEST(calls_of_32_bits_are_no_others)
{
	char script[512];

	snprintf(script, sizeof(script), "syscall::getuid:entry, syscall::writev:entry /pid == %d/ { @[probefunc] = count(); }"
		 "syscall::getuid:return, syscall::writev:return /pid == %d/ { @r[probefunc] = count(); }", getpid(), getpid());
	check_probes(script, do_compat_calls,
		     "\n  getuid                                                          100\n  getuid                                                          100\n");
}
#endif

static volatile long sink;

__attribute__((noinline, noclone)) long probed_function(long a, const char *name, long c, long d, long e, long f, long seventh)
{
	sink += a + c + d + e + f + seventh + name[0];
	return a * 3;
}

static void call_function(void)
{
	for (long i = 0; i < 1000; i++)
		sink += probed_function(i % 4, "a name", 3, 4, 5, 6, 7);
}

/* this-> lives through all clauses of one firing; self-> from entry to return. */
TEST(functions_have_arguments_and_results)
{
	char script[1024];

	snprintf(script, sizeof(script),
		 "pid%d:a.out:probed_function:entry { self->a = arg0; @[copyinstr(arg1), arg2, arg6] = count(); }"
		 "pid%d::probed_f*:return { this->kind = arg1 == 3 * self->a ? \"right\" : \"wrong\"; self->a = 0; }"
		 "pid%d::probed_function:return { @kinds[this->kind, probefunc, probename] = count(); @sum = sum(arg1); @q = lquantize(arg1, 0, 12, 3); }",
		 getpid(), getpid(), getpid());
	check_probes(script, call_function,
		     "\n  a name                                                            3                7             1000\n"
		     "  right                                               probed_function                                     return                                                         1000\n"
		     "             4500\n\n"
		     "           value  ------------- Distribution ------------- count    \n"
		     "             < 0 |                                         0        \n"
		     "               0 |@@@@@@@@@@                               250      \n"
		     "               3 |@@@@@@@@@@                               250      \n"
		     "               6 |@@@@@@@@@@                               250      \n"
		     "               9 |@@@@@@@@@@                               250      \n"
		     "           >= 12 |                                         0        \n\n");
}

static const char *volatile counted_text = "a text of known length";

static void call_strlen(void)
{
	size_t (*volatile length)(const char *) = strlen;

	for (unsigned i = 0; i < 500; i++)
		sink += (long)length(counted_text);
}

/* strlen() is one of several functions, which the C library chooses when it begins. */
TEST(functions_that_are_chosen_at_run_time_are_found)
{
	char script[256];

	snprintf(script, sizeof(script), "pid%d:libc:strlen:entry /arg0 == %lluull/ { @[probefunc] = count(); }", getpid(),
		 (unsigned long long)(size_t)counted_text);
	check_probes(script, call_strlen, "\n  strlen                                                          500\n");
}

static void compute(void)
{
	struct timespec t, end;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	while ((t.tv_sec - end.tv_sec) * 1000000000ll + t.tv_nsec - end.tv_nsec < 50000000);
}

__attribute__((noinline, noclone)) long probed_sleep(long i)
{
	usleep(100000);
	compute();
	return sink += i;
}

static void call_sleep(void) { sink += probed_sleep(1); }

/* 50 ms of computing and at least 100 ms of sleep; the processor's time of the process is the ground truth. */
TEST(vtimestamp_counts_only_the_time_on_a_cpu)
{
	char script[1024];

	snprintf(script, sizeof(script),
		 "pid%d:a.out:probed_sleep:entry { self->t = timestamp; self->v = vtimestamp; }"
		 "pid%d:a.out:probed_sleep:return { this->on = (vtimestamp - self->v) / 1000000; this->all = (timestamp - self->t) / 1000000;"
		 " printf(\"%%d %%d\", this->on >= 49 && this->on < 99, this->all >= 149); }", getpid(), getpid());
	check_probes(script, call_sleep, "1 1");
}

/* The function, called in a known way, is on the stack with its callers. */
TEST(stacks_are_keys_with_their_functions)
{
	char script[512];
	struct run r;

	snprintf(script, sizeof(script), "pid%d:a.out:probed_function:entry { @[ustack(3)] = count(); } syscall::getppid:entry /pid == %d/ { @k[stack()] = count(); }",
		 getpid(), getpid());
	assert_true(compile(&r, script));
	open_attached(&r);
	call_function();
	for (unsigned i = 0; i < 7; i++)
		getppid();
	d_session_detach(&r.session);
	close_run(&r);
	if (!strstr(r.text, "\n              bpf_d`probed_function") || !strstr(r.text, "             1000\n"))
		print_message("%s\n", r.text);
	assert_non_null(strstr(r.text, "\n              bpf_d`probed_function"));
	assert_non_null(strstr(r.text, "             1000\n"));
	assert_non_null(strstr(r.text, "vmlinux`do_syscall_64"));
	assert_non_null(strstr(r.text, "                7\n"));
	free(r.text);
	free(r.errors);
}

/* on-cpu has the process' stack of off-cpu. */
TEST(on_cpu_has_the_stack_of_off_cpu)
{
	char script[512];
	struct run r;

	snprintf(script, sizeof(script), "sched:::off-cpu /pid == %d/ { self->t = timestamp; } sched:::on-cpu /self->t/ { @[ustack(12)] = count(); self->t = 0; }",
		 getpid());
	assert_true(compile(&r, script));
	open_attached(&r);
	for (unsigned i = 0; i < 20; i++)
		usleep(1000);
	d_session_detach(&r.session);
	close_run(&r);
	if (!strstr(r.text, "`clock_nanosleep") && !strstr(r.text, "`usleep"))
		print_message("%s\n", r.text);
	assert_true(strstr(r.text, "`clock_nanosleep") || strstr(r.text, "`usleep"));
	free(r.text);
	free(r.errors);
}

static long switches(void)
{
	char line[256];
	long sum = 0, n;
	FILE *in = fopen("/proc/self/status", "r");

	while (fgets(line, sizeof(line), in))
		if (sscanf(line, "voluntary_ctxt_switches: %ld", &n) == 1 || sscanf(line, "nonvoluntary_ctxt_switches: %ld", &n) == 1)
			sum += n;
	fclose(in);
	return sum;
}

static long n_switches;

static void sleep_often(void)
{
	n_switches = switches();
	for (unsigned i = 0; i < 50; i++)
		usleep(2000);
	n_switches = switches() - n_switches;
}

/* As often as the kernel's own counters say, and off the CPU for at least the time of the sleeps.  self-> is the thread's that
 * gets the CPU. */
TEST(a_thread_leaves_and_gets_the_cpu)
{
	char script[1024];
	long off, on, unseen;
	struct run r;
	int slept;

	snprintf(script, sizeof(script),
		 "sched:::off-cpu /pid == %d/ { self->t = timestamp; @n = count(); @names[execname == \"bpf_d\", tid == %d] = count(); }"
		 "sched:::on-cpu /self->t/ { off += timestamp - self->t; @m = count(); @p[pid, tid, execname] = count(); self->t = 0; }"
		 "END { printa(\"%%@d \", @n); printa(\"%%@d \", @m); printf(\"%%d\\n\", off >= 100000000); trunc(@names); trunc(@p); }", getpid(), getpid());
	assert_true(compile(&r, script));
	open_attached(&r);
	sleep_often();
	r.session.state->activity = ACTIVITY_BEGIN;
	d_session_detach(&r.session);
	fire(&r, PROBE_END, ACTIVITY_DRAINING);
	unseen = (long)d_unseen_switches(r.session.state);
	close_run(&r);
	assert_int_equal(sscanf(r.text, "%ld %ld %d", &off, &on, &slept), 3);
	if (off < n_switches - unseen || off > n_switches + 7 || labs(off - on) > unseen)
		print_message("%ld off, %ld on, %ld switches, %ld not shown by the kernel\n", off, on, n_switches, unseen);
	/* the counters are read a little inside of the time that is traced, and reading may be preempted */
	assert_in_range(off, n_switches - unseen, n_switches + 7);
	assert_in_range(labs(off - on), 0, unseen);
	assert_int_equal(slept, 1);
	free(r.text);
	free(r.errors);
}

TEST(built_ins_are_this_process)
{
	char script[512], out[64];

	snprintf(script, sizeof(script), "BEGIN { t = timestamp; printf(\"%%d %%d %%d %%d %%d %%d %%d\", pid == %d, tid == %d, uid == %u, gid == %u, "
		 "t == timestamp, walltimestamp / 1000000000 - %lld < 5, id); }", getpid(), getpid(), getuid(), getgid(), (long long)time(NULL));
	snprintf(out, sizeof(out), "1 1 1 1 1 1 1");
	check_output(script, out, "");
}

TEST(many_values_at_once_are_on_the_stack)
{
	char script[2048] = "BEGIN { x = 1; trace(", expected[16];

	for (unsigned i = 0; i < 40; i++)
		strcat(script, "x + (");
	strcat(script, "x");
	for (unsigned i = 0; i < 40; i++)
		strcat(script, ")");
	strcat(script, "); }");
	snprintf(expected, sizeof(expected), "%d", 41);
	check_output(script, expected, "");
}

int main(void)
{
	if (geteuid() || access("/sys/kernel/btf/vmlinux", R_OK)) {
		printf("1..0 # SKIP needs root and BTF\n");
		return 77;
	}
	if (getenv("HEATSCOPE_TEST"))
		cmocka_set_test_filter(getenv("HEATSCOPE_TEST"));
	return check_run(NULL, NULL);
}
