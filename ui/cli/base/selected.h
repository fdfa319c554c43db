/* selected.h - says which of the selected keys have no events: a mistyped key is not an error, as the next second may have it.
 *
 *      "select,nokey" --selected_check()--> stderr: no events of the key nokey in this time, which has select, update
 */
#ifndef HEATSCOPE_SELECTED_H
#define HEATSCOPE_SELECTED_H

#include "ui/cli/base/client.h"
#include "ui/cli/base/range.h"

struct selection {
	const char *keys;		/* as --selected has them; NULL: none */
	const char *by;			/* the field that they are values of; NULL: they are whole keys */
};

/* Asks heatscoped for each key, and writes to stderr; an error says nothing, since the command itself has succeeded. */
void selected_check(struct client *c, const char *command, const char *id, const struct selection *s, const struct range *range);

#endif
