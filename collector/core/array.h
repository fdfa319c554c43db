/* array.h - grows an array, and finds the place of an element in a sorted array. */
#ifndef HEATSCOPE_ARRAY_H
#define HEATSCOPE_ARRAY_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Makes the array n elements long.  `array` is the address of the pointer to the elements, `size` the bytes of one.
 * -ENOMEM: nothing has changed. */
static inline int array_resize(void *array, size_t n, size_t size)
{
	void *old, *grown;

	memcpy(&old, array, sizeof(old));	/* the elements may be of any type */
	grown = realloc(old, n * size);
	if (!grown)
		return -ENOMEM;
	memcpy(array, &grown, sizeof(grown));
	return 0;
}

/* Makes space for one element more than n.  *room is how many elements fit; if no more fit, it is doubled.  -ENOMEM:
 * nothing has changed. */
static inline int array_grow(void *array, size_t n, size_t *room, size_t size)
{
	size_t more = *room ? 2 * *room : 4;

	if (n < *room)
		return 0;
	if (array_resize(array, more, size))
		return -ENOMEM;
	*room = more;
	return 0;
}

/* Returns the index of the first of n elements for which `is_before` is false; n: there is none.  `is_before` says
 * whether element `at` comes before the sought one. */
#define array_place(n, at, is_before)                         \
	({                                                    \
		size_t from_ = 0, to_ = (n);                  \
                                                              \
		while (from_ < to_) {                         \
			size_t at = from_ + (to_ - from_) / 2; \
                                                              \
			if (is_before)                        \
				from_ = at + 1;               \
			else                                  \
				to_ = at;                     \
		}                                             \
		from_;                                        \
	})

#endif
