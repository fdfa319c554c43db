/* test_backend - the code of a server's functions shows where a backend has its text, user and database. */
#include "collector/postgresql/backend.h"
#include "collector/core/metric.h"
#include "test/kit/check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define LOAD_AX 0x48, 0x8b, 0x83, 0xf8, 0, 0, 0		/* mov 0xf8(%rbx),%rax */
#define EMPTY_AX 0xc6, 0x00, 0x00				/* movb $0,(%rax) */

static const struct text_case {
	const char *what;
	__u32 place, n;
	__u8 code[64];
} texts[] = {
	{ "version 15", 0xf8, 10, { LOAD_AX, EMPTY_AX } },
	{ "version 18, by another register", 0xf8, 10, { 0x48, 0x8b, 0x93, 0xf8, 0, 0, 0, 0xc6, 0x02, 0x00 } },
	{ "an instruction between", 0xf8, 18, { LOAD_AX, 0x48, 0xc7, 0x43, 0x20, 0, 0, 0, 0, EMPTY_AX } },
	{ "registers of the second half", 0x100, 11, { 0x4d, 0x8b, 0x87, 0, 1, 0, 0, 0x41, 0xc6, 0x00, 0x00 } },
	{ "twice the same", 0xf8, 20, { LOAD_AX, EMPTY_AX, LOAD_AX, EMPTY_AX } },
	{ "two places", 0, 20, { LOAD_AX, EMPTY_AX, 0x48, 0x8b, 0x83, 0x08, 1, 0, 0, EMPTY_AX } },
	{ "nothing is emptied", 0, 7, { LOAD_AX } },
	{ "another register is emptied", 0, 10, { LOAD_AX, 0xc6, 0x02, 0x00 } },
	{ "one is set to 1", 0, 10, { LOAD_AX, 0xc6, 0x00, 0x01 } },
	{ "a place that is not aligned", 0, 10, { 0x48, 0x8b, 0x83, 0xf4, 0, 0, 0, EMPTY_AX } },
	{ "too far away", 0, 10, { 0x48, 0x8b, 0x83, 0, 0x10, 0, 0, EMPTY_AX } },
	{ "no code", 0, 0, { 0 } },
};

TEST(the_function_that_empties_a_text_shows_its_place)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		__u32 place = backend_text_place(texts[i].code, texts[i].n);

		if (place != texts[i].place)
			fail_msg("%s: %#x", texts[i].what, place);
	}
}

TEST(code_that_is_cut_shows_nothing)
{
	for (__u32 n = 0; n < texts[0].n; n++)
		assert_int_equal(backend_text_place(texts[0].code, n), 0);
}

TEST(a_load_is_found_by_its_place)
{
	static const __u8 code[] = { 0x90, LOAD_AX };

	assert_true(backend_loads(code, sizeof(code), 0xf8));
	assert_false(backend_loads(code, sizeof(code), 0x100));
	assert_false(backend_loads(code, sizeof(code) - 1, 0xf8));
}

#define AT 0x1000u				/* of the function */
#define PORT 0x2000u				/* of the variable */
#define LOAD_PORT(from) 0x48, 0x8b, 0x05, (__u8)((PORT - AT - (from) - 7)), (__u8)((PORT - AT - (from) - 7) >> 8), 0, 0
#define SKIP_NULL 0x48, 0x85, 0xc0, 0x0f, 0x84, 0x0b, 1, 0, 0
#define LOAD_PLACE(low) 0x4c, 0x8b, 0xa0, low, 1, 0, 0	/* mov 0x1..(%rax),%r12 */

TEST(the_log_shows_user_and_database)
{
	static const __u8 code[] = { LOAD_PORT(0), SKIP_NULL, LOAD_PLACE(0x50), LOAD_PORT(23), SKIP_NULL, LOAD_PLACE(0x48) };
	static const __u8 apart[] = { LOAD_PORT(0), SKIP_NULL, LOAD_PLACE(0x50), LOAD_PORT(23), SKIP_NULL, LOAD_PLACE(0x40) };
	__u32 user = 7, database = 7;

	for (size_t n = 0; n < sizeof(code); n++)
		assert_int_equal(backend_name_places(code, n, AT, PORT, &user, &database), -EINVAL);
	assert_int_equal(backend_name_places(apart, sizeof(apart), AT, PORT, &user, &database), -EINVAL);
	assert_int_equal(backend_name_places(code, sizeof(code), AT, PORT + 8, &user, &database), -EINVAL);
	assert_int_equal(user, 7);
	assert_int_equal(backend_name_places(code, sizeof(code), AT, PORT, &user, &database), 0);
	assert_int_equal(user, 0x150);
	assert_int_equal(database, 0x148);
}

static int find(const char *bytes, size_t n, char *reason)
{
	int fd = memfd_create("server", MFD_CLOEXEC), err;
	struct postgresql_backend backend;
	__u64 entry;

	assert_int_equal(write(fd, bytes, n), n);
	err = postgresql_backend_find(fd, &backend, &entry, reason);
	close(fd);
	return err;
}

TEST(a_refusal_names_what_is_missing)
{
	char reason[REASON_MAX];
	struct postgresql_backend backend;
	__u64 entry;
	int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	assert_int_equal(postgresql_backend_find(self, &backend, &entry, reason), -ENOTSUP);
#ifdef __x86_64__
	assert_string_equal(reason, "the server's executable has no variable MyBEEntry, or does not export it");
#else
	assert_non_null(strstr(reason, "is not for x86-64"));
#endif
	close(self);
	assert_int_equal(find("no program", 10, reason), -ENOTSUP);
	assert_non_null(strstr(reason, "is not for x86-64"));
	assert_int_equal(postgresql_backend_find(-1, &backend, &entry, reason), -ENOTSUP);
	assert_string_equal(reason, "the server's executable cannot be read: Bad file descriptor");
}

TEST_MAIN()
