/* bpf_net - compares net.packets with /proc/net/dev and known traffic, in a network namespace of the test's own.
 *
 * No other program uses its loopback device, and no other program on this machine its addresses, 127.77.x.y.
 *
 *      bpf_net --bench N           N datagrams of one byte over loopback, with the collector and without, and the
 *                                  cost of an event
 */
#include "test/kit/bpf_kit.h"
#include "test/kit/child_fork.h"

#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define HERE "127.77.0.1"
#define THERE "127.77.0.2"
#define UDP 28				/* headers of IPv4 and UDP */

/* ---- the namespace ---- */

static int namespace_make(void)
{
	struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	int fd;

	if (unshare(CLONE_NEWNET))
		return -1;
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	return ioctl(fd, SIOCSIFFLAGS, &request) | close(fd);
}

static void counters_read(__u64 *ret_bytes, __u64 *ret_packets)
{
	FILE *f = fopen("/proc/net/dev", "r");
	char line[512];

	*ret_bytes = *ret_packets = 0;
	while (f && fgets(line, sizeof(line), f))
		sscanf(line, " lo: %llu %llu", ret_bytes, ret_packets);
	if (f)
		fclose(f);
}

/* ---- sockets ---- */

static struct sockaddr_in at(const char *address, unsigned port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(port) };

	inet_pton(AF_INET, address, &a.sin_addr);
	return a;
}

static int bound(int type, const char *address, unsigned port)
{
	struct sockaddr_in a = at(address, port);
	int fd = socket(AF_INET, type, 0), on = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	return bind(fd, (struct sockaddr *)&a, sizeof(a)) ? -1 : fd;
}

static void datagrams(int fd, const char *to, unsigned port, int n, size_t bytes)
{
	static char buffer[65000];
	struct sockaddr_in a = at(to, port);
	int i;

	for (i = 0; i < n; i++)
		if (sendto(fd, buffer, bytes, 0, (struct sockaddr *)&a, sizeof(a)) != (ssize_t)bytes)
			printf("# a datagram was not sent\n");
}

static void exactly(int fd, size_t bytes, int out)
{
	static char buffer[65536];
	ssize_t n;

	while (bytes) {
		n = out ? write(fd, buffer, bytes < sizeof(buffer) ? bytes : sizeof(buffer)) : read(fd, buffer, sizeof(buffer));
		if (n <= 0)
			return;
		bytes -= n;
	}
}

/* Starts a process that receives everything that is sent to it, and ends. */
static pid_t takes_in(int listener, const char *name)
{
	pid_t pid = child_fork();
	int fd;

	if (pid)
		return pid;
	prctl(PR_SET_NAME, name);
	fd = accept(listener, NULL, NULL);
	exactly(fd, ~0ull, 0);
	_exit(0);
}

/* Waits until each connection has ended on both sides, so that no packet of it is to come. */
static void connections_end(void)
{
	char line[512];
	int n_open = 1, i;

	for (i = 0; i < 600 && n_open; i++) {
		FILE *f = fopen("/proc/net/tcp", "r");
		unsigned state;

		usleep(100000);
		n_open = 0;
		while (f && fgets(line, sizeof(line), f))
			if (sscanf(line, " %*d: %*x:%*x %*x:%*x %x", &state) == 1)
				n_open += state != TCP_LISTEN && state != TCP_TIME_WAIT;
		if (f)
			fclose(f);
	}
}

/* ---- the cases ---- */

static void equals_the_devices_counters(void)
{
	__u64 bytes, packets, bytes_after, packets_after, out, in, cuts, headers;
	int a = bound(SOCK_DGRAM, HERE, 0), b = bound(SOCK_DGRAM, THERE, 7001), fd, listener = bound(SOCK_STREAM, THERE, 7002);
	struct sockaddr_in to = at(THERE, 7002);
	pid_t child;

	kit_clear();
	listen(listener, 5);
	counters_read(&bytes, &packets);
	datagrams(a, THERE, 7001, 100, 10);
	datagrams(a, THERE, 7001, 20, 1400);
	child = takes_in(listener, "sink");
	fd = bound(SOCK_STREAM, HERE, 0);
	ok(!connect(fd, (struct sockaddr *)&to, sizeof(to)), "a connection");
	exactly(fd, 5000000, 1);
	close(fd);
	waitpid(child, NULL, 0);
	connections_end();
	counters_read(&bytes_after, &packets_after);
	bytes = bytes_after - bytes;
	packets = packets_after - packets;
	kit_drain();
	kit_print();
	out = kit_total(1, 1, "out", NULL, NULL);
	in = kit_total(1, 1, "in", NULL, NULL);
	ok(kit_n(1, "in", NULL, NULL) == packets, "packets that come in: %llu, the kernel says %llu", kit_n(1, "in", NULL, NULL), packets);
	ok(kit_total(1, 0, "in", NULL, NULL) == bytes, "their bytes: %llu, the kernel says %llu", kit_total(1, 0, "in", NULL, NULL), bytes);
	/* A few packets of TCP may come in as one, as they were sent: the device counts one. */
	ok(out == in && in >= packets && in <= packets + packets / 10, "packets of the wire: %llu go out, %llu come in", out, in);
	/* A packet that is cut later has its header only once. */
	cuts = packets - kit_n(1, "out", NULL, NULL);
	headers = bytes - kit_total(1, 0, "out", NULL, NULL);
	ok(cuts ? headers >= 40 * cuts && headers <= 60 * cuts : !headers,
	   "and as many bytes, except for %llu headers of %llu bytes", cuts,
	   cuts ? headers / cuts : 0);
	ok(kit_n(1, "out", "udp", THERE) == 120 && kit_total(1, 0, "out", "udp", THERE) == 100 * (10 + UDP) + 20 * (1400 + UDP),
	   "120 datagrams, byte for byte");
	ok(kit_n(1, "in", "udp", HERE) == 120 && !kit_n(1, "in", "udp", THERE), "which come from the other address");
	ok(kit_n(1, "in", "tcp", THERE) + kit_n(1, "in", "tcp", HERE) == packets - 120, "the rest is TCP");
	ok(kit_total(1, 0, "out", "tcp", THERE) > 5000000, "with 5 MB: %llu", kit_total(1, 0, "out", "tcp", THERE));
	ok(kit_total(1, 1, "out", "tcp", THERE) * 65535 >= 5000000, "in %llu packets of at most 64 kB on the wire",
	   kit_total(1, 1, "out", "tcp", THERE));
	close(a);
	close(b);
	close(listener);
}

static void ports_choose(void)
{
	int a = bound(SOCK_DGRAM, HERE, 7010), b = bound(SOCK_DGRAM, THERE, 7011);

	kit_enable_where(2, "net.packets", "laddr,lport,rport,nic", "size",
			 "{\"and\": [{\"eq\": [\"laddr\", \"" HERE "\"]}, {\"eq\": [\"direction\", \"out\"]}, {\"eq\": [\"protocol\", \"udp\"]}]}");
	kit_clear();
	datagrams(a, THERE, 7011, 5, 1);
	datagrams(b, HERE, 7010, 3, 1);
	kit_drain();
	ok(kit_n(2, HERE, "7010", "7011", "lo") == 5 && kit_n(2, NULL, NULL, NULL, NULL) == 5, "by address, ports and device: %llu",
	   kit_n(2, NULL, NULL, NULL, NULL));
	kit_disable(2);
	close(a);
	close(b);
}

static void processes_are_known(void)
{
	int a = bound(SOCK_DGRAM, HERE, 7020), b = bound(SOCK_DGRAM, THERE, 7021), listener = bound(SOCK_STREAM, THERE, 7022), fd;
	struct sockaddr_in to = at(THERE, 7022);
	pid_t child;

	kit_enable_where(3, "net.packets", "execname,direction,protocol,lport", "size",
			 "{\"or\": [{\"eq\": [\"raddr\", \"" HERE "\"]}, {\"eq\": [\"raddr\", \"" THERE "\"]}]}");
	kit_clear();
	datagrams(a, THERE, 7021, 6, 1);
	datagrams(b, HERE, 7020, 4, 1);
	datagrams(a, THERE, 7021, 2, 1);
	kit_drain();
	ok(kit_n(3, "bpf_net", "out", "udp", "7020") == 8 && kit_n(3, "bpf_net", "out", "udp", "7021") == 4,
	   "outgoing datagrams belong to their sender");
	ok(kit_n(3, "bpf_net", "in", "udp", "7020") == 4,
	   "incoming ones belong to the process that sent to that address before");
	ok(kit_n(3, "unknown", "in", "udp", "7021") == 6 && kit_n(3, "bpf_net", "in", "udp", "7021") == 2,
	   "and to no process before that");
	kit_clear();
	listen(listener, 5);
	child = takes_in(listener, "sink");
	fd = bound(SOCK_STREAM, HERE, 7023);
	kit_drain();			/* until the listener's owner is known: the lowest process is the test's */
	ok(!connect(fd, (struct sockaddr *)&to, sizeof(to)), "a connection");
	exactly(fd, 1000000, 1);
	close(fd);
	waitpid(child, NULL, 0);
	kit_drain();
	kit_print();
	ok(kit_n(3, "bpf_net", "out", "tcp", "7023") && !kit_n(3, "unknown", NULL, "tcp", "7023"),
	   "all packets of a connection belong to the process that connects: %llu",
	   kit_n(3, "bpf_net", NULL, "tcp", "7023"));
	ok(kit_n(3, "bpf_net", "in", "tcp", "7022") && kit_n(3, "unknown", NULL, "tcp", "7022") <= 4,
	   "and to the process that listens, all but the handshake: %llu, %llu",
	   kit_n(3, "bpf_net", "in", "tcp", "7022"),
	   kit_n(3, "unknown", NULL, "tcp", "7022"));
	kit_disable(3);
	close(a);
	close(b);
	close(listener);
}

static void counts_over_ipv6(void)
{
	struct sockaddr_in6 a = { .sin6_family = AF_INET6, .sin6_addr = in6addr_loopback, .sin6_port = htons(7031) };
	int fd = socket(AF_INET6, SOCK_DGRAM, 0), to = socket(AF_INET6, SOCK_DGRAM, 0), i;
	char buffer[100] = "";

	kit_enable_where(4, "net.packets", "direction,raddr,laddr", "size",
			 "{\"and\": [{\"or\": [{\"eq\": [\"rport\", \"7031\"]}, {\"eq\": [\"lport\", \"7031\"]}]}, {\"eq\": [\"raddr\", \"::1\"]}]}");
	kit_clear();
	if (bind(to, (struct sockaddr *)&a, sizeof(a))) {
		ok(1, "IPv6 # SKIP there is none here");
	} else {
		for (i = 0; i < 9; i++)
			sendto(fd, buffer, sizeof(buffer), 0, (struct sockaddr *)&a, sizeof(a));
		kit_drain();
		ok(kit_n(4, "out", "::1", "::1") == 9 && kit_n(4, "in", "::1", "::1") == 9, "9 datagrams over IPv6: %llu",
		   kit_n(4, "out", NULL, NULL));
		ok(kit_total(4, 0, "out", "::1", "::1") == 9 * (100 + 48), "byte for byte");
	}
	kit_disable(4);
	close(fd);
	close(to);
}

/* Packets that claim to be IP and are not complete. */
static void broken_packets_have_no_ends(void)
{
	struct sockaddr_ll to = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_IP), .sll_ifindex = if_nametoindex("lo"), .sll_halen = 6 };
	static const unsigned char runt[10] = { 0x45, 0, 0, 10, 0, 0, 0, 0, 64, 6 };
	int fd = socket(AF_PACKET, SOCK_DGRAM, 0), i;

	kit_enable_where(5, "net.packets", "direction,protocol,raddr,rport", "size",
			 "{\"and\": [{\"eq\": [\"protocol\", \"ethertype 0x0800\"]}, {\"eq\": [\"nic\", \"lo\"]}]}");
	kit_clear();
	for (i = 0; i < 4; i++)
		sendto(fd, runt, sizeof(runt), 0, (struct sockaddr *)&to, sizeof(to));
	kit_drain();
	kit_print();
	ok(kit_n(5, "out", NULL, "none", "0") == 4 && kit_n(5, "in", NULL, "none", "0") == 4, "4 that are too short for IP, both ways");
	ok(kit_total(5, 0, "out", NULL, NULL, NULL) == 40, "of 10 bytes each");
	kit_disable(5);
	close(fd);
}

/* ---- by hand ---- */

static double best_ns(int n)
{
	int a = bound(SOCK_DGRAM, HERE, 0), b = bound(SOCK_DGRAM, THERE, 7001), i, round;
	struct sockaddr_in to = at(THERE, 7001);
	double best = 1e9, ns;
	struct timespec t[2];
	char byte = 0;

	for (round = 0; round < 1000; round++) {
		clock_gettime(CLOCK_MONOTONIC, &t[0]);
		for (i = 0; i < n / 1000; i++) {
			sendto(a, &byte, 1, 0, (struct sockaddr *)&to, sizeof(to));
			recv(b, &byte, 1, 0);
		}
		clock_gettime(CLOCK_MONOTONIC, &t[1]);
		ns = ((t[1].tv_sec - t[0].tv_sec) * 1e9 + t[1].tv_nsec - t[0].tv_nsec) / (n / 1000);
		best = ns < best ? ns : best;
	}
	close(a);
	close(b);
	return best;
}

static void bench(int n)
{
	static const char *const cases[] = { "direction", "direction,protocol", "raddr,rport", "nic", "execname" };
	double without = best_ns(n);
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		kit_enable(1, "net.packets", cases[i], "size");
		printf("# a datagram over loopback and back to its program: %.0f ns without, %.0f ns by %s\n", without, best_ns(n), cases[i]);
		kit_disable(1);
	}
	kit_enable(1, "net.packets", "raddr", "size");
	kit_stats();
	best_ns(n);
	kit_drain();
	kit_doctor();
}

int main(int argc, char **argv)
{
	kit_begin();
	if (namespace_make()) {
		printf("1..0 # SKIP no network namespace can be made here\n");
		return 77;
	}
	if (argc == 3 && !strcmp(argv[1], "--bench")) {
		bench(atoi(argv[2]));
		return kit_end();
	}
	kit_enable_where(1, "net.packets", "direction,protocol,raddr", "size,packets",
			 "{\"or\": [{\"eq\": [\"raddr\", \"" HERE "\"]}, {\"eq\": [\"raddr\", \"" THERE "\"]}]}");
	equals_the_devices_counters();
	ports_choose();
	processes_are_known();
	counts_over_ipv6();
	broken_packets_have_no_ends();
	ok(!kit_lost(), "nothing is lost");
	kit_doctor();
	return kit_end();
}
