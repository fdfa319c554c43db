/* bpf_arrival - checks the measures arrival, response and first with a server of the test's own, which reads and answers
 * when the test says so, over TCP and over a Unix socket.
 *
 * Each time is compared with two readings of the clock around it, however slow the machine is.  Needs root and BTF;
 * skipped (77) without, and for nothing else.
 */
#include "test/kit/bpf_kit.h"
#include "test/kit/child_fork.h"

#include <bpf/bpf.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LATENCY, ARRIVAL, RESPONSE, FIRST, N_UNSEEN };

#define MEASURES "latency,arrival,response,first,n_unseen"
#define DELAY_NS 30000000

static __u64 clock_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (__u64)t.tv_sec * 1000000000 + (__u64)t.tv_nsec;
}

static void delay(void)
{
	struct timespec t = { 0, DELAY_NS };

	nanosleep(&t, NULL);
}

/* Something was done between these two readings. */
struct span {
	__u64 from, to;
};

static void check(int holds, const char *doing)
{
	if (holds)
		return;
	perror(doing);
	exit(1);
}

/* ---- the server: a process that does one operation per order ---- */

struct order {
	int receives;			/* else it sends */
	int n;
	unsigned char bytes[128];	/* to be sent */
};

static int to_server, from_server, client;
static pid_t server;
static char pid_label[16];

static void serve(int listener, int orders, int done)
{
	unsigned char in[256];
	struct order o;
	int fd = accept(listener, NULL, NULL);

	while (read(orders, &o, sizeof(o)) == sizeof(o)) {
		struct span s = { .from = clock_now() };
		ssize_t n = o.receives ? recv(fd, in, (size_t)o.n, MSG_WAITALL) : send(fd, o.bytes, (size_t)o.n, MSG_NOSIGNAL);

		s.to = clock_now();
		if (n != o.n || write(done, &s, sizeof(s)) != sizeof(s))
			_exit(1);
	}
	_exit(0);
}

static int listen_at(int family, struct sockaddr_storage *ret_at, socklen_t *ret_len)
{
	struct sockaddr_in *in = (struct sockaddr_in *)ret_at;
	struct sockaddr_un *un = (struct sockaddr_un *)ret_at;
	int fd = socket(family, SOCK_STREAM, 0);

	memset(ret_at, 0, sizeof(*ret_at));
	ret_at->ss_family = (sa_family_t)family;
	*ret_len = family == AF_UNIX ? sizeof(*un) : sizeof(*in);
	if (family == AF_UNIX)
		snprintf(un->sun_path, sizeof(un->sun_path), "/tmp/heatscope-arrival-%d", getpid());
	else
		in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	check(!bind(fd, (struct sockaddr *)ret_at, *ret_len), "bind");
	check(!listen(fd, 1), "listen");
	if (family == AF_INET)
		check(!getsockname(fd, (struct sockaddr *)ret_at, ret_len), "getsockname");
	return fd;
}

/* Without Nagle's algorithm, which keeps a second part until the first is acknowledged. */
static void server_begin(int family)
{
	const int on = 1;
	struct sockaddr_storage at;
	int orders[2], done[2], listener;
	socklen_t len;

	listener = listen_at(family, &at, &len);
	check(!pipe(orders) && !pipe(done), "pipe");
	server = child_fork();
	check(server >= 0, "fork");
	if (!server) {
		close(orders[1]);
		close(done[0]);
		prctl(PR_SET_NAME, "mariadbd");
		serve(listener, orders[0], done[1]);
	}
	close(orders[0]);
	close(done[1]);
	to_server = orders[1];
	from_server = done[0];
	client = socket(family, SOCK_STREAM, 0);
	check(!connect(client, (struct sockaddr *)&at, len), "connect");
	check(family == AF_UNIX || !setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)), "setsockopt");
	close(listener);
	if (family == AF_UNIX)
		unlink(((struct sockaddr_un *)&at)->sun_path);
	snprintf(pid_label, sizeof(pid_label), "%d", server);
}

static void server_end(void)
{
	int status;

	close(to_server);
	close(from_server);
	close(client);
	ok(waitpid(server, &status, 0) == server && !status, "the server did all that it should");
}

static void order(const struct order *o)
{
	check(write(to_server, o, sizeof(*o)) == sizeof(*o), "order");
}

static struct span done(void)
{
	struct span s;

	check(read(from_server, &s, sizeof(s)) == sizeof(s), "the server");
	return s;
}

static struct span server_receives(int n)
{
	order(&(struct order){ .receives = 1, .n = n });
	return done();
}

static struct span server_sends(const void *bytes, int n)
{
	struct order o = { .n = n };

	memcpy(o.bytes, bytes, (size_t)n);
	order(&o);
	return done();
}

static struct span client_sends(const void *bytes, size_t n)
{
	struct span s = { .from = clock_now() };

	check(send(client, bytes, n, MSG_NOSIGNAL) == (ssize_t)n, "send");
	s.to = clock_now();
	return s;
}

/* ---- the protocol ---- */

static const unsigned char answer[] = { 7, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0 };
static const unsigned char query[] = { 5, 0, 0, 0, 3, 'd', 'o', ' ', '1' };
static const unsigned char ping[] = { 1, 0, 0, 0, 14 };

#define HEADER 4
#define BODY ((int)sizeof(query) - HEADER)

static void client_hears(size_t n)
{
	unsigned char in[128];

	check(recv(client, in, n, MSG_WAITALL) == (ssize_t)n, "recv");
}

static struct span server_answers(void)
{
	struct span s = server_sends(answer, sizeof(answer));

	client_hears(sizeof(answer));
	return s;
}

static struct span server_serves(void)
{
	struct span s = server_receives(HEADER);

	server_receives(BODY);
	server_answers();
	return s;
}

static void login(void)
{
	static const unsigned char head[] = { 10, '1', '0', '.', '1', '1', '-', 't', 'e', 's', 't', 0, 7, 0, 0, 0 };
	unsigned char greeting[4 + 80] = { 80 }, hello[4 + 40] = { 40, 0, 0, 1, 0x05, 0x02, 0x08, 0, 0, 0, 0, 1, 33 },
		      welcome[sizeof(answer)];

	memcpy(greeting + 4, head, sizeof(head));
	memcpy(greeting + 4 + sizeof(head), "12345678", 8);
	memcpy(greeting + 4 + 25, (unsigned char[]){ 0xff, 0xf7, 33, 2, 0, 0, 0, 21 }, 8);
	memcpy(greeting + 4 + 43, "123456789012", 13);
	memcpy(greeting + 4 + 56, "mysql_native_password", 22);
	server_sends(greeting, sizeof(greeting));
	client_hears(sizeof(greeting));
	memcpy(hello + 4 + 32, "root", 5);
	client_sends(hello, sizeof(hello));
	server_receives(sizeof(hello));
	memcpy(welcome, answer, sizeof(answer));
	welcome[3] = 2;
	server_sends(welcome, sizeof(welcome));
	client_hears(sizeof(welcome));
}

/* ---- the cases ---- */

static __u64 total(unsigned measure)
{
	return kit_total(1, measure, pid_label, "query");
}

static void drained(__u64 n)
{
	for (int i = 0; i < 5 && kit_n(1, pid_label, "query") < n; i++)
		kit_drain();
}

/* Is that the time from what was done in `a` until what was done in `b`? */
static int is_from_to(__u64 value, struct span a, struct span b)
{
	__u64 least = b.from > a.to ? b.from - a.to : 0, most = b.to - a.from;

	if (value >= least && value <= most)
		return 1;
	printf("# %llu is not in %llu..%llu\n", (unsigned long long)value, (unsigned long long)least, (unsigned long long)most);
	return 0;
}

static void holds_together(const char *where, __u64 n, __u64 n_unseen)
{
	drained(n);
	ok(kit_n(1, pid_label, "query") == n, "%s: %llu queries were seen", where, (unsigned long long)n);
	ok(total(RESPONSE) == total(ARRIVAL) + total(LATENCY), "%s: the response is arrival and latency", where);
	ok(total(FIRST) <= total(LATENCY), "%s: the first send is no later than the last", where);
	ok(total(N_UNSEEN) == n_unseen, "%s: %llu of %llu arrivals are not known", where, (unsigned long long)total(N_UNSEEN),
	   (unsigned long long)n);
}

static void read_late(const char *where)
{
	struct span came, read;

	kit_clear();
	came = client_sends(query, sizeof(query));
	delay();
	read = server_serves();
	holds_together(where, 1, 0);
	ok(is_from_to(total(ARRIVAL), came, read), "%s: a delay before the read is in arrival", where);
	ok(total(ARRIVAL) >= DELAY_NS, "%s: all of it", where);
}

static void several_add_up(const char *where)
{
	__u64 least = 0, most = 0;

	kit_clear();
	for (int i = 0; i < 5; i++) {
		struct span came = client_sends(query, sizeof(query)), read;

		delay();
		read = server_serves();
		least += read.from - came.to;
		most += read.to - came.from;
	}
	holds_together(where, 5, 0);
	ok(total(ARRIVAL) >= least && total(ARRIVAL) <= most, "%s: five queries' arrivals add up", where);
}

/* The server waits in its receive. */
static void read_at_once(const char *where)
{
	struct span came, read;

	kit_clear();
	order(&(struct order){ .receives = 1, .n = HEADER });
	delay();
	came = client_sends(query, sizeof(query));
	read = done();
	read.from = came.from;
	server_receives(BODY);
	delay();
	server_answers();
	holds_together(where, 1, 0);
	ok(is_from_to(total(ARRIVAL), came, read), "%s: for a server that waits, arrival is its wake-up", where);
	ok(total(LATENCY) >= DELAY_NS, "%s: the time after the read is latency", where);
}

static void first_of_two_sends(const char *where)
{
	struct span read, first, last;

	kit_clear();
	client_sends(query, sizeof(query));
	read = server_receives(HEADER);
	server_receives(BODY);
	delay();
	first = server_sends(answer, 5);
	delay();
	last = server_sends(answer + 5, sizeof(answer) - 5);
	client_hears(sizeof(answer));
	client_sends(ping, sizeof(ping));
	server_receives(HEADER);
	server_receives(sizeof(ping) - HEADER);
	server_answers();
	holds_together(where, 1, 0);
	ok(is_from_to(total(FIRST), read, first), "%s: first ends with the first send", where);
	ok(is_from_to(total(LATENCY), read, last), "%s: the latency ends with the last", where);
}

static void comes_in_parts(const char *where)
{
	struct span came, read;

	kit_clear();
	came = client_sends(query, HEADER + 1);
	delay();
	read = server_receives(HEADER);
	delay();
	client_sends(query + HEADER + 1, sizeof(query) - HEADER - 1);
	delay();
	server_receives(BODY);
	server_answers();
	holds_together(where, 1, 0);
	ok(is_from_to(total(ARRIVAL), came, read), "%s: of a query in two parts, the first part's wait is arrival", where);

	kit_clear();
	client_sends(query, 2);
	delay();
	server_receives(2);
	came = client_sends(query + 2, sizeof(query) - 2);
	delay();
	read = server_receives(HEADER - 2);
	server_receives(BODY);
	server_answers();
	holds_together(where, 1, 0);
	ok(is_from_to(total(ARRIVAL), came, read), "%s: of a header in two parts, the second part's wait is", where);
}

static void pipelined(const char *where)
{
	unsigned char two[2 * sizeof(query)];
	struct span came, read, read2;

	memcpy(two, query, sizeof(query));
	memcpy(two + sizeof(query), query, sizeof(query));
	kit_clear();
	came = client_sends(two, sizeof(two));
	delay();
	read = server_serves();
	delay();
	read2 = server_serves();
	holds_together(where, 2, 0);
	read.from += read2.from - came.to;
	read.to += read2.to - came.from;
	ok(is_from_to(total(ARRIVAL), came, read), "%s: two queries that came at once have that time both", where);

	kit_clear();
	came = client_sends(query, sizeof(query));
	delay();
	client_sends(query, sizeof(query));
	delay();
	read = server_serves();
	server_serves();
	holds_together(where, 2, 1);
	ok(is_from_to(total(ARRIVAL), came, read), "%s: of two that came one by one before a read, only the first is known", where);

	kit_clear();
	came = client_sends(query, sizeof(query));
	delay();
	read = server_serves();
	holds_together(where, 1, 0);
	ok(is_from_to(total(ARRIVAL), came, read), "%s: and the next one is known again", where);
}

/* The request came before the program was attached, or while it was not. */
static void came_before(const char *where)
{
	client_sends(query, sizeof(query));
	kit_enable(1, "mysql.queries", "pid,command", MEASURES);
	kit_clear();
	server_serves();
	holds_together(where, 1, 1);
	ok(!total(ARRIVAL), "%s: a query that came before the program is not guessed", where);
}

/* How many links to programs of that name this process has. */
static int n_links(const char *program)
{
	int n = 0;

	for (int fd = 3; fd < 1024; fd++) {
		char path[32], target[64] = "";
		struct bpf_link_info link = { 0 };
		struct bpf_prog_info prog = { 0 };
		__u32 link_len = sizeof(link), prog_len = sizeof(prog);
		int prog_fd;

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		if (readlink(path, target, sizeof(target) - 1) < 0 || !strstr(target, "bpf_link") ||
		    bpf_obj_get_info_by_fd(fd, &link, &link_len))
			continue;
		prog_fd = bpf_prog_get_fd_by_id(link.prog_id);
		n += prog_fd >= 0 && !bpf_obj_get_info_by_fd(prog_fd, &prog, &prog_len) && !strcmp(prog.name, program);
		if (prog_fd >= 0)
			close(prog_fd);
	}
	return n;
}

static void all_cases(int family, const char *where)
{
	server_begin(family);
	login();
	came_before(where);
	read_late(where);
	several_add_up(where);
	read_at_once(where);
	first_of_two_sends(where);
	comes_in_parts(where);
	pipelined(where);
	kit_disable(1);
	came_before(where);
	read_late(where);
	kit_disable(1);
	server_end();
}

int main(void)
{
	kit_begin();
	kit_enable(2, "mysql.queries", "pid", "latency,first");
	ok(n_links("data_ready") == 0, "without a request for arrivals, the program is not attached");
	all_cases(AF_INET, "TCP");
	ok(n_links("sock_recv") == 1 && n_links("data_ready") == 0, "it is detached after the last request ends");
	kit_enable_where(3, "mysql.queries", "pid", "latency", "{\"gt\": [\"arrival\", 1000]}");
	ok(n_links("data_ready") == 1, "a predicate asks for it, too");
	kit_disable(3);
	all_cases(AF_UNIX, "Unix");
	ok(!kit_lost(), "no event was lost");
	kit_doctor();
	return kit_end();
}
