/* event.h - describes the events that an event program hands to the record programs.
 *
 *      mysql.bpf.c --events (per CPU)--> record.bpf.c of instrumentation 0 --> of 3 --> of 7 ...
 *
 * An event program fills its `events` on the CPU and tail-calls the record program of the lowest bit in `active`.  Each
 * record program tail-calls that of the next higher bit.  So an event is parsed once for all instrumentations.
 *
 * Sample  If looking at every event costs more than the budget (budget.h), the event program takes one event in
 *         `weight` and counts it that many times, so estimates stay unbiased.  On each CPU it takes one of each row of
 *         `weight` events, at random.  So each event has the same chance, and the total is wrong by less than one row
 *         per CPU.
 * Cost    Every 61st run is timed, from run_begin() to the end of the last record program.  61 is prime, because
 *         programs alternate: if a begin and an end take turns, every 64th run is always the same program.
 *         run_pass() only counts a run that finds at once that it has nothing to do.  Timing would be most of its cost.
 *
 * Unit    end_ns is wall-clock time (ns from the epoch); measures are in their metric's unit.
 * Shape   The metric's own header (mysql.h) says what each index of field[] and measure[] means.
 */
#ifndef HEATSCOPE_EVENT_H
#define HEATSCOPE_EVENT_H

#include <linux/types.h>

#define EVENT_FIELDS 16
#define EVENT_MEASURES 32
#define EVENTS_MAX 8			/* events one receive or send can finish; a power of two */
#define TAIL_CALL_MAX 32		/* instrumentations of a metric at a time: bits of `active` */

/* Bits of `wanted`: the fields and measures that some instrumentation keeps or asks for.  An event program need not
 * gather the others. */
#define WANTED_FIELD(i) (1ull << (i))
#define WANTED_MEASURE(i) (1ull << (32 + (i)))

struct event {
	__u64 end_ns;
	__u64 field[EVENT_FIELDS];
	__u64 measure[EVENT_MEASURES];
	__u64 connection;		/* the server's number of it; 0: none, or not known */
	__u64 verbatim;			/* name of its text (statement_text.h); 0: its text is not kept */
};

struct events {
	__u32 active;			/* record programs that have not run yet */
	__u32 n;
	__u32 weight;			/* how many events each of these stands for; 0: not decided yet */
	__u32 pad;
	__u64 began_ns;			/* begin of a timed run; 0: this run is not timed */
	__u32 more[EVENTS_MAX];		/* equal events that each of them stands for besides itself */
	struct event event[EVENTS_MAX];
};

/* Another program of the same metric may interrupt a program: a soft interrupt's that of a thread, then an interrupt's,
 * then an NMI's.  Each has its own events, and ends before the interrupted one goes on. */
#define EVENTS_DEPTH 4

struct events_cpu {
	__u32 depth;			/* programs that run on this CPU now and have events */
	__u32 at, pick;			/* place in a row of `every` events; the one of them that is taken */
	__u32 untimed;			/* runs until the next timed one */
	__u64 handed;			/* events that the record programs got */
	__u64 runs, n_timed, timed_ns;	/* an interrupting program can make these miss a run, never an event */
	__u64 passed;			/* runs that are not in `runs`: they had nothing to do */
	struct events events[EVENTS_DEPTH];	/* one per program that runs now */
};

#endif
