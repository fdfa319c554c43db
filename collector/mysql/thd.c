#include "collector/mysql/thd.h"
#include "collector/mysql/accessor.h"
#include "collector/core/refuse.h"
#include "collector/trace/program_file.h"

#include <elf.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CODE_LOOK 64			/* bytes of a function that are read; the forms we know are shorter */
#define AT(field) offsetof(struct mysql_thd, field)

struct place {				/* the form of a function, and the place that it shows */
	const char *function;
	enum accessor_kind kind;
	__u32 n;
	size_t field[ACCESSOR_STEPS];
	int optional, inner;		/* inner: as accessor_decode_inner() reads it */
};

static const struct place mariadb[] = {
	{ "thd_user_name", ACCESSOR_LOAD, 2, { AT(user), AT(user_name) }, 0, 0 },
	{ "thd_current_db", ACCESSOR_ADDRESS, 1, { AT(database) }, 0, 0 },
	{ "thd_query_string", ACCESSOR_ADDRESS, 1, { AT(query) }, 0, 0 },
	{ "thd_charset", ACCESSOR_LOAD, 1, { AT(charset) }, 0, 0 },
	{ "thd_is_strict_mode", ACCESSOR_TEST, 1, { AT(sql_mode) }, 0, 0 },
	{ "thd_current_command", ACCESSOR_WORD, 1, { AT(command) }, 1, 0 },
	{ "thd_get_error_number", ACCESSOR_WORD, 2, { AT(area), AT(area_error) }, 1, 0 },
	{ NULL },
};

static const struct place mysql[] = {
	{ "_Z16thd_query_unsafeP3THD", ACCESSOR_PAIR, 1, { AT(query) }, 0, 0 },
	{ "_Z11thd_charsetP3THD", ACCESSOR_LOAD, 1, { AT(charset) }, 0, 0 },
	{ "_Z18thd_is_strict_modePK3THD", ACCESSOR_TEST, 1, { AT(sql_mode) }, 0, 0 },
	{ "_ZNK16Security_context4userEv", ACCESSOR_PAIR, 1, { AT(user_name) }, 1, 0 },
	{ "_Z24thd_get_security_contextP3THDPP16Security_context", ACCESSOR_STORE, 1, { AT(user) }, 1, 0 },
	{ "_ZN3THD11set_commandE19enum_server_command", ACCESSOR_WORD, 1, { AT(command) }, 1, 0 },
	{ "_Z12thd_is_errorPK3THD", ACCESSOR_EQUAL, 2, { AT(area), AT(area_state) }, 1, 0 },
	{ "_Z31srv_session_info_get_current_dbP11Srv_session", ACCESSOR_PAIR, 1, { AT(database) }, 1, 1 },
	{ NULL },
};

struct server {
	int fd;
	struct program_file file;
};

/* Reads the first bytes of a function: returns how many, or -ENOENT. */
static ssize_t code_read(const struct server *s, const char *name, __u8 code[CODE_LOOK])
{
	__u64 at;
	int err = program_file_find(&s->file, name, &at);
	ssize_t n = err || at > INT64_MAX ? -1 : pread(s->fd, code, CODE_LOOK, (off_t)at);

	return n < 0 ? -ENOENT : n;
}

static int accessor_find(const struct server *s, const struct place *p, struct accessor *ret)
{
	__u8 code[CODE_LOOK];
	ssize_t n = code_read(s, p->function, code);

	if (n < 0)
		return (int)n;
	return p->inner ? accessor_decode_inner(code, (__u64)n, ret) : accessor_decode(code, (__u64)n, ret);
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
	int err = accessor_find(s, p, &a);

	if (!err && (a.kind != p->kind || a.n != p->n || (a.kind == ACCESSOR_TEST && mode_place(&a)) ||
		     (a.kind == ACCESSOR_EQUAL && a.mask != AREA_ERROR)))
		err = -EINVAL;
	if (err && p->optional)
		return 0;
	if (err)
		return refuse_as(-ENOTSUP, reason, err == -ENOENT ? "the server has no function %s(), which shows the "
			"layout of its connections" : "the server's function %s() has an unknown form", p->function);
	for (__u32 i = 0; i < a.n; i++)
		*(__u32 *)((char *)thd + p->field[i]) = a.at[i];
	return 0;
}

/* Finds how a thread finds its THD, and whose functions show the rest. */
static int thread_find(const struct server *s, __s32 *ret, const struct place **ret_places, char *reason)
{
	__u8 code[CODE_LOOK];
	ssize_t n = code_read(s, "_current_thd", code);

	*ret_places = n < 0 ? mysql : mariadb;
	if (n < 0 && program_file_variable(&s->file, "current_thd", ret))
		return refuse_as(-ENOTSUP, reason, "the server has neither a function _current_thd(), as MariaDB, nor "
			"a variable current_thd of its threads, as MySQL");
	if (n >= 0 && accessor_decode_thread(code, (__u64)n, ret))
		return refuse_as(-ENOTSUP, reason, "the server's function _current_thd() has an unknown form");
	return 0;
}

static int thd_find(const struct server *s, struct mysql_thd *ret, char *reason)
{
	struct mysql_thd thd = { 0 };
	const struct place *place;
	int err = thread_find(s, &thd.thread, &place, reason);

	for (; !err && place->function; place++)
		err = place_find(s, place, &thd, reason);
	if (!err)
		*ret = thd;
	return err;
}

int mysql_thd_find(int fd, struct mysql_thd *ret, char *reason)
{
	struct server s = { .fd = fd };
	int err = program_file_load(fd, &s.file);
	int known = !err && s.file.machine == EM_X86_64 && s.file.n_functions;

	if (err && err != -EBADMSG)
		snprintf(reason, REASON_MAX, "the server's executable cannot be read: %s", strerror(-err));
	else if (!known)
		snprintf(reason, REASON_MAX, "the server's executable is not for x86-64, or names no functions "
			 "(.symtab, .dynsym)");
	err = known ? thd_find(&s, ret, reason) : -ENOTSUP;
	program_file_fini(&s.file);
	return err;
}
