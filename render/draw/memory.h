/* memory.h - a process that draws keeps the memory of one picture for the next.
 *
 * A grid, a surface and a PNG are some megabytes, gone when the answer is.  glibc gives them back to the kernel, which
 * maps and clears every page anew for the next: 1,400 page faults per figure, a sixth of its time.  What is kept is kept
 * per arena; with one for each thread a day's pictures and values left five half-empty ones, 70 MB for 28 in use.
 */
#ifndef HEATSCOPE_MEMORY_H
#define HEATSCOPE_MEMORY_H

#include <malloc.h>

#define MEMORY_PIECE (16 << 20)		/* what is larger comes from the kernel, and goes back to it */
#define MEMORY_KEPT (32 << 20)		/* at most, per arena */
#define MEMORY_ARENAS 2

/* Before the first thread starts. */
static inline void memory_keep(void)
{
	mallopt(M_MMAP_THRESHOLD, MEMORY_PIECE);
	mallopt(M_TRIM_THRESHOLD, MEMORY_KEPT);
	mallopt(M_ARENA_MAX, MEMORY_ARENAS);
}

#endif
