/* environment_kit.h - gives a test its own environment, for functions that take getenv() as an argument. */
#ifndef HEATSCOPE_ENVIRONMENT_KIT_H
#define HEATSCOPE_ENVIRONMENT_KIT_H

#include <string.h>

static const char *const *kit_environment;	/* name, value, ..., NULL */

static inline const char *kit_get(const char *name)
{
	for (const char *const *at = kit_environment; *at; at += 2)
		if (!strcmp(*at, name))
			return at[1];
	return NULL;
}

#endif
