#include "collector/trace/stack.h"
#include "collector/core/field_codes.h"
#include "collector/trace/function_name.h"
#include "collector/core/slice.h"
#include "collector/trace/symbols.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CUT "\xe2\x80\xa6;"		/* U+2026, the frame in place of the frames that were cut */
#define CUT_LEN 4

/* ---- frames to text ---- */

void stack_text_begin(struct stack_text *t, char *out)
{
	*t = (struct stack_text){ .out = out, .at = LABEL_MAX };
	out[LABEL_MAX] = 0;
}

void stack_text_put(struct stack_text *t, const char *frame)
{
	unsigned len = strlen(frame), separator = t->at < LABEL_MAX;

	t->last[0] = 0;
	if (t->cut || len + separator + CUT_LEN > t->at) {
		t->cut = 1;
		return;
	}
	if (separator)
		t->out[--t->at] = ';';
	t->at -= len;
	memcpy(t->out + t->at, frame, len);
}

void stack_text_put_unknown(struct stack_text *t, const char *comm)
{
	char frame[sizeof(t->last)];

	snprintf(frame, sizeof(frame), "[%.16s]", comm);
	function_name_clean(frame);
	if (!strcmp(frame, t->last))
		return;
	stack_text_put(t, frame);
	strcpy(t->last, frame);
}

void stack_text_end(struct stack_text *t)
{
	if (t->cut) {
		t->at -= CUT_LEN;
		memcpy(t->out + t->at, CUT, CUT_LEN);
	}
	memmove(t->out, t->out + t->at, LABEL_MAX + 1 - t->at);
}

/* ---- frames that every stack has ---- */

int stack_is_entry(const char *frame)
{
	static const char *const entry[] = {	/* with a *: all names that begin so */
		"bpf_prog_*", "bpf_trace_run*", "__bpf_trace_*", "__traceiter_*", "bpf_get_stack*",
		"__schedule", "schedule", "preempt_schedule*", "__cond_resched",
		"entry_SYSCALL_*", "do_syscall_64", "x64_sys_call", "ret_from_fork*",
		"asm_*", "irqentry_exit*", "raw_irqentry_exit*", "exit_to_user_mode_loop",
		"_start", "__libc_start_main*", "__libc_start_call_main", "start_thread", "clone", "clone3", "__clone", "__clone3",
	};

	for (size_t i = 0; i < sizeof(entry) / sizeof(*entry); i++) {
		size_t n = strlen(entry[i]);

		if (entry[i][n - 1] == '*' ? !strncmp(frame, entry[i], n - 1) : !strcmp(frame, entry[i]))
			return 1;
	}
	return 0;
}

/* ---- the stacks of a map ---- */

/* Labels that were made, because they cannot be made again after the process has ended. */
struct made {
	__u64 code;
	char label[LABEL_MAX + 1];
};

#define MADE 1024			/* as many as an instrumentation may have keys */

struct stacks {
	int outer_fd, fd;		/* the map of maps, and the one in it; -1: none */
	struct symbols *symbols;
	struct made made[MADE];		/* indexed by the lowest bits of the code */
};

static const __u32 place;		/* index of the one map */

static int map_make(struct stacks *s)
{
	s->fd = bpf_map_create(BPF_MAP_TYPE_LRU_HASH, "stacks_kept", sizeof(__u64), sizeof(struct stack), STACKS_MAX, NULL);
	if (s->fd < 0)
		return s->fd;
	return bpf_map_update_elem(s->outer_fd, &place, &s->fd, BPF_ANY);
}

int stacks_new(int fd, struct stacks **ret_stacks)
{
	struct stacks *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return -ENOMEM;
	s->outer_fd = fd;
	s->fd = -1;
	err = symbols_new(&s->symbols);
	err = err ?: map_make(s);
	if (err)
		stacks_free(s);
	else
		*ret_stacks = s;
	return err;
}

void stacks_free(struct stacks *s)
{
	if (!s)
		return;
	if (s->fd >= 0) {
		bpf_map_delete_elem(s->outer_fd, &place);
		close(s->fd);
	}
	symbols_free(s->symbols);
	free(s);
}

/* A return address comes after its call and may be in another function, so look before it; only the leaf's is exact. */
static __u64 call_at(const __u64 *address, __u32 i)
{
	return address[i] - (i > 0);
}

static void put_kernel(struct stacks *s, const struct stack *stack, struct stack_text *t)
{
	char frame[SYMBOL_TEXT];
	int n = 0;

	for (__u32 i = 0; i < stack->n_kernel && i < STACK_KERNEL; i++) {
		symbols_kernel(s->symbols, call_at(stack->kernel, i), frame);
		if (stack_is_entry(frame))
			continue;
		stack_text_put(t, frame);
		n++;
	}
	if (n)
		stack_text_put(t, "-");
}

static void put_user(struct stacks *s, const struct stack *stack, struct stack_text *t)
{
	char frame[SYMBOL_TEXT];

	for (__u32 i = 0; i < stack->n_user && i < STACK_USER; i++) {
		if (symbols_user(s->symbols, stack->pid, call_at(stack->user, i), frame))
			stack_text_put_unknown(t, stack->comm);
		else if (!stack_is_entry(frame))
			stack_text_put(t, frame);
	}
}

static void make(struct stacks *s, const struct stack *stack, char *out)
{
	struct stack_text t;

	stack_text_begin(&t, out);
	put_kernel(s, stack, &t);
	put_user(s, stack, &t);
	if (t.at == LABEL_MAX)
		stack_text_put_unknown(&t, stack->n_user ? stack->comm : "kernel");
	stack_text_end(&t);
}

void stacks_label(struct stacks *s, __u64 code, char *out)
{
	struct made *made = s ? &s->made[code % MADE] : NULL;
	struct stack stack;

	if (code == STACK_UNKNOWN) {
		snprintf(out, LABEL_MAX + 1, "unknown");
	} else if (made && made->code == code) {
		strcpy(out, made->label);
	} else if (!s || bpf_map_lookup_elem(s->fd, &code, &stack)) {
		codes_hash_label(code, out);
	} else {
		stack.comm[sizeof(stack.comm) - 1] = 0;
		make(s, &stack, out);
		made->code = code;
		strcpy(made->label, out);
	}
}
