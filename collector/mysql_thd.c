#include "mysql_thd.h"
#include "accessor.h"
#include "dynsym.h"
#include "instrumentation.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>

#define AT(field) offsetof(struct mysql_thd, field)

static const struct place {		/* what an accessor must be like, and what it tells */
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

static int accessor_find(const struct dynsym *d, const char *name, struct accessor *ret)
{
	__u64 at = dynsym_find(d, name);

	return at ? accessor_decode(d->bytes + at, d->n - at, ret) : -ENOENT;
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

static int place_find(const struct dynsym *d, const struct place *p, struct mysql_thd *thd, char *reason)
{
	struct accessor a;
	int err = accessor_find(d, p->accessor, &a);

	if (!err && (a.kind != p->kind || a.n != p->n || (a.kind == ACCESSOR_TEST && mode_place(&a))))
		err = -EINVAL;
	if (err) {
		snprintf(reason, REASON_MAX, err == -ENOENT ? "the server has no function %s(), which says where its connections keep what they do" :
			 "the server's function %s() is not one that we can read", p->accessor);
		return -ENOTSUP;
	}
	for (__u32 i = 0; i < a.n; i++)
		*(__u32 *)((char *)thd + p->field[i]) = a.at[i];
	return 0;
}

static int entry_find(const struct dynsym *d, __u64 *ret_entry, char *reason)
{
	__u64 at = dynsym_find(d, "_Z18log_slow_statementP3THD");
	int offset = at ? entry_offset(d->bytes + at, d->n - at) : 0;

	if (!at)
		snprintf(reason, REASON_MAX, "the server has no function log_slow_statement(THD*), which is MariaDB's, or does not export it");
	else if (offset < 0)
		snprintf(reason, REASON_MAX, "the server's log_slow_statement(THD*) begins with an instruction at which a probe would cost "
			 "a statement more than 10 us: it is not probed");
	if (!at || offset < 0)
		return -ENOTSUP;
	*ret_entry = at + (__u64)offset;
	return 0;
}

int mysql_thd_find(const __u8 *bytes, __u64 n, struct mysql_thd *ret, __u64 *ret_entry, char *reason)
{
	struct mysql_thd thd = { 0 };
	struct dynsym d;
	__u64 entry;
	int err = dynsym_open(bytes, n, &d);

	if (err || d.head.e_machine != EM_X86_64) {
		snprintf(reason, REASON_MAX, "the server's executable is not for x86-64, or names no functions (.dynsym)");
		return -ENOTSUP;
	}
	err = entry_find(&d, &entry, reason);
	for (size_t i = 0; !err && i < sizeof(places) / sizeof(*places); i++)
		err = place_find(&d, &places[i], &thd, reason);
	if (err)
		return err;
	*ret = thd;
	*ret_entry = entry;
	return 0;
}
