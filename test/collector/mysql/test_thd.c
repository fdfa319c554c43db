/* test_thd - an executable's own functions show where its THD has each thing; test/tools/thd.S is the source of the
 * executables. */
#include "collector/mysql/thd.h"
#include "collector/core/instrumentation.h"
#include "test/kit/check.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct server {
	__u8 byte[65536];
	__u64 n;
};

static const struct server *server_read(const char *name)
{
	static struct server s;
	const char *top = getenv("srcdir");
	char path[1024];
	FILE *f;

	snprintf(path, sizeof(path), "%s/test/fuzz/corpus/mysql_thd/%s.so", top ? top : ".", name);
	f = fopen(path, "rb");
	assert_non_null(f);
	s.n = fread(s.byte, 1, sizeof(s.byte), f);
	fclose(f);
	return &s;
}

/* Looks in an executable with these bytes. */
static int find(const __u8 *bytes, size_t n, struct mysql_thd *ret, char *reason)
{
	int fd = memfd_create("server", MFD_CLOEXEC), err;

	assert_int_equal(write(fd, bytes, n), n);
	err = mysql_thd_find(fd, ret, reason);
	close(fd);
	return err;
}

TEST(the_functions_of_mariadb_show_the_places)
{
	const struct server *s = server_read("mariadb");
	struct mysql_thd thd;
	char reason[REASON_MAX];

	assert_int_equal(find(s->byte, s->n, &thd, reason), 0);
	assert_int_equal(thd.thread, -0x68);
	assert_int_equal(thd.user, 0x25f8);
	assert_int_equal(thd.user_name, 8);
	assert_int_equal(thd.database, 0xa0);
	assert_int_equal(thd.query, 0x68);
	assert_int_equal(thd.charset, 0xb98);
	assert_int_equal(thd.command, 0x27d8);
	assert_int_equal(thd.sql_mode, 0x898);		/* the code tests its third byte */
	assert_int_equal(thd.area, 0x62e0);
	assert_int_equal(thd.area_error, 8);
	assert_int_equal(thd.area_state, 0);
}

TEST(those_of_mysql_do_and_a_variable_of_its_threads)
{
	const struct server *s = server_read("mysql");
	struct mysql_thd thd;
	char reason[REASON_MAX];

	assert_int_equal(find(s->byte, s->n, &thd, reason), 0);
	assert_int_equal(thd.thread, 0x48 - 0x220);
	assert_int_equal(thd.user, 0x1800);
	assert_int_equal(thd.user_name, 0);
	assert_int_equal(thd.database, 0x558);
	assert_int_equal(thd.query, 0x510);
	assert_int_equal(thd.charset, 0x970);
	assert_int_equal(thd.command, 0x19b4);
	assert_int_equal(thd.sql_mode, 0x758);
	assert_int_equal(thd.area, 0x33a0);
	assert_int_equal(thd.area_error, 0);
	assert_int_equal(thd.area_state, 0x8c);
}

static const struct odd {		/* bytes that are replaced by others, and the reason that is then given; "": none, */
	const char *server, *is;
	size_t len;
	const char *by, *says;		/* but user and database are not known */
} odd[] = {
	{ "mariadb", "\x7f" "ELF", 4, "\x7f" "ELG", "not for x86-64" },
	{ "mariadb", "_current_thd", 12, "_current_tha", "neither a function _current_thd(), as MariaDB, nor a variable current_thd" },
	{ "mariadb", "thd_user_name", 13, "thd_user_nama", "no function thd_user_name()" },
	{ "mariadb", "thd_charset", 11, "thd_charsex", "no function thd_charset()" },
	{ "mariadb", "\x48\x8d\x47\x68", 4, "\x48\x8b\x47\x68", "thd_query_string() has an unknown form" },
	{ "mariadb", "\x48\x8d\x87\xa0", 4, "\x48\x8d\x8f\xa0", "thd_current_db() has an unknown form" },
	{ "mariadb", "\xf6\x87\x9a\x08\0\0\x60", 7, "\xf6\x87\x9a\x08\0\0\x40", "thd_is_strict_mode() has an unknown form" },
	{ "mariadb", "\x64\x48\x8b\x04", 4, "\x65\x48\x8b\x04", "_current_thd() has an unknown form" },
	{ "mysql", "current_thd", 11, "current_the", "neither a function _current_thd(), as MariaDB, nor a variable current_thd" },
	{ "mysql", "_Z16thd_query_unsafeP3THD", 25, "_Z16thd_query_unsafeP4THD", "no function _Z16thd_query_unsafeP3THD()" },
	{ "mysql", "\x48\x8b\x97\x18\x05", 5, "\x48\x8b\x97\x20\x05", "_Z16thd_query_unsafeP3THD() has an unknown form" },
	{ "mysql", "\x48\x89\x06\x31", 4, "\x48\x89\x07\x31", "" },
};

TEST(a_refusal_names_what_is_wrong)
{
	static __u8 bytes[sizeof(struct server)];

	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		const struct server *s = server_read(odd[i].server);
		struct mysql_thd thd = { .user = 77 };
		char reason[REASON_MAX] = "";
		__u8 *at;
		int err;

		memcpy(bytes, s->byte, s->n);
		at = memmem(bytes, s->n, odd[i].is, odd[i].len);
		assert_non_null(at);
		memcpy(at, odd[i].by, odd[i].len);
		err = find(bytes, s->n, &thd, reason);
		if (err != (*odd[i].says ? -ENOTSUP : 0) || !strstr(reason, odd[i].says))
			fail_msg("%s: %d %s", odd[i].says, err, reason);
		assert_int_equal(thd.user, *odd[i].says ? 77 : 0);
	}
}

/* Its section table is at its end. */
TEST(a_cut_executable_is_refused)
{
	const struct server *s = server_read("mysql");
	char reason[REASON_MAX];
	struct mysql_thd thd;
	Elf64_Ehdr head;

	memcpy(&head, s->byte, sizeof(head));
	assert_in_range(head.e_shoff, sizeof(head), s->n);
	for (__u64 n = 0; n <= head.e_shoff; n++)
		if (find(s->byte, n, &thd, reason) != -ENOTSUP)
			fail_msg("%llu bytes", (unsigned long long)n);
}

TEST(an_unreadable_executable_is_refused)
{
	char reason[REASON_MAX];
	struct mysql_thd thd;

	assert_int_equal(mysql_thd_find(-1, &thd, reason), -ENOTSUP);
	assert_string_equal(reason, "the server's executable cannot be read: Bad file descriptor");
}

TEST_MAIN()
