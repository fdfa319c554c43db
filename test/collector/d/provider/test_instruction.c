#include "collector/d/provider/instruction.h"
#include "test/kit/check.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#define SEEN_MAX 4096

struct seen {
	size_t n;
	__u32 at[SEEN_MAX], end;
	int status;			/* that each() returns at the third instruction */
};

static int note(void *context, const struct d_instruction *i)
{
	struct seen *s = context;

	assert_int_equal(i->at, s->end);		/* one follows the other */
	assert_true(i->len >= 1 && i->len <= 15);
	assert_true(s->n < SEEN_MAX);
	s->at[s->n++] = i->at;
	s->end = i->at + i->len;
	return s->n == 3 ? s->status : 0;
}

static int decode(const __u8 *code, size_t len, __u64 offset, __u32 size, struct seen *s)
{
	int fd = memfd_create("code", MFD_CLOEXEC), err;

	assert_true(fd >= 0 && write(fd, code, len) == (ssize_t)len);
	err = d_instructions_each(fd, offset, size, note, s);
	close(fd);
	return err;
}

/* nop, then push %rbx; mov $7, %ebx; dec %ebx; jne; lock decl (%rdi); ret */
static const __u8 code[] = { 0x90, 0x53, 0xbb, 7, 0, 0, 0, 0xff, 0xcb, 0x75, 0xfc, 0xf0, 0xff, 0x0f, 0xc3 };

TEST(instructions_begin_where_they_do)
{
	static const __u32 expected[] = { 0, 1, 6, 8, 10, 13 };
	struct seen s = { 0 };

	assert_int_equal(decode(code, sizeof(code), 1, sizeof(code) - 1, &s), 0);
	assert_int_equal(s.n, 6);
	assert_memory_equal(s.at, expected, sizeof(expected));
}

TEST(it_ends_with_the_function_or_when_it_is_told)
{
	struct seen s = { 0 }, stopped = { .status = -E2BIG };

	assert_int_equal(decode(code, sizeof(code), 1, 6, &s), 0);
	assert_int_equal(s.n, 2);
	assert_int_equal(decode(code, sizeof(code), 1, sizeof(code), &stopped), -E2BIG);
	assert_int_equal(stopped.n, 3);
}

TEST(bytes_that_are_no_instruction_end_it)
{
	static const __u8 bad[] = { 0x90, 0x06, 0x90 };		/* push %es: not of x86-64 */
	struct seen s = { 0 };

	assert_int_equal(decode(bad, sizeof(bad), 0, sizeof(bad), &s), -ENOTSUP);
	assert_int_equal(s.n, 1);
	assert_int_equal(decode(bad, sizeof(bad), 100, 50, &s), 0);	/* beyond the file */
}

TEST(any_bytes_are_read)
{
	for (unsigned round = 0; round < 2000; round++) {
		__u8 any[200];
		struct seen s = { 0 };
		int err;

		for (size_t i = 0; i < sizeof(any); i++)
			any[i] = (__u8)check_random();
		err = decode(any, sizeof(any), 0, sizeof(any), &s);
		assert_true(err == 0 || err == -ENOTSUP);
		assert_true(s.end <= sizeof(any));
	}
}

TEST_MAIN()
