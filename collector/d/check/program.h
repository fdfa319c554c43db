/* program.h - is a D program: what all scripts of a run declare together, and their clauses.
 *
 *      tree of each script --d_check()--> program: variables, aggregations, inlines, clauses, options
 *
 * Shape   a variable's memory begins at `offset` in the memory of its scope; `memory` is how long that is.
 * Memory  Everything is in the arena of `types`.  The caller keeps the trees and texts of the scripts as long as the program.
 * Thread  one at a time.
 */
#ifndef HEATSCOPE_CHECK_PROGRAM_H
#define HEATSCOPE_CHECK_PROGRAM_H

#include "collector/d/check/buckets.h"
#include "collector/d/tree/builtin.h"
#include "collector/d/check/record.h"
#include "collector/d/tree/tree.h"

#define D_MEMORY_MAX (16u << 10)	/* bytes of the variables of one scope */
#define D_TABLES_MAX 512		/* associative arrays and aggregations */
#define D_KEYS_MAX 16			/* parts of a key */
#define D_THREAD_KEYS 2			/* the first parts, of an array of self->: the thread's number and when it started */
#define D_VARIABLES_BUCKETS 1024
#define D_TEXTS_MAX (64u << 10)		/* bytes of all constant texts and edges */

struct d_action;

/* A part of a key: 8 bytes, or a text in its room. */
struct d_key {
	const struct d_type *type;
	__u32 room;			/* a multiple of 8; each further use of a text widens it; lowering uses the final size */
	bool is_text;
	bool is_probe;			/* a text that is always a name of the probe: its id stands for it */
	__u8 field;			/* which name */
	__u8 stack;			/* enum d_stack */
};

/* A stack is addresses, the newest first, to the first 0; that of a process begins with the process' number. */
enum d_stack { STACK_NONE, STACK_KERNEL, STACK_USER };

#define D_FRAMES_MAX 127		/* the kernel's most */
#define D_TRACING_FRAMES 8		/* a program takes so many more of the kernel's: user space removes the tracing's own, on top */
#define D_SAVED_STACK_LEN (8 * 101)

/* Where the names of a probe are in an element of `names`. */
#define D_NAMES_LEN 288
static inline __u32 d_names_offset(unsigned field) { return (const __u32[]){ 0, 32, 96, 224, D_NAMES_LEN }[field]; }

/* A map whose elements are found by a key: the parts in their order, without gaps. */
struct d_table {
	struct d_table *next;
	__u32 id;			/* from 0 */
	struct d_key key[D_KEYS_MAX];
	__u32 n_keys;
	__u32 value_len;
	bool is_aggregation;		/* a per-CPU map inside an outer map; user space swaps in an empty one */
};

struct d_variable {
	struct d_variable *next;
	struct d_variable *next_in_bucket;
	const char *name;
	enum d_scope scope;
	const struct d_type *type;
	const struct d_builtin *builtin;	/* NULL: the script's */
	const struct d_item *inlined;		/* an inline; NULL */
	__u32 offset;
	struct d_table *table;			/* of an associative array */
	bool is_time;				/* ns: a time, or how long something took, was assigned */
};

/* Words of an element; aggregate.h says what each function has. */
enum d_word { WORD_COUNT, WORD_SUM, WORD_LL_LOW, WORD_LL_HIGH, WORD_HL_LOW, WORD_HL_HIGH, WORD_HH, D_WORDS };
enum { WORD_MOST = 1 };				/* of min() and max() */

struct d_aggregation {
	struct d_aggregation *next;
	const char *name;
	const struct d_function *function;	/* NULL: not assigned so far */
	struct d_table *table;			/* its last key is the cell */
	struct d_buckets buckets;		/* of quantize() and its relatives */
	__u32 edges, n_edges;			/* in the program's texts; n_edges: a power of 2; 0: not there yet */
	__u32 id;				/* from 0 */
	const struct d_node *keys;		/* of its first use */
	bool is_time;				/* the values of its first use are ns */
	bool has_increment;			/* some use of it counts a value not once, but as often as it says */
	bool is_metric;				/* its values go to user space one by one, for a heat map */
};

struct d_clause {
	struct d_clause *next;
	const struct d_unit *unit;
	const struct d_item *item;
	__u32 id;				/* from 0 */
	struct d_action *actions;		/* of its records, after lowering */
	bool prints;				/* so a record of it is a line; after lowering */
};

struct d_program {
	struct d_types *types;
	struct d_variable *variables;
	struct d_variable *variable_bucket[D_VARIABLES_BUCKETS];	/* by the hash of the name */
	struct d_aggregation *aggregations;
	struct d_clause *clauses;
	struct d_table *tables;
	struct d_table *names;			/* probe id -> its names, D_NAMES_LEN bytes; NULL: no program needs it */
	__u32 n_clauses, n_aggregations, n_tables;
	__u32 memory[SCOPE_THIS + 1];
	__u32 saved_stack;			/* in self->: the ustack() of off-cpu, for on-cpu; 0: none */
	__u8 *texts;				/* constants, each zero to a multiple of 8; an empty text of D_STRING_SIZE first */
	__u32 texts_len;
	__u32 scratch_len;			/* the most that a program needs */
	struct d_error warning;			/* the first one; without a tag: none */
};

void d_program_init(struct d_program *p, struct d_types *types);

/* NULL: the arena is full. */
struct d_table *d_table_add(struct d_program *p, __u32 value_len);
__u32 d_aggregation_words(const struct d_aggregation *a);

__u32 d_table_key_len(const struct d_table *t);

/* Of a call of stack() or ustack(): which it is, and the bytes that it takes; STACK_NONE: another expression. */
enum d_stack d_stack_of(const struct d_node *n, __u32 *ret_room);

/* Whether an expression is probefunc or the like. */
bool d_is_probe_name(const struct d_node *n);

/* The increment of a call of quantize() or one of its relatives; NULL: it has none, or is another function. */
const struct d_node *d_aggregation_increment(const struct d_node *call);

/* Whether an expression is a time or a difference of times, in ns. */
bool d_is_time(const struct d_node *n);

/* Makes a metric of each aggregation that can be one: any function of a value (so not count()), without an increment, with
 * at most KEY_FIELDS_MAX keys, none of them a stack.  Returns how many.  Before lowering. */
unsigned d_program_make_metrics(struct d_program *p);

/* Bytes that the text of an expression takes with its NUL, at most; a multiple of 8. */
__u32 d_text_room(const struct d_node *n);

/* Keeps a constant, cut to D_STRING_SIZE - 1 bytes.  false: too many. */
bool d_program_text(struct d_program *p, const char *text, size_t len, __u32 *ret_offset);
/* Keeps words after them. */
bool d_program_words(struct d_program *p, const __u64 *words, size_t n, __u32 *ret_offset);

#endif
