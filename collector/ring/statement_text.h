/* statement_text.h - keeps statements as they were sent, with their literals: for exemplars, with the collector's
 * --text full.
 *
 *      receive -> verbatim_keep(): of each connection the last two texts, `verbatims` {connection, parity: text}
 *      record.bpf.c keeps its event as an exemplar, and copies its text -> verbatim_text(): bytes of the exemplar
 *
 * Why      A digest has no literals, so what is kept contains no one's data; `full` gives that up for the slow
 *          statements.
 * Name     A connection's text is overwritten by its next but one.  So each text has a name, which its event carries: a
 *          text whose name differs belongs to another event.  A prepared statement keeps its name as long as it is
 *          executed, so names do not repeat (except after 4 billion texts).  Of several commands in one receive, the
 *          last two may have texts.
 * Bounded  VERBATIM_MAX bytes; a longer text is cut and ends in "…".
 * Both     the first half is compiled for the BPF target too.
 */
#ifndef HEATSCOPE_VERBATIM_H
#define HEATSCOPE_VERBATIM_H

#include <linux/types.h>

#define VERBATIMS_MAX 8192		/* of 4096 connections; the least recently used ones lose theirs */
#define VERBATIM_ROOM 1024
#define VERBATIM_MAX (VERBATIM_ROOM - 1)

struct as_sent {
	__u16 len;			/* bytes in text */
	__u16 whole;			/* 1: text[] is the whole statement */
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

#define VERBATIM_TEXT_MAX (VERBATIM_MAX + 3)	/* with the "…" of a cut */

/* Writes it as UTF-8, without control characters except line feeds and tabs, into out, VERBATIM_TEXT_MAX + 1 bytes.
 * Returns the length. */
size_t verbatim_text(const struct verbatim *v, char *out);
#endif

#endif
