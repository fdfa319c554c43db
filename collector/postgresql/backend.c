#include "collector/postgresql/backend.h"
#include "collector/core/refuse.h"
#include "collector/trace/program_file.h"

#include <elf.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#define CODE_LOOK 8192			/* bytes of a function that are read */
#define PLACE_MAX 4096			/* of the structures */
#define STORE_LOOK 48			/* bytes after a load in which the loaded pointer may be used */

struct load {				/* mov PLACE(base),target, with a place of 32 bits */
	__u32 place;
	__u8 base, target;
};

static __u32 code_u32(const __u8 *b)
{
	return b[0] | b[1] << 8 | b[2] << 16 | (__u32)b[3] << 24;
}

#define LOAD_BYTES 7

static int load_at(const __u8 *at, const __u8 *end, struct load *ret)
{
	if (end - at < LOAD_BYTES || (at[0] & 0xfa) != 0x48 || at[1] != 0x8b || at[2] >> 6 != 2 || (at[2] & 7) == 4)
		return 0;
	ret->place = code_u32(at + 3);
	ret->base = (at[2] & 7) | (at[0] & 1) << 3;
	ret->target = (at[2] >> 3 & 7) | (at[0] & 4) << 1;
	return ret->place < PLACE_MAX && ret->place % 8 == 0;
}

/* movb $0,(target): does it follow soon? */
static int empties(const __u8 *at, const __u8 *end, __u8 target)
{
	const __u8 *last = end - at > STORE_LOOK ? at + STORE_LOOK : end;
	int wide = target >> 3;

	if ((target & 7) == 4 || (target & 7) == 5)	/* these would need another form */
		return 0;
	for (; last - at >= 3 + wide; at++)
		if ((!wide || at[0] == 0x41) && at[wide] == 0xc6 && at[wide + 1] == (target & 7) && !at[wide + 2])
			return 1;
	return 0;
}

__u32 backend_text_place(const __u8 *code, __u64 n)
{
	const __u8 *end = code + n;
	struct load load;
	__u32 place = 0;

	for (const __u8 *at = code; at < end; at++) {
		if (!load_at(at, end, &load) || !empties(at + LOAD_BYTES, end, load.target))
			continue;
		if (place && place != load.place)
			return 0;
		place = load.place;
	}
	return place;
}

int backend_loads(const __u8 *code, __u64 n, __u32 place)
{
	struct load load;

	for (const __u8 *at = code; at < code + n; at++)
		if (load_at(at, code + n, &load) && load.place == place)
			return 1;
	return 0;
}

/* mov VARIABLE(%rip),target of 64 bits at offset i: is it that variable? */
static int loads_variable(const __u8 *code, __u64 n, __u64 i, __u64 address, __u64 variable, __u8 *ret_target)
{
	if (n - i < LOAD_BYTES || (code[i] & 0xfb) != 0x48 || code[i + 1] != 0x8b || (code[i + 2] & 0xc7) != 5)
		return 0;
	*ret_target = (code[i + 2] >> 3 & 7) | (code[i] & 4) << 1;
	return address + i + LOAD_BYTES + (__u64)(__s64)(__s32)code_u32(code + i + 3) == variable;
}

int backend_name_places(const __u8 *code, __u64 n, __u64 address, __u64 port, __u32 *ret_user, __u32 *ret_database)
{
	__u32 place[2], n_places = 0;
	__u64 until = 0;
	struct load load;
	__u8 base = 0;

	for (__u64 i = 0; i < n && n_places < 2; i++) {
		if (loads_variable(code, n, i, address, port, &base))
			until = i + LOAD_BYTES + STORE_LOOK / 2;
		if (i >= until || !load_at(code + i, code + n, &load) || load.base != base)
			continue;
		place[n_places++] = load.place;
		until = 0;
	}
	if (n_places < 2 || place[0] != place[1] + 8)
		return -EINVAL;
	*ret_user = place[0];
	*ret_database = place[1];
	return 0;
}

static const struct variable {
	const char *name;
	size_t field;
} variables[] = {
	{ "MyBEEntry", offsetof(struct postgresql_backend, entry) },
	{ "MyProcPort", offsetof(struct postgresql_backend, port) },
	{ "MyProcPid", offsetof(struct postgresql_backend, pid) },
	{ "pgstat_track_activities", offsetof(struct postgresql_backend, tracks) },
	{ "pgstat_track_activity_query_size", offsetof(struct postgresql_backend, text_room) },
	{ "standard_conforming_strings", offsetof(struct postgresql_backend, plain_strings) },
};

static int variables_find(const struct program_file *file, struct postgresql_backend *b, char *reason)
{
	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
		if (program_file_object(file, variables[i].name, (__u64 *)((char *)b + variables[i].field)))
			return refuse_as(-ENOTSUP, reason, "the server's executable has no variable %s, or does not export it",
					 variables[i].name);
	return 0;
}

static int text_find(const struct program_file *file, int fd, struct postgresql_backend *b, char *reason)
{
	static const char *const names[] = { "pgstat_report_activity", "pgstat_get_backend_current_activity" };
	__u8 code[CODE_LOOK];
	__u64 address;
	ssize_t n = program_file_code(file, fd, names[0], code, sizeof(code), &address);
	int known;

	if (n < 0)
		return refuse_as(-ENOTSUP, reason, "the server has no function %s(), which shows where its texts are",
				 names[0]);
	b->text = backend_text_place(code, (__u64)n);
	if (!b->text)
		return refuse_as(-ENOTSUP, reason, "the server's function %s() has an unknown form", names[0]);
	n = program_file_code(file, fd, names[1], code, sizeof(code), &address);
	known = n >= 0 && backend_loads(code, (__u64)n, b->text);
	if (!known)
		return refuse_as(-ENOTSUP, reason, "the server's functions %s() and %s() do not agree on where its texts are",
				 names[0], names[1]);
	return 0;
}

/* Names are reported if they are found. */
static void names_find(const struct program_file *file, int fd, struct postgresql_backend *b)
{
	__u8 code[CODE_LOOK];
	__u64 address;
	ssize_t n = program_file_code(file, fd, "write_csvlog", code, sizeof(code), &address);

	if (n > 0)
		backend_name_places(code, (__u64)n, address, b->port, &b->user, &b->database);
}

int postgresql_backend_find(int fd, struct postgresql_backend *ret, __u64 *ret_program_entry, char *reason)
{
	struct postgresql_backend b = { 0 };
	struct program_file file = { 0 };
	int err = program_file_load(fd, &file);

	if (err && err != -EBADMSG)
		return refuse_as(-ENOTSUP, reason, "the server's executable cannot be read: %s", strerror(-err));
	if (err || file.machine != EM_X86_64 || !file.n_functions)
		err = refuse_as(-ENOTSUP, reason, "the server's executable is not for x86-64, or names no functions "
				"(.symtab, .dynsym)");
	err = err ?: variables_find(&file, &b, reason);
	err = err ?: text_find(&file, fd, &b, reason);
	if (!err) {
		names_find(&file, fd, &b);
		*ret = b;
		*ret_program_entry = file.entry;
	}
	program_file_fini(&file);
	return err;
}
