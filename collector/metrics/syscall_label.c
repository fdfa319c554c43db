#include "collector/metrics/syscall_label.h"
#include "collector/core/slice.h"
#include "collector/metrics/syscall.h"

#include <stdio.h>
#include <string.h>

#define N(table) (sizeof(table) / sizeof(*(table)))
#define COMPAT " (32-bit)"

static const char *const native[] = {
#include "collector/metrics/syscall_native.inc"
};

static const char *const compat[] = {		/* empty, where there are no 32-bit programs */
#include "collector/metrics/syscall_compat.inc"
};

/* The kernel's own numbers, include/linux/errno.h; the C library does not have them. */
static const struct {
	int number;
	const char *name;
} internal[] = {
	{ 512, "ERESTARTSYS" }, { 513, "ERESTARTNOINTR" }, { 514, "ERESTARTNOHAND" }, { 515, "ENOIOCTLCMD" },
	{ 516, "ERESTART_RESTARTBLOCK" },
};

/* ---- system calls ---- */

static const char *name_of(__u32 number, int is_compat)
{
	const char *const *names = is_compat ? compat : native;
	size_t n = is_compat ? N(compat) : N(native);

	return number < n ? names[number] : NULL;
}

static void name_label(__u64 code, char *out)
{
	int is_compat = (code & SYSCALL_COMPAT) != 0;
	const char *name = name_of((__u32)code, is_compat);

	if (name)
		snprintf(out, LABEL_MAX + 1, "%s%s", name, is_compat ? COMPAT : "");
	else
		snprintf(out, LABEL_MAX + 1, "syscall %d%s", (__s32)code, is_compat ? COMPAT : "");
}

const char *syscall_name(unsigned number) { return name_of(number, 0); }

int syscall_number(const char *name, int is_compat)
{
	size_t i, n = is_compat ? N(compat) : N(native);

	for (i = 0; i < n; i++)
		if (name_of(i, is_compat) && !strcmp(name_of(i, is_compat), name))
			return i;
	return -1;
}

static int name_codes(const char *text, __u64 *ret_code, size_t max)
{
	size_t len = strlen(text), tail = sizeof(COMPAT) - 1;
	int is_compat = len > tail && !strcmp(text + len - tail, COMPAT), number;
	char name[LABEL_MAX + 1];

	snprintf(name, sizeof(name), "%.*s", (int)(is_compat ? len - tail : len), text);
	number = syscall_number(name, is_compat);
	if (number < 0 && (sscanf(name, "syscall %d", &number) != 1 || name_of(number, is_compat)))
		return 0;
	return codes_one((__u32)number | (is_compat ? SYSCALL_COMPAT : 0), ret_code, max);
}

const struct field_codes syscall_name_codes = { .label = name_label, .codes = name_codes };

/* ---- errors ---- */

static const char *error_of(__u64 number)
{
	size_t i;

	for (i = 0; i < N(internal); i++)
		if ((__u64)internal[i].number == number)
			return internal[i].name;
	return number <= SYSCALL_ERRNO_MAX ? strerrorname_np(number) : NULL;
}

static void errno_label(__u64 code, char *out)
{
	const char *name = error_of(code);

	if (name)
		snprintf(out, LABEL_MAX + 1, "%s", name);
	else
		snprintf(out, LABEL_MAX + 1, "errno %llu", (unsigned long long)code);
}

const struct field_codes syscall_errno_codes = { .label = errno_label, .n = SYSCALL_ERRNO_MAX + 1 };
