#include "collector/d/probe.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct d_probe probes[] = {
	{ PROBE_BEGIN, "dtrace", "", "", "BEGIN" }, { PROBE_END, "dtrace", "", "", "END" }, { PROBE_ERROR, "dtrace", "", "", "ERROR" },
};

const struct d_probe *d_probe_at(unsigned i) { return i < sizeof(probes) / sizeof(*probes) ? &probes[i] : NULL; }

/* Cuts the fields apart, in `text`, which has the description.  Returns how many there are; 5: more than four. */
static unsigned split(char *text, char *field[4])
{
	unsigned n = 0;

	for (char *next = text; next; n++) {
		char *colon = strchr(next, ':');

		if (n == 4)
			return 5;
		field[n] = next;
		next = colon ? colon + 1 : NULL;
		if (colon)
			*colon = '\0';
	}
	return n;
}

bool d_probe_is_description(const char *description)
{
	char text[1024], *field[4];

	return (size_t)snprintf(text, sizeof(text), "%s", description) < sizeof(text) && split(text, field) <= 4;
}

bool d_probe_matches(const struct d_probe *p, const char *description)
{
	const char *const have[] = { p->provider, p->module, p->function, p->name };
	char text[1024], *field[4], *end;
	unsigned n;

	if (*description && strspn(description, "0123456789") == strlen(description))
		return strtoul(description, &end, 10) == p->id;
	snprintf(text, sizeof(text), "%s", description);
	n = split(text, field);
	if (n > 4)
		return false;
	for (unsigned i = 0; i < n; i++)
		if (*field[i] && fnmatch(field[i], have[4 - n + i], 0))
			return false;
	return true;
}
