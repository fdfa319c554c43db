#include "collector/d/text/arena.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_LEN (16u << 10)

struct d_arena_block {
	struct d_arena_block *next;
	size_t len, used;
	char data[] __attribute__((aligned(16)));
};

void d_arena_fini(struct d_arena *a)
{
	while (a->blocks) {
		struct d_arena_block *next = a->blocks->next;

		free(a->blocks);
		a->blocks = next;
	}
	a->used = 0;
}

static struct d_arena_block *block_new(struct d_arena *a, size_t len)
{
	size_t size = len > BLOCK_LEN ? len : BLOCK_LEN;
	struct d_arena_block *b = size <= a->most - a->used ? calloc(1, sizeof(*b) + size) : NULL;

	if (!b)
		return NULL;
	b->len = size;
	b->next = a->blocks;
	a->blocks = b;
	a->used += size;
	return b;
}

void *d_alloc(struct d_arena *a, size_t len)
{
	struct d_arena_block *b = a->blocks;
	void *data;

	if (a->failed || len > a->most) {
		a->failed = true;
		return NULL;
	}
	len = (len + 15) & ~(size_t)15;
	if (!b || b->len - b->used < len)
		b = block_new(a, len);
	if (!b) {
		a->failed = true;
		return NULL;
	}
	data = b->data + b->used;
	b->used += len;
	return data;
}

char *d_alloc_text(struct d_arena *a, const char *text, size_t len)
{
	char *copy = d_alloc(a, len + 1);

	if (copy)
		memcpy(copy, text, len);
	return copy;
}
