/* memory.h - makes the process keep the memory of one picture for the next.
 *
 * A grid, a surface and a PNG take some megabytes until the reply is sent.  By default glibc then returns the memory to
 * the kernel, which clears every page again for the next picture: 1,400 page faults per figure, a sixth of its time.
 * glibc keeps memory per arena.  With an arena for each thread, a day of pictures and values left five half-empty
 * arenas: 70 MB for 28 MB in use.  So all threads share two arenas.
 */
#ifndef HEATSCOPE_MEMORY_H
#define HEATSCOPE_MEMORY_H

#include <malloc.h>

#define MEMORY_PIECE (16 << 20)		/* a larger piece comes from the kernel, and goes back to it */
#define MEMORY_KEPT (32 << 20)		/* at most, per arena */
#define MEMORY_ARENAS 2

/* Call it before the first thread starts. */
static inline void memory_keep(void)
{
	mallopt(M_MMAP_THRESHOLD, MEMORY_PIECE);
	mallopt(M_TRIM_THRESHOLD, MEMORY_KEPT);
	mallopt(M_ARENA_MAX, MEMORY_ARENAS);
}

#endif
