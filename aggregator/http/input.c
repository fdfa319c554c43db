#include "aggregator/http/input.h"

#include "collector/core/instrumentation.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define PARAMS_MAX (2 * HTTP_PARAMS_MAX)

static int refuse_input(int err, char *reason, const char *format, ...) __attribute__((format(printf, 3, 4)));

static int refuse_input(int err, char *reason, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(reason, REASON_MAX, format, args);
	va_end(args);
	return err;
}

/* ---- the kind of a body ---- */

enum body { BODY_NONE, BODY_JSON, BODY_FORM };

static bool type_is(const char *type, const char *name)
{
	size_t len = strlen(name);

	return !strncasecmp(type, name, len) && strchr("; \t", type[len]);	/* strchr finds the NUL, too */
}

static int body_kind(const struct raw_input *raw, enum body *ret, char *reason)
{
	size_t at = 0;
	bool json;

	*ret = BODY_NONE;
	if (!raw->body_len)
		return 0;
	while (at < raw->body_len && raw->body[at] && strchr(" \t\r\n", raw->body[at]))
		at++;
	json = at < raw->body_len && (raw->body[at] == '{' || raw->body[at] == '[');
	*ret = BODY_JSON;
	if (!strncasecmp(raw->type, "multipart/", 10))
		return refuse_input(-EPROTONOSUPPORT, reason, "a multipart body is not supported: send JSON or "
			      "application/x-www-form-urlencoded");
	if (json || !*raw->type || type_is(raw->type, "application/json") || type_is(raw->type, "text/json"))
		return 0;
	*ret = BODY_FORM;
	if (type_is(raw->type, "application/x-www-form-urlencoded"))
		return 0;
	return refuse_input(-EPROTONOSUPPORT, reason, "a body of type \"%.64s\" is not supported: send application/json or "
		      "application/x-www-form-urlencoded", raw->type);
}

static int body_object(const struct raw_input *raw, json_t **ret, char *reason)
{
	json_error_t error;
	json_t *json = json_loadb(raw->body, raw->body_len, JSON_REJECT_DUPLICATES, &error);

	if (!json)
		return refuse_input(-EINVAL, reason, "the body is not JSON: %.160s (line %d, column %d)", error.text, error.line,
			      error.column);
	if (!json_is_object(json)) {
		json_decref(json);
		return refuse_input(-EINVAL, reason, "the body must be a JSON object");
	}
	*ret = json;
	return 0;
}

/* ---- lists of texts ---- */

void input_fini(struct input *in)
{
	for (size_t i = 0; i < in->n; i++) {
		free((char *)in->param[i].name);
		free((char *)in->param[i].value);
	}
	free(in->param);
	memset(in, 0, sizeof(*in));
}

/* Takes both texts, which may be NULL if memory was short. */
static int input_add(struct input *in, char *name, char *value, char *reason)
{
	struct http_param *more = in->n < PARAMS_MAX ? realloc(in->param, (in->n + 1) * sizeof(*more)) : NULL;

	if (!more || !name || !value) {
		free(name);
		free(value);
		return in->n < PARAMS_MAX ? -ENOMEM : refuse_input(-EINVAL, reason, "too many parameters: at most %d", PARAMS_MAX);
	}
	in->param = more;
	more[in->n++] = (struct http_param){ name, value };
	return 0;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

/* Decodes a piece of a form; NULL: no memory. */
static char *unescape_text(const char *text, size_t len)
{
	char *out = malloc(len + 1), *to = out;

	for (size_t i = 0; out && i < len; i++, to++) {
		*to = text[i] == '+' ? ' ' : text[i];
		if (text[i] == '%' && i + 2 < len && hex_digit(text[i + 1]) >= 0 && hex_digit(text[i + 2]) >= 0) {
			*to = (char)(hex_digit(text[i + 1]) << 4 | hex_digit(text[i + 2]));
			i += 2;
		}
	}
	if (out)
		*to = 0;
	return out;
}

static int add_form(struct input *in, const struct raw_input *raw, char *reason)
{
	const char *at = raw->body, *end = at + raw->body_len, *stop, *equals;
	int err = 0;

	if (memchr(at, 0, raw->body_len) || memmem(at, raw->body_len, "%00", 3))
		return refuse_input(-EINVAL, reason, "the form has a byte 0 in it");
	for (; at < end && !err; at = stop + 1) {
		stop = memchr(at, '&', (size_t)(end - at));
		stop = stop ? stop : end;
		equals = memchr(at, '=', (size_t)(stop - at));
		if (stop == at)
			continue;
		err = input_add(in, unescape_text(at, (size_t)((equals ? equals : stop) - at)),
				unescape_text(equals ? equals + 1 : stop, equals ? (size_t)(stop - equals - 1) : 0), reason);
	}
	return err;
}

/* Returns a text, number or word as text; NULL: no memory, or another type. */
static char *scalar_text(const json_t *value)
{
	if (json_is_string(value))
		return strdup(json_string_value(value));
	if (json_is_number(value) || json_is_boolean(value))
		return json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
	return NULL;
}

static char *array_text(const json_t *array)
{
	struct bytes out = { 0 };
	json_t *value;
	size_t i;

	json_array_foreach(array, i, value) {
		char *text = scalar_text(value);

		if (i)
			bytes_put(&out, ",", 1);
		for (const char *at = text; at && *at; at++) {
			if (*at == ',' || *at == '\\')
				bytes_put(&out, "\\", 1);
			bytes_put(&out, at, 1);
		}
		if (!text)
			out.err = -EINVAL;
		free(text);
	}
	bytes_put(&out, "", 1);
	if (out.err)
		bytes_fini(&out);
	return (char *)out.data;
}

static int add_object(struct input *in, const struct raw_input *raw, char *reason)
{
	json_t *object, *value;
	const char *name;
	int err = body_object(raw, &object, reason);

	if (err)
		return err;
	json_object_foreach(object, name, value) {
		char *text = err || json_is_null(value) ? NULL : json_is_array(value) ? array_text(value) : scalar_text(value);

		if (text)
			err = input_add(in, strdup(name), text, reason);
		else if (!err && !json_is_null(value))
			err = refuse_input(-EINVAL, reason, "value for parameter \"%.64s\" is invalid: must be a text, a number, true, "
				     "false, or an array of these", name);
	}
	json_decref(object);
	return err;
}

static bool has_param(const struct input *in, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(in->param[i].name, name))
			return true;
	return false;
}

int input_read(const struct raw_input *raw, struct input *ret_input, char *reason)
{
	struct input in = { 0 };
	size_t n_body;
	enum body kind;
	int err = body_kind(raw, &kind, reason);

	if (!err && kind != BODY_NONE)
		err = kind == BODY_FORM ? add_form(&in, raw, reason) : add_object(&in, raw, reason);
	n_body = in.n;
	for (size_t i = 0; i < raw->n_query && !err; i++)
		if (!has_param(&in, n_body, raw->query[i].name))
			err = input_add(&in, strdup(raw->query[i].name), strdup(raw->query[i].value), reason);
	if (err)
		input_fini(&in);
	else
		*ret_input = in;
	return err;
}

/* ---- objects ---- */

int input_default(struct input *in, const char *name, const char *value, char *reason)
{
	return has_param(in, in->n, name) ? 0 : input_add(in, strdup(name), strdup(value), reason);
}

static bool is_list(const char *const *lists, const char *name)
{
	while (lists && *lists && strcmp(*lists, name))
		lists++;
	return lists && *lists;
}

/* Adds a text.  A list may be given in pieces and becomes an array; for any other parameter two values contradict each
 * other. */
static int add_text(json_t *json, const struct http_param *param, const char *const *lists, char *reason)
{
	json_t *text = json_string(param->value), *before = json_object_get(json, param->name);

	if (before && !is_list(lists, param->name)) {
		json_decref(text);
		return refuse_input(-EINVAL, reason, "parameter \"%.64s\" is given more than once, and is no list", param->name);
	}
	if (!before && !json_object_set_new(json, param->name, text))
		return 0;
	if (before && !json_is_array(before)) {
		before = json_pack("[O]", before);
		if (json_object_set_new(json, param->name, before))
			before = NULL;
	}
	if (before && !json_array_append_new(before, text))
		return 0;
	return refuse_input(-EINVAL, reason, "a parameter is not UTF-8: \"%.64s\"", param->name);
}

static int texts_object(const struct input *in, const char *const *lists, json_t **ret, char *reason)
{
	json_t *json = json_object();
	int err = json ? 0 : -ENOMEM;

	for (size_t i = 0; i < in->n && !err; i++)
		err = add_text(json, &in->param[i], lists, reason);
	if (err)
		json_decref(json);
	else
		*ret = json;
	return err;
}

int input_object(const struct raw_input *raw, const char *const *lists, json_t **ret_object, char *reason)
{
	struct raw_input texts = *raw;
	struct input in;
	json_t *object = NULL, *body = NULL;
	enum body kind;
	int err = body_kind(raw, &kind, reason);

	if (kind == BODY_JSON)
		texts.body_len = 0;
	if (!err && kind == BODY_JSON)
		err = body_object(raw, &body, reason);
	if (!err)
		err = input_read(&texts, &in, reason);
	if (!err) {
		err = texts_object(&in, lists, &object, reason);
		input_fini(&in);
	}
	if (!err && body && json_object_update(object, body))
		err = -ENOMEM;
	json_decref(body);
	if (err)
		json_decref(object);
	else
		*ret_object = object;
	return err;
}
