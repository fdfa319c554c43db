/* bpf_census - the kernel and /proc name the same listening sockets, and the census works without access to /proc.
 *
 * A server of the test's own (a process that has a server's name) listens on TCP, IPv6, a path and an abstract name.
 * Needs root and BTF; skipped (77) without. */
#include "collector/server/census.h"
#include "collector/probe/need.h"
#include "collector/privilege.h"
#include "collector/core/instrumentation.h"
#include "test/kit/check.h"
#include "test/kit/child_fork.h"

#include <bpf/libbpf.h>
#include <cap-ng.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char name[16];			/* of this run: another one may be under way */
static const char *const names[] = { name, NULL };
static char path[64];
static pid_t server;
static int port;

/* ---- the server ---- */

static int listen_at(const void *address, socklen_t len, int family)
{
	int fd = socket(family, SOCK_STREAM, 0);

	return fd < 0 || bind(fd, address, len) || listen(fd, 1) ? -1 : fd;
}

static void serve(int ready)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	struct sockaddr_un file = { .sun_family = AF_UNIX }, abstract = { .sun_family = AF_UNIX };
	socklen_t len = sizeof(in), n;
	int fd = listen_at(&in, sizeof(in), AF_INET), found;

	if (fd < 0 || getsockname(fd, (struct sockaddr *)&in, &len))
		_exit(1);
	found = ntohs(in.sin_port);
	listen_at(&in6, sizeof(in6), AF_INET6);		/* where there is IPv6 */
	snprintf(file.sun_path, sizeof(file.sun_path), "%s", path);
	n = offsetof(struct sockaddr_un, sun_path) + 1 + snprintf(abstract.sun_path + 1, 100, "%s", names[0]);
	if (listen_at(&file, sizeof(file), AF_UNIX) < 0 || listen_at(&abstract, n, AF_UNIX) < 0)
		_exit(1);
	socket(AF_INET, SOCK_STREAM, 0);		/* these do not listen */
	socket(AF_UNIX, SOCK_DGRAM, 0);
	prctl(PR_SET_NAME, names[0]);
	if (!child_fork())				/* a worker, of the same name and with the same sockets */
		for (;;)
			pause();
	if (write(ready, &found, sizeof(found)) != sizeof(found))
		_exit(1);
	for (;;)
		pause();
}

static int start_server(void **state)
{
	int ready[2];

	snprintf(path, sizeof(path), "/tmp/heatscope-test-%d", getpid());
	if (pipe(ready))
		return -1;
	server = child_fork();
	if (!server)
		serve(ready[1]);
	return read(ready[0], &port, sizeof(port)) == sizeof(port) ? 0 : -1;
}

static int stop_server(void **state)
{
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
	return unlink(path);
}

/* ---- what is seen ---- */

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct listener *)a)->where, ((const struct listener *)b)->where);
}

static void sort(struct listeners *l)
{
	qsort(l->listener, l->n, sizeof(*l->listener), compare);
}

static void the_kernel_says_what_proc_says(void **state)
{
	struct listeners seen, proc;
	struct census *c;
	char where[64];

	assert_int_equal(census_new(names, &c), 0);
	assert_int_equal(census_take(c, &seen), 0);
	assert_int_equal(listeners_find(names, &proc), 0);
	sort(&seen);
	sort(&proc);
	assert_int_equal(seen.n_servers, 1);
	assert_true(seen.n >= 3);
	assert_int_equal(seen.n, proc.n);
	for (size_t i = 0; i < seen.n; i++) {
		assert_int_equal(seen.listener[i].pid, server);
		assert_int_equal(seen.listener[i].port, proc.listener[i].port);
		assert_string_equal(seen.listener[i].where, proc.listener[i].where);
	}
	snprintf(where, sizeof(where), "127.0.0.1:%d", port);
	assert_string_equal(seen.listener[1].where, where);
	listeners_fini(&seen);
	listeners_fini(&proc);
	census_free(c);
}

/* Reads another user's process, then without capabilities. */
static int looks_as_nobody(void)
{
	struct listeners seen, proc;
	char reason[REASON_MAX];
	struct census *c;

	capng_clear(CAPNG_SELECT_ALL);
	capng_updatev(CAPNG_ADD, CAPNG_EFFECTIVE | CAPNG_PERMITTED, CAP_BPF, CAP_PERFMON, -1);
	if (capng_change_id(65534, 65534, CAPNG_DROP_SUPP_GRP) || census_new(names, &c))
		return 1;
	for (int i = 0; i < 2; i++) {
		if (census_take(c, &seen) || seen.n < 3 || seen.n_servers != 1)
			return 2 + i;
		listeners_fini(&seen);
		if (privilege_drop(reason))
			return 4;
	}
	if (listeners_find(names, &proc) || proc.n || proc.n_unreadable != 1)
		return 5;
	return 0;
}

static void two_capabilities_suffice_and_later_none(void **state)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		_exit(looks_as_nobody());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void no_process_has_that_name(void **state)
{
	static const char *const none[] = { "no such process", NULL };
	struct listeners l;
	struct census *c;

	assert_int_equal(census_new(none, &c), 0);
	assert_int_equal(census_take(c, &l), 0);
	assert_int_equal(l.n, 0);
	assert_int_equal(l.n_servers, 0);
	listeners_fini(&l);
	census_free(c);
}

/* Printed, not asserted. */
static void what_it_costs(void **state)
{
	struct timespec from, to;
	struct listeners l;
	struct census *c;

	assert_int_equal(census_new(names, &c), 0);
	clock_gettime(CLOCK_MONOTONIC, &from);
	for (int i = 0; i < 100; i++) {
		assert_int_equal(census_take(c, &l), 0);
		listeners_fini(&l);
	}
	clock_gettime(CLOCK_MONOTONIC, &to);
	printf("# a census takes %.0f us\n", (to.tv_sec - from.tv_sec) * 1e4 + (to.tv_nsec - from.tv_nsec) / 1e5);
	clock_gettime(CLOCK_MONOTONIC, &from);
	for (int i = 0; i < 10; i++) {
		assert_int_equal(listeners_find(names, &l), 0);
		listeners_fini(&l);
	}
	clock_gettime(CLOCK_MONOTONIC, &to);
	printf("# a look into /proc takes %.0f us\n", (to.tv_sec - from.tv_sec) * 1e5 + (to.tv_nsec - from.tv_nsec) / 1e4);
	census_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_kernel_says_what_proc_says),
		cmocka_unit_test(two_capabilities_suffice_and_later_none),
		cmocka_unit_test(no_process_has_that_name),
		cmocka_unit_test(what_it_costs),
	};

	snprintf(name, sizeof(name), "census-%d", getpid() % 10000000);
	if (geteuid() || !need_btf())
		return printf("1..0 # SKIP needs root and BTF\n"), 77;
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, start_server, stop_server);
}
