/* record.h - describes the records that programs send: a header, then 8 bytes per value.
 *
 *      +--------+----------+-----+-------+-----------+---------+---------+---
 *      | clause | probe id | cpu | fault | time (ns) | ran     | value 0 | ...
 *      +--------+----------+-----+-------+-----------+---------+---------+---
 *
 * A firing of a clause sends one record with all its actions, or one with a fault instead.  Bit n of `ran`: action n
 * ran; others are in a branch that was not taken.
 */
#ifndef HEATSCOPE_D_RECORD_H
#define HEATSCOPE_D_RECORD_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#define D_ACTIONS_MAX 64		/* of a clause */
#define D_VALUES_MAX 1024		/* of a clause's actions */

enum d_fault { FAULT_NONE, FAULT_DIVIDE = 4 };		/* DTrace's numbers */

struct d_record {
	__u32 clause, probe;
	__u32 cpu, fault;
	__u64 time_ns;
	__u64 ran;
	__u64 value[];
};

/* A value of an action: in the record, or a text that is known when the script is compiled. */
struct d_value {
	struct d_value *next;
	const char *text;		/* NULL: value[slot] of the record */
	size_t text_len;
	__u32 slot, size;
	bool is_signed;
};

struct d_action {
	struct d_action *next;
	const struct d_node *call;	/* the call; its function and format */
	struct d_value *values;
	__u32 number;			/* bit in `ran` */
};

/* Memory that programs and user space share. */
enum d_activity { ACTIVITY_BEGIN, ACTIVITY_ACTIVE, ACTIVITY_DRAINING };

struct d_state {
	__u32 activity;			/* enum d_activity; exit() sets it to draining */
	__s32 exit_status;
	__u64 wall_offset_ns;		/* wall clock minus monotonic clock */
	__u64 drops;			/* records that did not fit into the ring */
	__u64 self_drops;		/* stores to self-> without memory */
};

#endif
