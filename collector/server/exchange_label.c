#include "collector/server/exchange_label.h"
#include "collector/ring/clean.h"
#include "collector/core/slice.h"
#include "collector/server/exchange.h"

#include <stdio.h>
#include <string.h>

static const char *const blocked_in_names[] = { REASON_NAMES, [REASON_NONE] = "cpu", [TURN_ENDED] = "none" };

const struct field_codes turn_blocked_in = CODES_NAMES(blocked_in_names, REASON_OTHER);

/* ---- names ---- */

static const char *const name_special[] = {
	[NAME_UNKNOWN] = "unknown", [NAME_NONE] = "none", [NAME_ENCRYPTED] = "encrypted"
};

static __u64 name_of(const char *text, size_t n)
{
	struct name name;

	name_begin(&name);
	for (size_t i = 0; i < n; i++)
		name_byte(&name, (__u8)text[i]);
	return name_code(&name);
}

/* The kernel may have reused its entry for another name while it was copied. */
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

	for (code = 0; code <= NAME_ENCRYPTED; code++)
		if (!strcmp(text, name_special[code]))
			break;
	if (code > NAME_ENCRYPTED && !clean_code(text, &code))
		code = name_of(text, strlen(text));
	return codes_one(code, ret_code, max);
}
