/* commands.h - lists the commands of Redis and Valkey, and the first words of their errors, in a table: their codes,
 * and how to read a command.
 *
 *      commands_fill(rows) on the host -> command_find(rows, hash) in the kernel and in tests
 *
 * Hash    hash_byte() over the word's bytes, begun with COMMAND_SEED (lower case; with its container: "config get")
 *         or ERROR_SEED.  Other words have no row, so that clients cannot make keys.
 * Thread  any; constant.
 */
#ifndef HEATSCOPE_REDIS_COMMANDS_H
#define HEATSCOPE_REDIS_COMMANDS_H

#include "collector/core/key.h"

enum command_kind {
	KIND_PLAIN,
	KIND_CONTAINER,		/* its second word is part of its name */
	KIND_WAITS,		/* may wait for data */
	KIND_XREAD,		/* the same, if it says BLOCK; its first key is after STREAMS */
	KIND_XREADGROUP,
	KIND_EVAL,		/* its third argument is a key unless the second one is 0 */
	KIND_SELECT,
	KIND_MULTI,
	KIND_EXEC,
	KIND_DISCARD,
	KIND_RESET,
	KIND_HELLO,
	KIND_MONITOR,
	KIND_REPLICA,		/* the connection becomes a replica's */
	KIND_REPLY,		/* CLIENT REPLY */
	KIND_HTTP,		/* the server closes the connection */
	KIND_SUBSCRIBE, KIND_PSUBSCRIBE, KIND_SSUBSCRIBE,
	KIND_UNSUBSCRIBE, KIND_PUNSUBSCRIBE, KIND_SUNSUBSCRIBE,
};

struct command {
	const char *name;
	__u8 kind;
	__u8 key;		/* place of its first key among its arguments; 0: it has none, or see its kind */
};

struct command_row {
	__u64 hash;		/* 0: the row is free */
	__u16 code;
	__u8 kind, key;
	__u32 pad;
};

#define COMMAND_ROWS 1024	/* a power of two */
#define COMMAND_PROBES 16
#define COMMAND_SEED HASH_SEED
#define ERROR_SEED hash_byte(HASH_SEED, '-')

enum command_code {		/* then those of the table, from COMMAND_FIRST on */
	COMMAND_UNKNOWN,
	COMMAND_MISC,		/* not in the table */
	COMMAND_ENCRYPTED,
	COMMAND_OPAQUE,
	COMMAND_FIRST,
};

enum redis_status {		/* then the errors of the table, from STATUS_FIRST on */
	STATUS_UNKNOWN,		/* the reply could not be read */
	STATUS_OK,
	STATUS_QUEUED,		/* in a MULTI */
	STATUS_OTHER,		/* an error that is not in the table */
	STATUS_FIRST,
};

/* Returns the row of a word; NULL: it is not in the table. */
static inline const struct command_row *command_find(const struct command_row *rows, __u64 hash)
{
	__u32 i;

	for (i = 0; i < COMMAND_PROBES; i++) {
		const struct command_row *row = &rows[(hash + i) & (COMMAND_ROWS - 1)];

		if (row->hash == hash)
			return row;
		if (!row->hash)
			break;
	}
	return 0;
}

#ifndef __bpf__
/* Fills COMMAND_ROWS rows.  Returns -1 if a row did not fit. */
int commands_fill(struct command_row *rows);

/* Return the word of a code; NULL: it is not in the table. */
const char *command_name(__u64 code);
const char *error_name(__u64 code);
#endif

#endif
