/* arena.h - allocates the trees, types and texts of one compilation, and frees them all together.
 *
 * Limit   `most` bytes in all; a script from outside cannot take more.
 * Errors  d_alloc() and the others return NULL if there is no more memory; `failed` remembers it.
 * Memory  d_arena_fini() frees everything.  Begins as { .most = n }.
 * Thread  one at a time.
 */
#ifndef HEATSCOPE_TEXT_ARENA_H
#define HEATSCOPE_TEXT_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct d_arena_block;

struct d_arena {
	struct d_arena_block *blocks;	/* the newest first; memory is taken from it */
	size_t used, most;		/* bytes of all blocks */
	bool failed;
};

void d_arena_fini(struct d_arena *a);
void *d_alloc(struct d_arena *a, size_t len);		/* zeroed, aligned to 16 bytes */
char *d_alloc_text(struct d_arena *a, const char *text, size_t len);	/* a copy with NUL */

#endif
