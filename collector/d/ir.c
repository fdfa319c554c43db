#include "collector/d/ir.h"
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
	return i->op == IR_JUMP || i->op == IR_JUMP_IF || i->op == IR_ACTIVE || i->op == IR_RESERVE;
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

static void print_variable(const struct d_ins *i, FILE *out)
{
	static const char *const scope[] = { "global", "self", "this" };

	if (i->op == IR_LOAD)
		fprintf(out, "r%u = ", i->dst);
	fprintf(out, "%s[%llu]%s%u", scope[i->scope], (unsigned long long)i->value, i->is_signed ? "s" : "u", 8 * i->size);
	if (i->op == IR_STORE)
		fprintf(out, " = r%u", i->a);
}

static void print_put(const struct d_ins *i, FILE *out)
{
	fprintf(out, "record[%llu] = ", (unsigned long long)i->value);
	if (i->a)
		fprintf(out, "r%u", i->a);
	else
		fprintf(out, "%d", (int)i->label);
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
	case IR_BUILTIN: fprintf(out, "r%u = builtin %llu", i->dst, (unsigned long long)i->value); break;
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
