/* The probes that authors put into programs with sys/sdt.h: PROVIDERpid:MODULE:FUNCTION:NAME.
 *
 * A description with a process' number names the probes of that process.  One with a glob, such as postgresql*, names those
 * of all processes that have such a file, also of those that begin later: servers start a process per connection.  Its
 * probes have the provider's name without a number. */
#include "collector/d/provider/module.h"
#include "collector/d/provider/note.h"
#include "collector/d/provider/provider.h"
#include "collector/trace/program_file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES_MAX 1024

struct seen_file {
	dev_t device;
	ino_t inode;
};

struct search {
	struct d_probes *all;
	const struct d_description *d;
	bool is_glob;
	struct seen_file seen[FILES_MAX];	/* of a glob: a file is read once */
	size_t n_seen;
	unsigned n_hidden;			/* processes that we must not look into */
	/* of the file that is read now */
	const struct d_module *module;
	const struct program_file *program;
	const char *file;
};

/* "query__start" is query-start. */
static void probe_name(const char *name, char *out, size_t room)
{
	size_t len = 0;

	for (; *name && len + 1 < room; name++) {
		if (name[0] == '_' && name[1] == '_')
			name++, out[len++] = '-';
		else
			out[len++] = *name;
	}
	out[len] = '\0';
}

static void provider_name(const struct search *s, const char *provider, char *out, size_t room)
{
	if (s->is_glob)
		snprintf(out, room, "%s", provider);
	else
		snprintf(out, room, "%s%u", provider, s->module->pid);
}

/* Replaces the names of the program's variables by their distance to the probe: "4@8+Stats(%rip)" is "4@DISTANCE(%rip)".
 * Others stay as they are, and cannot be read. */
static const char *arguments_of(const struct search *s, const struct d_note *n)
{
	char text[1024] = "", words[1024], *rest = words;
	size_t len = 0;

	snprintf(words, sizeof(words), "%s", n->arguments);
	for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		char *place = strchr(word, '@'), *end = strstr(word, "(%rip)"), *name;
		long long offset = place ? strtoll(place + 1, &name, 0) : 0;
		__u64 address;

		if (place && end && name < end) {
			*end = '\0';
			name += *name == '+';
			if (program_file_object(s->program, name, &address))
				return NULL;
			len += snprintf(text + len, sizeof(text) - len, "%.*s@%lld(%%rip) ", (int)(place - word), word,
					(long long)(address - n->address + (__u64)offset));
		} else {
			len += snprintf(text + len, sizeof(text) - len, "%s ", word);
		}
		if (len >= sizeof(text))
			return NULL;
	}
	return d_alloc_text(s->all->arena, text, len);
}

static int add_note(void *context, const struct d_note *n)
{
	struct search *s = context;
	char provider[128], name[128];
	const char *function = program_file_name(s->program, n->address);
	struct d_probe probe = { .context = CONTEXT_STATIC, .file = s->file, .pid = s->is_glob ? 0 : s->module->pid,
				 .is_main = s->module->is_main };

	provider_name(s, n->provider, provider, sizeof(provider));
	probe_name(n->name, name, sizeof(name));
	if (!d_glob_matches(s->d->field[FIELD_PROVIDER], provider) || !d_glob_matches(s->d->field[FIELD_NAME], name) ||
	    program_file_offset(s->program, n->address, &probe.detail))
		return 0;
	if (n->semaphore && program_file_offset(s->program, n->semaphore, &probe.semaphore))
		return 0;
	memcpy(probe.field, ((const char *[]){ provider, s->module->name, function ? function : "", name }), sizeof(probe.field));
	probe.arguments = arguments_of(s, n) ?: d_alloc_text(s->all->arena, n->arguments, strlen(n->arguments));
	if (!probe.arguments)
		return -ENOMEM;
	return d_probes_add(s->all, &probe) ? 0 : -ENOMEM;
}

static bool is_seen(struct search *s, int fd)
{
	struct stat st;

	if (!s->is_glob || fstat(fd, &st))
		return false;
	for (size_t i = 0; i < s->n_seen; i++)
		if (s->seen[i].device == st.st_dev && s->seen[i].inode == st.st_ino)
			return true;
	if (s->n_seen < FILES_MAX)
		s->seen[s->n_seen++] = (struct seen_file){ st.st_dev, st.st_ino };
	return false;
}

static int has_note(void *context, const struct d_note *n)
{
	(void)context;
	(void)n;
	return 1;
}

/* Reads the functions only of a file that has probes.  One that a glob has found stays open until this program ends: the process
 * by which it was found may end before the probes are attached. */
static int add_file(struct search *s, const struct d_module *m, int fd, bool *ret_keeps)
{
	struct program_file p = { 0 };
	char open_file[32];
	int err;

	if (d_notes_each(fd, has_note, NULL) != 1)
		return 0;
	err = program_file_load(fd, &p);
	*ret_keeps = s->is_glob;
	snprintf(open_file, sizeof(open_file), "/proc/self/fd/%d", fd);
	s->file = s->is_glob ? d_alloc_text(s->all->arena, open_file, strlen(open_file)) : d_alloc_text(s->all->arena, m->path, strlen(m->path));
	s->module = m;
	s->program = &p;
	if (!s->file)
		err = -ENOMEM;
	if (!err)
		err = d_notes_each(fd, add_note, s);
	program_file_fini(&p);
	return err;
}

static int add_module(void *context, const struct d_module *m)
{
	struct search *s = context;
	bool keeps = false;
	int fd, err = 0;

	if (!d_module_matches(s->d->field[FIELD_MODULE], m->name, m->is_main))
		return 0;
	fd = open(m->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	if (!is_seen(s, fd))
		err = add_file(s, m, fd, &keeps);
	if (!keeps)
		close(fd);
	return err == -ENOMEM ? err : 0;
}

static int add_process(struct search *s, __u32 pid)
{
	int err = d_modules_each(pid, add_module, s);

	s->n_hidden += err == -EACCES || err == -EPERM;
	return err;
}

static int add_processes(struct search *s)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	int err = 0;

	while (proc && err != -ENOMEM && (entry = readdir(proc)))
		if (isdigit((unsigned char)*entry->d_name))
			err = add_process(s, strtoul(entry->d_name, NULL, 10));		/* it may have ended */
	if (proc)
		closedir(proc);
	return err == -ENOMEM ? err : 0;
}

static int static_add(struct d_probes *all, const struct d_description *d, char *reason)
{
	static const char *const others[] = { "dtrace", "profile", "syscall", "sched" };
	const char *provider = d->field[FIELD_PROVIDER], *digits = provider + strcspn(provider, "0123456789");
	struct search *s;
	int err;

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (!strcmp(provider, others[i]))
			return 0;
	if (!*provider || !strcmp(provider, "*") || (!strpbrk(provider, "*?[") && (!*digits || digits[strspn(digits, "0123456789")])) ||
	    (!strncmp(provider, "pid", 3) && digits == provider + 3))
		return 0;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->all = all;
	s->d = d;
	s->is_glob = strpbrk(provider, "*?[");
	err = s->is_glob ? add_processes(s) : add_process(s, strtoul(digits, NULL, 10));
	if (s->n_hidden)
		snprintf(reason, D_PROVIDER_REASON_MAX, "%u process%s could not be looked into: those of other users need CAP_SYS_PTRACE",
			 s->n_hidden, s->n_hidden == 1 ? "" : "es");
	free(s);
	return err == -ENOMEM ? err : 0;
}

const struct d_provider d_provider_static = { "static", static_add };
