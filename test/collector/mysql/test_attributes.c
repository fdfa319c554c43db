#include "collector/mysql/attributes.h"
#include "test/kit/check.h"

#include <string.h>

#define LOOP(i, n) for (i = 0; i < (n); i++)
#define BYTES(text) text, sizeof(text) - 1

/* Takes bytes up to the text, and skips at most `most` of them at once.  Returns how many, or 0: no text was found. */
static size_t attributes_len(const char *bytes, size_t n, __u32 most)
{
	int verdict = ATTRIBUTES_MORE;
	struct attributes a;
	size_t at = 1;

	memset(&a, 0xff, sizeof(a));
	attributes_begin(&a, bytes[0]);
	while (at < n && verdict == ATTRIBUTES_MORE) {
		__u32 blind = attributes_blind(&a);

		if (!blind) {
			verdict = attributes_byte(&a, bytes[at++]);
			continue;
		}
		if (blind > most)
			blind = most;
		if (blind > n - at)
			blind = n - at;
		verdict = attributes_skip(&a, blind);
		at += blind;
	}
	return verdict == ATTRIBUTES_END ? at : 0;
}

static void len_check(const char *bytes, size_t n, size_t len, const char *words)
{
	__u32 most;

	for (most = 1; most < 20; most++)
		if (attributes_len(bytes, n, most) != len)
			fail_msg("%s: %zu of %zu", words, attributes_len(bytes, n, most), len);
}

static void text_begins_after_the_last_value(void **state)
{
	static const struct { const char *bytes; size_t n; } cases[] = {
		{ BYTES("\0\1") },
		{ BYTES("\1\1\0\1\x0f\0\1a\1b") },
		{ BYTES("\1\1\0\1\x0f\0\0\0") },			/* name and value are empty */
		{ BYTES("\1\1\1\1\x0f\0\1a") },			/* a null */
		{ BYTES("\2\1\0\1\x0f\0\1a\x0f\0\1b\6insert\0") },
		/* a null, and a value of each size */
		{ BYTES("\x09\1\1\0\1" "\x0f\0\1n" "\1\x80\0" "\2\0\1s" "\3\0\1l" "\x08\0\1q" "\5\0\1d" "\6\0\1z" "\x0c\0\1t"
			"\xfe\0\xfc\1\0x" "1" "22" "4444" "88888888" "dddddddd" "\4tttt" "\xfd\3\0\0abc") },
		{ BYTES("\1\1\0\1\x0f\0\1a\xfe\1\0\0\0\0\0\0\0b") },	/* a length of 8 bytes */
	};
	char text[256];
	size_t i;

	LOOP(i, sizeof(cases) / sizeof(*cases)) {
		memcpy(text, cases[i].bytes, cases[i].n);
		memcpy(text + cases[i].n, "select 1", 8);
		len_check(text, cases[i].n + 8, cases[i].n, "with a text");
		len_check(text, cases[i].n, cases[i].n, "without");
	}
}

static void value_has_the_size_of_its_type(void **state)
{
	static const struct { __u8 type, n; } cases[] = {
		{ 1, 1 }, { 244, 1 }, { 2, 2 }, { 13, 2 }, { 3, 4 }, { 4, 4 }, { 9, 4 }, { 5, 8 }, { 8, 8 }, { 6, 0 },
	};
	char bytes[32] = "\1\1\0\1?\0\1a\3\3\3\3\3\3\3\3\3\3";
	size_t i;

	LOOP(i, sizeof(cases) / sizeof(*cases)) {
		bytes[4] = cases[i].type;
		len_check(bytes, sizeof(bytes), 8 + cases[i].n, "a type");
	}
	bytes[4] = 15;
	len_check(bytes, sizeof(bytes), 8 + 4, "any other");	/* a byte says that it has three */
}

static void other_bytes_have_no_text(void **state)
{
	static const struct { const char *bytes; size_t n; } cases[] = {
		{ BYTES("\0\2select 1") },				/* two sets */
		{ BYTES("\1\1\0\0\x0f\0\1a\1bselect 1") },		/* types that are not bound */
		{ BYTES("\1\1\0\1\x0f\0\1a\xfbselect 1") },		/* no length */
		{ BYTES("\1\1\0\1\x0f\0\1a\xffselect 1") },
		{ BYTES("\x21\1\0\0\0\0\0\1select 1") },		/* more than ATTRIBUTES_MAX */
		{ BYTES("\1\1\0\1\x0f\0\1a\x40select 1") },		/* cut */
		{ BYTES("\1\1\0\1\x0f\0\1a\xfe\1\0\0\0\1\0\0\0select 1") },	/* 4 GB */
	};
	size_t i;

	LOOP(i, sizeof(cases) / sizeof(*cases))
		len_check(cases[i].bytes, cases[i].n, 0, cases[i].bytes);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(text_begins_after_the_last_value),
	cmocka_unit_test(value_has_the_size_of_its_type),
	cmocka_unit_test(other_bytes_have_no_text),
};

CHECK_MAIN(tests)
