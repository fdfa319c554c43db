/* The functions of a process: pidPID:MODULE:FUNCTION:entry and :return, read from the symbol tables of the files that it
 * has mapped.
 *
 * A probe is put where it costs least.  The kernel emulates the instruction `push`, and executes others one by one in a
 * copy, which takes ten times as long.  So if a function begins with endbr64 and then push, the probe is at the push:
 * registers and stack are the same there. */
#include "collector/d/provider/module.h"
#include "collector/d/provider/provider.h"
#include "collector/d/provider/resolver.h"
#include "collector/trace/program_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- functions ---- */

static bool is_push(const __u8 *code)
{
	enum { PUSH = 0x50, REX_B = 0x41 };

	return (code[0] & 0xf8) == PUSH || (code[0] == REX_B && (code[1] & 0xf8) == PUSH);
}

/* Whether the kernel emulates an instruction: a push, a nop, a call or a jump (Linux, arch/x86/kernel/uprobes.c). */
static bool is_emulated(const __u8 *code)
{
	enum { NOP = 0x90, CALL = 0xe8, JUMP = 0xe9, JUMP_SHORT = 0xeb, JUMP_IF_SHORT = 0x70, LONG = 0x0f, JUMP_IF = 0x80 };

	return is_push(code) || code[0] == NOP || code[0] == CALL || code[0] == JUMP || code[0] == JUMP_SHORT ||
	       (code[0] & 0xf0) == JUMP_IF_SHORT || (code[0] == LONG && (code[1] & 0xf0) == JUMP_IF);
}

/* Where in the file a function's probe is; 0: there can be none, as the kernel refuses an instruction with a lock prefix. */
static __u64 site_of(int fd, __u64 offset, bool *ret_is_stepped)
{
	static const __u8 endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	enum { LOCK = 0xf0 };
	__u8 code[6];
	bool skips;

	if (!offset || pread(fd, code, sizeof(code), (off_t)offset) != sizeof(code) || code[0] == LOCK)
		return 0;
	skips = !memcmp(code, endbr64, sizeof(endbr64)) && is_push(code + sizeof(endbr64));
	*ret_is_stepped = !skips && !is_emulated(code);
	return offset + (skips ? sizeof(endbr64) : 0);
}

static int add_function(struct d_probes *all, const struct d_module *m, const char *file, const char *function, __u64 site,
			bool is_stepped, const struct d_description *d)
{
	static const char *const names[] = { "entry", "return" };
	char provider[32];

	snprintf(provider, sizeof(provider), "pid%u", m->pid);
	for (unsigned i = 0; i < 2; i++) {
		struct d_probe probe = { .context = i ? CONTEXT_FUNCTION_RETURN : CONTEXT_FUNCTION_ENTRY,
					 .field = { provider, m->name, function, names[i] }, .detail = site, .file = file, .pid = m->pid,
					 .is_main = m->is_main, .is_stepped = is_stepped };

		if (d_glob_matches(d->field[FIELD_NAME], names[i]) && !d_probes_add(all, &probe))
			return -ENOMEM;
	}
	return 0;
}

/* The address of a function.  Its name may be that of a resolver, which runs once: then of the function that it has chosen. */
static int address_of(const struct d_resolvers *r, const struct program_function *f, __u64 *ret_address)
{
	*ret_address = f->address;
	return f->is_resolver ? d_resolvers_find(r, f->address, ret_address) : 0;
}

/* Names with a dot or @ are parts of functions and versions of names. */
static int add_functions(struct d_probes *all, const struct d_module *m, int fd, const struct program_file *p, const struct d_description *d)
{
	const char *file = d_alloc_text(all->arena, m->path, strlen(m->path));
	struct d_resolvers resolvers;
	int err = file ? 0 : -ENOMEM;

	d_resolvers_load(&resolvers, m, p, fd);		/* without, such functions are left out */

	for (size_t i = 0; !err && i < p->n_functions; i++) {
		const char *name = p->names + p->function[i].name;
		__u64 address, site, offset;
		bool is_stepped = false;

		if (strpbrk(name, ".@") || !d_glob_matches(d->field[FIELD_FUNCTION], name) || address_of(&resolvers, &p->function[i], &address))
			continue;
		site = program_file_offset(p, address, &offset) ? 0 : site_of(fd, offset, &is_stepped);
		if (site)
			err = add_function(all, m, file, name, site, is_stepped, d);
	}
	d_resolvers_fini(&resolvers);
	return err;
}

struct search {
	struct d_probes *all;
	const struct d_description *d;
};

static int add_module(void *context, const struct d_module *m)
{
	struct search *s = context;
	struct program_file p = { 0 };
	int fd, err;

	if (!d_module_matches(s->d->field[FIELD_MODULE], m->name, m->is_main))
		return 0;
	fd = open(m->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;		/* such as a file that was deleted */
	err = program_file_load(fd, &p);
	if (!err)
		err = add_functions(s->all, m, fd, &p, s->d);
	program_file_fini(&p);
	close(fd);
	return err == -ENOMEM ? err : 0;
}

/* ---- the provider ---- */

static int pid_add(struct d_probes *all, const struct d_description *d, char *reason)
{
	const char *provider = d->field[FIELD_PROVIDER];
	struct search s = { all, d };
	unsigned long pid;
	char *end;
	int err;

	if (strncmp(provider, "pid", 3) || !provider[3] || strspn(provider + 3, "0123456789") != strlen(provider + 3))
		return 0;
	pid = strtoul(provider + 3, &end, 10);
	if (!pid || pid > INT_MAX) {
		snprintf(reason, D_PROVIDER_REASON_MAX, "%s: no process; $target is that of -p or -c", provider);
		return -EINVAL;
	}
	err = d_modules_each(pid, add_module, &s);
	if (err && err != -ENOMEM) {
		snprintf(reason, D_PROVIDER_REASON_MAX, "failed to grab process %lu: %s%s", pid, strerror(-err),
			 err == -EACCES || err == -EPERM ? "; another user's needs CAP_SYS_PTRACE" : "");
		return -EINVAL;
	}
	return err;
}

const struct d_provider d_provider_pid = { "pid", pid_add };
