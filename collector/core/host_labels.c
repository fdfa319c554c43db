#include "collector/core/host_labels.h"

#include "collector/core/refuse.h"

#include <stdlib.h>
#include <string.h>

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"

static int is_name(const char *text, size_t len)
{
	return len && len < HOST_LABEL_NAME && strchr(LETTERS, *text) && strspn(text, LETTERS "0123456789") >= len;
}

static int is_value(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] <= ' ' || text[i] == 0x7f || text[i] == '/' || text[i] == ',')
			return 0;
	return len && len < HOST_LABEL_VALUE;
}

/* Both are `len` bytes of text that need not end there. */
static int label_put(struct host_labels *h, const char *name, size_t name_len, const char *value, size_t value_len, char *reason)
{
	struct host_label news = { 0 };
	size_t at = 0;
	json_t *utf8;

	if (!is_name(name, name_len))
		return refuse(reason, "the label's name \"%.*s\" is invalid: it must be 1 to %d letters, digits and _, and not begin with a digit",
			      (int)(name_len < 40 ? name_len : 40), name, HOST_LABEL_NAME - 1);
	utf8 = json_stringn(value, value_len);
	json_decref(utf8);
	if (!utf8 || !is_value(value, value_len))
		return refuse(reason, "the value of the label \"%.*s\" is invalid: it must be 1 to %d bytes of UTF-8 without blanks, / and ,",
			      (int)name_len, name, HOST_LABEL_VALUE - 1);
	memcpy(news.name, name, name_len);
	memcpy(news.value, value, value_len);
	while (at < h->n && strcmp(h->label[at].name, news.name) < 0)
		at++;
	if (at < h->n && !strcmp(h->label[at].name, news.name))
		return refuse(reason, "the label \"%s\" is given twice", news.name);
	if (h->n == HOST_LABELS_MAX)
		return refuse(reason, "a host can have at most %d labels", HOST_LABELS_MAX);
	memmove(&h->label[at + 1], &h->label[at], (h->n++ - at) * sizeof(news));
	h->label[at] = news;
	return 0;
}

int host_labels_add(struct host_labels *h, const char *text, char *reason)
{
	struct host_labels all = *h;
	int err = 0;

	do {
		size_t len = strcspn(text, ","), name_len = strcspn(text, "=,");

		if (text[name_len] != '=')
			return refuse(reason, "\"%.*s\" is not a label: a label is NAME=VALUE", (int)(len < 40 ? len : 40), text);
		err = label_put(&all, text, name_len, text + name_len + 1, len - name_len - 1, reason);
		text += len;
	} while (!err && *text++ == ',');
	if (!err)
		*h = all;
	return err;
}

json_t *host_labels_to_json(const struct host_labels *h)
{
	json_t *json = json_object();

	for (size_t i = 0; i < h->n && json; i++)
		if (json_object_set_new(json, h->label[i].name, json_string(h->label[i].value))) {
			json_decref(json);
			return NULL;
		}
	return json;
}

int host_labels_from_json(const json_t *json, struct host_labels *ret, char *reason)
{
	struct host_labels all = { 0 };
	const char *name, *value;
	json_t *entry;
	int err = 0;

	if (json && !json_is_object(json))
		return refuse(reason, "the labels must be an object of names and texts");
	json_object_foreach((json_t *)json, name, entry) {
		value = json_string_value(entry);
		if (!value)
			return refuse(reason, "the value of the label \"%.40s\" is not a text", name);
		err = label_put(&all, name, strlen(name), value, json_string_length(entry), reason);
		if (err)
			return err;
	}
	*ret = all;
	return 0;
}

static const char *label_name(const char *field)
{
	size_t len = strlen(HOST_LABEL_FIELD);

	return strncmp(field, HOST_LABEL_FIELD, len) ? NULL : field + len;
}

int host_field_is(const char *field)
{
	const char *name = label_name(field);

	return name ? is_name(name, strlen(name)) : !strcmp(field, HOSTNAME_FIELD);
}

const char *host_field_value(const char *field, const char *hostname, const struct host_labels *labels)
{
	const char *name = label_name(field);

	if (!name)
		return hostname;
	for (size_t i = 0; labels && i < labels->n; i++)
		if (!strcmp(labels->label[i].name, name))
			return labels->label[i].value;
	return HOST_LABEL_NONE;
}
