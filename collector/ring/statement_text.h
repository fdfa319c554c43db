/* statement_text.h - keeps statements as they were sent, with their literals, for exemplars.
 *
 *      receive -> statement_text_keep(): of each connection the last two texts, `verbatims` {connection, parity: text}
 *      record.bpf.c keeps its event as an exemplar, and copies its text
 *      -> statement_text_write(): bytes of the exemplar
 *
 * When     The collector has `--text full`.  Otherwise no literal is kept, only digests.
 * Name     The next text but one of a connection overwrites a text.  So each text has a name, which its event carries.
 *          If the names differ, the text belongs to another event.  A prepared statement keeps its name as long as it
 *          is executed, so a name is never used twice (but after 4 billion texts).  Of several commands in one receive,
 *          the last two may have texts.
 * Bounded  STATEMENT_TEXT_MAX bytes; a longer text is cut and ends in "…".
 * Both     The first half is compiled for the BPF target too.
 */
#ifndef HEATSCOPE_STATEMENT_TEXT_H
#define HEATSCOPE_STATEMENT_TEXT_H

#include <linux/types.h>

#define STATEMENT_TEXTS_MAX 8192	/* of 4096 connections; the least recently used ones lose theirs */
#define STATEMENT_TEXT_ROOM 1024
#define STATEMENT_TEXT_MAX (STATEMENT_TEXT_ROOM - 1)

struct as_sent {
	__u16 len;			/* bytes in text */
	__u16 whole;			/* 1: text[] is the whole statement */
	char text[STATEMENT_TEXT_ROOM];	/* its last byte is never used */
};

struct statement_text {
	__u64 name;			/* 0: none; connection << 32 | number of the text, modulo 2^32 */
	struct as_sent as_sent;
};

#define STATEMENT_TEXT_NAME(connection, number) ((connection) << 32 | (__u32)(number))
#define STATEMENT_TEXT_KEY(name) ((name) >> 32 << 1 | ((name) & 1))

#ifndef __bpf__
#include <stddef.h>

#define STATEMENT_TEXT_UTF8_MAX (STATEMENT_TEXT_MAX + 3)	/* with the "…" of a cut */

/* Writes it as UTF-8, without control characters except line feeds and tabs, into out,
 * STATEMENT_TEXT_UTF8_MAX + 1 bytes.  Returns the length. */
size_t statement_text_write(const struct statement_text *v, char *out);
#endif

#endif
