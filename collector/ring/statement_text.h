/* statement_text.h - a statement as it was sent, with its literals: for exemplars, where the collector's --text full asks for it.
 *
 *      receive -> verbatim_keep(): of each connection the last two texts, `verbatims` {connection, parity: text}
 *      its event is kept as an exemplar -> its text is copied beside (record.bpf.c) -> verbatim_text(): bytes of the exemplar
 *
 * Why      A digest has no literals, so that nobody's data is in what is kept; `full` gives that up for the slow ones.
 * Name     A text is overwritten by the next but one of its connection.  So it has a name, which its event carries: a text of
 *          another name is not its.  What was prepared bears its name as long as it is executed, so names do not come again (but after
 *          4 billion texts).  Of several commands in one receive the last two may have theirs.
 * Bounded  VERBATIM_MAX bytes; what is longer is cut, with "…" behind.
 * Both     the first half is compiled for the BPF target too.
 */
#ifndef HEATSCOPE_VERBATIM_H
#define HEATSCOPE_VERBATIM_H

#include <linux/types.h>

#define VERBATIMS_MAX 8192		/* of 4096 connections; those not used for longest have none */
#define VERBATIM_ROOM 1024
#define VERBATIM_MAX (VERBATIM_ROOM - 1)

struct as_sent {
	__u16 len;			/* bytes in text */
	__u16 whole;			/* 1: that is all of it */
	char text[VERBATIM_ROOM];	/* its last byte is never used */
};

struct verbatim {
	__u64 name;			/* 0: none; connection << 32 | number of the text, modulo 2^32 */
	struct as_sent as_sent;
};

#define VERBATIM_NAME(connection, number) ((connection) << 32 | (__u32)(number))
#define VERBATIM_KEY(name) ((name) >> 32 << 1 | ((name) & 1))

#ifndef __bpf__
#include <stddef.h>

#define VERBATIM_TEXT_MAX (VERBATIM_MAX + 3)	/* with the mark of a cut */

/* As UTF-8 without control characters but line feeds and tabs; out has VERBATIM_TEXT_MAX + 1 bytes.  How many there are. */
size_t verbatim_text(const struct verbatim *v, char *out);
#endif

#endif
