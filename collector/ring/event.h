/* event.h - one finished event, on its way from an event program to the record programs.
 *
 *      mysql.bpf.c --events (per CPU)--> record.bpf.c of instrumentation 0 --> of 3 --> of 7 ...
 *
 * An event program fills its `events` on the CPU and tail-calls the record program of the lowest bit in
 * `active`; each record program tail-calls the next bit above its own.  So an event is parsed once,
 * however many instrumentations count it.
 *
 * Sample  Where looking costs more than the budget (budget.h), only one event in `weight` gets here, and
 *         is counted that many times: every estimate stays unbiased.  It is one of each row of so many on a CPU,
 *         chosen at random: each has the same chance, and the total is wrong by less than a row per CPU.
 * Cost    Every 61st run is timed, from run_begin() to the end of the last record program.  A prime number, because
 *         programs take turns: of begin and end, every 64th would always be the same one.
 *         A run that finds at once that it has nothing to do is only counted, run_pass(): to count it dearly would be most of its cost.
 *
 * Unit    end_ns is wall-clock time (ns from the epoch); measures are in their metric's unit.
 * Shape   which index of field[] and measure[] means what, the metric's own header says (mysql.h).
 */
#ifndef HEATSCOPE_EVENT_H
#define HEATSCOPE_EVENT_H

#include <linux/types.h>

#define EVENT_FIELDS 16
#define EVENT_MEASURES 32
#define EVENTS_MAX 8			/* events one receive or send can finish; a power of two */
#define CHAIN_MAX 32			/* instrumentations of a metric at a time: bits of `active` */

/* Bits of `wanted`: fields and measures that some instrumentation keeps or asks for; the others need
 * not be gathered. */
#define WANTED_FIELD(i) (1ull << (i))
#define WANTED_MEASURE(i) (1ull << (32 + (i)))

struct event {
	__u64 end_ns;
	__u64 field[EVENT_FIELDS];
	__u64 measure[EVENT_MEASURES];
	__u64 connection;		/* its number, as the server counts; 0: none, or not known */
	__u64 verbatim;			/* name of its text (statement_text.h); 0: it is not kept, or the metric has none */
};

struct events {
	__u32 active;			/* record programs that are still to run */
	__u32 n;
	__u32 weight;			/* how many events each of these stands for; 0: not decided yet */
	__u32 pad;
	__u64 began_ns;			/* of a run that is timed; 0: it is not */
	struct event event[EVENTS_MAX];
};

/* A program may be cut into by another one of its metric: a thread's, by a soft interrupt's, by an interrupt's, by an
 * NMI's.  Each has events of its own, and has ended before the one it cut into goes on. */
#define EVENTS_DEPTH 4

struct events_cpu {
	__u32 depth;			/* programs that run now and have an event */
	__u32 at, pick;			/* place in a row of `every` events, and which of them is looked at */
	__u32 untimed;			/* runs until the next one that is timed */
	__u64 handed;			/* events, to the record programs */
	__u64 runs, n_timed, timed_ns;	/* a program that cuts into another's counting can lose it a run, never an event */
	__u64 passed;			/* runs that are not in `runs`: they had nothing to do */
	struct events events[EVENTS_DEPTH];	/* of each */
};

#endif
