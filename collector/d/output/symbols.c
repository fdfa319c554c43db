#include "collector/d/output/symbols.h"
#include "collector/core/array.h"
#include "collector/trace/program_file.h"

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

struct mapping {
	__u64 from, to, offset;
	size_t file;
};

#define READS_MAX 16

struct d_process {
	__u32 pid;
	unsigned n_reads;		/* of its mappings; more when an address is in none: it may load libraries or execute a program */
	struct mapping *mappings;
	size_t n, room;
};

struct d_symbol_file {
	char path[PATH_MAX + 32];
	struct program_file program;	/* empty: it cannot be read */
};

void d_symbols_fini(struct d_symbols *s)
{
	for (size_t i = 0; i < s->n_files; i++)
		program_file_fini(&s->files[i].program);
	for (size_t i = 0; i < s->n_processes; i++)
		free(s->processes[i].mappings);
	free(s->files);
	free(s->processes);
	free(s->kernel);
	free(s->kernel_text);
	*s = (struct d_symbols){ 0 };
}

/* ---- the kernel ---- */

static char *read_all(const char *path)
{
	size_t len = 0, room = 1 << 20;
	FILE *in = fopen(path, "r");
	char *text = in ? malloc(room) : NULL;

	while (text && (len += fread(text + len, 1, room - len - 1, in)) == room - 1) {
		if (array_resize(&text, 2 * room, 1))
			break;
		room *= 2;
	}
	if (in)
		fclose(in);
	if (text)
		text[len] = '\0';
	return text;
}

/* "ffffffff81000000 T _stext" or "... t name\t[module]". */
static void add_kernel_line(struct d_symbols *s, char *line)
{
	char *end, *name, *module;
	__u64 address = strtoull(line, &end, 16);

	if (end == line || strlen(end) < 4 || (end[1] | 0x20) != 't' || array_grow(&s->kernel, s->n_kernel, &s->kernel_room, sizeof(*s->kernel)))
		return;
	name = end + 3;
	module = strchr(name, '\t');
	if (module) {
		*module++ = '\0';
		module += *module == '[';
		module[strcspn(module, "]")] = '\0';
	}
	s->kernel[s->n_kernel++] = (struct d_kernel_symbol){ address, name - s->kernel_text, module ? module - s->kernel_text : 0 };
}

static int by_address(const void *a, const void *b)
{
	const struct d_kernel_symbol *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static void read_kernel(struct d_symbols *s)
{
	char *rest;

	s->kernel_text = read_all("/proc/kallsyms");
	for (char *line = s->kernel_text ? strtok_r(s->kernel_text, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest))
		add_kernel_line(s, line);
	qsort(s->kernel, s->n_kernel, sizeof(*s->kernel), by_address);
}

static const char *print(char *out, const char *module, const char *name, __u64 offset)
{
	if (offset)
		snprintf(out, D_SYMBOL_TEXT, "%s`%s+0x%llx", module, name, (unsigned long long)offset);
	else
		snprintf(out, D_SYMBOL_TEXT, "%s`%s", module, name);
	return out;
}

const char *d_symbols_kernel(struct d_symbols *s, __u64 address, char *out)
{
	const struct d_kernel_symbol *k;
	size_t at;

	if (!s->kernel_text)
		read_kernel(s);
	at = array_place(s->n_kernel, at, s->kernel[at].address <= address);
	snprintf(out, D_SYMBOL_TEXT, "0x%llx", (unsigned long long)address);
	if (!at || !s->kernel[at - 1].address)		/* only root sees addresses there */
		return out;
	k = &s->kernel[at - 1];
	return print(out, k->module ? s->kernel_text + k->module : "vmlinux", s->kernel_text + k->name, address - k->address);
}

/* ---- processes ---- */

/* The file of that path; it is read at the first time. */
static size_t file_at(struct d_symbols *s, const char *path)
{
	struct d_symbol_file *f;
	int fd;

	for (size_t i = 0; i < s->n_files; i++)
		if (!strcmp(s->files[i].path, path))
			return i;
	if (array_grow(&s->files, s->n_files, &s->files_room, sizeof(*s->files)))
		return SIZE_MAX;
	f = &s->files[s->n_files];
	*f = (struct d_symbol_file){ .path = "" };
	snprintf(f->path, sizeof(f->path), "%s", path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		if (program_file_load(fd, &f->program))
			f->program = (struct program_file){ 0 };
		close(fd);
	}
	return s->n_files++;
}

static void add_mapping(struct d_symbols *s, struct d_process *p, char *line)
{
	unsigned long long from, to, offset;
	char rights[8], path[PATH_MAX + 32], *name = strchr(line, '/');
	size_t file;

	if (!name || sscanf(line, "%llx-%llx %7s %llx", &from, &to, rights, &offset) != 4 || !strchr(rights, 'x') ||
	    array_grow(&p->mappings, p->n, &p->room, sizeof(*p->mappings)))
		return;
	name[strcspn(name, "\n")] = '\0';
	snprintf(path, sizeof(path), "/proc/%u/root%.*s", p->pid, PATH_MAX, name);
	file = file_at(s, path);
	if (file != SIZE_MAX)
		p->mappings[p->n++] = (struct mapping){ from, to, offset, file };
}

static void read_mappings(struct d_symbols *s, struct d_process *p)
{
	char path[64], line[PATH_MAX + 128];
	size_t n_before = p->n;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%u/maps", p->pid);
	maps = fopen(path, "r");
	p->n_reads++;
	while (maps && fgets(line, sizeof(line), maps))
		add_mapping(s, p, line);
	if (maps)
		fclose(maps);
	if (p->n == n_before)		/* it has ended: those of before stay */
		return;
	p->n -= n_before;
	memmove(p->mappings, p->mappings + n_before, p->n * sizeof(*p->mappings));
}

static struct d_process *process_at(struct d_symbols *s, __u32 pid)
{
	struct d_process *p;

	for (size_t i = 0; i < s->n_processes; i++)
		if (s->processes[i].pid == pid)
			return &s->processes[i];
	if (s->n_processes == D_SYMBOLS_PROCESSES || array_grow(&s->processes, s->n_processes, &s->processes_room, sizeof(*s->processes)))
		return NULL;
	p = &s->processes[s->n_processes++];
	*p = (struct d_process){ .pid = pid };
	read_mappings(s, p);
	return p;
}

void d_symbols_hold(struct d_symbols *s, __u32 pid) { process_at(s, pid); }

/* The function that contains an address of the file; NULL: none. */
static const struct program_function *function_at(const struct program_file *p, __u64 address)
{
	size_t at = array_place(p->n_functions, at, p->function[at].address <= address);
	const struct program_function *f = at ? &p->function[at - 1] : NULL;

	return f && (!f->size || address - f->address < f->size) ? f : NULL;
}

static const struct mapping *mapping_at(const struct d_process *p, __u64 address)
{
	for (size_t i = 0; i < p->n; i++)
		if (address >= p->mappings[i].from && address < p->mappings[i].to)
			return &p->mappings[i];
	return NULL;
}

static const struct mapping *find_mapping(struct d_symbols *s, __u32 pid, __u64 address)
{
	struct d_process *p = process_at(s, pid);
	const struct mapping *m = p ? mapping_at(p, address) : NULL;

	if (m || !p || p->n_reads == READS_MAX)
		return m;
	read_mappings(s, p);
	return mapping_at(p, address);
}

const char *d_symbols_user(struct d_symbols *s, __u32 pid, __u64 address, char *out)
{
	const struct mapping *m = find_mapping(s, pid, address);
	const struct program_function *function;
	const struct d_symbol_file *f;
	const char *module;
	__u64 own;

	snprintf(out, D_SYMBOL_TEXT, "0x%llx", (unsigned long long)address);
	if (!m)
		return out;
	f = &s->files[m->file];
	module = strrchr(f->path, '/') + 1;
	own = program_file_address(&f->program, address - m->from + m->offset);
	function = function_at(&f->program, own);
	if (function)
		return print(out, module, f->program.names + function->name, own - function->address);
	snprintf(out, D_SYMBOL_TEXT, "%s`0x%llx", module, (unsigned long long)address);
	return out;
}
