/* wait_case.h - makes a thread wait for a known reason of block_reason.h, for tests of blocked time.
 *
 *      open(), once; wait(), WAITS times, about 2 ms each
 *
 * If a case is not available (a file system without direct I/O), open() ends the process with WAIT_CANNOT_OPEN; any
 * other failure aborts it.
 */
#ifndef HEATSCOPE_WAIT_CASE_H
#define HEATSCOPE_WAIT_CASE_H

#include <stddef.h>

#define WAITS 20
#define WAIT_CANNOT_OPEN 2		/* exit status */

struct wait_case {
	const char *what, *reason;
	void (*open)(void), (*wait)(void);	/* open NULL: nothing is to be opened */
	int may_be_at_once;			/* a fast disk has answered before its reader has left the CPU */
};

extern const struct wait_case wait_cases[];
extern const size_t n_wait_cases;

#endif
