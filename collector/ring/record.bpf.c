/* record.bpf.c - counts events: only this program adds to histograms.
 *
 * Each instrumentation has its own copy.  The collector loads the copy with the instrumentation's plan as constants, so
 * the verifier removes what the plan does not use.  Then it puts the copy into the event programs' `chain`.  ring.h
 * explains how cells are found, claimed and read without loss.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "collector/ring/chain.bpf.h"
#include "collector/ring/record.h"
#include "collector/ring/statement_text.h"

char LICENSE[] SEC("license") = "GPL";

const volatile struct ring_plan plan = { 0 };
const volatile __u32 tail_call_index = 0;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, sizeof(struct ring_state));	/* ring_state_len() */
} state SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);		/* ring_at() of the last */
	__uint(key_size, 4);
	__uint(value_size, 8);		/* n_cells * 4 */
} cells SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, sizeof(struct ring_total));
} totals SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);		/* ring_place() of the last */
	__uint(key_size, 4);
	__uint(value_size, 8);		/* n_weight_cells * n_weights * 8 */
} weighed SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);		/* n_classes - 1 */
	__uint(key_size, sizeof(struct key));	/* its first n_fields codes: hashing is expensive */
	__uint(value_size, 8);
} classes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, RING_REMEMBERED);
	__type(key, __u32);
	__type(value, struct ring_remembered);
} remembered SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_STACK);
	__uint(max_entries, 1);
	__uint(key_size, 0);
	__uint(value_size, 4);
} free_classes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, RING_LATE_MAX);
	__uint(key_size, 0);
	__uint(value_size, sizeof(struct ring_late));
} late SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);		/* ring_box() of the last */
	__uint(key_size, 4);
	__uint(value_size, sizeof(struct exemplar_box));
} boxes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);		/* ring_exemplar() of the last box */
	__uint(key_size, 4);
	__uint(value_size, sizeof(struct exemplar));
} exemplars SEC(".maps");

struct {				/* the event program's map, where it has one */
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);
	__type(key, __u64);
	__type(value, struct statement_text);
} verbatims SEC(".maps");

struct {				/* text of each exemplar, at the same index */
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, sizeof(struct statement_text));
} exemplar_texts SEC(".maps");

static __always_inline __u32 class_of(__u64 tag, const __u64 *word)
{
	if (!word || (*word & 0xffffffff00000000ull) != tag)
		return 0;
	return (__u32)*word;
}

/* Gives a free class to a new key.  If there is none, the key is in class 0, `other`. */
static __noinline __u32 class_assign(const struct key *key, __u64 tag)
{
	__u32 class_ = class_of(tag, bpf_map_lookup_elem(&classes, key));
	__u64 word;

	if (class_)
		return class_;
	if (bpf_map_pop_elem(&free_classes, &class_))
		return 0;
	word = tag | class_;
	if (!bpf_map_update_elem(&classes, key, &word, BPF_NOEXIST))
		return class_;
	bpf_map_push_elem(&free_classes, &class_, BPF_ANY);	/* another CPU was first, or no memory */
	return class_of(tag, bpf_map_lookup_elem(&classes, key));
}

/* Returns the class of a key. */
static __always_inline __u32 class_find(const struct ring_state *st, const struct key *key)
{
	__u64 tag = ring_class_word(&plan, key, 0);
	__u32 at = ring_remembered_at(tag), forgotten = *(const volatile __u32 *)&st->forgotten, class_;
	struct ring_remembered *r = bpf_map_lookup_elem(&remembered, &at);
	struct events_cpu *cpu = nesting_cpu();

	if (!r || !cpu)
		return 0;
	class_ = ring_recall(&plan, r, key, tag, forgotten);
	if (class_)
		return class_;
	class_ = class_assign(key, tag);
	if (class_ && cpu->depth == 1)
		ring_remember(r, key, tag | class_, forgotten);
	return class_;
}

static __always_inline void key_fill(struct key *key, const struct event *event, __u64 shed)
{
	__u32 i;

	__builtin_memset(key, 0, sizeof(*key));
	for (i = 0; i < KEY_CODES; i++)
		if (i < plan.n_fields)
			key->code[i] = ring_code(&plan, shed, event, i);
}

/* Adds one measure.  Global, so that the verifier checks it once and not per measure and event. */
__noinline int record_measure(__u32 at, __u64 ruler, __u64 value, __u32 weight)
{
	struct ring_total *total = bpf_map_lookup_elem(&totals, &at);
	__u32 *cell = bpf_map_lookup_elem(&cells, &at);
	__u32 index = ruler_cell(ruler, value);

	if (!total || !cell || index >= plan.n_cells)
		return -1;
	if (plan.alone) {
		ring_total_add_alone(total, value, weight);
		cell[index] += weight;
		return 0;
	}
	ring_total_add(total, value, weight);
	__sync_fetch_and_add(&cell[index], weight);
	return 0;
}

/* Adds the event's weights to the bucket of its first measure. */
__noinline int record_weights(__u32 at, struct event *event, __u32 weight)
{
	__u64 *cell = bpf_map_lookup_elem(&weighed, &at);
	__u32 index, w;

	if (!cell || !event)
		return -1;
	index = ring_weight_cell(&plan, event->measure[plan.measure[0] & (EVENT_MEASURES - 1)]);
	for (w = 0; w < RING_MEASURES && w < plan.n_weights; w++) {
		__u64 value = event->measure[plan.weight[w] & (EVENT_MEASURES - 1)];

		if (value && index + w < plan.n_weight_cells * plan.n_weights)
			ring_weigh(&cell[index + w], value * weight, plan.alone);
	}
	return 0;
}

static __always_inline void record_late(struct ring_state *st, const struct event *event, __u32 weight, __u64 slot)
{
	struct ring_late rest;
	__u32 i;

	rest.slot = slot;
	rest.weight = weight;
	rest.running = 0;
	key_fill(&rest.key, event, st->shed);
	for (i = 0; i < EVENT_MEASURES; i++)
		rest.measure[i] = event->measure[i];
	if (bpf_map_push_elem(&late, &rest, 0))
		ring_loss_add(st, slot, event->measure[plan.measure[0] & (EVENT_MEASURES - 1)], weight);
}

/* Keeps the event's text.  An entry whose name differs belongs to another event.  It may be reused while we copy it, so
 * the name is checked before and after. */
static __always_inline void text_keep(__u32 at, const struct event *event)
{
	__u64 name = event->verbatim, key = STATEMENT_TEXT_KEY(name);
	struct statement_text *to = bpf_map_lookup_elem(&exemplar_texts, &at);
	const struct statement_text *from = name ? bpf_map_lookup_elem(&verbatims, &key) : 0;

	if (!to)
		return;
	to->name = 0;
	if (!from || from->name != name)
		return;
	bpf_probe_read_kernel(to, sizeof(*to), from);
	if (*(const volatile __u64 *)&from->name != name)
		to->name = 0;
}

static __always_inline void exemplar_keep(__u32 at, const struct event *event, __u32 weight, __u64 shed)
{
	struct exemplar *e = bpf_map_lookup_elem(&exemplars, &at);

	if (!e)
		return;
	e->weight = weight;
	e->shed = shed;
	e->event = *event;
	if (plan.verbatim)
		text_keep(at, event);
}

/* Keeps the event if it is one of the worst of its row and CPU, or drawn. */
__noinline int record_exemplar(struct event *event, __u32 weight, __u32 row, __u64 shed)
{
	__u32 cpu = bpf_get_smp_processor_id(), at = ring_box(&plan, row, cpu), first = ring_exemplar(&plan, at), decade;
	struct exemplar_box *box = bpf_map_lookup_elem(&boxes, &at);
	__u64 value;
	int place;

	if (!event || !box || cpu >= plan.n_cpus)
		return -1;
	value = event->measure[plan.measure[0] & (EVENT_MEASURES - 1)];
	place = exemplar_place(box, plan.n_exemplars, value);
	if (place >= 0) {
		exemplar_settle(box, place, value);
		exemplar_keep(first + place, event, weight, shed);
	}
	decade = exemplar_decade(value);
	if (exemplar_draw(box, decade, exemplar_tag(bpf_get_prandom_u32(), weight)))
		exemplar_keep(first + plan.n_exemplars + decade, event, weight, shed);
	return 0;
}

__noinline int record_event(struct event *event, __u32 weight)
{
	__u32 zero = 0, index, class_ = 1, m;
	struct ring_state *st;
	struct key key;
	__u64 slot, *entry;
	int row;

	st = plan.filter.n_lists ? bpf_map_lookup_elem(&state, &zero) : 0;
	if (!event || !filter_accepts(&plan.filter, event, st ? &st->lists : 0))
		return 0;
	st = bpf_map_lookup_elem(&state, &zero);
	if (!st || !plan.slot_ns || !plan.n_slots || !plan.n_shards)
		return -1;
	slot = ring_slot(&plan, &st->recent, event->end_ns, &index);
	if (slot < st->first_slot)
		return 0;
	barrier_var(index);		/* or clang 19 checks one copy and uses another, which the verifier does not bound */
	if (index >= plan.n_slots)
		return -1;
	entry = ring_entries(st) + index;
	row = ring_row(entry, &st->newest, slot);
	if (row == RING_OVERRUN) {
		ring_loss_add(st, slot, event->measure[plan.measure[0] & (EVENT_MEASURES - 1)], weight);
		return 0;
	}
	if (row == RING_LATE) {
		record_late(st, event, weight, slot);
		return 0;
	}
	if (plan.n_exemplars)
		record_exemplar(event, weight, row, st->shed);
	if (plan.n_fields) {
		key_fill(&key, event, st->shed);
		class_ = class_find(st, &key);
	}
	index = bpf_get_smp_processor_id();
	if (index >= plan.n_shards)
		index %= plan.n_shards;
	for (m = 0; m < RING_MEASURES && m < plan.n_measures; m++) {
		__u64 value = event->measure[plan.measure[m] & (EVENT_MEASURES - 1)];

		if (ring_writes(&plan, m, value))
			record_measure(ring_at(&plan, row, index, m, class_), plan.ruler[m], value, weight);
	}
	if (plan.n_weights)
		record_weights(ring_place(&plan, row, index, class_), event, weight);
	return 0;
}

static __always_inline int record_all(void *ctx)
{
	struct events_cpu *cpu = nesting_cpu();
	struct events *e = cpu ? nesting_here(cpu) : 0;
	__u32 i, rest;

	if (!e)
		return 0;
	for (i = 0; i < EVENTS_MAX && i < e->n; i++)
		record_event(&e->event[i], e->weight * (1 + e->more[i]));
	rest = e->active & ~((2u << (tail_call_index & 31)) - 1);
	e->active = rest;
	if (rest)
		tail_call_jump(ctx, rest);
	nesting_leave(cpu, e);
	return 0;
}

/* The collector loads one of these: a program can tail-call only programs of its own type. */

SEC("tp_btf")			/* before loading, it gets the attach target of the event programs */
int record(void *ctx)
{
	return record_all(ctx);
}

SEC("perf_event")
int record_perf(void *ctx)
{
	return record_all(ctx);
}
