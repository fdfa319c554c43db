/* fingerprint_kit.h - makes texts and their fingerprints, for mysql/test_digest and fuzz_mysql_digest.
 *
 * Include mysql/digest.h before it.
 */
#ifndef HEATSCOPE_FINGERPRINT_KIT_H
#define HEATSCOPE_FINGERPRINT_KIT_H

#include "collector/mysql/fingerprint.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static __u64 fingerprint_by(const uint8_t *text, size_t len, int ansi)
{
	struct fingerprint s;

	fingerprint_begin(&s, 0, ansi);
	for (size_t i = 0; i < len; i++)
		fingerprint_byte(&s, text[i]);
	return fingerprint_end(&s);
}

/* mode: 1 where a backslash escapes nothing, 2 where double quotes are names */
static __u64 code_of(const uint8_t *text, size_t len, int mode, __u64 *ret_table)
{
	struct digest d;
	__u64 code;

	digest_begin(&d, 1);
	d.plain = mode & 1;
	d.ansi = mode >> 1;
	for (size_t i = 0; i < len; i++)
		digest_byte(&d, text[i]);
	code = digest_code(&d, 1);
	*ret_table = table_code(&d.table, 1);
	return code;
}

/* Writes the same text with other digits, and if `odd` says so one more in each run of them.  Returns its length, at
 * most 2 * len. */
static size_t other_digits(const uint8_t *text, size_t len, uint8_t odd, uint8_t *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		int digit = text[i] >= '0' && text[i] <= '9', last = i + 1 == len || text[i + 1] < '0' || text[i + 1] > '9';

		ret[n++] = digit ? '0' + (text[i] - '0' + odd + i) % 10 : text[i];
		if (digit && last && odd & 1)
			ret[n++] = '0' + odd % 10;
	}
	return n;
}

/* Checks the law of fingerprint.h; aborts if it does not hold.  Returns 1 if the fingerprints are the same, so that the
 * law was tried. */
static int check_fingerprint(const uint8_t *text, size_t len, uint8_t odd)
{
	uint8_t *other = malloc(2 * len + 1);
	__u64 fingerprint, table, other_table;
	size_t n = other ? other_digits(text, len, odd, other) : 0;
	int same = 0;

	for (int mode = 0; other && mode < 4; mode++) {
		fingerprint = fingerprint_by(text, len, mode >> 1);
		if (!fingerprint || fingerprint_by(other, n, mode >> 1) != fingerprint)
			continue;
		same = 1;
		if (code_of(text, len, mode, &table) != code_of(other, n, mode, &other_table) || table != other_table)
			abort();
	}
	free(other);
	return same;
}

#endif
