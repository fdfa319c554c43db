#include "turn_label.h"
#include "address.h"
#include "clean.h"
#include "programs.h"
#include "slice.h"
#include "turn.h"

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

void turn_label_name(__u64 code, const struct name *name, char *out)
{
	__u64 other;

	if (code <= NAME_ENCRYPTED)
		snprintf(out, LABEL_MAX + 1, "%s", name_special[code]);
	else if (!name)
		clean_label(code, "", 0, out);
	else if (!clean_copy(name->text, name->n, out, LABEL_MAX) || clean_is_special(out) || clean_code(out, &other))
		clean_label(code, name->text, name->n, out);
}

int turn_codes_name(const char *text, __u64 *ret_code, size_t max)
{
	struct name name;
	__u64 code;

	if (!max)
		return -E2BIG;
	for (code = 0; code <= NAME_ENCRYPTED; code++)
		if (!strcmp(text, name_special[code]))
			break;
	if (code > NAME_ENCRYPTED && !clean_code(text, &code)) {
		name_begin(&name);
		for (; *text; text++)
			name_byte(&name, (__u8)*text);
		code = name_code(&name);
	}
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
