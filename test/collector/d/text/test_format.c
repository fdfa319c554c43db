#include "collector/d/text/format.h"
#include "test/kit/check.h"

#include <errno.h>
#include <limits.h>
#include <time.h>

/* The caller frees it. */
static char *print(const char *format, struct d_format_value a, struct d_format_value b)
{
	struct d_arena arena = { .most = 1u << 20 };
	struct d_format_value values[] = { a, b };
	struct d_directive *list;
	const char *reason;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_int_equal(d_format_parse(format, strlen(format), &arena, &list, &reason), 0);
	d_format_print(list, values, 2, out);
	fclose(out);
	d_arena_fini(&arena);
	return text;
}

static void check_print(const char *format, struct d_format_value a, struct d_format_value b, const char *expected)
{
	char *text = print(format, a, b);

	assert_string_equal(text, expected);
	free(text);
}

#define INT(v) { .value = (__u64)(__s64)(v), .size = 4, .is_signed = true }
#define UINT(v) { .value = (v), .size = 4 }
#define ULONG(v) { .value = (v), .size = 8 }
#define TEXT(t) { .text = t, .text_len = sizeof(t) - 1 }

TEST(prints_as_printf_does_with_the_values_own_size)
{
	static const struct {
		const char *format;
		struct d_format_value a, b;
		const char *expected;
	} rows[] = {
		{ "hello %d\n", INT(42), INT(0), "hello 42\n" }, { "%d %u", INT(-1), INT(-1), "-1 4294967295" },
		{ "%d", ULONG(ULONG_MAX), INT(0), "18446744073709551615" }, { "%x %X", INT(-1), INT(255), "ffffffff FF" },
		{ "[%5d|%-5d]", INT(42), INT(7), "[   42|7    ]" }, { "[%05d|%+d]", INT(42), INT(7), "[00042|+7]" },
		{ "[%.3d|%5.2d]", INT(4), INT(7), "[004|   07]" }, { "[%*d]", INT(6), INT(42), "[    42]" }, { "[%*d]", INT(-6), INT(42), "[42    ]" },
		{ "[%-10.3s|%s]", TEXT("abcdef"), TEXT("x"), "[abc       |x]" }, { "[%.*s]", INT(2), TEXT("abc"), "[ab]" },
		{ "%c%c", INT('a'), INT('b'), "ab" }, { "100%% %#x %o", INT(16), INT(8), "100% 0x10 10" }, { "%lld %hhd", ULONG(5), INT(6), "5 6" },
		{ "%s", INT(-3), INT(0), "-3" }, { "%S", TEXT("a\n\"\x01"), INT(0), "a\\n\\\"\\001" }, { "%p", ULONG(0xff00), INT(0), "ff00" },
		{ "[%6-d]", INT(42), INT(0), "[42    ]" }, { "", INT(0), INT(0), "" }, { "%i", INT(INT_MIN), INT(0), "-2147483648" },
		{ "%i", UINT(UINT_MAX), INT(0), "-1" }, { "%i", ULONG(ULONG_MAX), INT(0), "-1" }, { "%d", UINT(UINT_MAX), INT(0), "4294967295" },
		{ "[%?x]", INT(255), INT(0), "[              ff]" }, { "[%-?x]", INT(255), INT(0), "[ff              ]" },
		{ "[%0?x]", INT(255), INT(0), "[00000000000000ff]" }, { "[%.*s]", INT(-1), TEXT("abc"), "[abc]" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		check_print(rows[i].format, rows[i].a, rows[i].b, rows[i].expected);
}

TEST(widths_and_precisions_are_bounded)
{
	static const struct {
		const char *format;
		struct d_format_value a, b;
		size_t len;
	} rows[] = {
		{ "%*d", INT(INT_MIN), INT(1), 1000000 }, { "%*d", INT(INT_MAX), INT(1), 1000000 }, { "%.*d", INT(2000000000), INT(1), 1000000 },
		{ "%.*d", INT(INT_MIN), INT(1), 1 }, { "%2000000000d", INT(1), INT(0), 1000000 }, { "%.9999999d", INT(1), INT(0), 1000000 },
		{ "%.99999999999999999999d", INT(1), INT(0), 1000000 }, { "%*s", INT(INT_MIN), TEXT("a"), 1000000 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char *text = print(rows[i].format, rows[i].a, rows[i].b);

		assert_int_equal(strlen(text), rows[i].len);
		free(text);
	}
}

TEST(prints_times)
{
	setenv("TZ", "UTC", 1);
	tzset();
	check_print("%Y", (struct d_format_value)ULONG(1244133396000000000ull), (struct d_format_value)INT(0), "2009 Jun  4 16:36:36");
}

TEST(refuses_what_is_no_format)
{
	static const char *const rows[] = { "%", "%5", "a %-", "%n", "%y%m", "%ll", "%w", "%.", "%*" };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct d_arena arena = { .most = 1u << 20 };
		struct d_directive *list;
		const char *reason = NULL;

		assert_int_equal(d_format_parse(rows[i], strlen(rows[i]), &arena, &list, &reason), -EINVAL);
		assert_non_null(reason);
		d_arena_fini(&arena);
	}
}

TEST_MAIN()
