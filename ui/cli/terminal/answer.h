/* answer.h - parses a terminal's answers to ANSWER_ASK, the bytes that ask which pictures it can show.
 *
 *      asked                                     answered
 *      kitty's query, an image of one pixel      ESC _ G i=31;OK ESC \
 *      CSI 16 t, a character's pixels            CSI 6 ; height ; width t
 *      CSI ? 1 ; 1 ; 0 S, colours of a sixel     CSI ? 1 ; 0 ; n S
 *      CSI c, its kind: all terminals answer     CSI ? 62 ; 4 ; 22 c       4: sixels; this answer is the last
 *
 * Shape   The bytes come from outside, between keys.  Numbers larger than any real terminal's are ignored.
 * Pure    no terminal and no clock: the caller sends ANSWER_ASK, and `whole` says whether more bytes may come.
 */
#ifndef HEATSCOPE_TERMINAL_ANSWER_H
#define HEATSCOPE_TERMINAL_ANSWER_H

#include <stdbool.h>
#include <stddef.h>

#define ANSWER_KITTY_ID "31"
#define ANSWER_ASK "\x1b_Gi=" ANSWER_KITTY_ID ",s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b[16t\x1b[?1;1;0S\x1b[c"

#define ANSWER_CELL_MAX 128		/* pixels of a character's side */
#define ANSWER_COLOURS_MAX 65536

struct answer {
	bool kitty, sixel, ended;	/* ended: the last answer has come */
	unsigned cell_width, cell_height, n_colours;	/* 0: not said */
};

/* Adds the answer at the begin of len (> 0) bytes to r; returns its length.  0: they do not begin with an answer, or,
 * unless `whole`, with a part of one (ret_more). */
size_t answer_read(const unsigned char *data, size_t len, bool whole, struct answer *r, bool *ret_more);

#endif
