#include "collector/core/source_name.h"

#include "collector/core/batch.h"
#include "collector/core/refuse.h"
#include "collector/core/show.h"
#include "collector/core/utf8_length.h"

#include <string.h>

/* Returns how many bytes the character has; 0: a name cannot have it. */
static size_t step(const char *at)
{
	return utf8_is_control((const unsigned char *)at) || strchr(" /,", *at) ? 0 : utf8_length((const unsigned char *)at);
}

int source_name_check(const char *name, char *reason)
{
	const char *at = name ? name : "";
	char shown[96];
	size_t len;

	while (*at && (len = step(at)))
		at += len;
	if (name && *name && !*at && at - name < SOURCE_MAX)
		return 0;
	show_escape(name ? name : "", name ? strlen(name) : 0, shown, sizeof(shown));
	return refuse(reason, "the source's name \"%s\" must be 1 to %d bytes of UTF-8 without blanks, control characters, / and ,", shown, SOURCE_MAX - 1);
}
