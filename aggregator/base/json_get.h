/* json_get.h - the members of a request's object: read and checked, or refused with a sentence.
 *
 *      {"above": "100000000", "name": "slow"} --json_get_number()--> 1e8
 *                                             --json_get_line()----> "slow"
 *
 * Absent  what is null is not there.
 * Returns 0: not there, *ret stays; 1: read; -EINVAL and why not, in `reason` (REASON_MAX bytes).
 * Memory  texts are borrowed from the object.
 * Pure    no loop, file or clock.  Thread: any.
 */
#ifndef HEATSCOPE_JSON_GET_H
#define HEATSCOPE_JSON_GET_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* A number, or one as a text, as query strings and forms have it. */
int json_get_number(const json_t *object, const char *name, double min, double max, double *ret, char *reason);

/* One line (json_get_is_line()) of at most `most` bytes; may be "". */
int json_get_line(const json_t *object, const char *name, size_t most, const char **ret, char *reason);

/* Is it without control characters?  It is shown by terminals. */
bool json_get_is_line(const char *text);

/* 0: all that the object has is known (a list that ends with NULL).  whose: "an alert", "panel 3". */
int json_get_check(const json_t *object, const char *const *known, const char *whose, char *reason);

/* Is the word in a list that ends with NULL? */
bool json_get_is_one_of(const char *word, const char *const *words);

#endif
