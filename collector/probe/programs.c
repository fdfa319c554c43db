#include "collector/probe/programs.h"
#include "collector/core/refuse.h"
#include "collector/trace/address.h"
#include "collector/core/log.h"
#include "collector/trace/text.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- start and stop ---- */

static int is_among(const char *name, const char *names)
{
	size_t n = strlen(name);
	const char *at;

	for (at = names; (at = strstr(at, name)); at += n)
		if ((at == names || at[-1] == ' ') && (!at[n] || at[n] == ' '))
			return 1;
	return 0;
}

void programs_only(struct bpf_object *object, const char *names)
{
	struct bpf_program *program;

	bpf_object__for_each_program(program, object)
		bpf_program__set_autoload(program, is_among(bpf_program__name(program), names));
}

void programs_stop(void *self)
{
	struct programs *p = self;
	size_t i;

	for (i = 0; p->link && p->link[i]; i++)
		bpf_link__destroy(p->link[i]);
	free(p->link);
	free(p->event_fd);
	stacks_free(p->stacks);
	owners_close(&p->owners);
	bpf_object__destroy_skeleton(p->skeleton);
	free(p->bpf);
	free(p);
}

static int programs_load(const struct programs *p, const struct metric *m, char *reason)
{
	int err = bpf_object__load_skeleton(p->skeleton);

	if (err)
		return refuse_as(err, reason, "the kernel refused the programs for %s.%s: %s", m->module, m->stat, strerror(-err));
	err = bpf_object__attach_skeleton(p->skeleton);
	if (err)
		snprintf(reason, REASON_MAX, "attaching the programs for %s.%s failed: %s", m->module, m->stat, strerror(-err));
	return err;
}

static int map_fd(const struct programs *p, const char *name)
{
	return bpf_object__find_map_fd_by_name(*p->skeleton->obj, name);
}

int programs_start(void *bpf, const struct tracer_programs *opened, const struct metric *m, void **ret_self,
		   struct tracer_programs *ret_programs, char *reason)
{
	struct programs *p = bpf ? calloc(1, sizeof(*p)) : NULL;
	int err;

	if (!p) {
		snprintf(reason, REASON_MAX, "no memory");
		if (bpf)
			bpf_object__destroy_skeleton(opened->skeleton);
		free(bpf);
		return -ENOMEM;
	}
	p->bpf = bpf;
	p->skeleton = opened->skeleton;
	err = programs_load(p, m, reason);
	if (err) {
		programs_stop(p);
		return err;
	}
	p->texts.texts_fd = map_fd(p, "texts");
	p->texts.paths_fd = map_fd(p, "paths");
	p->addresses_fd = map_fd(p, "addresses");
	*ret_programs = *opened;
	ret_programs->events_fd = map_fd(p, "events");
	ret_programs->chain_fd = map_fd(p, "chain");
	*ret_self = p;
	return 0;
}

/* ---- perf events ---- */

static struct bpf_link *event_attach(const struct programs *p, const struct programs_event *event, int cpu, int *ret_fd)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = event->config,
		.sample_period = event->period ?: event->frequency, .freq = !event->period,
	};
	struct bpf_program *program = bpf_object__find_program_by_name(*p->skeleton->obj, event->program);
	int fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	struct bpf_link *link = fd < 0 ? NULL : bpf_program__attach_perf_event(program, fd);
	int err = errno;

	if (fd >= 0 && !link)
		close(fd);
	errno = err;
	*ret_fd = fd;
	return link;
}

static int events_attach(struct programs *p, const struct programs_event *event, size_t n, char *reason)
{
	int n_cpus = libbpf_num_possible_cpus(), cpu;
	size_t i;

	p->link = calloc(n * n_cpus + 1, sizeof(*p->link));
	p->event_fd = calloc(n * n_cpus, sizeof(*p->event_fd));
	if (!p->link || !p->event_fd)
		return no_memory(reason);
	for (cpu = 0; cpu < n_cpus; cpu++) {
		for (i = 0; i < n; i++) {
			struct bpf_link *link = event_attach(p, &event[i], cpu, &p->event_fd[p->n_events]);

			if (!link && errno == ENODEV)
				continue;	/* a CPU that is possible but absent, or is off */
			if (!link)
				return refuse_as(-errno, reason, "the kernel refused a software event of perf: %s",
					strerror(errno));
			p->link[p->n_events++] = link;
		}
	}
	return 0;
}

int programs_attach_events(void **self, const struct programs_event *event, size_t n,
			   struct tracer_programs *ret_programs, char *reason)
{
	struct programs *p = *self;
	int err = events_attach(p, event, n, reason);

	if (err) {
		programs_stop(p);
		*self = NULL;
		return err;
	}
	ret_programs->event_fd = p->event_fd;
	ret_programs->n_event_fds = p->n_events;
	return 0;
}

/* ---- while it runs ---- */

int programs_open_owners(void **self, struct bpf_program *program, __u32 *pass, char *reason)
{
	struct programs *p = *self;
	int err = owners_open(program, pass, &p->owners);

	if (err) {
		snprintf(reason, REASON_MAX, "looking for the owners of sockets failed: %s", strerror(-err));
		programs_stop(p);
		*self = NULL;
	}
	return err;
}

void programs_want_stacks(struct programs *p, int wanted)
{
	int err;

	if (!wanted) {
		stacks_free(p->stacks);
		p->stacks = NULL;
	}
	if (!wanted || p->stacks)
		return;
	err = stacks_new(bpf_object__find_map_fd_by_name(*p->skeleton->obj, "stacks"), &p->stacks);
	if (err && !p->stacks_failed++)
		log_error("stacks cannot be kept and named (%s): all are reported as unknown", strerror(-err));
}

__u64 programs_lost(void *self)
{
	const struct programs *p = self;
	struct bpf_program *program;
	__u64 n = 0;

	bpf_object__for_each_program(program, *p->skeleton->obj)
		if (bpf_program__fd(program) >= 0)
			n += tracer_missed(bpf_program__fd(program));
	return n;
}

void programs_doctor(void *self, FILE *out)
{
	const struct programs *p = self;
	struct bpf_program *program;

	if (!p)
		return;
	bpf_object__for_each_program(program, *p->skeleton->obj)
		if (bpf_program__fd(program) >= 0)
			tracer_doctor_program(out, bpf_program__name(program), bpf_program__fd(program));
}

/* ---- labels ---- */

static void process_label_of(void *self, unsigned field, __u64 code, char *out)
{
	process_label(&((const struct programs *)self)->texts, field, code, out);
}

static int process_codes_of(void *self, unsigned field, const char *text, __u64 *ret_code, size_t max)
{
	return process_codes(field, text, ret_code, max);
}

static void text_label_of(void *self, unsigned field, __u64 code, char *out)
{
	text_label(((const struct programs *)self)->texts.texts_fd, code, out);
}

static int text_codes_of(void *self, unsigned field, const char *text, __u64 *ret_code, size_t max)
{
	return text_codes(text, 0, ret_code, max);
}

static void address_label_of(void *self, unsigned field, __u64 code, char *out)
{
	address_label(((const struct programs *)self)->addresses_fd, code, out);
}

static int address_codes_of(void *self, unsigned field, const char *text, __u64 *ret_code, size_t max)
{
	return address_codes(text, ret_code, max);
}

static void stack_label_of(void *self, unsigned field, __u64 code, char *out)
{
	stacks_label(((const struct programs *)self)->stacks, code, out);
}

const struct field_codes programs_process = { .label_of = process_label_of, .codes_of = process_codes_of };
const struct field_codes programs_text = { .label_of = text_label_of, .codes_of = text_codes_of };
const struct field_codes programs_address = { .label_of = address_label_of, .codes_of = address_codes_of };
const struct field_codes programs_stack = { .label_of = stack_label_of };
