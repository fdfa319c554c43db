/* input.h - what a request brings along: the query string, and a body that is a form or JSON.
 *
 *      query, body --input_read()----> (name, value) ...   texts, for values
 *                  --input_object()--> a JSON object       for instrumentations
 *
 * Body    JSON is an object; a form is application/x-www-form-urlencoded.  What begins with { or [ is
 *         JSON whatever it is called.  What the body names wins over the query string.
 * Texts   of JSON: a number is written out, true and false are words, an array is its entries
 *         separated by commas (a comma in an entry as "\,", see `selected`), null is not there.
 * Errors  -EINVAL with one sentence in `reason` (REASON_MAX bytes), -EPROTONOSUPPORT: a type of body
 *         that is neither (reason, too), -ENOMEM.  After them there is nothing to free.
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

struct input {				/* its texts are its own */
	struct http_param *param;
	size_t n;
};

int input_read(const struct raw_input *raw, struct input *ret_input, char *reason);
void input_fini(struct input *in);

/* Adds a parameter that is not there yet; of one that is, nothing changes. */
int input_default(struct input *in, const char *name, const char *value, char *reason);

/* Of the query string and of a form all values are texts.  lists: the parameters that may be given more than once, which
 * then are an array of texts; it ends with NULL, and NULL is none.  Any other one is refused when it is repeated. */
int input_object(const struct raw_input *raw, const char *const *lists, json_t **ret_object, char *reason);

#endif
