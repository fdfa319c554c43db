/* test_thd - an executable's own functions show where its THD has each thing; test/tools/thd.S is the source of the
 * executable. */
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

static __u8 server[65536];
static __u64 n_server;

static int read_server(void **state)
{
	const char *top = getenv("srcdir");
	char path[1024];
	FILE *f;

	snprintf(path, sizeof(path), "%s/test/fuzz/corpus/mysql_thd/server.so", top ? top : ".");
	f = fopen(path, "rb");
	if (!f)
		return -1;
	n_server = fread(server, 1, sizeof(server), f);
	fclose(f);
	return 0;
}

/* Looks in an executable with these bytes. */
static int find(const __u8 *bytes, size_t n, struct mysql_thd *ret, __u64 *ret_entry, char *reason)
{
	int fd = memfd_create("server", MFD_CLOEXEC), err;

	assert_int_equal(write(fd, bytes, n), n);
	err = mysql_thd_find(fd, ret, ret_entry, reason);
	close(fd);
	return err;
}

static __u8 *place_of(__u8 *bytes, const char *what, size_t len)
{
	__u8 *at = memmem(bytes, n_server, what, len);

	assert_non_null(at);
	return at;
}

static void its_functions_show_the_places(void **state)
{
	static const char first[] = { 0xf3, 0x0f, 0x1e, 0xfa, 0x55, 0x5d, 0xc3 };
	char reason[REASON_MAX];
	struct mysql_thd thd;
	__u64 entry;

	assert_int_equal(find(server, n_server, &thd, &entry, reason), 0);
	assert_int_equal(thd.user, 0x25f8);
	assert_int_equal(thd.user_name, 8);
	assert_int_equal(thd.database, 0xa0);
	assert_int_equal(thd.query, 0x68);
	assert_int_equal(thd.charset, 0xb98);
	assert_int_equal(thd.sql_mode, 0x898);		/* the code tests its third byte */
	assert_ptr_equal(server + entry, place_of(server, first, sizeof(first)) + 4);
}

static const struct odd {		/* bytes that are replaced by others, and the reason that is then given */
	const char *is;
	size_t len;
	const char *by, *says;
} odd[] = {
	{ "\x7f" "ELF", 4, "\x7f" "ELG", "not for x86-64" },
	{ "_Z18log_slow_statementP3THD", 27, "_Z18log_slow_statementP4THD", "no function log_slow_statement(THD*), which is MariaDB's" },
	{ "thd_user_name", 13, "thd_user_nama", "no function thd_user_name()" },
	{ "thd_charset", 11, "thd_charsex", "no function thd_charset()" },
	{ "\x48\x8d\x47\x68", 4, "\x48\x8b\x47\x68", "thd_query_string() has an unknown form" },
	{ "\x48\x8d\x87\xa0", 4, "\x48\x8d\x8f\xa0", "thd_current_db() has an unknown form" },
	{ "\xf6\x87\x9a\x08\0\0\x60", 7, "\xf6\x87\x9a\x08\0\0\x40", "thd_is_strict_mode() has an unknown form" },
	{ "\xf3\x0f\x1e\xfa\x55", 5, "\xf3\x0f\x1e\xfa\x48", "begins with an instruction at which a probe would cost" },
};

static void a_refusal_names_what_is_wrong(void **state)
{
	struct mysql_thd thd = { .user = 77 };
	char reason[REASON_MAX];
	__u8 bytes[sizeof(server)];
	__u64 entry;

	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		memcpy(bytes, server, n_server);
		memcpy(place_of(bytes, odd[i].is, odd[i].len), odd[i].by, odd[i].len);
		assert_int_equal(find(bytes, n_server, &thd, &entry, reason), -ENOTSUP);
		if (!strstr(reason, odd[i].says))
			fail_msg("%s: %s", odd[i].says, reason);
	}
	assert_int_equal(thd.user, 77);
}

/* Its section table is at its end. */
static void a_cut_executable_is_refused(void **state)
{
	char reason[REASON_MAX];
	struct mysql_thd thd;
	Elf64_Ehdr head;
	__u64 entry;

	memcpy(&head, server, sizeof(head));
	assert_in_range(head.e_shoff, sizeof(head), n_server);
	for (__u64 n = 0; n <= head.e_shoff; n++)
		if (find(server, n, &thd, &entry, reason) != -ENOTSUP)
			fail_msg("%llu bytes", (unsigned long long)n);
}

static void an_unreadable_executable_is_refused(void **state)
{
	char reason[REASON_MAX];
	struct mysql_thd thd;
	__u64 entry;

	assert_int_equal(mysql_thd_find(-1, &thd, &entry, reason), -ENOTSUP);
	assert_string_equal(reason, "the server's executable cannot be read: Bad file descriptor");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(its_functions_show_the_places),
	cmocka_unit_test(a_refusal_names_what_is_wrong),
	cmocka_unit_test(a_cut_executable_is_refused),
	cmocka_unit_test(an_unreadable_executable_is_refused),
};

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, read_server, NULL);
}
