#include "collector/mysql/thd.h"
#include "collector/core/refuse.h"
#include "collector/mysql/accessor.h"
#include "collector/core/instrumentation.h"
#include "collector/trace/program_file.h"

#include <elf.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CODE_LOOK 64			/* bytes of a function that are read; the forms we know are shorter */
#define AT(field) offsetof(struct mysql_thd, field)

static const struct place {		/* the form of an accessor, and the place that it shows */
	const char *accessor;
	enum accessor_kind kind;
	__u32 n;
	size_t field[ACCESSOR_STEPS];
} places[] = {
	{ "thd_user_name", ACCESSOR_LOAD, 2, { AT(user), AT(user_name) } },
	{ "thd_current_db", ACCESSOR_ADDRESS, 1, { AT(database) } },
	{ "thd_query_string", ACCESSOR_ADDRESS, 1, { AT(query) } },
	{ "thd_charset", ACCESSOR_LOAD, 1, { AT(charset) } },
	{ "thd_is_strict_mode", ACCESSOR_TEST, 1, { AT(sql_mode) } },
};

struct server {
	int fd;
	struct program_file file;
};

/* Reads the first bytes of a function: returns how many, or -ENOENT. */
static ssize_t code_read(const struct server *s, const char *name, __u8 code[CODE_LOOK], __u64 *ret_at)
{
	__u64 at;
	int err = program_file_find(&s->file, name, &at);
	ssize_t n = err || at > INT64_MAX ? -1 : pread(s->fd, code, CODE_LOOK, (off_t)at);

	if (n < 0)
		return -ENOENT;
	*ret_at = at;
	return n;
}

static int accessor_find(const struct server *s, const char *name, struct accessor *ret)
{
	__u8 code[CODE_LOOK];
	__u64 at;
	ssize_t n = code_read(s, name, code, &at);

	return n < 0 ? (int)n : accessor_decode(code, (__u64)n, ret);
}

/* A compiler may test the one byte that has the bits. */
static int mode_place(struct accessor *a)
{
	if (a->mask == SQL_MODE_STRICT >> 16 && a->at[0] >= 2) {
		a->mask = SQL_MODE_STRICT;
		a->at[0] -= 2;
	}
	return a->mask == SQL_MODE_STRICT ? 0 : -EINVAL;
}

static int place_find(const struct server *s, const struct place *p, struct mysql_thd *thd, char *reason)
{
	struct accessor a;
	int err = accessor_find(s, p->accessor, &a);

	if (!err && (a.kind != p->kind || a.n != p->n || (a.kind == ACCESSOR_TEST && mode_place(&a))))
		err = -EINVAL;
	if (err)
		return refuse_as(-ENOTSUP, reason, err == -ENOENT ? "the server has no function %s(), which shows the "
			"layout of its connections" :
			 "the server's function %s() has an unknown form", p->accessor);
	for (__u32 i = 0; i < a.n; i++)
		*(__u32 *)((char *)thd + p->field[i]) = a.at[i];
	return 0;
}

static int entry_find(const struct server *s, __u64 *ret_entry, char *reason)
{
	__u8 code[CODE_LOOK];
	__u64 at;
	ssize_t n = code_read(s, "_Z18log_slow_statementP3THD", code, &at);
	int offset = n < 0 ? 0 : entry_offset(code, (__u64)n);

	if (n < 0)
		snprintf(reason, REASON_MAX, "the server has no function log_slow_statement(THD*), which is MariaDB's, or does not export it");
	else if (offset < 0)
		snprintf(reason, REASON_MAX, "the server's log_slow_statement(THD*) begins with an instruction at which a probe would cost "
			 "a statement more than 10 us: it is not probed");
	if (n < 0 || offset < 0)
		return -ENOTSUP;
	*ret_entry = at + (__u64)offset;
	return 0;
}

static int thd_find(const struct server *s, struct mysql_thd *ret, __u64 *ret_entry, char *reason)
{
	struct mysql_thd thd = { 0 };
	__u64 entry;
	int err = entry_find(s, &entry, reason);

	for (size_t i = 0; !err && i < sizeof(places) / sizeof(*places); i++)
		err = place_find(s, &places[i], &thd, reason);
	if (err)
		return err;
	*ret = thd;
	*ret_entry = entry;
	return 0;
}

int mysql_thd_find(int fd, struct mysql_thd *ret, __u64 *ret_entry, char *reason)
{
	struct server s = { .fd = fd };
	int err = program_file_load(fd, &s.file);
	int known = !err && s.file.machine == EM_X86_64 && s.file.n_functions;

	if (err && err != -EBADMSG)
		snprintf(reason, REASON_MAX, "the server's executable cannot be read: %s", strerror(-err));
	else if (!known)
		snprintf(reason, REASON_MAX, "the server's executable is not for x86-64, or names no functions (.symtab, .dynsym)");
	err = known ? thd_find(&s, ret, ret_entry, reason) : -ENOTSUP;
	program_file_fini(&s.file);
	return err;
}
