/* bpf_tcp - compares tcp.accepts and tcp.connects with a known number of connections over loopback.
 *
 *      bpf_tcp --bench N           N connections, and the cost of an event
 */
#include "test/kit/bpf_kit.h"
#include "test/kit/child_fork.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static char self[16];			/* our process, as a label */

/* ---- sockets ---- */

struct place {
	struct sockaddr_storage at;
	socklen_t len;
	char port[8];
};

static void place_port(struct place *p)
{
	struct sockaddr_in6 *a = (struct sockaddr_in6 *)&p->at;	/* the port is where IPv4 has it */

	snprintf(p->port, sizeof(p->port), "%u", ntohs(a->sin6_port));
}

static struct place place_v4(unsigned port)
{
	struct place p = { .len = sizeof(struct sockaddr_in) };
	struct sockaddr_in *a = (struct sockaddr_in *)&p.at;

	a->sin_family = AF_INET;
	a->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	a->sin_port = htons(port);
	place_port(&p);
	return p;
}

static struct place place_v6(const struct in6_addr *address)
{
	struct place p = { .len = sizeof(struct sockaddr_in6) };
	struct sockaddr_in6 *a = (struct sockaddr_in6 *)&p.at;

	a->sin6_family = AF_INET6;
	a->sin6_addr = *address;
	return p;
}

/* Listens at p's address, on a free port, which it writes to p; -1: it cannot. */
static int listens(struct place *p, int backlog)
{
	int fd = socket(p->at.ss_family, SOCK_STREAM, 0), no = 0;

	if (p->at.ss_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof(no));
	if (bind(fd, (struct sockaddr *)&p->at, p->len) || listen(fd, backlog) ||
	    getsockname(fd, (struct sockaddr *)&p->at, &p->len)) {
		close(fd);
		return -1;
	}
	place_port(p);
	return fd;
}

static int connects(const struct place *p)
{
	int fd = socket(p->at.ss_family, SOCK_STREAM, 0);

	if (connect(fd, (const struct sockaddr *)&p->at, p->len)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Opens and accepts n connections. */
static int meets(int listener, const struct place *p, int n)
{
	int i, a, b;

	for (i = 0; i < n; i++) {
		a = connects(p);
		b = a < 0 ? -1 : accept(listener, NULL, NULL);
		if (b < 0)
			return i;
		close(a);
		close(b);
	}
	return n;
}

/* No socket listens there. */
static struct place place_closed(struct place p)
{
	int fd = listens(&p, 1);

	close(fd);
	return p;
}

/* ---- the cases ---- */

static int older;			/* listens before any metric is enabled */
static struct place older_place;

static void counts_over_ipv4(void)
{
	struct place p = place_v4(0);
	int fd = listens(&p, 10);

	kit_clear();
	ok(meets(fd, &p, 50) == 50, "50 connections");
	kit_drain();
	ok(kit_n(1, self, "127.0.0.1", p.port) == 50, "50 accepts: %llu", kit_n(1, self, "127.0.0.1", p.port));
	ok(kit_n(2, self, "127.0.0.1", p.port, "established") == 50, "50 connects: %llu",
	   kit_n(2, self, "127.0.0.1", p.port, "established"));
	ok(kit_total(1, 0, self, NULL, p.port) > 0, "the handshake took time: %llu us on average",
	   kit_total(1, 0, self, NULL, p.port) / 50000);
	ok(kit_total(2, 0, self, NULL, p.port, NULL) > 0, "and so did the connects: %llu us",
	   kit_total(2, 0, self, NULL, p.port, NULL) / 50000);
	close(fd);
}

static void counts_over_ipv6(void)
{
	struct place p = place_v6(&in6addr_loopback), both = place_v6(&in6addr_any), v4;
	int fd = listens(&p, 10);

	kit_clear();
	if (fd < 0) {
		ok(1, "IPv6 # SKIP there is none here");
		return;
	}
	ok(meets(fd, &p, 30) == 30, "30 connections over IPv6");
	close(fd);
	fd = listens(&both, 10);
	v4 = place_v4(atoi(both.port));
	ok(meets(fd, &v4, 10) == 10, "10 over IPv4 to a socket of IPv6");
	close(fd);
	kit_drain();
	ok(kit_n(1, self, "::1", p.port) == 30, "30 accepts: %llu", kit_n(1, self, "::1", p.port));
	ok(kit_n(2, self, "::1", p.port, "established") == 30, "30 connects: %llu", kit_n(2, self, "::1", p.port, "established"));
	ok(kit_n(1, self, "127.0.0.1", both.port) == 10, "their address is that of IPv4: %llu", kit_n(1, self, "127.0.0.1", both.port));
}

static void a_listener_older_than_we_are(void)
{
	kit_clear();
	meets(older, &older_place, 7);
	kit_drain();
	ok(kit_n(1, self, "127.0.0.1", older_place.port) == 7, "a listener older than we are has its process: %llu",
	   kit_n(1, self, "127.0.0.1", older_place.port));
}

/* Listens, and passes the socket on to a child, as daemons do. */
static void the_listener_is_the_process_with_the_socket(void)
{
	struct place p = place_v4(0);
	int fd = listens(&p, 10), i;
	char label[16];
	pid_t pid = child_fork();

	if (!pid) {
		prctl(PR_SET_NAME, "a-daemon");
		for (;;)
			close(accept(fd, NULL, NULL));
	}
	close(fd);
	for (i = 0; i < 3; i++)
		kit_drain();		/* until it has looked again */
	kit_clear();
	for (i = 0; i < 5; i++)
		close(connects(&p));
	kit_drain();
	snprintf(label, sizeof(label), "%d", pid);
	ok(kit_n(1, label, "127.0.0.1", p.port) == 5, "a listener that was handed over: %llu of %s", kit_n(1, NULL, NULL, p.port), label);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void refused_connects(void)
{
	struct place v4 = place_closed(place_v4(0)), v6 = place_closed(place_v6(&in6addr_loopback));
	int i;

	kit_clear();
	for (i = 0; i < 20; i++)
		connects(&v4);
	for (i = 0; i < 5; i++)
		connects(&v6);
	kit_drain();
	ok(kit_n(2, self, "127.0.0.1", v4.port, "ECONNREFUSED") == 20, "20 refused: %llu",
	   kit_n(2, self, "127.0.0.1", v4.port, "ECONNREFUSED"));
	ok(kit_n(2, self, "::1", v6.port, "ECONNREFUSED") == 5 || atoi(v6.port) == 0, "5 refused over IPv6");
	ok(!kit_n(1, NULL, NULL, v4.port), "nothing was accepted");
}

#define N_SAMPLED 4000

static void sampled_connects_stand_for_all(void)
{
	struct place p = place_closed(place_v4(0));
	const unsigned every = 8;
	int i;

	kit_clear();
	kit_sample("tcp.connects", KIT_NONE);
	for (i = 0; i < 500; i++)
		connects(&p);
	kit_drain();
	ok(!kit_n(2, self), "none is picked at its begin, and none is an event at its end: %llu", kit_n(2, self));
	kit_sample("tcp.connects", every);
	for (i = 0; i < N_SAMPLED; i++)
		connects(&p);
	kit_drain();
	ok(kit_is_sample(kit_n(2, self, "127.0.0.1", p.port, "ECONNREFUSED"), N_SAMPLED, every), "one in %u of %d stands for %llu",
	   every, N_SAMPLED, kit_n(2, self, "127.0.0.1", p.port, "ECONNREFUSED"));
	kit_sample("tcp.connects", 1);
	kit_clear();
}

/* The address does not answer: returns errno of a connect(), after one repetition of the SYN. */
static int timed_out(const struct place *p)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1, err;

	setsockopt(fd, IPPROTO_TCP, TCP_SYNCNT, &one, sizeof(one));
	err = connect(fd, (struct sockaddr *)&p->at, p->len) ? errno : 0;
	kit_drain();
	close(fd);
	return err;
}

/* A listener whose queue is full does not answer.  A timer's interrupt gives the connect up: if it interrupts a task
 * that this kernel keeps from BPF (WHAT IS NOT SEEN in heatscope-collector(8)), no program runs.  So there are
 * several tries. */
static void unanswered_connects(void)
{
	struct place p = place_v4(0);
	int fd = listens(&p, 0), filling[4], i, err;
	unsigned tries = 0;

	for (i = 0; i < 4; i++) {
		filling[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		connect(filling[i], (struct sockaddr *)&p.at, p.len);
	}
	kit_drain();
	kit_clear();
	do {
		err = timed_out(&p);
	} while (++tries < 5 && err == ETIMEDOUT && !kit_n(2, self, "127.0.0.1", p.port, "ETIMEDOUT"));
	ok(err == ETIMEDOUT, "no answer, %u times", tries);
	ok(kit_n(2, self, "127.0.0.1", p.port, "ETIMEDOUT") == 1 && kit_total(2, 0, self, NULL, p.port, "ETIMEDOUT") >= 900000000,
	   "timed out after %llu ms", kit_total(2, 0, self, NULL, p.port, "ETIMEDOUT") / 1000000);
	kit_clear();
	for (i = 0; i < 4; i++)
		close(filling[i]);
	kit_drain();
	ok(kit_n(2, self, "127.0.0.1", p.port, "closed") >= 1, "given up: %llu", kit_n(2, self, "127.0.0.1", p.port, "closed"));
	close(fd);
}

/* Two SYNs cross: a socket that connects to itself. */
static void crossing_connects_are_no_accepts(void)
{
	struct place p = place_closed(place_v4(0));
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	kit_clear();
	if (bind(fd, (struct sockaddr *)&p.at, p.len) || connect(fd, (struct sockaddr *)&p.at, p.len)) {
		ok(1, "a socket that connects to itself # SKIP it cannot");
		close(fd);
		return;
	}
	close(fd);
	kit_drain();
	ok(kit_n(2, self, "127.0.0.1", p.port, "established") == 1 && !kit_n(1, NULL, NULL, p.port),
	   "a socket that connects to itself is a connect");
}

static void predicates_choose(void)
{
	struct place p = place_v4(0), q = place_v4(0);
	int fd = listens(&p, 10), other = listens(&q, 10);

	kit_enable_where(3, "tcp.accepts", "execname", "latency",
			 "{\"and\": [{\"eq\": [\"lport\", \"%s\"]}, {\"eq\": [\"raddr\", \"127.0.0.1\"]}, {\"eq\": [\"execname\", \"bpf_tcp\"]}]}", p.port);
	kit_enable_where(4, "tcp.connects", "rport", "latency", "{\"and\": [{\"eq\": [\"outcome\", \"established\"]}, {\"eq\": [\"rport\", \"%s\"]}]}",
			 q.port);
	kit_clear();
	meets(fd, &p, 3);
	meets(other, &q, 4);
	kit_drain();
	ok(kit_n(3, "bpf_tcp") == 3 && kit_n(3, NULL) == 3, "accepts by port, address and name: %llu", kit_n(3, NULL));
	ok(kit_n(4, q.port) == 4 && kit_n(4, NULL) == 4, "connects by outcome and port: %llu", kit_n(4, NULL));
	kit_disable(3);
	kit_disable(4);
	close(fd);
	close(other);
}

static void bench(int n)
{
	struct place p = place_v4(0);
	int fd = listens(&p, 10);

	kit_stats();
	meets(fd, &p, n);
	kit_drain();
	kit_doctor();
}

int main(int argc, char **argv)
{
	kit_begin();
	snprintf(self, sizeof(self), "%d", getpid());
	older_place = place_v4(0);
	older = listens(&older_place, 10);
	kit_enable(1, "tcp.accepts", "pid,raddr,lport", "latency");
	kit_enable(2, "tcp.connects", "pid,raddr,rport,outcome", "latency");
	if (argc == 3 && !strcmp(argv[1], "--bench")) {
		bench(atoi(argv[2]));
		return kit_end();
	}
	a_listener_older_than_we_are();
	counts_over_ipv4();
	counts_over_ipv6();
	the_listener_is_the_process_with_the_socket();
	refused_connects();
	sampled_connects_stand_for_all();
	unanswered_connects();
	crossing_connects_are_no_accepts();
	predicates_choose();
	ok(!kit_lost(), "nothing is lost");
	kit_doctor();
	return kit_end();
}
