/* selector.h - chooses series by their labels, as Prometheus' selectors do.
 *
 *      {__name__="x", statement=~"select|insert"}  --selector_accepts(labels)--> true or false
 *
 * Absent  A label that a series does not have has the value "".
 * Regular expressions are POSIX extended ones that match the whole value.  The parser refuses parts that these read in
 *         another way than Prometheus (RE2), or that may take very long: (?...), lazy repetition, repetition in braces, and a backslash before
 *         a letter or digit.
 * Errors  -EINVAL with a sentence in `reason` (REASON_MAX bytes); -ENOMEM.
 * Memory  a selector owns its texts; selector_fini() frees them.
 * Thread  any; several may ask one selector at a time.
 */
#ifndef HEATSCOPE_SELECTOR_H
#define HEATSCOPE_SELECTOR_H

#include "aggregator/promql/series_labels.h"

#include <regex.h>
#include <stdbool.h>

#define SELECTOR_MATCHERS_MAX 32
#define SELECTOR_PATTERN_MAX 1024	/* bytes of a regular expression */

enum matcher_kind { MATCHER_EQUAL, MATCHER_NOT_EQUAL, MATCHER_PATTERN, MATCHER_NOT_PATTERN };

struct matcher {
	enum matcher_kind kind;
	char *label, *value;
	regex_t regex;			/* of the two pattern kinds */
};

struct selector {			/* zeroed: chooses every series */
	size_t n;
	struct matcher *matcher;
};

/* Adds a matcher.  Copies the texts. */
int selector_add(struct selector *s, enum matcher_kind kind, const char *label, const char *value, char *reason);
void selector_fini(struct selector *s);

/* Do all matchers of this label accept the value?  "": the series does not have the label. */
bool selector_takes(const struct selector *s, const char *label, const char *value);

/* Do all matchers accept the series?  Those of the label `except` are not asked; NULL: all are. */
bool selector_accepts(const struct selector *s, const struct series_labels *labels, const char *except);

/* Is there a matcher that refuses the empty value?  Prometheus asks for one. */
bool selector_is_narrow(const struct selector *s);

const char *matcher_sign(enum matcher_kind kind);	/* "=", "!=", "=~", "!~" */

#endif
