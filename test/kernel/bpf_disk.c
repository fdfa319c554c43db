/* bpf_disk - compares disk.physio_ops with the kernel's own counters, on a loop device of the test's own.
 *
 * No other program uses that device, so operations and bytes must equal /sys/block/loopN/stat exactly;
 * where there is no free loop device the cases run on nothing and say so.  The disk below is
 * shared: there the metric must have seen at least the bytes that the test wrote.
 *
 * A kernel can keep a task from BPF (a guest's agent, say): no program runs at a completion whose interrupt
 * finds that task on the CPU, and no miss is counted.  So a second program, bpf_disk.bpf.c, counts the completions
 * that are shown.  The metric must equal that count exactly; the count may be less than the kernel's counters, and the
 * test then says so.
 *
 *      bpf_disk --bench N          N reads, and the cost of an event
 */
#include "test/kit/bpf_kit.h"
#include "test/kernel/bpf_disk.skel.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define FILE_BYTES (16 << 20)
#define BLOCK 4096

enum { READ, WRITE, FLUSH, DISCARD };	/* linux/blk_types.h, enum req_op */
enum { READS, READ_SECTORS = 2, WRITES = 4, WRITE_SECTORS = 6, DISCARDS = 11, DISCARD_SECTORS = 13, FLUSHES = 15, N_STATS = 17 };

static char backing[] = "/var/tmp/heatscope-disk-XXXXXX", name[16], path[32];
static int control = -1, loop = -1;
static void *buffer;
static struct bpf_disk_bpf *reference;

/* ---- the device ---- */

static int loop_open(void)
{
	struct loop_config conf = { .block_size = 512, .info = { .lo_flags = LO_FLAGS_DIRECT_IO } };
	int file = mkstemp(backing), number, err = EBUSY;

	control = open("/dev/loop-control", O_RDWR);
	if (file < 0 || control < 0 || ftruncate(file, FILE_BYTES) || posix_fallocate(file, 0, FILE_BYTES))
		return -1;
	conf.fd = file;
	for (int i = 0; i < 10 && err == EBUSY; i++) {	/* another program may take it before us */
		number = ioctl(control, LOOP_CTL_GET_FREE);
		if (number < 0)
			return -1;
		snprintf(name, sizeof(name), "loop%d", number);
		snprintf(path, sizeof(path), "/dev/%s", name);
		if (loop >= 0)
			close(loop);
		loop = open(path, O_RDWR | O_DIRECT);
		err = loop < 0 || ioctl(loop, LOOP_CONFIGURE, &conf) ? errno : 0;
	}
	if (err)
		return -1;
	close(file);
	return posix_memalign(&buffer, BLOCK, 1 << 20) ? -1 : 0;
}

static void loop_close(void)
{
	if (loop >= 0) {
		ioctl(loop, LOOP_CLR_FD, 0);
		close(loop);
	}
	unlink(backing);
}

static void stat_read(__u64 stat[N_STATS])
{
	char file[64];
	FILE *f;
	int i;

	memset(stat, 0, N_STATS * sizeof(*stat));
	snprintf(file, sizeof(file), "/sys/block/%s/stat", name);
	f = fopen(file, "r");
	for (i = 0; f && i < N_STATS && fscanf(f, "%llu", &stat[i]) == 1; i++)
		;
	if (f)
		fclose(f);
}

static void queue_write(const char *what, const char *value)
{
	if (kit_run("echo %s 2>/dev/null > /sys/block/%s/queue/%s", value, name, what))
		printf("# %s/queue/%s cannot be set to %s\n", name, what, value);
}

/* ---- completions shown to BPF ---- */

static int reference_start(void)
{
	reference = bpf_disk_bpf__open_and_load();
	if (!reference || bpf_disk_bpf__attach(reference))
		return -1;
	snprintf(reference->bss->disk, sizeof(reference->bss->disk), "%s", name);
	return 0;
}

/* Sets both counts to zero. */
static void clear(void)
{
	kit_clear();
	memset(reference->bss->shown, 0, sizeof(reference->bss->shown));
	reference->bss->below = 0;
}

/* The number of the kernel's n that were shown. */
static __u64 shown(int op, __u64 n)
{
	__u64 ret = *(volatile __u64 *)&reference->bss->shown[op].n;

	if (ret != n)
		printf("# of %llu operations of kind %d this kernel shows %llu to BPF\n", n, op, ret);
	return ret;
}

static __u64 shown_bytes(int op) { return *(volatile __u64 *)&reference->bss->shown[op].bytes; }

/* Our count must equal the shown one: that is the kernel's, unless some are not shown, and of many most are shown. */
static int agree(int op, __u64 ours, __u64 kernels)
{
	__u64 n = shown(op, kernels);

	return ours == n && n <= kernels && (kernels < 100 || 10 * n >= 9 * kernels);
}

/* ---- the load ---- */

static __u64 sum_offset, sum_read, sum_written;

static void reads(int n, size_t bytes)
{
	off_t at;
	int i;

	for (i = 0; i < n; i++) {
		at = (off_t)i * (1 << 20) % FILE_BYTES;
		if (pread(loop, buffer, bytes, at) == (ssize_t)bytes) {
			sum_read += bytes;
			sum_offset += at;
		}
	}
}

static void writes(int n, size_t bytes)
{
	int i;

	for (i = 0; i < n; i++)
		if (pwrite(loop, buffer, bytes, (off_t)i * bytes % FILE_BYTES) == (ssize_t)bytes)
			sum_written += bytes;
}

/* ---- the cases ---- */

static void equals_the_kernels_counters(void)
{
	__u64 a[N_STATS], b[N_STATS], trim[2] = { 0, 1 << 20 };

	clear();
	sum_offset = sum_read = sum_written = 0;
	stat_read(a);
	reads(40, BLOCK);
	reads(20, 64 << 10);
	writes(30, BLOCK);
	writes(10, 128 << 10);
	fsync(loop);
	fsync(loop);
	ioctl(loop, BLKDISCARD, trim);
	kit_drain();
	stat_read(b);
	kit_print();
	ok(agree(READ, kit_n(1, name, "read"), 60) && b[READS] - a[READS] == 60, "60 reads: %llu, the kernel says %llu",
	   kit_n(1, name, "read"), b[READS] - a[READS]);
	ok(kit_total(1, 3, name, "read") == shown_bytes(READ) && (b[READ_SECTORS] - a[READ_SECTORS]) * 512 == sum_read,
	   "their bytes: %llu, the kernel says %llu", kit_total(1, 3, name, "read"), (b[READ_SECTORS] - a[READ_SECTORS]) * 512);
	ok(kit_total(1, 4, name, "read") <= sum_offset && (kit_total(1, 4, name, "read") == sum_offset || shown(READ, 60) < 60),
	   "their offsets");
	ok(agree(WRITE, kit_n(1, name, "write"), 40), "40 writes: %llu, the kernel says %llu with empty ones", kit_n(1, name, "write"),
	   b[WRITES] - a[WRITES]);
	ok(kit_total(1, 3, name, "write") == shown_bytes(WRITE) && (b[WRITE_SECTORS] - a[WRITE_SECTORS]) * 512 == sum_written,
	   "their bytes: %llu, the kernel says %llu", kit_total(1, 3, name, "write"), (b[WRITE_SECTORS] - a[WRITE_SECTORS]) * 512);
	ok(agree(FLUSH, kit_n(1, name, "flush"), 2) && b[FLUSHES] - a[FLUSHES] == 2, "2 flushes: %llu, the kernel says %llu",
	   kit_n(1, name, "flush"), b[FLUSHES] - a[FLUSHES]);
	ok(agree(DISCARD, kit_n(1, name, "discard"), b[DISCARDS] - a[DISCARDS]) &&
	   kit_total(1, 3, name, "discard") == shown_bytes(DISCARD), "discards and their bytes: %llu",
	   kit_n(1, name, "discard"));
}

static void the_parts_add_up(void)
{
	ok(kit_total(1, 0, NULL, NULL) == kit_total(1, 1, NULL, NULL) + kit_total(1, 2, NULL, NULL),
	   "latency = queue + service, summed over all disks");
	ok(kit_total(1, 2, name, "read") > 0, "and the device took time");
}

/* On a busy machine the last events of a run may be in the slot after. */
static void drain_until(const char *op, __u64 n)
{
	int tries = 4;

	do
		kit_drain();
	while (kit_n(1, name, op) < n && --tries);
}

/* Its sum of times is in ms, from the same begin, and read a little later than ours. */
static void latency_equals_iostats(void)
{
	__u64 a[N_STATS], b[N_STATS], ours, theirs;

	clear();
	stat_read(a);
	reads(2000, 256 << 10);
	stat_read(b);
	drain_until("read", shown(READ, b[READS] - a[READS]));
	ours = kit_total(1, 0, name, "read") / 1000000;
	theirs = b[READS + 3] - a[READS + 3];
	ok(agree(READ, kit_n(1, name, "read"), b[READS] - a[READS]), "%llu reads of %llu, %llu reported as lost",
	   kit_n(1, name, "read"), b[READS] - a[READS], kit_lost());
	ok(ours && ours <= theirs + 1, "their latency is the kernel's: %llu ms, %llu ms", ours, theirs);
}

static void one_thing_is_not_noted(const char *what, const char *off, const char *on)
{
	__u64 lost = kit_lost(), took;

	queue_write(what, off);
	clear();
	took = kit_now_ns();
	reads(50, 8192);
	took = kit_now_ns() - took;
	writes(20, BLOCK);
	fsync(loop);
	drain_until("read", shown(READ, 50));
	ok(agree(READ, kit_n(1, name, "read"), 50) && kit_total(1, 3, name, "read") == shown_bytes(READ) &&
	   agree(WRITE, kit_n(1, name, "write"), 20) && agree(FLUSH, kit_n(1, name, "flush"), 1),
	   "%s is %s: the same counts and bytes (%llu, %llu, %llu)", what, off, kit_n(1, name, "read"),
	   kit_n(1, name, "write"), kit_n(1, name, "flush"));
	ok(kit_total(1, 2, name, "read") > 50 * 1000 && kit_total(1, 0, name, "read") <= took,
	   "and times: latency %llu us, at the device %llu us, of %llu us that they took", kit_total(1, 0, name, "read") / 50000,
	   kit_total(1, 2, name, "read") / 50000, took / 50000);
	ok(kit_lost() == lost, "and nothing is lost");
	queue_write(what, on);
}

/* Writes a file on the root's disk, if the root has a disk of its own. */
static void the_disk_below_is_another(void)
{
	__u64 below = 0;

	clear();
	writes(16, 1 << 20);
	kit_drain();
	below = kit_total(1, 3, NULL, "write") - kit_total(1, 3, name, "write");
	ok(kit_total(1, 3, name, "write") == shown_bytes(WRITE), "16 MB on %s", name);
	if (kit_n(1, NULL, "write") > kit_n(1, name, "write"))
		ok(below >= 16 << 20 || reference->bss->below < 16 << 20, "and at least as much on the disk below: %llu", below);
}

static void flags_say_why_and_predicates_choose(void)
{
	kit_enable_where(2, "disk.physio_ops", "disk,optype,flags", "size",
			 "{\"and\": [{\"eq\": [\"disk\", \"%s\"]}, {\"ne\": [\"optype\", \"read\"]}]}", name);
	clear();
	reads(5, BLOCK);
	writes(5, BLOCK);
	kit_drain();
	kit_print();
	ok(agree(WRITE, kit_n(2, name, "write", "sync"), 5), "direct writes are synchronous");
	ok(kit_n(2, NULL, NULL, NULL) == kit_n(2, name, "write", NULL), "a predicate leaves the others out");
	ok(agree(READ, kit_n(1, name, "read"), 5), "the first instrumentation goes on");
	kit_disable(2);
}

static void bench(int n)
{
	kit_disable(1);
	kit_enable(1, "disk.physio_ops", "disk", "latency");
	kit_stats();
	reads(n, BLOCK);
	kit_drain();
	kit_print();
	kit_doctor();
}

int main(int argc, char **argv)
{
	kit_begin();
	if (loop_open()) {
		printf("1..0 # SKIP no loop device can be made here: %s\n", strerror(errno));
		loop_close();
		return 77;
	}
	if (reference_start()) {
		ok(0, "the second program is attached");
		loop_close();
		return kit_end();
	}
	kit_enable(1, "disk.physio_ops", "disk,optype", "latency,queue,service,size,offset");
	if (argc == 3 && !strcmp(argv[1], "--bench")) {
		bench(atoi(argv[2]));
	} else {
		equals_the_kernels_counters();
		the_parts_add_up();
		latency_equals_iostats();
		one_thing_is_not_noted("iostats", "0", "1");
		one_thing_is_not_noted("wbt_lat_usec", "0", "-1");
		one_thing_is_not_noted("scheduler", "none", "mq-deadline");
		the_disk_below_is_another();
		flags_say_why_and_predicates_choose();
		kit_doctor();
	}
	ok(!kit_lost(), "nothing is lost");
	bpf_disk_bpf__destroy(reference);
	loop_close();
	return kit_end();
}
