/* answer.h - what a terminal answers when it is asked which pictures it can show.
 *
 *      asked                                     answered
 *      kitty's query, an image of one pixel      ESC _ G i=31;OK ESC \
 *      CSI 16 t, a character's pixels            CSI 6 ; height ; width t
 *      CSI ? 1 ; 1 ; 0 S, colours of a sixel     CSI ? 1 ; 0 ; n S
 *      CSI c, what it is: answered by all        CSI ? 62 ; 4 ; 22 c       4: sixels; nothing else will come
 *
 * Shape   Bytes from outside, between keys.  Numbers beyond what any terminal has are passed over.
 * Pure    no terminal and no clock: whether more bytes may come is said by `whole`.
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

/* How many of len (> 0) bytes are an answer; it is added to r.  0: they begin with none, or, unless `whole`, with a part
 * of one (ret_more). */
size_t answer_read(const unsigned char *data, size_t len, bool whole, struct answer *r, bool *ret_more);

#endif
