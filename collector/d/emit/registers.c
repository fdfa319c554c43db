#include "collector/d/emit/registers.h"

#include <errno.h>
#include <stdlib.h>

enum { FIRST = 6, N_BPF = 3, N_SLOTS = D_STACK_LEN / 8 };

struct interval {
	size_t first, last;
	bool used;
};

struct scan {
	struct interval *interval;
	struct d_register_place *place;
	__u32 in_bpf[N_BPF];			/* the register that has it; 0: free */
	__u32 in_slot[N_SLOTS];
	unsigned first_slot;
};

static void extend(struct interval *all, __u32 r, size_t at)
{
	if (!r)
		return;
	if (!all[r].used)
		all[r].first = at;
	all[r].used = true;
	all[r].last = at;
}

/* Frees the places of registers whose life has ended. */
static void expire(struct scan *s, size_t at)
{
	for (unsigned i = 0; i < N_BPF; i++)
		if (s->in_bpf[i] && s->interval[s->in_bpf[i]].last < at)
			s->in_bpf[i] = 0;
	for (unsigned i = 0; i < N_SLOTS; i++)
		if (s->in_slot[i] && s->interval[s->in_slot[i]].last < at)
			s->in_slot[i] = 0;
}

static int to_stack(struct scan *s, __u32 r)
{
	for (unsigned i = s->first_slot; i < N_SLOTS; i++)
		if (!s->in_slot[i]) {
			s->in_slot[i] = r;
			s->place[r] = (struct d_register_place){ 0, -8 * (int)(i + 1) };
			return 0;
		}
	return -E2BIG;
}

static int assign(struct scan *s, __u32 r)
{
	for (unsigned i = 0; i < N_BPF; i++)
		if (!s->in_bpf[i]) {
			s->in_bpf[i] = r;
			s->place[r].bpf = FIRST + i;
			return 0;
		}
	return to_stack(s, r);
}

static int scan_run(struct scan *s, const struct d_ir *ir)
{
	int err = 0;

	for (size_t at = 0; !err && at < ir->n; at++) {
		__u32 r = ir->ins[at].dst;

		expire(s, at);
		if (r && s->interval[r].first == at)
			err = assign(s, r);
	}
	return err;
}

int d_registers_assign(const struct d_ir *ir, unsigned used, struct d_register_place **ret_places)
{
	struct scan s = { .first_slot = used / 8 };
	int err = 0;

	s.interval = calloc(ir->n_registers + 1, sizeof(*s.interval));
	s.place = calloc(ir->n_registers + 1, sizeof(*s.place));
	if (!s.interval || !s.place)
		err = -ENOMEM;
	for (size_t at = 0; !err && at < ir->n; at++) {
		extend(s.interval, ir->ins[at].a, at);
		extend(s.interval, ir->ins[at].b, at);
		extend(s.interval, ir->ins[at].dst, at);
	}
	if (!err)
		err = scan_run(&s, ir);
	free(s.interval);
	if (err)
		free(s.place);
	else
		*ret_places = s.place;
	return err;
}
