/* test_servers - listening sockets get their labels.  The test takes a server's name and listens. */
#include "collector/server/servers.h"
#include "test/kit/check.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

static const char *const names[] = { "servers_test", NULL };
static struct servers servers = { .names = names };

static int listen_somewhere(int *ret_port)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t len = sizeof(in);

	assert_int_equal(bind(fd, (struct sockaddr *)&in, sizeof(in)), 0);
	assert_int_equal(listen(fd, 1), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&in, &len), 0);
	*ret_port = ntohs(in.sin_port);
	return fd;
}

static int take_name(void **state)
{
	servers_forget_map(&servers, -1);
	return prctl(PR_SET_NAME, names[0]);
}

/* No refresh has happened since it began to listen. */
static void new_listener_is_found_when_asked_for(void **state)
{
	char where[64];
	int port, fd;

	servers_refresh(&servers);
	fd = listen_somewhere(&port);
	snprintf(where, sizeof(where), "127.0.0.1:%d", port);
	assert_string_equal(servers_where(&servers, getpid(), port), where);
	close(fd);
	servers_refresh(&servers);
	assert_string_equal(servers_where(&servers, getpid(), port), where);
}

static void unfound_listener_is_searched_once(void **state)
{
	char where[64];
	size_t n;

	snprintf(where, sizeof(where), "port 1 of process %d", getpid());
	assert_string_equal(servers_where(&servers, getpid(), 1), where);
	n = servers.n_known;
	assert_string_equal(servers_where(&servers, getpid(), 1), where);
	assert_int_equal(servers.n_known, n);
}

static void an_address_has_its_codes(void **state)
{
	char where[64];
	int port, fd = listen_somewhere(&port);
	__u64 code[2];

	snprintf(where, sizeof(where), "127.0.0.1:%d", port);
	servers_refresh(&servers);
	assert_int_equal(servers_codes(&servers, where, code, 2), 1);
	assert_true(code[0] == ((__u64)getpid() << 16 | (unsigned)port));
	assert_int_equal(servers_codes(&servers, where, code, 0), -E2BIG);
	assert_int_equal(servers_codes(&servers, "127.0.0.1:0", code, 2), 0);
	assert_int_equal(servers_codes(&servers, "port 9 of process 77", code, 2), 1);	/* it is shown so */
	assert_true(code[0] == (77ull << 16 | 9));
	assert_int_equal(servers_codes(&servers, "port 09 of process 77", code, 2), 0);
	close(fd);
}

/* The listener was not visible at first: for example, that of a server that drops its privileges. */
static void unfound_listener_is_found_by_a_later_refresh(void **state)
{
	int port, fd = listen_somewhere(&port);
	char where[64];

	close(fd);
	snprintf(where, sizeof(where), "port %d of process %d", port, getpid());
	assert_string_equal(servers_where(&servers, getpid(), port), where);
	fd = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){ 1 }, sizeof(int)), 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&(struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(port),
			 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) }, sizeof(struct sockaddr_in)), 0);
	assert_int_equal(listen(fd, 1), 0);
	servers_refresh(&servers);
	snprintf(where, sizeof(where), "127.0.0.1:%d", port);
	assert_string_equal(servers_where(&servers, getpid(), port), where);
	close(fd);
}

static void full_table_drops_sockets_that_are_gone(void **state)
{
	char where[64];

	servers.n_known = SERVERS_KNOWN_MAX;		/* the rest are zeros: of process 0, gone */
	snprintf(where, sizeof(where), "port 2 of process %d", getpid());
	assert_string_equal(servers_where(&servers, getpid(), 2), where);
	assert_string_equal(servers_where(&servers, getpid(), 2), where);
	assert_int_equal(servers.n_known, SERVERS_KNOWN_MAX);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(new_listener_is_found_when_asked_for),
	cmocka_unit_test(unfound_listener_is_searched_once),
	cmocka_unit_test(an_address_has_its_codes),
	cmocka_unit_test(unfound_listener_is_found_by_a_later_refresh),
	cmocka_unit_test(full_table_drops_sockets_that_are_gone),
};

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, take_name, NULL);
}
