#include "collector/server/listeners.h"
#include "test/kit/check.h"

#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void listening_tcp_lines(void **state)
{
	struct listening s;

	assert_true(listening_tcp("   0: 0100007F:0CEA 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 "
				  "48213 1 0000000000000000 100 0 0 10 0\n", &s));
	assert_int_equal(s.inode, 48213);
	assert_int_equal(s.port, 3306);
	assert_string_equal(s.where, "127.0.0.1:3306");
	assert_true(listening_tcp("   1: 00000000000000000000000000000000:0CEA 00000000000000000000000000000000:0000 0A "
				  "00000000:00000000 00:00000000 00000000     0        0 77 1 0 100 0 0 10 0\n", &s));
	assert_string_equal(s.where, "[::]:3306");
}

static void refuses_lines_that_do_not_listen(void **state)
{
	static const char *const lines[] = {
		"", "\n", "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n",
		"   0: 0100007F:0CEA 0100007F:1000 01 00000000:00000000 00:00000000 00000000  1000        0 48213 1\n",
		"   0: 0100007F:0CEA\n",
		"   0: 010000:0CEA 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 48213 1\n",
		"   0: 0100007F:FFFFF 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 48213 1\n",
		"   0: zzzzzzzz:0CEA 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 48213 1\n",
	};
	struct listening s;
	size_t i;

	for (i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		assert_false(listening_tcp(lines[i], &s));
		assert_false(listening_unix(lines[i], &s));
	}
}

static void listening_unix_lines(void **state)
{
	struct listening s;

	assert_true(listening_unix("0000000000000000: 00000002 00000000 00010000 0001 01 23456 /run/my sql/mysqld.sock\n", &s));
	assert_int_equal(s.inode, 23456);
	assert_int_equal(s.port, 0);
	assert_string_equal(s.where, "/run/my sql/mysqld.sock");
	assert_true(listening_unix("0000000000000000: 00000002 00000000 00010000 0001 01 23456 @name\n", &s));
	assert_string_equal(s.where, "@name");
	/* connected, datagram, nameless */
	assert_false(listening_unix("0000000000000000: 00000003 00000000 00000000 0001 03 23456 /run/a\n", &s));
	assert_false(listening_unix("0000000000000000: 00000002 00000000 00010000 0002 01 23456 /run/a\n", &s));
	assert_false(listening_unix("0000000000000000: 00000002 00000000 00010000 0001 01 23456\n", &s));
}

/* Reads the kernel's own tables, for the name of this process. */
static void finds_our_own_sockets(void **state)
{
	const char *names[] = { NULL, NULL };
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	int tcp = socket(AF_INET, SOCK_STREAM, 0), local = socket(AF_UNIX, SOCK_STREAM, 0);
	socklen_t len = sizeof(in);
	char comm[32] = "", where[64];
	struct listeners l;
	size_t i, n = 0;
	FILE *f = fopen("/proc/self/comm", "r");

	assert_non_null(f);
	assert_non_null(fgets(comm, sizeof(comm), f));
	fclose(f);
	comm[strcspn(comm, "\n")] = 0;
	names[0] = comm;
	snprintf(un.sun_path + 1, sizeof(un.sun_path) - 1, "heatscope-test-%d", getpid());
	assert_int_equal(bind(tcp, (struct sockaddr *)&in, sizeof(in)), 0);
	assert_int_equal(listen(tcp, 1), 0);
	assert_int_equal(getsockname(tcp, (struct sockaddr *)&in, &len), 0);
	assert_int_equal(bind(local, (struct sockaddr *)&un, offsetof(struct sockaddr_un, sun_path) + 1 +
			      strlen(un.sun_path + 1)), 0);
	assert_int_equal(listen(local, 1), 0);
	assert_int_equal(listeners_find(names, &l), 0);
	assert_true(l.n_servers >= 1);
	snprintf(where, sizeof(where), "127.0.0.1:%d", ntohs(in.sin_port));
	for (i = 0; i < l.n; i++) {
		if ((int)l.listener[i].pid != getpid())
			continue;
		n += l.listener[i].port == ntohs(in.sin_port) && !strcmp(l.listener[i].where, where);
		n += !l.listener[i].port && l.listener[i].where[0] == '@' &&
		     !strcmp(l.listener[i].where + 1, un.sun_path + 1);
	}
	assert_int_equal(n, 2);
	listeners_fini(&l);
	close(tcp);
	close(local);
}

static void no_process_has_that_name(void **state)
{
	const char *const names[] = { "no such process", NULL };
	struct listeners l;

	assert_int_equal(listeners_find(names, &l), 0);
	assert_int_equal(l.n, 0);
	assert_int_equal(l.n_servers, 0);
	listeners_fini(&l);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(listening_tcp_lines),
	cmocka_unit_test(refuses_lines_that_do_not_listen),
	cmocka_unit_test(listening_unix_lines),
	cmocka_unit_test(finds_our_own_sockets),
	cmocka_unit_test(no_process_has_that_name),
};

CHECK_MAIN(tests)
