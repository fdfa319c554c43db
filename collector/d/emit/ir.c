#include "collector/d/emit/ir.h"
#include "collector/core/array.h"

#include <errno.h>

void d_ir_fini(struct d_ir *ir)
{
	free(ir->ins);
	*ir = (struct d_ir){ 0 };
}

void d_ir_add(struct d_ir *ir, struct d_ins ins)
{
	if (!ir->err && ir->n == D_IR_MAX)
		ir->err = -E2BIG;
	if (!ir->err)
		ir->err = array_grow(&ir->ins, ir->n, &ir->room, sizeof(*ir->ins));
	if (!ir->err)
		ir->ins[ir->n++] = ins;
}

static bool jumps(const struct d_ins *i)
{
	return i->label && i->op != IR_LABEL;
}

void d_ir_prune(struct d_ir *ir)
{
	bool *is_target = calloc(ir->n_labels + 1, sizeof(*is_target)), reached = true;
	size_t n = 0;

	if (!is_target) {
		ir->err = -ENOMEM;
		return;
	}
	for (size_t i = 0; i < ir->n; i++) {
		const struct d_ins *ins = &ir->ins[i];

		if (ins->op == IR_LABEL) {
			reached = reached || is_target[ins->label];
			if (n && ir->ins[n - 1].op == IR_JUMP && ir->ins[n - 1].label == ins->label)
				n--;		/* a jump to what follows it */
		}
		if (!reached)
			continue;
		if (jumps(ins))
			is_target[ins->label] = true;
		if (ins->op == IR_JUMP || ins->op == IR_RETURN)
			reached = false;
		ir->ins[n++] = *ins;
	}
	ir->n = n;
	free(is_target);
}

/* ---- text ---- */

static void print_b(const struct d_ins *i, FILE *out)
{
	if (i->b)
		fprintf(out, "r%u", i->b);
	else
		fprintf(out, "%lld", (long long)i->value);
}

static void print_operation(const struct d_ins *i, FILE *out)
{
	static const char *const sign[] = {
		[IR_ADD] = "+", [IR_SUB] = "-", [IR_MUL] = "*", [IR_DIV] = "/", [IR_MOD] = "%", [IR_AND] = "&", [IR_OR] = "|",
		[IR_XOR] = "^", [IR_SHL] = "<<", [IR_SHR] = ">>",
	};

	fprintf(out, "r%u = r%u %s%s ", i->dst, i->a, i->is_signed ? "s" : "", sign[i->op]);
	print_b(i, out);
}

static const char *const memory_name[] = { "global", "self", "this", "scratch", "text", "record" };

static void print_variable(const struct d_ins *i, FILE *out)
{
	if (i->op == IR_LOAD)
		fprintf(out, "r%u = ", i->dst);
	if (i->op == IR_LOAD && i->a)
		fprintf(out, "r%u", i->a);
	else
		fputs(memory_name[i->scope], out);
	fprintf(out, "[%llu]%s%u", (unsigned long long)i->value, i->is_signed ? "s" : "u", 8 * i->size);
	if (i->op == IR_STORE)
		fprintf(out, " = r%u", i->a);
}

static void print_put(const struct d_ins *i, FILE *out)
{
	fprintf(out, "%s[%llu] = ", memory_name[i->scope], (unsigned long long)i->value);
	if (i->a)
		fprintf(out, "r%u", i->a);
	else
		fprintf(out, "%d", (int)i->from);
}

static void print_text(const struct d_ins *i, FILE *out)
{
	static const char *const name[] = {
		[IR_COPY_TEXT] = "copy_text", [IR_COMPARE_TEXT] = "compare_text", [IR_JOIN] = "join", [IR_SLICE] = "slice",
		[IR_DIGITS] = "digits", [IR_EXECNAME] = "execname", [IR_READ] = "read", [IR_READ_TEXT] = "read_text",
		[IR_READ_USER] = "read_user",
	};

	if (i->dst)
		fprintf(out, "r%u = ", i->dst);
	if (i->op == IR_JOIN || i->op == IR_SLICE || i->op == IR_DIGITS)
		fprintf(out, "scratch[%llu] = ", (unsigned long long)i->value);
	fprintf(out, "%s r%u", name[i->op], i->a);
	if (i->b)
		fprintf(out, " r%u", i->b);
	if (i->op == IR_SLICE)
		fprintf(out, " of scratch[%u]", i->from);
	if (i->size)
		fprintf(out, " size %u", i->size);
	if (i->op == IR_COPY_TEXT && i->from)
		fprintf(out, " at most %u", i->from);
	if (i->label)
		fprintf(out, " else L%u", i->label);
}

static void print_table(const struct d_ins *i, FILE *out)
{
	static const char *const name[] = { [IR_LOOKUP] = "lookup", [IR_UPDATE] = "update", [IR_DELETE] = "delete", [IR_ELEMENT] = "element" };

	if (i->dst)
		fprintf(out, "r%u = ", i->dst);
	fprintf(out, "%s table %llu key scratch[%u]", name[i->op], (unsigned long long)i->value, i->from);
	if (i->a)
		fprintf(out, " = r%u", i->a);
	if (i->label)
		fprintf(out, " else L%u", i->label);
}

static void print_word(const struct d_ins *i, FILE *out)
{
	if (i->op == IR_CELL)
		fprintf(out, "r%u = cell of r%u in %u at text[%llu]", i->dst, i->a, i->from, (unsigned long long)i->value);
	else
		fprintf(out, "r%u[%llu] %s r%u", i->b, (unsigned long long)i->value, i->op == IR_ADD_AT ? "+=" : "max=", i->a);
}

static void print_address(const struct d_ins *i, FILE *out)
{
	fprintf(out, "r%u = &%s[%llu]", i->dst, memory_name[i->scope], (unsigned long long)i->value);
	if (i->label)
		fprintf(out, " else L%u", i->label);
}

static void print_ins(const struct d_ins *i, FILE *out)
{
	static const char *const relation[] = { "==", "!=", "<", "<=", ">", ">=" };

	switch ((enum d_ir_op)i->op) {
	case IR_CONST: fprintf(out, "r%u = %lld", i->dst, (long long)i->value); break;
	case IR_MOVE: fprintf(out, "r%u = r%u", i->dst, i->a); break;
	case IR_NEG: fprintf(out, "r%u = -r%u", i->dst, i->a); break;
	case IR_CUT: fprintf(out, "r%u = (%s%u)r%u", i->dst, i->is_signed ? "s" : "u", 8 * i->size, i->a); break;
	case IR_LABEL: fprintf(out, "L%u:", i->label); break;
	case IR_JUMP: fprintf(out, "goto L%u", i->label); break;
	case IR_JUMP_IF:
		fprintf(out, "if r%u %s%s ", i->a, i->is_signed ? "s" : "", relation[i->relation]);
		print_b(i, out);
		fprintf(out, " goto L%u", i->label);
		break;
	case IR_LOAD: case IR_STORE: print_variable(i, out); break;
	case IR_BUILTIN: fprintf(out, "r%u = builtin %llu.%u", i->dst, (unsigned long long)i->value, i->from); break;
	case IR_COPY: fprintf(out, "copy r%u r%u size %u", i->a, i->b, i->size); break;
	case IR_STACK: fprintf(out, "%sstack r%u size %u", i->value ? "u" : "", i->b, i->size); break;
	case IR_PROBE: fprintf(out, "r%u = probe", i->dst); break;
	case IR_CLAIM: fputs("claim", out); break;
	case IR_ADDRESS: print_address(i, out); break;
	case IR_COPY_TEXT: case IR_COMPARE_TEXT: case IR_JOIN: case IR_SLICE: case IR_DIGITS: case IR_EXECNAME: case IR_READ:
	case IR_READ_TEXT: case IR_READ_USER:
		print_text(i, out);
		break;
	case IR_LOOKUP: case IR_UPDATE: case IR_DELETE: case IR_ELEMENT: print_table(i, out); break;
	case IR_ADD_AT: case IR_MOST_AT: case IR_CELL: print_word(i, out); break;
	case IR_ACTIVE: fprintf(out, "unless activity %llu goto L%u", (unsigned long long)i->value, i->label); break;
	case IR_RESERVE: fprintf(out, "reserve %llu else L%u", (unsigned long long)i->value, i->label); break;
	case IR_PUT: print_put(i, out); break;
	case IR_RAN: fprintf(out, "ran %llu", (unsigned long long)i->value); break;
	case IR_SUBMIT: fputs("submit", out); break;
	case IR_DISCARD: fputs("discard", out); break;
	case IR_EXIT: fprintf(out, "exit r%u", i->a); break;
	case IR_RETURN: fputs("return", out); break;
	default: print_operation(i, out);
	}
}

void d_ir_print(const struct d_ir *ir, FILE *out)
{
	for (size_t i = 0; i < ir->n; i++) {
		if (ir->ins[i].op != IR_LABEL)
			fputs("  ", out);
		print_ins(&ir->ins[i], out);
		fputc('\n', out);
	}
}
