/* table_kit.h - finds the table that a statement names, for test_table of mysql/ and of postgresql/.
 *
 * Include the dialect's digest.h before it.
 */
#ifndef HEATSCOPE_TABLE_KIT_H
#define HEATSCOPE_TABLE_KIT_H

#include "test/kit/check.h"

#define NONE "-"
#define UNKNOWN "?"

struct table_case {
	const char *sql, *table;	/* the name, or one of the two above */
};

static const char *table_of(const char *sql, size_t n, int whole)
{
	static char out[NAME_ROOM + 1];
	struct digest d;
	__u64 code;

	memset(&d, 0xa5, sizeof(d));
	digest_begin(&d, 1);
	for (size_t i = 0; i < n; i++)
		digest_byte(&d, (__u8)sql[i]);
	digest_code(&d, whole);
	code = table_code(&d.table, whole);
	memcpy(out, d.table.name.text, d.table.name.n);
	out[d.table.name.n] = 0;
	return code == NAME_NONE ? NONE : code == NAME_UNKNOWN ? UNKNOWN : out;
}

static void table_cases_hold(const struct table_case *c, size_t n_cases)
{
	for (; n_cases--; c++) {
		const char *have = table_of(c->sql, strlen(c->sql), 1);

		if (strcmp(have, c->table))
			fail_msg("\"%s\": \"%s\", not \"%s\"", c->sql, have, c->table);
	}
}

/* If the end of a text is not known, a reported table is the one of the whole text. */
static void table_cases_hold_cut(const struct table_case *c, size_t n_cases)
{
	for (; n_cases--; c++)
		for (size_t n = 0; n <= strlen(c->sql); n++) {
			const char *have = table_of(c->sql, n, 0);

			if (strcmp(have, UNKNOWN) && strcmp(have, c->table))
				fail_msg("\"%.*s\": \"%s\", not \"%s\"", (int)n, c->sql, have, c->table);
		}
}

#endif
