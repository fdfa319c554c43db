/* type.h - describes the types of D: C's, and D's own `string`, associative arrays and stacks.
 *
 *      int, string, struct ...                 d_types_intrinsic(), d_types_find()
 *      pointer to, array of, function of ...   d_type_pointer() ...  built on others
 *
 * Shape   sizes and offsets are bytes, those of x86-64 and arm64.  Types are equal if d_type_same() says so; a typedef
 *         is equal to its type.
 * Errors  NULL: the arena is full, or the type would be deeper than D_TYPE_DEPTH_MAX.  d_types_add() and
 *         d_types_add_enumerator(): -EEXIST, -ENOMEM.  d_types_init(): -ENOMEM.
 * Memory  everything is in the arena of the d_types; a type lives as long as it.
 * Thread  one at a time.
 */
#ifndef HEATSCOPE_TREE_TYPE_H
#define HEATSCOPE_TREE_TYPE_H

#include "collector/d/text/arena.h"

#include <linux/types.h>

#define D_TYPE_DEPTH_MAX 200		/* functions over types are recursive */
#define D_STRING_SIZE 256		/* bytes of a string, -x strsize; a power of two */
#define D_EXECNAME_SIZE 16

enum d_type_kind {
	TYPE_VOID, TYPE_INTEGER, TYPE_FLOAT, TYPE_STRING, TYPE_POINTER, TYPE_STRUCT, TYPE_UNION, TYPE_ENUM, TYPE_ARRAY,
	TYPE_FUNCTION, TYPE_TYPEDEF, TYPE_ASSOCIATIVE, TYPE_STACK,
};

/* A member of a struct or union, or a parameter of a function or of an associative array's key. */
struct d_member {
	struct d_member *next;
	const char *name;		/* "": it has none */
	const struct d_type *type;
	__u32 offset;
	__u8 bit_offset, n_bits;	/* n_bits 0: no bit field */
};

struct d_type {
	enum d_type_kind kind;
	const char *name;		/* of a named type; NULL */
	__u32 size;
	__u32 align;
	__u16 depth;			/* of the types it is built on; at most D_TYPE_DEPTH_MAX */
	bool is_signed;
	bool is_complete;		/* false: a struct, union or enum that is only named */
	bool is_variadic;		/* of a function */
	const struct d_type *base;	/* what it points to, consists of, returns or stands for */
	__u32 n_elements;		/* of an array */
	struct d_member *members;	/* also parameters */
};

enum d_intrinsic {
	D_VOID, D_CHAR, D_SCHAR, D_UCHAR, D_BOOL, D_SHORT, D_USHORT, D_INT, D_UINT, D_LONG, D_ULONG, D_LLONG, D_ULLONG,
	D_FLOAT, D_DOUBLE, D_LDOUBLE, D_STRING, D_STACK, D_N_INTRINSICS,
};

enum d_tag { TAG_NONE, TAG_STRUCT, TAG_UNION, TAG_ENUM };	/* each has names of its own */

struct d_types_entry {
	struct d_types_entry *next;
	const char *name;
	enum d_tag tag;
	const struct d_type *type;
};

struct d_enumerator {
	struct d_enumerator *next;
	const char *name;
	__s32 value;
};

#define D_TYPES_BUCKETS 1024		/* a script of 1 MB has up to 70,000 typedefs, and 300,000 enumerators */
#define D_ENUMERATORS_BUCKETS 4096

struct d_types {
	struct d_arena *arena;
	struct d_types_entry *bucket[D_TYPES_BUCKETS];
	struct d_enumerator *enumerators[D_ENUMERATORS_BUCKETS];
};

int d_types_init(struct d_types *t, struct d_arena *a);		/* with uint64_t, pid_t and the like */
const struct d_type *d_types_find(const struct d_types *t, enum d_tag tag, const char *name);	/* NULL: unknown */
int d_types_add(struct d_types *t, enum d_tag tag, const char *name, const struct d_type *type);
const struct d_enumerator *d_types_enumerator(const struct d_types *t, const char *name);	/* NULL: unknown */
int d_types_add_enumerator(struct d_types *t, const char *name, __s32 value);
unsigned d_name_hash(const char *name);
const struct d_type *d_types_intrinsic(enum d_intrinsic which);

const struct d_type *d_type_pointer(struct d_types *t, const struct d_type *base);
const struct d_type *d_type_array(struct d_types *t, const struct d_type *base, __u32 n);
const struct d_type *d_type_associative(struct d_types *t, const struct d_type *base, struct d_member *key);
const struct d_type *d_type_function(struct d_types *t, const struct d_type *base, struct d_member *parameters, bool is_variadic);
const struct d_type *d_type_alias(struct d_types *t, const char *name, const struct d_type *base);
/* An incomplete struct, union or enum; name NULL: it has none. */
struct d_type *d_type_tagged(struct d_types *t, enum d_tag tag, const char *name);
/* Gives a struct or union its members: offsets, size, alignment.  -EFBIG: larger than 2^31 bytes. */
int d_type_complete(struct d_type *type, struct d_member *members);

const struct d_type *d_type_resolve(const struct d_type *type);		/* what a typedef stands for */
bool d_type_same(const struct d_type *a, const struct d_type *b);		/* false also if they consist of too many */
bool d_type_is_integer(const struct d_type *type);			/* also an enum */
bool d_type_is_arithmetic(const struct d_type *type);
bool d_type_is_scalar(const struct d_type *type);			/* integer or pointer */
const struct d_type *d_type_promote(const struct d_type *type);		/* C's integer promotion */
const struct d_type *d_type_usual(const struct d_type *a, const struct d_type *b);	/* C's usual conversions */
const struct d_member *d_type_member(const struct d_type *type, const char *name);

/* "unsigned int", "char *", "string [string, int]".  Returns out. */
char *d_type_print(const struct d_type *type, char *out, size_t room);

#endif
