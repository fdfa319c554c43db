/* run.h - runs a compiled program from BEGIN to END.
 *
 *      d_run_load()   loads and attaches everything; programs wait
 *      d_run()         BEGIN, then the probes until exit(), a signal, or the end of the target; END; the aggregations
 *
 * or, from the loop of another:
 *
 *      d_run_start()   BEGIN; the probes' programs begin
 *      d_run_step()    prints what has come; false: the script has ended
 *      d_run_stop()    no probe fires any more; END
 *      d_run_report()  the aggregations, and what was dropped
 *
 * Errors  1, after a line on the consumer's err.  d_run(), d_run_report(): the exit status.
 * Thread  one; d_run() handles SIGINT and SIGTERM meanwhile.
 */
#ifndef HEATSCOPE_D_RUN_H
#define HEATSCOPE_D_RUN_H

#include "collector/d/compile.h"
#include "collector/d/guard.h"
#include "collector/d/session.h"
#include "collector/d/target.h"

struct d_run {
	struct d_compile *compile;
	struct d_consumer *consumer;
	struct d_target *target;
	struct d_session session;
	bool is_unguarded;		/* -w: the script may cost what it wants */
	struct d_guard guard;
	bool was_aborted;		/* it cost too much: END does not run, and nothing more is printed */
};

int d_run_load(struct d_run *r);
int d_run(struct d_run *r);
int d_run_start(struct d_run *r);
bool d_run_step(struct d_run *r, int timeout_ms);
int d_run_stop(struct d_run *r);
int d_run_report(struct d_run *r);
void d_run_close(struct d_run *r);

#endif
