/* bpf_d - D programs compute in the kernel what a reference interpreter of their tree computes; BEGIN, END and exit().
 *
 * 1,000 random integer expressions with variables of all scopes and sizes (HEATSCOPE_ROUNDS: another number).
 * Needs root and BTF; skipped (77) without. */
#include "collector/d/compile.h"
#include "collector/d/probe.h"
#include "collector/d/session.h"
#include "collector/d/parse.h"
#include "test/kit/d_interpreter.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* ---- run a script ---- */

struct run {
	struct d_compile compile;
	struct d_session session;
	struct d_consumer consumer;
	char *text, *errors;
	size_t len, errors_len;
};

static const struct d_firing firings[] = { { PROBE_BEGIN, ACTIVITY_BEGIN }, { PROBE_END, ACTIVITY_DRAINING } };

static bool compile(struct run *r, const char *text)
{
	const struct d_script script = { "x.d", text, strlen(text) };
	struct d_error e = { 0 };
	unsigned n;

	memset(r, 0, sizeof(*r));
	assert_int_equal(d_compile_init(&r->compile), 0);
	if (d_compile_add(&r->compile, &script, 0, &n, &e) || d_compile_end(&r->compile, &e)) {
		if (strcmp(e.tag, "D_DIV_ZERO"))
			print_message("%u:%u: [%s] %s\n", e.line, e.column, e.tag, e.text);
		assert_string_equal(e.tag, "D_DIV_ZERO");
		d_compile_fini(&r->compile);
		return false;
	}
	return true;
}

static void fire(struct run *r, struct d_firing firing)
{
	char reason[D_REASON_MAX] = "";
	struct d_error e = { 0 };
	struct d_ir ir = { 0 };
	int err = d_compile_probe(&r->compile, firing, &ir, &e), fd = -1;

	if (err == 1)
		return;
	assert_int_equal(err, 0);
	if (d_session_load(&r->session, &ir, &fd, reason))
		print_message("%s\n", reason);
	assert_true(fd >= 0);
	r->session.state->activity = firing.activity;
	assert_int_equal(d_session_fire(&r->session, fd, reason), 0);
	assert_int_equal(d_session_drain(&r->session), 0);
	d_ir_fini(&ir);
	close(fd);
}

/* Fires BEGIN, then END.  false: the checker found a division by zero.  The texts are the caller's to free. */
static bool run(struct run *r, const char *text)
{
	char reason[D_REASON_MAX] = "";

	if (!compile(r, text))
		return false;
	r->consumer = (struct d_consumer){ r->compile.clauses, r->compile.n_clauses, true, open_memstream(&r->text, &r->len),
					   open_memstream(&r->errors, &r->errors_len), false, 0 };
	if (d_session_open(&r->session, &r->compile.program, &r->consumer, reason))
		print_message("%s\n", reason);
	assert_string_equal(reason, "");
	for (unsigned i = 0; i < 2; i++)
		fire(r, firings[i]);
	assert_int_equal(r->session.state->drops + r->session.state->self_drops, 0);
	d_session_close(&r->session);
	fclose(r->consumer.out);
	fclose(r->consumer.err);
	d_compile_fini(&r->compile);
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

/* The expression is the argument of printf in the second clause. */
static char *expected_output(struct d_interpreter *d, const char *script)
{
	const struct d_script s = { "x.d", script, strlen(script) };
	struct d_arena arena = { .most = 16u << 20 };
	struct d_macros macros = { 0 };
	struct d_error e = { 0 };
	struct d_types types_;
	struct d_unit unit;
	const struct d_item *item;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	struct d_number value;

	assert_int_equal(d_types_init(&types_, &arena), 0);
	assert_int_equal(d_parse(&s, 0, &types_, &macros, &unit, &e), 0);
	for (item = unit.items; item->kind != ITEM_CLAUSE || item->statements->kind != NODE_CALL; item = item->next)
		;
	value = d_evaluate(d, item->statements->list->next);
	if (!d->fault)
		fprintf(out, "%lld\n", (long long)value.bits);
	for (unsigned i = 0; i < D_VARIABLES; i++)
		fprintf(out, "%lld ", (long long)d->variable[i].bits);
	fclose(out);
	d_arena_fini(&arena);
	return text;
}

TEST(the_kernel_computes_what_the_interpreter_computes)
{
	const char *rounds = getenv("HEATSCOPE_ROUNDS");
	unsigned n = rounds ? (unsigned)strtoul(rounds, NULL, 0) : 1000, n_faults = 0, n_refused = 0;

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
	assert_true(n < 1000 || (n_faults > n / 100 && n_faults + n_refused < n / 2));
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

TEST(exit_ends_the_later_clauses_and_has_a_status)
{
	struct run r;

	assert_true(run(&r, "BEGIN { trace(1); exit(7); trace(2); } BEGIN { trace(3); } END { trace(4); }"));
	assert_string_equal(r.text, "124");
	assert_int_equal(r.consumer.exit_status, 7);
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
	return check_run(NULL, NULL);
}
