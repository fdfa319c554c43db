/* array.h - grows an array for one more element, at least doubling it. */
#ifndef HEATSCOPE_ARRAY_H
#define HEATSCOPE_ARRAY_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* `array` is the address of the pointer to the elements.  -ENOMEM: nothing has changed. */
static inline int array_grow(void *array, size_t n, size_t *room, size_t size)
{
	size_t more = *room ? 2 * *room : 4;
	void *old, *grown;

	if (n < *room)
		return 0;
	memcpy(&old, array, sizeof(old));	/* the elements may be of any type */
	grown = realloc(old, more * size);
	if (!grown)
		return -ENOMEM;
	memcpy(array, &grown, sizeof(grown));
	*room = more;
	return 0;
}

#endif
