#include "collector/core/field_codes.h"
#include "collector/core/slice.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int codes_one(__u64 code, __u64 *ret_code, size_t max)
{
	if (!max)
		return -E2BIG;
	*ret_code = code;
	return 1;
}

/* ---- a code as a text ---- */

static const char *name_of(const struct field_codes *c, __u64 code)
{
	if (c->names)
		return code < c->n && c->names[code] ? c->names[code] : c->names[c->other];
	for (__u32 i = 0; i < c->n; i++)
		if (c->named[i].code == code)
			return c->named[i].name;
	return c->named[c->other].name;
}

void codes_label(const struct field_codes *c, void *self, unsigned field, __u64 code, char *out)
{
	if (c->label_of)
		c->label_of(self, field, code, out);
	else if (c->label)
		c->label(code, out);
	else
		snprintf(out, LABEL_MAX + 1, "%s", name_of(c, code));
}

/* ---- a text as codes ---- */

static int named_find(const struct field_codes *c, const char *text, __u64 *ret_code, size_t max)
{
	for (__u32 i = 0; i < c->n; i++) {
		const char *name = c->names ? c->names[i] : c->named[i].name;

		if (name && !strcmp(name, text))
			return codes_one(c->names ? i : c->named[i].code, ret_code, max);
	}
	return 0;
}

/* Finds every code with that label: several codes may share one. */
static int labels_find(const struct field_codes *c, const char *text, __u64 *ret_code, size_t max)
{
	char label[LABEL_MAX + 1];
	size_t found = 0;

	for (__u64 code = 0; code < c->n; code++) {
		c->label(code, label);
		if (strcmp(label, text))
			continue;
		if (found == max)
			return -E2BIG;
		ret_code[found++] = code;
	}
	return (int)found;
}

int codes_find(const struct field_codes *c, void *self, unsigned field, const char *text, __u64 *ret_code, size_t max)
{
	if (c->label_of)
		return c->codes_of ? c->codes_of(self, field, text, ret_code, max) : -EOPNOTSUPP;
	if (c->codes)
		return c->codes(text, ret_code, max);
	return c->label ? labels_find(c, text, ret_code, max) : named_find(c, text, ret_code, max);
}

/* ---- hashes ---- */

void codes_hash_label(__u64 code, char *out)
{
	snprintf(out, LABEL_MAX + 1, "#%016llx", (unsigned long long)code);
}

int codes_hash_find(const char *text, __u64 *ret_code)
{
	unsigned long long hash;
	char label[LABEL_MAX + 1];

	if (sscanf(text, "#%16llx", &hash) != 1)
		return 0;
	codes_hash_label(hash, label);
	*ret_code = hash;
	return !strcmp(label, text);
}

/* ---- numbers ---- */

static void number_label(__u64 code, char *out)
{
	snprintf(out, LABEL_MAX + 1, "%llu", (unsigned long long)code);
}

static int number_codes(const char *text, __u64 *ret_code, size_t max)
{
	unsigned long long number;
	char label[LABEL_MAX + 1];

	if (sscanf(text, "%20llu", &number) != 1)
		return 0;
	number_label(number, label);
	return strcmp(label, text) ? 0 : codes_one(number, ret_code, max);
}

const struct field_codes codes_number = { .label = number_label, .codes = number_codes };
