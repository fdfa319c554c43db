/* digest_fuzz.h - checks the laws of a digest on any bytes, for fuzz_mysql_digest and fuzz_postgresql_digest.
 *
 * Include the dialect's digest.h before it.
 */
#ifndef HEATSCOPE_DIGEST_FUZZ_H
#define HEATSCOPE_DIGEST_FUZZ_H

#include "test/kit/digest_text_kit.h"

#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct digest_dialect {
	digest_reader *read;
	const char *before;		/* white space and comments, which change nothing */
	int lowers;			/* names without quotes are reported in lower case */
};

static void must(int holds)
{
	if (!holds)
		abort();
}

static void check_label(const struct digest_dialect *of, const char *label, __u64 code)
{
	json_t *text = json_string(label);
	__u64 again;

	must(text && strlen(label) <= LABEL_MAX);
	json_decref(text);
	must(digest_codes_by(of->read, label, &again, 1) == 1);
	must(again == code);
}

/* Its last byte is the statement's, or the dot between two parts. */
static int grew_by(const struct digest_dialect *of, const struct digest *d, uint8_t byte)
{
	const struct name *name = &d->table.name;
	char last = name->text[name->n - 1];

	return last == '.' || last == (char)(of->lowers && d->state == DIGEST_WORD ? digest_lower(byte) : byte);
}

/* A name grows by the statement's own bytes only, where a word or a quoted name is; looking for it changes no
 * digest. */
static void check_table(const struct digest_dialect *of, const uint8_t *data, size_t len)
{
	struct digest plain, d;
	__u64 code, table;

	digest_begin(&plain, 0);
	digest_begin(&d, 1);
	for (size_t i = 0; i < len; i++) {
		__u32 n = d.table.name.n;

		digest_byte(&plain, data[i]);
		digest_byte(&d, data[i]);
		must(d.table.name.n <= n || DIGEST_READS_NAME(d.state));
		must(d.table.name.n <= n || n >= NAME_ROOM || grew_by(of, &d, data[i]));
		must(d.table.name.n <= NAME_ROOM && d.table.state <= TABLE_DONE);
	}
	code = digest_code(&d, 1);
	must(code == digest_code(&plain, 1));
	table = table_code(&d.table, 1);
	must(table == NAME_NONE || table == name_code(&d.table.name));
}

static void check_statement(const struct digest_dialect *of, const uint8_t *data, size_t len)
{
	size_t n_before = strlen(of->before);
	char *sql = malloc(n_before + len + 1), label[LABEL_MAX + 1], cut[LABEL_MAX + 1];
	struct digest_sample tokens;
	__u64 code;

	if (!sql)
		return;
	memcpy(sql, of->before, n_before);
	if (len)
		memcpy(sql + n_before, data, len);
	code = digest_text_by(of->read, (const char *)data, len, 1, label);
	check_label(of, label, code);
	check_table(of, data, len);
	must(digest_text_by(of->read, sql, n_before + len, 1, cut) == code && !strcmp(label, cut));
	tokens.len = (__u32)len;
	tokens.cut = len & 1;
	if (len)
		memcpy(tokens.text, data, len < DIGEST_SAMPLE_MAX ? len : DIGEST_SAMPLE_MAX);
	digest_label_by(of->read, len ? code : digest_text_by(of->read, "", 0, !tokens.cut, cut), &tokens, cut);
	check_label(of, cut, code);
	must(digest_text_by(of->read, (const char *)data, len, 0, cut) != code);
	code = digest_text_by(of->read, (const char *)data, len / 2, 0, cut);
	must(strstr(cut, "…") != NULL);
	check_label(of, cut, code);
	free(sql);
}

#endif
