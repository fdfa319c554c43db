#include "collector/ring/record.h"
#include "collector/ring/reader.h"
#include "collector/ring/ring_plan.h"
#include "collector/ring/statement_text.h"
#include "collector/ring/record.skel.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* About the size of an element of the kernel's hash (bucket, element, key, value). */
#define HASH_ELEMENT 128

static __u64 cells_value(const struct ring_plan *p)
{
	return (p->n_cells * 4ull + 7) & ~7ull;
}

static __u64 weighed_value(const struct ring_plan *p)
{
	return p->n_weight_cells * p->n_weights * 8ull;
}

static __u64 boxes(const struct ring_plan *p)
{
	return p->n_exemplars ? (__u64)ring_rows(p) * p->n_cpus : 0;
}

static __u64 exemplars(const struct ring_plan *p)
{
	return boxes(p) * (p->n_exemplars + EXEMPLAR_DECADES);
}

static __u64 texts_value(const struct ring_plan *p)
{
	return p->verbatim ? sizeof(struct statement_text) : 0;
}

__u64 record_exemplars_memory(const struct ring_plan *p)
{
	return boxes(p) * sizeof(struct exemplar_box) + exemplars(p) * (sizeof(struct exemplar) + texts_value(p));
}

__u64 record_memory(const struct ring_plan *p)
{
	return ring_indices(p) * (cells_value(p) + sizeof(struct ring_total)) + ring_places(p) * weighed_value(p) +
	       ring_state_len(p->n_slots) +
	       p->n_cpus * RING_REMEMBERED * sizeof(struct ring_remembered) + p->n_classes * (HASH_ELEMENT + 8ull) +
	       RING_LATE_MAX * sizeof(struct ring_late) +
	       record_exemplars_memory(p);
}

static int plan_set(struct record_bpf *bpf, const struct ring_plan *p, const struct record_target *target, __u32 index)
{
	int err = 0;

	memcpy((void *)&bpf->rodata->plan, p, sizeof(*p));
	*(__u32 *)&bpf->rodata->tail_call_index = index;
	err = err ?: bpf_map__set_value_size(bpf->maps.state, ring_state_len(p->n_slots));
	err = err ?: bpf_map__set_max_entries(bpf->maps.cells, ring_indices(p));
	err = err ?: bpf_map__set_value_size(bpf->maps.cells, cells_value(p));
	err = err ?: bpf_map__set_max_entries(bpf->maps.totals, ring_indices(p));
	err = err ?: p->n_weights ? bpf_map__set_max_entries(bpf->maps.weighed, ring_places(p)) : 0;
	err = err ?: p->n_weights ? bpf_map__set_value_size(bpf->maps.weighed, weighed_value(p)) : 0;
	err = err ?: bpf_map__set_max_entries(bpf->maps.boxes, boxes(p) ?: 1);
	err = err ?: bpf_map__set_max_entries(bpf->maps.exemplars, exemplars(p) ?: 1);
	err = err ?: p->verbatim ? bpf_map__set_max_entries(bpf->maps.exemplar_texts, exemplars(p)) : 0;
	err = err ?: p->verbatim ? bpf_map__reuse_fd(bpf->maps.verbatims, target->verbatims_fd) : 0;
	err = err ?: bpf_map__set_max_entries(bpf->maps.classes, p->n_classes);
	err = err ?: bpf_map__set_key_size(bpf->maps.classes, (p->n_fields ?: 1) * sizeof(((struct key *)0)->code[0]));
	err = err ?: bpf_map__set_max_entries(bpf->maps.free_classes, p->n_classes);
	err = err ?: bpf_map__reuse_fd(bpf->maps.events, target->events_fd);
	err = err ?: bpf_map__reuse_fd(bpf->maps.chain, target->chain_fd);
	err = err ?: bpf_program__set_autoload(target->attach ? bpf->progs.record_perf : bpf->progs.record, false);
	if (!target->attach)
		return err;
	return err ?: bpf_program__set_attach_target(bpf->progs.record, 0, target->attach);
}

static void *map_memory(struct record *r, int i, const struct bpf_map *map, size_t len)
{
	size_t page = sysconf(_SC_PAGESIZE);
	void *at;

	len = (len + page - 1) / page * page;
	at = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
	if (at == MAP_FAILED)
		return NULL;
	r->map[i].at = at;
	r->map[i].len = len;
	return at;
}

static int record_map(struct record *r, const struct ring_plan *p)
{
	r->state = map_memory(r, 0, r->bpf->maps.state, ring_state_len(p->n_slots));
	r->entry = r->state ? ring_entries(r->state) : NULL;
	r->cells = map_memory(r, 1, r->bpf->maps.cells, ring_indices(p) * cells_value(p));
	r->totals = map_memory(r, 2, r->bpf->maps.totals, ring_indices(p) * sizeof(*r->totals));
	if (p->n_weights)
		r->weighed = map_memory(r, 3, r->bpf->maps.weighed, ring_places(p) * weighed_value(p));
	r->cells_stride = cells_value(p) / 4;
	r->classes_fd = bpf_map__fd(r->bpf->maps.classes);
	r->free_fd = bpf_map__fd(r->bpf->maps.free_classes);
	r->late_fd = bpf_map__fd(r->bpf->maps.late);
	if (!r->state || !r->cells || !r->totals || (p->n_weights && !r->weighed))
		return -errno;
	if (!p->n_exemplars)
		return 0;
	r->boxes = map_memory(r, 4, r->bpf->maps.boxes, boxes(p) * sizeof(*r->boxes));
	r->exemplars = map_memory(r, 5, r->bpf->maps.exemplars, exemplars(p) * sizeof(*r->exemplars));
	if (p->verbatim)
		r->texts = map_memory(r, 6, r->bpf->maps.exemplar_texts, exemplars(p) * texts_value(p));
	return r->boxes && r->exemplars && (!p->verbatim || r->texts) ? 0 : -errno;
}

int record_load(const struct ring_plan *plan, const struct record_target *target, __u32 index,
		struct record *ret_record, char *reason)
{
	struct record r = { .index = index, .chain_fd = target->chain_fd };
	int err, fd;

	r.bpf = record_bpf__open();
	err = r.bpf ? 0 : -errno;
	if (!err)
		err = plan_set(r.bpf, plan, target, index);
	if (!err)
		err = record_bpf__load(r.bpf);
	if (!err)
		err = record_map(&r, plan);
	if (err) {
		snprintf(reason, REASON_MAX, "the kernel refused the counting program: %s", strerror(-err));
		record_unload(&r);
		return err;
	}
	fd = bpf_program__fd(target->attach ? r.bpf->progs.record : r.bpf->progs.record_perf);
	if (bpf_map_update_elem(r.chain_fd, &index, &fd, BPF_ANY)) {
		err = -errno;
		snprintf(reason, REASON_MAX, "the counting program does not fit the chain: %s", strerror(-err));
		record_unload(&r);
		return err;
	}
	*ret_record = r;
	return 0;
}

void record_unchain(struct record *r)
{
	bpf_map_delete_elem(r->chain_fd, &r->index);
}

void record_unload(struct record *r)
{
	int i;

	for (i = 0; i < RECORD_MAPS; i++)
		if (r->map[i].at)
			munmap(r->map[i].at, r->map[i].len);
	record_bpf__destroy(r->bpf);
	memset(r, 0, sizeof(*r));
}

/* ---- a ring's keys, in the kernel's maps ---- */

static int keys_next(void *arg, const struct key *prev, struct key *ret_key, __u32 *ret_class)
{
	struct record *r = arg;
	__u64 word = 0;

	memset(ret_key, 0, sizeof(*ret_key));	/* the map's key has no unused codes */
	if (bpf_map_get_next_key(r->classes_fd, prev, ret_key))
		return -ENOENT;
	bpf_map_lookup_elem(r->classes_fd, ret_key, &word);
	*ret_class = (__u32)word;
	return 0;
}

static void keys_forget(void *arg, const struct key *key)
{
	bpf_map_delete_elem(((struct record *)arg)->classes_fd, key);
}

static void keys_give(void *arg, __u32 class_)
{
	bpf_map_update_elem(((struct record *)arg)->free_fd, NULL, &class_, BPF_ANY);
}

static int keys_late(void *arg, struct ring_late *ret_late)
{
	return !bpf_map_lookup_and_delete_elem(((struct record *)arg)->late_fd, NULL, ret_late);
}

const struct reader_keys record_keys = { keys_next, keys_forget, keys_give, keys_late };
