/* The functions of a process: pidPID:MODULE:FUNCTION:entry, :return, and :OFFSET of an instruction, read from the symbol tables
 * of the files that it has mapped.
 *
 * A probe is put where it costs least.  The kernel emulates the instruction `push`, and executes others one by one in a
 * copy, which takes ten times as long.  So if a function begins with endbr64 and then push, the probe is at the push:
 * registers and stack are the same there. */
#include "collector/d/provider/instruction.h"
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

/* ---- instructions ---- */

struct offset_search {
	struct d_probes *all;
	const struct d_module *module;
	const struct d_description *d;
	const char *file, *function;
	__u64 site;			/* of the function */
	bool is_found;
	__u32 before, after;		/* the instructions around an offset that is within one */
	__u32 wanted;			/* the offset, if the name is one */
};

/* Whether a name means instructions: hexadecimal digits, perhaps with a glob. */
static bool names_offset(const char *name) { return strpbrk(name, "0123456789abcdef") && strspn(name, "0123456789abcdef*?[]!-") == strlen(name); }

static int add_instruction(void *context, const struct d_instruction *i)
{
	enum { LOCK = 0xf0 };
	struct offset_search *s = context;
	char provider[32], name[16];
	struct d_probe probe = { .context = CONTEXT_FUNCTION_ENTRY, .field = { provider, s->module->name, s->function, name },
				 .detail = s->site + i->at, .file = s->file, .pid = s->module->pid, .is_main = s->module->is_main,
				 .is_stepped = i->len < 2 ? !is_emulated((const __u8[]){ i->code[0], 0 }) : !is_emulated(i->code) };

	if (i->at <= s->wanted)
		s->before = i->at;
	else if (!s->after)
		s->after = i->at;
	snprintf(provider, sizeof(provider), "pid%u", s->module->pid);
	snprintf(name, sizeof(name), "%x", i->at);
	if (i->code[0] == LOCK || !d_glob_matches(s->d->field[FIELD_NAME], name))
		return 0;
	s->is_found = true;
	return d_probes_add(s->all, &probe) ? 0 : -ENOMEM;
}

/* One offset that is no instruction is refused with the reason; a glob takes those that there are. */
static int add_instructions(struct offset_search *s, int fd, __u32 size, char *reason)
{
	const char *name = s->d->field[FIELD_NAME];
	bool is_one = !strpbrk(name, "*?[");
	int err;

	s->wanted = is_one ? (__u32)strtoul(name, NULL, 16) : 0;
	err = d_instructions_each(fd, s->site, size, add_instruction, s);
	if (err == -ENOMEM || !is_one || s->is_found)
		return err == -ENOMEM ? err : 0;
	if (s->wanted >= size)
		snprintf(reason, D_PROVIDER_REASON_MAX, "%.100s has %x bytes", s->function, size);
	else
		snprintf(reason, D_PROVIDER_REASON_MAX, "%s is within an instruction of %.100s, which begins at %x; the next one at %x", name,
			 s->function, s->before, s->after);
	return 0;
}

/* ---- files ---- */

/* The address of a function.  Its name may be that of a resolver, which runs once: then of the function that it has chosen. */
static int address_of(const struct d_resolvers *r, const struct program_function *f, __u64 *ret_address)
{
	*ret_address = f->address;
	return f->is_resolver ? d_resolvers_find(r, f->address, ret_address) : 0;
}

/* Of one without a size, up to the next function. */
static __u32 size_of(const struct program_file *p, size_t i)
{
	if (p->function[i].size || i + 1 == p->n_functions)
		return p->function[i].size;
	return (__u32)(p->function[i + 1].address - p->function[i].address);
}

/* Names with a dot or @ are parts of functions and versions of names. */
static int add_functions(struct d_probes *all, const struct d_module *m, int fd, const struct program_file *p, const struct d_description *d,
			 char *reason)
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
		if (!err && site && !p->function[i].is_resolver && names_offset(d->field[FIELD_NAME]))
			err = add_instructions(&(struct offset_search){ .all = all, .module = m, .d = d, .file = file, .function = name, .site = offset },
					       fd, size_of(p, i), reason);
	}
	d_resolvers_fini(&resolvers);
	return err;
}

struct search {
	struct d_probes *all;
	const struct d_description *d;
	char *reason;
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
		err = add_functions(s->all, m, fd, &p, s->d, s->reason);
	program_file_fini(&p);
	close(fd);
	return err == -ENOMEM ? err : 0;
}

/* ---- the provider ---- */

static int pid_add(struct d_probes *all, const struct d_description *d, char *reason)
{
	const char *provider = d->field[FIELD_PROVIDER];
	struct search s = { all, d, reason };
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
