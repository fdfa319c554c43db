#include "collector/probe/kernel.h"
#include "collector/core/refuse.h"
#include "collector/probe/kernel_budget.h"
#include "collector/probe/kernel_doctor.h"
#include "collector/probe/kernel_plan.h"
#include "collector/core/log.h"
#include "collector/probe/need.h"
#include "collector/probe/worker_thread.h"
#include "collector/ring/reader.h"
#include "collector/trace/wall.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/membarrier.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CLOCK_STEP_NS 1000000

/* ---- clocks and barriers ---- */

static void clock_refresh(struct kernel *k, __s64 now_ns)
{
	__s64 offset = wall_offset(), step = offset - k->wall_offset;
	struct instrument *it;
	size_t i;

	k->wall_offset = offset;
	for (i = 0; i < k->n_traced; i++)
		if (k->traced[i].runs)
			*k->traced[i].programs.wall_offset = offset;
	if (step < CLOCK_STEP_NS && step > -CLOCK_STEP_NS)
		return;
	log_warning("the wall clock stepped by %+.3f ms", step / 1e6);
	for (it = k->instrument; it; it = it->next)
		reader_clock_stepped(it->reader, now_ns, step);
}

/* Waits until every program that is running now has finished. */
static void grace_period(void)
{
	syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
}

static int libbpf_says(enum libbpf_print_level level, const char *format, va_list args)
{
	char *said, *rest, *line;

	if (vasprintf(&said, format, args) < 0)
		return 0;
	for (rest = said; (line = strsep(&rest, "\n")); )
		if (*line)
			log_debug("%s", line);	/* for refused programs: the verifier's whole output */
	free(said);
	return 0;
}

/* ---- names of pods ---- */

static void names_put(const struct kernel *k, const struct traced *on)
{
	int fd = bpf_object__find_map_fd_by_name(*on->programs.skeleton->obj, "pod_names");

	if (fd >= 0)
		pod_names_put(&k->pod_names, fd);
}

/* Gives new names to the programs that run. */
static void names_refresh(struct kernel *k)
{
	size_t i;

	if (pod_names_refresh(&k->pod_names) <= 0)
		return;
	for (i = 0; i < k->n_traced; i++)
		if (k->traced[i].runs)
			names_put(k, &k->traced[i]);
}

/* ---- a tracer runs while an instrumentation on it is enabled ---- */

/* Loads programs, which may take many seconds, and drains the active instrumentations meanwhile.  drain() does not use what is
 * loaded: the tracer does not run yet, or the instrumentation is not in the list.  Only loading is done so: what attaches
 * later stops the draining for a moment. */
static int load(struct kernel *k, int (*work)(void *arg), void *arg)
{
	__u64 cpu_ns;
	int err;

	k->is_loading = 1;
	err = worker_thread_run(work, arg, k->instrument ? k->conf.meanwhile : NULL, k->conf.meanwhile_arg, &cpu_ns);
	k->is_loading = 0;
	k->own_s += (double)cpu_ns / 1e9;
	return err;
}

struct tracer_load {
	struct traced *on;
	char *reason;
};

static int tracer_load(void *arg)
{
	struct tracer_load *l = arg;

	return l->on->tracer->start(&l->on->self, &l->on->programs, l->reason);
}

static int traced_start(struct kernel *k, struct traced *on, char *reason)
{
	struct tracer_load l = { on, reason };
	int err;

	on->programs.instead = on->instead;
	on->programs.text_full = k->conf.text_full;
	err = load(k, tracer_load, &l);
	if (err)
		return err;
	names_refresh(k);
	on->runs = 1;
	on->n_reported = 0;
	on->shed_fields = 0;
	*on->programs.wall_offset = k->wall_offset = wall_offset();
	shed_start(&on->shed, &on->programs, clock_ns(CLOCK_MONOTONIC) + k->wall_offset);
	names_put(k, on);
	return 0;
}

static void traced_stop(struct traced *on)
{
	on->tracer->stop(on->self);
	on->runs = 0;
	on->self = NULL;
}

static void fields_shed(struct kernel *k, const struct traced *on, __u64 fields)
{
	struct instrument *it;

	for (it = k->instrument; it; it = it->next)
		if (it->on == on)
			*(volatile __u64 *)&it->record.state->shed = fields;
}

/* Marks a field as left out before the programs leave it out, and removes the mark after they gather it again: so a
 * record program never takes an older event's code. */
__u32 traced_refresh(struct kernel *k, struct traced *on)
{
	__u64 wanted = 0, shed = on->shed.plan.bare ? kernel_costly(k, on) : 0;
	struct instrument *it;
	__u32 bits = 0;

	for (it = k->instrument; it; it = it->next) {
		if (it->on != on)
			continue;
		bits |= 1u << it->record.index;
		wanted |= it->wanted;
	}
	fields_shed(k, on, on->shed_fields | shed);
	if (on->tracer->want)
		on->tracer->want(on->self, *on->programs.wanted | (wanted & ~shed));
	*on->programs.wanted = wanted & ~shed;
	if (on->tracer->want)
		on->tracer->want(on->self, wanted & ~shed);
	if (on->shed_fields & ~shed)
		grace_period();
	fields_shed(k, on, shed);
	on->shed_fields = shed;
	__atomic_store_n(on->programs.active, bits, __ATOMIC_SEQ_CST);
	return bits;
}

/* ---- enabling ---- */

static int traced_codes(void *arg, unsigned field, const char *text, __u64 *ret_code, size_t max)
{
	const struct traced *on = arg;

	return codes_find(on->tracer->codes[field], on->self, field, text, ret_code, max);
}

static struct filter_names filter_names(const struct kernel *k, const struct traced *on)
{
	const struct tracer *t = on->tracer;

	return (struct filter_names){ t->metric, k->conf.source, traced_codes, (void *)on, t->moving, k->conf.labels };
}

/* Turns texts into codes, so the tracer's programs must run already. */
static int filter_make(const struct kernel *k, const struct traced *on, const struct instrumentation *in,
		       struct filter *ret_filter, char *reason)
{
	const struct filter_names names = filter_names(k, on);

	return filter_compile(&in->predicate, &names, ret_filter, reason);
}

/* Updates the codes that come and go, for the filters that use lists.  A change may have been true for a while, so it
 * is a loss since then. */
static void filters_refresh(struct kernel *k, struct traced *on, __s64 now_ns)
{
	const struct filter_names names = filter_names(k, on);
	__s64 since_ns = on->runs && on->tracer->moved ? on->tracer->moved(on->self) : now_ns;
	struct instrument *it;

	for (it = on->runs ? k->instrument : NULL; it; it = it->next)
		if (it->on == on && it->filter.n_lists &&
		    filter_refresh(&it->filter, &it->predicate, &names, &it->record.state->lists))
			reader_lose(it->reader, 1, since_ns, now_ns);
}

static void traced_label(void *arg, unsigned field, __u64 code, char *out)
{
	const struct traced *on = arg;

	codes_label(on->tracer->codes[field], on->self, field, code, out);
}

struct record_loading {
	const struct ring_plan *plan;
	const struct record_target *target;
	__u32 index;
	struct record *record;
	char *reason;
};

static int record_work(void *arg)
{
	struct record_loading *l = arg;

	return record_load(l->plan, l->target, l->index, l->record, l->reason);
}

static int instrument_open(struct kernel *k, struct instrument *it, struct traced *on, const struct ring_plan *plan,
			   const struct instrumentation *in, __s64 now_ns, __u32 index, char *reason)
{
	struct record_target target = { on->programs.events_fd, on->programs.chain_fd, on->programs.verbatims_fd,
					(on->instead ? on->tracer->instead : on->tracer->tracepoints)[0] };
	struct reader_labels labels = { traced_label, on, on->tracer->metric };
	struct filter_names names;
	struct reader_ring ring = { .plan = *plan, .keys = &record_keys, .keys_arg = &it->record };
	struct record_loading l = { plan, &target, index, &it->record, reason };
	int err = load(k, record_work, &l);

	if (err)
		return err;
	ring.state = it->record.state;
	ring.entry = it->record.entry;
	ring.cells = it->record.cells;
	ring.cells_stride = it->record.cells_stride;
	ring.totals = it->record.totals;
	ring.boxes = it->record.boxes;
	ring.exemplars = it->record.exemplars;
	ring.texts = it->record.texts;
	ring.weighed = it->record.weighed;
	reader_ring_init(&ring);
	err = reader_new(&ring, k->conf.source, k->conf.incarnation, in->id, &labels, &it->reader);
	if (err) {
		snprintf(reason, REASON_MAX, "no memory");
		record_unchain(&it->record);
		record_unload(&it->record);
		return err;
	}
	it->on = on;
	it->inst = in->id;
	it->predicate = in->predicate;
	it->filter = plan->filter;
	names = filter_names(k, on);
	filter_refresh(&it->filter, &it->predicate, &names, &it->record.state->lists);
	it->wanted = kernel_wanted(plan);
	it->kept = it->wanted & ~filter_wanted(&plan->filter);
	it->memory = record_memory(plan);
	it->slot_ns = plan->slot_ns;
	if (on->shed.detached)
		reader_unobserved(it->reader, now_ns / plan->slot_ns);
	return 0;
}

/* Begins to count with the next slot.  Loading the programs took a while, and so may attaching what its fields need: a slot
 * that had begun before would be incomplete. */
static void instrument_begin(struct kernel *k, struct instrument *it, __s64 now_ns)
{
	__s64 wall_ns = clock_ns(CLOCK_MONOTONIC) + k->wall_offset;

	it->first_slot = (now_ns > wall_ns ? now_ns : wall_ns) / it->slot_ns + 1;
	reader_begin(it->reader, it->first_slot);
}

static void instrument_close(struct kernel *k, struct instrument *it)
{
	struct traced *on = (struct traced *)it->on;
	struct instrument **at = &k->instrument;
	__u32 bits;

	while (*at != it)
		at = &(*at)->next;
	*at = it->next;
	bits = traced_refresh(k, on);
	grace_period();
	record_unchain(&it->record);
	grace_period();
	reader_free(it->reader);
	record_unload(&it->record);
	free(it);
	if (!bits)
		traced_stop(on);
}

static struct traced *traced_find(struct kernel *k, const struct instrumentation *in)
{
	struct traced *on = k->traced;

	while (strcmp(on->tracer->metric->module, in->module) || strcmp(on->tracer->metric->stat, in->stat))
		on++;			/* the caller passes only metrics that we offer */
	return on;
}

/* Returns a free place in its chain; -1: all are taken. */
static int traced_place(const struct kernel *k, const struct traced *on)
{
	const struct instrument *it;
	__u32 bits = 0;

	for (it = k->instrument; it; it = it->next)
		if (it->on == on)
			bits |= 1u << it->record.index;
	return ~bits ? __builtin_ctz(~bits) : -1;
}

/* Are the numbers of the possible CPUs 0 to n - 1?  Other machines have "0-3,8-11". */
static int cpus_are_dense(void)
{
	FILE *f = fopen("/sys/devices/system/cpu/possible", "re");
	char text[64] = ",";
	int dense = f && fgets(text, sizeof(text), f) && text[0] == '0' && !strchr(text, ',');

	if (f)
		fclose(f);
	return dense;
}

/* Does each of its shards have one CPU, and does only one program at a time run there? */
static int is_alone(const struct tracer *t, const struct ring_plan *plan)
{
	return t->alone && plan->n_shards == (__u32)libbpf_num_possible_cpus() && cpus_are_dense();
}

/* Makes the plan, which depends on the instrumentation alone, and refuses it if the memory of all is used up. */
static int plan_make(const struct kernel *k, const struct traced *on, const struct instrumentation *in, struct ring_plan *ret_plan,
		     char *reason)
{
	int err = kernel_plan(on->tracer->metric, in, k->conf.memory_limit, k->conf.text_full && on->tracer->has_texts, ret_plan, reason);
	__u64 total = k->conf.memory_total, used = 0, needed;
	unsigned n = 0;

	if (err)
		return err;
	for (const struct instrument *it = k->instrument; it; it = it->next, n++)
		used += it->memory;
	needed = record_memory(ret_plan);
	if (!total || (used <= total && needed <= total - used))
		return 0;
	return refuse_as(-ENOMEM, reason, "it would take %.1f MB of kernel memory, and the %u others take %.1f MB: the limit for all is "
			 "%.1f MB (--memory-total): suspend or delete another one", needed / 1e6, n, used / 1e6, total / 1e6);
}

static int kernel_enable(void *self, const struct instrumentation *in, __s64 now_ns, char *reason)
{
	struct kernel *k = self;
	struct traced *on = traced_find(k, in);
	struct instrument *it;
	struct ring_plan plan;
	int index = traced_place(k, on), err;

	if (on->refusal[0])
		return refuse_as(-EPERM, reason, "%s", on->refusal);
	if (index < 0)
		return refuse_as(-ENOSPC, reason, "%d instrumentations of %s.%s are enabled, which is the limit",
			 TAIL_CALL_MAX, in->module, in->stat);
	if (in->n_exemplars && !cpus_are_dense())
		return refuse_as(-ENOTSUP, reason, "exemplars need CPUs that are numbered without gaps");
	err = plan_make(k, on, in, &plan, reason);
	it = err ? NULL : calloc(1, sizeof(*it));
	if (!err)
		plan.alone = is_alone(on->tracer, &plan);
	if (!err && !it) {
		snprintf(reason, REASON_MAX, "no memory");
		err = -ENOMEM;
	}
	if (!err && !on->runs)
		err = traced_start(k, on, reason);
	if (!err)
		err = filter_make(k, on, in, &plan.filter, reason);
	if (!err)
		err = instrument_open(k, it, on, &plan, in, now_ns, index, reason);
	if (err) {
		free(it);
		if (on->runs && !*on->programs.active)
			traced_stop(on);
		return err;
	}
	it->next = k->instrument;
	k->instrument = it;
	log_info("instrumentation %llu: %.1f MB of kernel memory (%u slots, %u shards, %u keys, %u measures of %u cells, "
		 "%u weights of %u)",
		 (unsigned long long)in->id, it->memory / 1e6, plan.n_slots, plan.n_shards, plan.n_classes - 1,
		 plan.n_measures, plan.n_cells, plan.n_weights, plan.n_weight_cells);
	traced_refresh(k, on);
	instrument_begin(k, it, now_ns);
	return 0;
}

static __s64 kernel_counts_from(void *self, __u64 inst)
{
	const struct kernel *k = self;
	const struct instrument *it = k->instrument;

	while (it && it->inst != inst)
		it = it->next;
	return it ? (__s64)(it->first_slot * it->slot_ns) : 0;
}

static void kernel_disable(void *self, __u64 inst)
{
	struct kernel *k = self;
	struct instrument *it = k->instrument;

	while (it && it->inst != inst)
		it = it->next;
	if (it)
		instrument_close(k, it);
}

/* ---- draining ---- */

struct filing {
	struct kernel *k;
	const struct traced *on;
};

static void file(void *arg, const struct event *e)
{
	const struct filing *f = arg;
	struct instrument *it;

	for (it = f->k->instrument; it; it = it->next)
		if (it->on == f->on)
			reader_file(it->reader, e);
}

static void tracer_refresh(struct kernel *k, struct traced *on, __s64 now_ns)
{
	struct filing f = { k, on };
	struct tracer_filing filing = { file, &f };

	if (on->runs && on->tracer->refresh)
		on->tracer->refresh(on->self, now_ns, &filing);
}

static void run(void *arg, const struct event *e, __u64 begin_ns, __u64 until_ns)
{
	const struct filing *f = arg;
	struct instrument *it;

	for (it = f->k->instrument; it; it = it->next)
		if (it->on == f->on)
			reader_run(it->reader, e, begin_ns, until_ns);
}

/* Returns the earlier time; 0 stands for none. */
static __u64 first_of(__u64 a_ns, __u64 b_ns)
{
	return !a_ns || (b_ns && b_ns < a_ns) ? b_ns : a_ns;
}

/* Reports the events in flight at the ends of slots, after those slots are over. */
static void running_report(struct kernel *k, struct traced *on, __s64 now_ns)
{
	struct filing f = { k, on };
	struct tracer_running running = { run, &f, k->wall_offset, now_ns, 0 };
	__u64 since_ns = 0, next_ns = 0;
	struct instrument *it;
	int err;

	for (it = k->instrument; it; it = it->next) {
		if (it->on != on)
			continue;
		since_ns = first_of(since_ns, reader_unreported_end(it->reader, now_ns));
		next_ns = first_of(next_ns, reader_slot_end(it->reader, now_ns));
	}
	running.next_ns = (__s64)next_ns;
	if (!since_ns || !on->runs || !on->tracer->running)
		return;
	err = on->tracer->running(on->self, since_ns, &running);
	for (it = k->instrument; it; it = it->next) {
		if (it->on != on || !reader_unreported_end(it->reader, now_ns))
			continue;
		if (err)
			reader_lose(it->reader, 1, since_ns, now_ns);
		reader_mark_reported(it->reader, now_ns);
	}
}

/* Reports the events that the event programs lost: a loss of every instrumentation, at some time since the last
 * drain. */
static void losses_report(struct kernel *k, struct traced *on, __s64 now_ns)
{
	__u64 n = on->runs && on->tracer->lost ? on->tracer->lost(on->self) : on->n_reported;
	__s64 since_ns = k->drained_ns && k->drained_ns < now_ns ? k->drained_ns : now_ns;
	struct instrument *it;

	for (it = k->instrument; n > on->n_reported && it; it = it->next)
		if (it->on == on)
			reader_lose(it->reader, n - on->n_reported, since_ns, now_ns);
	on->n_reported = n;
}

/* One grace period serves the rows of all instrumentations. */
static int rows_take(struct kernel *k, __s64 now_ns, const struct batch_sink *sink)
{
	struct instrument *it;
	int n_out, err = 0;

	do {
		n_out = 0;
		for (it = k->instrument; it; it = it->next)
			n_out += reader_swap(it->reader, now_ns);
		if (n_out)
			grace_period();
		for (it = n_out ? k->instrument : NULL; it; it = it->next)
			err = reader_take(it->reader, sink) ?: err;
	} while (n_out);
	return err;
}

static int kernel_drain(void *self, __s64 now_ns, const struct batch_sink *sink)
{
	struct kernel *k = self;
	struct instrument *it;
	int err;
	size_t i;

	if (!k->instrument)
		return 0;
	clock_refresh(k, now_ns);
	names_refresh(k);
	for (i = 0; i < k->n_traced; i++) {
		tracer_refresh(k, &k->traced[i], now_ns);
		running_report(k, &k->traced[i], now_ns);
		filters_refresh(k, &k->traced[i], now_ns);
		losses_report(k, &k->traced[i], now_ns);
	}
	k->drained_ns = now_ns;
	err = rows_take(k, now_ns, sink);
	for (it = k->instrument; it; it = it->next)
		err = reader_finish(it->reader, now_ns, sink) ?: err;
	if (!k->is_loading)
		kernel_budget_keep(k, now_ns);
	return err;
}

/* ---- open and close ---- */

/* The kernel has a type for each tracepoint with typed arguments. */
static const char *missing_tracepoint(const char *const *name, const struct btf *btf)
{
	char type[96];

	for (; *name; name++) {
		snprintf(type, sizeof(type), "btf_trace_%s", *name);
		if (need_pretends(*name) || btf__find_by_name_kind(btf, type, BTF_KIND_TYPEDEF) < 0)
			return *name;
	}
	return NULL;
}

static int missing_function(const char *name, const struct btf *btf)
{
	return name && (need_pretends(name) || btf__find_by_name_kind(btf, name, BTF_KIND_FUNC) < 0);
}

static void need_tracepoints(struct traced *on, const struct btf *btf)
{
	const struct tracer *t = on->tracer;
	const char *missing = missing_tracepoint(t->tracepoints, btf);

	if (!missing && missing_function(t->function, btf))
		missing = t->function;
	on->instead = missing && t->instead && !missing_tracepoint(t->instead, btf);
	if (missing && !on->instead)
		snprintf(on->refusal, REASON_MAX, "this kernel has no tracepoint %s, which %s.%s needs", missing,
			 t->metric->module, t->metric->stat);
}

static int kernel_open(const struct probe_conf *conf, void **ret_self, char *reason)
{
	struct kernel *k = calloc(1, sizeof(*k));
	struct btf *btf;
	size_t i;

	if (!k)
		return no_memory(reason);
	k->conf = *conf;
	k->pod_names.logs = conf->pod_logs;
	libbpf_set_print(libbpf_says);
	btf = need_btf() ? btf__load_vmlinux_btf() : NULL;
	for (i = 0; i < TRACERS_MAX && conf->tracers[i]; i++) {
		k->traced[i].tracer = conf->tracers[i];
		k->metric[i] = *conf->tracers[i]->metric;
		need_check(NEED_TRACING | conf->tracers[i]->caps, k->traced[i].refusal);
		if (btf && !k->traced[i].refusal[0])
			need_tracepoints(&k->traced[i], btf);
	}
	k->n_traced = i;
	btf__free(btf);
	*ret_self = k;
	return 0;
}

static void kernel_close(void *self)
{
	struct kernel *k = self;

	while (k->instrument)
		instrument_close(k, k->instrument);
	pod_names_fini(&k->pod_names);
	free(k);
}

static const struct metric *kernel_metrics(void *self, size_t *ret_n)
{
	struct kernel *k = self;

	*ret_n = k->n_traced;
	return k->metric;
}

static const char *kernel_refusal(void *self, const struct metric *metric)
{
	struct kernel *k = self;
	const struct traced *on = &k->traced[metric - k->metric];

	return on->refusal[0] ? on->refusal : NULL;
}

static const char *kernel_lacking(void *self, __u64 inst)
{
	struct kernel *k = self;
	const struct instrument *it = k->instrument;
	const char *shed, *lacks;

	while (it && it->inst != inst)
		it = it->next;
	if (!it)
		return "";
	shed = kernel_shedding(it);
	lacks = it->on->tracer->lacking ? it->on->tracer->lacking(it->on->self, it->wanted) : "";
	if (!*shed || !*lacks)
		return *shed ? shed : lacks;
	snprintf(k->lacking, sizeof(k->lacking), "%s; %s", shed, lacks);
	return k->lacking;
}

const struct probe kernel_probe = {
	.name = "kernel",
	.filters = 1,
	.open = kernel_open,
	.close = kernel_close,
	.metrics = kernel_metrics,
	.refusal = kernel_refusal,
	.enable = kernel_enable,
	.disable = kernel_disable,
	.counts_from = kernel_counts_from,
	.drain = kernel_drain,
	.lacking = kernel_lacking,
	.wake_at = kernel_wake_at,
	.wake = kernel_wake,
	.try = kernel_try,
	.doctor = kernel_doctor,
};
