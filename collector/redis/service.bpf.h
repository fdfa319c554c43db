/* service.bpf.h - measures the time in which a thread serves a connection: from a receive to the thread's next receive
 * or send at any connection.
 *
 *      thread:   receive A    receive B         send A   send B
 *                |-- A's ---->|-- B's --------->|
 *                service_begin()  service_end() of A's: services[number] -> service_take() when A is seen next
 *
 * Bound   A service is not added to its turn if its entry is used again before that: its time stays unsplit.
 */
#ifndef HEATSCOPE_REDIS_SERVICE_BPF_H
#define HEATSCOPE_REDIS_SERVICE_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "collector/redis/conn.h"
#include "collector/server/exchange.bpf.h"

__u64 last_service = 0;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SERVICES_MAX);
	__type(key, __u32);
	__type(value, struct service);
} services SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, THREADS_MAX);
	__type(key, __u32);
	__type(value, struct thread_service);
} threads SEC(".maps");

/* Ends the thread's last service now. */
static __always_inline void service_end(struct thread_service *h, struct task_struct *t, const struct stamp *now)
{
	__u64 number = h->number;
	__u32 at = number & (SERVICES_MAX - 1);
	struct service *v = number ? bpf_map_lookup_elem(&services, &at) : 0;

	h->number = 0;
	if (!v || !h->begin.split || !now->split)
		return;
	*(volatile __u64 *)&v->number = 0;
	v->ns = clamp_to(now->ns - h->begin.ns, ~0ull >> 1);
	v->off = clamp_to(now->off - h->begin.off, v->ns);
	v->delay = clamp_to(now->delay - h->begin.delay, v->off);
	if (h->parted) {
		blocked_time_end(t, now, number, &v->blocked, &v->files);
		blocked_time_forget(t, number);
	} else {
		__builtin_memset(&v->blocked, 0, sizeof(v->blocked));
		__builtin_memset(&v->files, 0, sizeof(v->files));
	}
	*(volatile __u64 *)&v->number = number;
}

/* Ends the service of the current thread, which receives or sends.  Returns the thread's entry; NULL: no memory. */
static __noinline struct thread_service *service_switch(struct task_struct *t, const struct stamp *now, int sends)
{
	__u32 thread = t->pid;
	struct thread_service *h = bpf_map_lookup_elem(&threads, &thread);
	__u64 n_sleeps = t->nvcsw;

	if (!h) {
		struct thread_service none = { .n_sleeps = n_sleeps };

		bpf_map_update_elem(&threads, &thread, &none, BPF_ANY);
		return bpf_map_lookup_elem(&threads, &thread);
	}
	service_end(h, t, now);
	h->pass += h->n_sleeps != n_sleeps || (!sends && h->has_sent);
	h->n_sleeps = n_sleeps;
	h->has_sent = sends;
	return h;
}

/* Adds the connection's last service to its turn.  A global function, which the verifier checks once. */
__noinline int service_take(struct server_conn *s)
{
	struct service *v;
	__u32 at, i;

	if (!s || !s->service)
		return 0;
	at = s->service & (SERVICES_MAX - 1);
	v = bpf_map_lookup_elem(&services, &at);
	if (v && *(volatile __u64 *)&v->number == s->service) {
		s->served.ns += v->ns;
		s->served.off += v->off;
		s->served.delay += v->delay;
		for (i = 0; i < REASON_SLOTS; i++)
			s->served.blocked.ns[i] += v->blocked.ns[i];
		s->served.blocked.n_switches += v->blocked.n_switches;
		s->served.blocked.n_io += v->blocked.n_io;
		s->served.files.ns += v->files.ns;
		s->served.files.bytes += v->files.bytes;
		s->served.files.n += v->files.n;
	}
	s->service = 0;
	return 0;
}

/* Begins a service: the thread serves the connection from now on. */
static __noinline int service_begin(struct server_conn *s, struct thread_service *h, struct task_struct *t,
				    const struct stamp *now)
{
	__u64 number = __sync_fetch_and_add(&last_service, 1) + 1;

	h->number = s->service = number;
	h->begin = *now;
	h->parted = wanted & (TURN_PARTS | TURN_FILES);
	if (h->parted)
		blocked_time_begin(t, now, number);
	return 0;
}

/* Begins the services of a turn. */
static __always_inline void served_begin(struct server_conn *s, const struct thread_service *h, const struct stamp *now)
{
	s->turn.start = *now;
	turn_start(&s->turn);
	__builtin_memset(&s->served, 0, sizeof(s->served));
	s->served.thread = now->thread;
	s->served.pass = h ? h->pass : 0;
}

/* Has the turn's thread begun another pass since the turn's begin? */
static __always_inline int served_waited(const struct server_conn *s)
{
	__u32 thread = s->served.thread;
	struct thread_service *h = bpf_map_lookup_elem(&threads, &thread);

	return !h || h->pass != s->served.pass;
}

#endif
