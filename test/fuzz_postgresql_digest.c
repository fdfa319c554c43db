/* fuzz_postgresql_digest - any bytes as a statement, and as one of which only the beginning is known.
 *
 * Holds: no undefined behaviour; a label is UTF-8 and stands for its code, also one that is cut; white space and comments
 * before a statement change nothing; the table that is told stands in the statement, outside of its literals.
 */
#include "../collector/postgresql_digest.h"
#include "../collector/postgresql_digest_text.h"
#include "../collector/slice.h"

#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(int holds)
{
	if (!holds)
		abort();
}

static void check_label(const char *label, __u64 code)
{
	json_t *text = json_string(label);
	__u64 again;

	must(text && strlen(label) <= LABEL_MAX);
	json_decref(text);
	must(postgresql_digest_codes(label, &again, 1) == 1);
	must(again == code);
}

/* A name grows by the statement's own bytes only, in lower case but between quotes; looking for it changes no digest. */
static void check_table(const uint8_t *data, size_t len)
{
	struct digest plain, d;
	__u64 code, table;

	digest_begin(&plain, 0);
	digest_begin(&d, 1);
	for (size_t i = 0; i < len; i++) {
		const struct name *name = &d.table.name;
		__u32 n = name->n;

		digest_byte(&plain, data[i]);
		digest_byte(&d, data[i]);
		must(name->n <= n || d.state == DIGEST_WORD || d.state == DIGEST_NAME);
		must(name->n <= n || n >= NAME_ROOM || name->text[name->n - 1] == '.' ||
		     name->text[name->n - 1] == (char)(d.state == DIGEST_WORD ? digest_lower(data[i]) : data[i]));
		must(name->n <= NAME_ROOM && d.table.state <= TABLE_DONE);
	}
	code = digest_code(&d, 1);
	must(code == digest_code(&plain, 1));
	table = table_code(&d.table, 1);
	must(table == NAME_NONE || table == name_code(&d.table.name));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const char before[] = " \n/* /* ' */ */ -- \"\n";
	char *sql = malloc(sizeof(before) + len), label[LABEL_MAX + 1], cut[LABEL_MAX + 1];
	__u64 code;

	if (!sql)
		return 0;
	memcpy(sql, before, sizeof(before) - 1);
	if (len)
		memcpy(sql + sizeof(before) - 1, data, len);
	code = postgresql_digest_text((const char *)data, len, 1, label);
	check_label(label, code);
	check_table(data, len);
	must(postgresql_digest_text(sql, sizeof(before) - 1 + len, 1, cut) == code && !strcmp(label, cut));
	postgresql_digest_label(code, (const char *)data, len / 2, 0, cut);
	check_label(cut, code);
	code = postgresql_digest_text((const char *)data, len / 2, 0, cut);
	check_label(cut, code);
	free(sql);
	return 0;
}
