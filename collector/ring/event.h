/* event.h - describes finished events, which an event program hands to the record programs.
 *
 *      mysql.bpf.c --events (per CPU)--> record.bpf.c of instrumentation 0 --> of 3 --> of 7 ...
 *
 * An event program fills its `events` on the CPU and tail-calls the record program of the lowest bit in
 * `active`; each record program tail-calls the next bit above its own.  So an event is parsed once,
 * however many instrumentations count it.
 *
 * Sample  If it costs more than the budget (budget.h) to look at every event, the event program takes one event in
 *         `weight` and counts it that many times, so every estimate stays unbiased.  On each CPU it takes one of each
 *         row of so many events, at random: each event has the same chance, and the total is wrong by less than a row
 *         per CPU.
 * Cost    Every 61st run is timed, from run_begin() to the end of the last record program.  61 is a prime number
 *         because programs take turns: of begin and end, every 64th run would always be the same one.
 *         A run that finds at once that it has nothing to do is only counted, by run_pass(): timing it would be most of
 *         its cost.
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
