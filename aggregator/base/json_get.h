/* json_get.h - reads and checks the members of a request's JSON object, and refuses wrong ones with a sentence.
 *
 *      {"above": "100000000", "name": "slow"} --json_get_number()--> 1e8
 *                                             --json_get_line()----> "slow"
 *
 * Absent  null counts as absent.
 * Returns 0: absent, *ret is unchanged.  1: read. -EINVAL: refused, with a sentence in `reason` (REASON_MAX bytes).
 * Memory  texts are borrowed from the object.
 * Pure    no loop, file or clock.  Thread: any.
 */
#ifndef HEATSCOPE_JSON_GET_H
#define HEATSCOPE_JSON_GET_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Reads a number, also one written as text, as in query strings and forms. */
int json_get_number(const json_t *object, const char *name, double min, double max, double *ret, char *reason);

/* Reads one line (json_get_is_line()) of at most `most` bytes; it may be "". */
int json_get_line(const json_t *object, const char *name, size_t most, const char **ret, char *reason);

/* Is it free of control characters?  Terminals show it. */
bool json_get_is_line(const char *text);

/* Returns 0 if every member of the object is in `known` (a list that ends with NULL).  whose: "an alert", "panel 3". */
int json_get_check(const json_t *object, const char *const *known, const char *whose, char *reason);

/* Is the word in a list that ends with NULL? */
bool json_get_is_one_of(const char *word, const char *const *words);

#endif
