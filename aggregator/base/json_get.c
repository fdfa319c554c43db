#include "aggregator/base/json_get.h"

#include "collector/core/refuse.h"
#include "collector/core/utf8_length.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int json_get_number(const json_t *object, const char *name, double min, double max, double *ret, char *reason)
{
	const json_t *value = json_object_get(object, name);
	const char *text = json_string_value(value);
	char *end = (char *)"";
	double n = text ? strtod(text, &end) : json_number_value(value);

	if (!value || json_is_null(value))
		return 0;
	if ((text ? !*text : !json_is_number(value)) || *end || !(n >= min && n <= max))
		return refuse(reason, "value for field \"%s\" is invalid: it is a number from %.10g to %.10g", name, min, max);
	*ret = n;
	return 1;
}

bool json_get_is_line(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	while (*at && !utf8_is_control(at))
		at++;
	return !*at;
}

int json_get_line(const json_t *object, const char *name, size_t most, const char **ret, char *reason)
{
	const json_t *value = json_object_get(object, name);
	const char *text = json_string_value(value);

	if (!value || json_is_null(value))
		return 0;
	if (!text || strlen(text) > most)
		return refuse(reason, "value for field \"%s\" is invalid: it is a text of at most %zu bytes", name, most);
	if (!json_get_is_line(text))
		return refuse(reason, "value for field \"%s\" is invalid: it is one line, without control characters", name);
	*ret = text;
	return 1;
}

bool json_get_is_one_of(const char *word, const char *const *words)
{
	while (*words && strcmp(*words, word))
		words++;
	return *words;
}

/* Writes "a, b and c". */
static void list_words(const char *const *words, char *out, size_t room)
{
	size_t len = 0;

	for (size_t i = 0; words[i] && len < room; i++)
		len += (size_t)snprintf(out + len, room - len, "%s%s", !i ? "" : words[i + 1] ? ", " : " and ", words[i]);
}

int json_get_check(const json_t *object, const char *const *known, const char *whose, char *reason)
{
	char words[REASON_MAX / 2];
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)object, name, value) {
		if (json_get_is_one_of(name, known))
			continue;
		list_words(known, words, sizeof(words));
		return refuse(reason, "%s has no \"%.60s\"; it has %s", whose, name, words);
	}
	return 0;
}
