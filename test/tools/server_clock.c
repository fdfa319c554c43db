/* server_clock - what a MariaDB server does around the time it writes in its slow log, statement by statement.
 *
 *      server_clock PID READY > clock.txt &    READY is made when everything from now on is seen
 *      ...                                     one connection, small replies
 *      kill $!                                 prints, ends
 *
 * A line per statement, in ns: receiving (from the receive of its header to the server's first look at the clock,
 * where the log's time begins), logged (to its last look), sending (from there until the reply was sent).
 * Independent of the collector: the server's clock is watched where it is read, at my_interval_timer().
 */
#include "test/tools/server_clock.h"
#include "test/tools/server_clock.skel.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t stop;

static void on_term(int signal)
{
	stop = 1;
}

static int print(const struct server_clock_bpf *bpf)
{
	const struct statement *s = bpf->bss->statement, *end = s + bpf->bss->n_statements;

	if (bpf->bss->n_statements == STATEMENTS_MAX)
		return -ENOBUFS;
	for (; s < end; s++)
		printf("%llu %llu %llu\n", s->first_ns - s->received_ns, s->last_ns - s->first_ns, s->sent_ns - s->last_ns);
	return 0;
}

static int attach(struct server_clock_bpf *bpf, int pid)
{
	LIBBPF_OPTS(bpf_uprobe_opts, opts, .func_name = "my_interval_timer");
	char binary[64];
	struct bpf_link *link;

	snprintf(binary, sizeof(binary), "/proc/%d/exe", pid);
	link = bpf_program__attach_uprobe_opts(bpf->progs.read_clock, pid, binary, 0, &opts);
	bpf->links.read_clock = link;
	return link ? server_clock_bpf__attach(bpf) : -errno;
}

int main(int argc, char **argv)
{
	struct server_clock_bpf *bpf = server_clock_bpf__open();
	int pid = argc == 3 ? atoi(argv[1]) : 0, fd, err = bpf ? 0 : -errno;

	if (!pid) {
		fprintf(stderr, "usage: server_clock PID READY\n");
		return 2;
	}
	signal(SIGTERM, on_term);
	if (!err) {
		bpf->rodata->server = pid;
		err = server_clock_bpf__load(bpf);
	}
	if (!err)
		err = attach(bpf, pid);
	if (!err) {
		fd = open(argv[2], O_CREAT | O_WRONLY, 0600);
		err = fd < 0 ? -errno : close(fd);
	}
	while (!err && !stop)
		usleep(10000);
	if (!err)
		err = print(bpf);
	if (err)
		fprintf(stderr, "server_clock: process %d: %s\n", pid, strerror(-err));
	server_clock_bpf__destroy(bpf);
	return err ? 1 : 0;
}
