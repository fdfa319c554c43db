/* input.h - reads the input of a request: the query string, and a body that is a form or JSON.
 *
 *      query, body --input_read()----> (name, value) ...   texts, for values
 *                  --input_object()--> a JSON object       for instrumentations
 *
 * Body    JSON is an object; a form is application/x-www-form-urlencoded.  A body that begins with { or [ is JSON,
 *         whatever its type says.  The body takes precedence over the query string.
 * Texts   The values of JSON become texts: a number is written out, true and false are words, null counts as absent.
 *         An array is its entries with commas between them (a comma in an entry as "\,", see `selected`).
 * Errors  -EINVAL with one sentence in `reason` (REASON_MAX bytes); -EPROTONOSUPPORT with a sentence: the body has
 *         another type; -ENOMEM.  After them there is nothing to free.
 * Pure    no loop, file or clock.  Thread: any.
 */
#ifndef HEATSCOPE_INPUT_H
#define HEATSCOPE_INPUT_H

#include "aggregator/http/http.h"
#include <jansson.h>

struct raw_input {			/* borrowed */
	const struct http_param *query;
	size_t n_query;
	const char *type;		/* Content-Type; "": none */
	const char *body;
	size_t body_len;
};

struct input {				/* it owns its texts */
	struct http_param *param;
	size_t n;
};

int input_read(const struct raw_input *raw, struct input *ret_input, char *reason);
void input_fini(struct input *in);

/* Adds a parameter if it is absent; an existing one does not change. */
int input_default(struct input *in, const char *name, const char *value, char *reason);

/* In the query string and in a form all values are texts.  lists: the parameters that may be given more than once,
 * which then become an array of texts; it ends with NULL, and may be NULL.  Any other repeated parameter is refused. */
int input_object(const struct raw_input *raw, const char *const *lists, json_t **ret_object, char *reason);

#endif
