#include "store_laws.h"

static struct store *open_memory(const char *dir)
{
	struct store *s;

	return store_memory_open(&s) ? NULL : s;
}

const struct store_kind store_kind = { .open = open_memory, .keeps = false };

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return _cmocka_run_group_tests("store_memory", store_laws, N_STORE_LAWS, NULL, NULL);
}
