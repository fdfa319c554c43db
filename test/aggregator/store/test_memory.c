#include "test/kit/store_laws.h"

static struct store *open_memory(const char *dir)
{
	struct store *s;

	return store_memory_open(&s) ? NULL : s;
}

const struct store_kind store_kind = { .open = open_memory, .keeps = false };

TEST_MAIN()
