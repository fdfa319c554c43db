#include "collector/core/bytes.h"
#include "test/kit/check.h"

#include <errno.h>

static void reads_what_was_written(void **state)
{
	struct bytes b = { 0 };
	__u64 value[300];
	char text[64];

	for (int i = 0; i < 300; i++) {
		value[i] = check_value();
		bytes_put_varint(&b, value[i]);
		bytes_put_int(&b, value[i], 8);
		bytes_put_text(&b, "select");
	}
	struct cursor c = { .data = b.data, .len = b.len };
	for (int i = 0; i < 300; i++) {
		assert_int_equal(cursor_get_varint(&c), value[i]);
		assert_int_equal(cursor_get_int(&c, 8), value[i]);
		cursor_get_text(&c, text, sizeof(text));
		assert_string_equal(text, "select");
	}
	assert_int_equal(c.err, 0);
	assert_int_equal(c.at, c.len);
	bytes_fini(&b);
}

static void a_buffer_stops_at_its_limit_with_an_error(void **state)
{
	struct bytes b = { .most = 5 };

	(void)state;
	bytes_put(&b, "12345", 5);
	assert_int_equal(b.err, 0);
	bytes_put(&b, "6", 1);
	bytes_put(&b, "", 0);
	assert_int_equal(b.err, -EFBIG);
	assert_memory_equal(b.data, "12345", b.len);
	assert_int_equal(b.len, 5);
	bytes_fini(&b);
}

static void every_shorter_input_is_refused(void **state)
{
	struct bytes b = { 0 };
	char text[64];

	bytes_put_varint(&b, ~(__u64)0);
	bytes_put_int(&b, 7, 4);
	bytes_put_text(&b, "insert");
	for (size_t len = 0; len < b.len; len++) {
		struct cursor c = { .data = b.data, .len = len };

		cursor_get_varint(&c);
		cursor_get_int(&c, 4);
		cursor_get_text(&c, text, sizeof(text));
		assert_int_equal(c.err, -EBADMSG);
	}
	bytes_fini(&b);
}

static void refuses_overlong_varints_and_texts(void **state)
{
	static const __u8 endless[] = { 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00 };
	static const __u8 too_big[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02 };
	static const __u8 with_nul[] = { 3, 'a', 0, 'b' };
	char text[4];
	struct cursor c = { .data = endless, .len = sizeof(endless) };

	assert_int_equal(cursor_get_varint(&c), 0);
	assert_int_equal(c.err, -EBADMSG);
	c = (struct cursor){ .data = too_big, .len = sizeof(too_big) };
	cursor_get_varint(&c);
	assert_int_equal(c.err, -EBADMSG);
	c = (struct cursor){ .data = with_nul, .len = sizeof(with_nul) };
	cursor_get_text(&c, text, sizeof(text));
	assert_int_equal(c.err, -EBADMSG);
	c = (struct cursor){ .data = with_nul, .len = sizeof(with_nul) };
	cursor_get_text(&c, text, 3);		/* no space for the NUL */
	assert_int_equal(c.err, -EBADMSG);
}

static void after_an_error_nothing_more_is_read(void **state)
{
	static const __u8 data[] = { 1, 2, 3 };
	struct cursor c = { .data = data, .len = sizeof(data) };

	assert_null(cursor_get(&c, 4));
	assert_null(cursor_get(&c, 1));
	assert_int_equal(cursor_get_int(&c, 1), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(reads_what_was_written),
	cmocka_unit_test(a_buffer_stops_at_its_limit_with_an_error),
	cmocka_unit_test(every_shorter_input_is_refused),
	cmocka_unit_test(refuses_overlong_varints_and_texts),
	cmocka_unit_test(after_an_error_nothing_more_is_read),
};

CHECK_MAIN(tests)
