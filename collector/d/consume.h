/* consume.h - prints the records of programs, byte for byte as dtrace(1) does.
 *
 * Errors  a fault of a clause is a line on `err`.
 * Memory  borrows the program; `clauses` has its clauses by id.
 */
#ifndef HEATSCOPE_D_CONSUME_H
#define HEATSCOPE_D_CONSUME_H

#include "collector/d/program.h"
#include "collector/d/record.h"

struct d_consumer {
	struct d_clause *const *clauses;
	__u32 n_clauses;
	bool quiet;
	FILE *out, *err;
	bool has_header;		/* CPU ID FUNCTION:NAME was printed */
	int exit_status;		/* of exit() */
};

void d_consume(struct d_consumer *c, const struct d_record *r);

#endif
