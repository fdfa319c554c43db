/* server_tracer.h - runs the host's side of server.bpf.h, which the tracers of all protocols share.
 *
 *      x_bpf__open() -> server_start(): choose, load, attach, list servers -> refresh, running ... -> server_stop()
 *
 * A protocol's table (x.c) has these functions, and a start and labels of its own.
 * Errors  0 or -errno; `reason` as in tracer.h.
 * Thread  one thread.
 */
#ifndef HEATSCOPE_SERVER_TRACER_H
#define HEATSCOPE_SERVER_TRACER_H

#include "collector/server/digest_text.h"
#include "collector/server/servers.h"
#include "collector/probe/tracer.h"
#include "collector/server/exchange.h"
#include "collector/server/layouts.h"

#include <bpf/libbpf.h>

/* A protocol's part of the host's side; constant, in its x.c. */
struct server_protocol {
	const char *metric;		/* its name, for people */
	const char *const *names;	/* of its servers' processes; NULL at the end */
	const struct layout_kind *layout;	/* of its servers' memory; NULL: it does not read there */
	digest_reader *read;		/* its dialect */
};

/* The variables that the programs share with us, in the opened skeleton of programs that include server.bpf.h. */
struct server_programs {
	void *bpf;			/* the skeleton, and its description */
	struct bpf_object_skeleton *skeleton;
	char *call_reason;
	struct fs_call *calls;
	__u32 *by_switch;
	__u32 *by_call;
	__u64 *flush_before, *running_since, *running_scan, *running_end, *files_since;
	__u32 *arrivals;
	struct turn_counts *counts;
	__u32 *text_full;
	struct tracer_programs tracer;	/* its descriptors are valid once the programs are loaded */
	struct bpf_map *layouts;	/* by process, where the protocol has a layout */
};

#define SERVER_PROGRAMS(x)                                                                                      \
	((struct server_programs){                                                                              \
		.bpf = (x), .skeleton = (x)->skeleton, .call_reason = (char *)(x)->rodata->call_reason,         \
		.calls = (struct fs_call *)(x)->rodata->calls, .files_since = &(x)->bss->files_since,           \
		.arrivals = &(x)->bss->arrivals,                                                                \
		.by_switch = (__u32 *)&(x)->rodata->by_switch, .flush_before = &(x)->bss->flush_before,         \
		.by_call = (__u32 *)&(x)->rodata->by_call, .running_since = &(x)->bss->running_since,            \
		.running_scan = &(x)->data->running_scan, .running_end = &(x)->bss->running_end,                 \
		.counts = (struct turn_counts *)&(x)->bss->counts, .text_full = (__u32 *)&(x)->rodata->text_full, \
		.tracer = TRACER_PROGRAMS(x) })

struct wanted_link {			/* a link that is attached only while it is wanted */
	struct bpf_link *link;
	int err;			/* of the last try; 0: it succeeded, or there was none */
};

struct server_tracer {
	const struct server_protocol *protocol;
	struct server_programs programs;
	struct bpf_object *object;
	struct layouts layouts;
	int texts_fd, paths_fd, digest_samples_fd, names_fd, addresses_fd;
	struct bpf_link *flush;
	struct bpf_link *running;
	struct ring_buffer *ended_late;	/* turns that also ran at a slot's end, for which the iterator comes too late */
	struct ring_buffer *filed;	/* events that come to us by filed.bpf.h */
	const struct tracer_filing *filing;	/* set while it is read */
	const struct tracer_running *scan;	/* set while ended_late is read */
	__u64 unreported;
	struct wanted_link left;	/* attached while an instrumentation asks why threads were blocked */
	struct wanted_link file_ends, file_begins;	/* the same for their file operations: both links or none */
	struct wanted_link data_ready;	/* the same for the times at which bytes arrive */
	__u32 n_arrivals;		/* its attachments so far */
	char lacking[REASON_MAX];	/* as server_lacking() returned it last */
	int by_call;			/* this kernel lacks the socket tracepoints: system calls replace them */
	int by_file;			/* it has no iterator over a map: the servers' files show the connections */
	struct census *census;
	struct servers servers;
	__s64 refreshed_ns, flushed_ns;	/* the last refresh of the servers, the last flush of old events */

	/* A connection to an unlisted server asks for an early refresh.  If that finds nothing (we may not read
	 * that process), it is not repeated early. */
	__u64 unlisted;
	int in_vain;
	__s64 listed_ns, since_ns;	/* times up to which all servers were known: now, and before the last refresh */
};

/* Starts as tracer.start does, with the protocol's opened programs; they belong to us, also after an error. */
int server_start(const struct server_protocol *protocol, const struct server_programs *programs, void **ret_self,
		 struct tracer_programs *ret_programs, char *reason);

/* For programs that could not be opened: returns -errno, and writes the reason for people. */
int server_refused(const struct server_protocol *protocol, char *reason);

/* Finds the servers that listen now, from the kernel; where we may not ask it, as far as /proc shows them to us. */
int server_listeners(const char *const *names, struct listeners *ret);

/* As in struct tracer. */
void server_stop(void *self);
void server_want(void *self, __u64 wanted);
__s64 server_moved(void *self);
void server_refresh(void *self, __s64 now_ns, const struct tracer_filing *filing);
__u64 server_lost(void *self);
int server_running(void *self, __u64 since_ns, const struct tracer_running *running);
const char *server_lacking(void *self, __u64 wanted);
void server_doctor(struct server_tracer *s, const struct server_protocol *protocol, FILE *out);

/* Rows for a tracer whose self is a struct server_tracer: the fields that every protocol has. */
extern const struct field_codes server_digest, server_name, server_client, server_instance, server_execname,
	server_cgroup;

/* Tracepoints, and the calls that replace them. */
extern const char *const server_tracepoints[], *const server_calls[];

#endif
