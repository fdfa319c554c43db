#include "collector/server/exchange_label.h"
#include "collector/trace/address.h"
#include "collector/ring/clean.h"
#include "collector/probe/programs.h"
#include "collector/core/slice.h"
#include "collector/server/exchange.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *const blocked_in_names[] = { REASON_NAMES, [REASON_NONE] = "cpu", [TURN_ENDED] = "none" };

void turn_label_blocked_in(__u64 code, char *out)
{
	snprintf(out, LABEL_MAX + 1, "%s", blocked_in_names[code <= TURN_ENDED ? code : REASON_OTHER]);
}

int turn_codes_blocked_in(const char *text, __u64 *ret_code, size_t max)
{
	return programs_code_of(blocked_in_names, TURN_ENDED + 1, text, ret_code, max);
}

/* ---- names ---- */

static const char *const name_special[] = { [NAME_UNKNOWN] = "unknown", [NAME_NONE] = "none", [NAME_ENCRYPTED] = "encrypted" };

static __u64 name_of(const char *text, size_t n)
{
	struct name name;

	name_begin(&name);
	for (size_t i = 0; i < n; i++)
		name_byte(&name, (__u8)text[i]);
	return name_code(&name);
}

/* The kernel may have given its place to another one while it was copied. */
static int name_is(const struct name *name, __u64 code)
{
	return name->n <= NAME_ROOM && name_of(name->text, name->n) == code;
}

void turn_label_name(__u64 code, const struct name *name, char *out)
{
	__u64 other;

	if (code <= NAME_ENCRYPTED)
		snprintf(out, LABEL_MAX + 1, "%s", name_special[code]);
	else if (!name || !name_is(name, code))
		clean_label(code, "", 0, out);
	else if (!clean_copy(name->text, name->n, out, LABEL_MAX) || clean_is_special(out) || clean_code(out, &other))
		clean_label(code, name->text, name->n, out);
}

int turn_codes_name(const char *text, __u64 *ret_code, size_t max)
{
	__u64 code;

	if (!max)
		return -E2BIG;
	for (code = 0; code <= NAME_ENCRYPTED; code++)
		if (!strcmp(text, name_special[code]))
			break;
	if (code > NAME_ENCRYPTED && !clean_code(text, &code))
		code = name_of(text, strlen(text));
	*ret_code = code;
	return 1;
}

/* ---- clients ---- */

int turn_codes_client(const char *text, __u64 *ret_code, size_t max)
{
	if (strcmp(text, "local"))
		return address_codes(text, ret_code, max);
	if (!max)
		return -E2BIG;
	*ret_code = CLIENT_LOCAL;
	return 1;
}
