/* record.h - describes the records that programs send: a header, then values: integers of 8 bytes, and texts in their room.
 *
 *      +--------+----------+-----+-------+-----------+---------+--------+----------------
 *      | clause | probe id | cpu | fault | time (ns) | ran     | thread | values ...
 *      +--------+----------+-----+-------+-----------+---------+--------+----------------
 *
 * A firing of a clause sends one record with all its actions, or one with a fault instead.  Bit n of `ran`: action n
 * ran; others are in a branch that was not taken.  A text ends with NUL; the bytes after it mean nothing.
 */
#ifndef HEATSCOPE_CHECK_RECORD_H
#define HEATSCOPE_CHECK_RECORD_H

#include "collector/d/tree/probe.h"

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#define D_ACTIONS_MAX 64		/* of a clause */
#define D_AGGREGATIONS_MAX 256
#define D_VALUES_MAX (24u << 10)	/* bytes of the values of a clause's actions */

enum d_fault { FAULT_NONE, FAULT_ADDRESS, FAULT_DIVIDE = 4 };		/* DTrace's numbers */

struct d_record {
	__u32 clause, probe;
	__u32 cpu, fault;
	__u64 time_ns;
	__u64 ran;
	__u64 thread;			/* its number in the low half */
	__u8 value[];			/* FAULT_ADDRESS: the address */
};

/* A value of an action: in the record, or a text that is known when the script is compiled, or a name of the probe. */
struct d_value {
	struct d_value *next;
	enum { VALUE_INTEGER, VALUE_TEXT, VALUE_CONSTANT, VALUE_PROBE, VALUE_KERNEL_STACK, VALUE_USER_STACK } kind;
	const char *text;		/* VALUE_CONSTANT */
	size_t text_len;
	enum d_probe_field field;	/* VALUE_PROBE */
	__u32 offset;			/* in `value` of the record */
	__u32 size;			/* of the integer's type; the text's room */
	bool is_signed;
};

struct d_action {
	struct d_action *next;
	const struct d_node *call;	/* the call; its function and format */
	const struct d_aggregation *aggregation;	/* the keys and a value of this one, which is a metric; NULL: a call */
	struct d_value *values;
	__u32 number;			/* bit in `ran` */
};

#define D_CPUS_MAX 8192			/* a power of 2; NR_CPUS of the kernel is at most this */

/* Memory that programs and user space share. */
enum d_activity { ACTIVITY_BEGIN, ACTIVITY_ACTIVE, ACTIVITY_DRAINING };

struct d_state {
	__u32 activity;			/* enum d_activity; exit() sets it to draining */
	__s32 exit_status;
	__u64 wall_offset_ns;		/* wall clock minus monotonic clock */
	__u64 drops;			/* records that did not fit into the ring */
	__u64 self_drops;		/* stores to self-> or to an array without memory */
	__u64 aggregation_drops;	/* elements that an aggregation had no memory for */
	__u64 nesting_drops;		/* firings that interrupted D_NESTING others */
	/* Of the programs of off-cpu, and of those of on-cpu: each looks at every switch of threads. */
	struct d_switches {
		__u64 unseen;			/* switches that the kernel did not show them while the script was active */
		__u64 running[D_CPUS_MAX];	/* address of the thread that got each CPU at the last switch; 0: not known */
	} off, on;
	__u64 elements[D_AGGREGATIONS_MAX];	/* that programs have made so far, by the aggregation's id */
};

/* Programs of off-cpu and on-cpu miss the same switches: each counts them. */
static inline __u64 d_unseen_switches(const struct d_state *s)
{
	return s->off.unseen > s->on.unseen ? s->off.unseen : s->on.unseen;
}

#endif
