#include "ui/cli/base/option_words.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SENTENCE_MAX 512

static const struct word {
	const char *parameter, *option;
} words[] = {
	{ "start_time", "--start" }, { "end_time", "--end" }, { "b_start_time", "--with-start" },
	{ "b_measure", "--with-measure" }, { "b_selected", "--with-selected" }, { "b_exclude", "--with-exclude" },
	{ "b_instrumentation", "--with" }, { "baseline_start", "--baseline" }, { "baseline_end", "--baseline" },
	{ "duration", "--duration" }, { "measure", "--measure" }, { "weight", "--weight" }, { "weights", "--weights" },
	{ "by", "--by" }, { "order", "--order" }, { "selected", "--selected" }, { "isolate", "--isolate" },
	{ "exclude", "--exclude" }, { "decompose_all", "--decompose-all" }, { "width", "--width" }, { "height", "--height" },
	{ "scale", "--scale" }, { "ymin", "--ymin" }, { "ymax", "--ymax" }, { "crop", "--crop" }, { "ncols", "--ncols" },
	{ "row_bits", "--row-bits" }, { "transfer", "--transfer" }, { "yscale", "--yscale" }, { "theme", "--theme" },
	{ "hues", "--hues" }, { "palette", "--palette" }, { "show", "--show" }, { "top", "--top" }, { "per", "--per" },
	{ "view", "--view" }, { "format", "--format" },
};

static const char *option_of(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strlen(words[i].parameter) == len && !strncmp(words[i].parameter, name, len))
			return words[i].option;
	return NULL;
}

/* 34560000 -> "400d", 5400 -> "90m", as the option is written. */
static void span_put(unsigned long long s, char out[32])
{
	static const struct { unsigned s; char unit; } units[] = { { 86400, 'd' }, { 3600, 'h' }, { 60, 'm' } };

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (s && s % units[i].s == 0) {
			snprintf(out, 32, "%llu%c", s / units[i].s, units[i].unit);
			return;
		}
	snprintf(out, 32, "%llus", s);
}

/* A duration is not among the options if --start and --end give it. */
static bool say_duration(const char *value, const char *why, char *out)
{
	unsigned long long most;
	char span[32], limit[32], *end;
	int n = 0;
	unsigned long long s = strtoull(value, &end, 10);

	if (*end || sscanf(why, "maximum is %llu%n", &most, &n) != 1)
		return false;
	span_put(s, span);
	span_put(most, limit);
	snprintf(out, SENTENCE_MAX, "a duration of %s is too long: at most %s%s", span, limit, why + n);
	return true;
}

/* value "V" for parameter "P" is invalid: WHY, which may follow another part ("B: "). */
static bool say_value(const char *reason, char *out)
{
	static const char for_parameter[] = "\" for parameter \"", invalid[] = "\" is invalid: ";
	const char *begin = strstr(reason, "value \""), *middle = begin ? strstr(begin, for_parameter) : NULL;
	const char *name = middle ? middle + strlen(for_parameter) : NULL, *end = name ? strstr(name, invalid) : NULL;
	const char *option = end ? option_of(name, (size_t)(end - name)) : NULL;
	char value[SENTENCE_MAX];

	if (!option)
		return false;
	snprintf(value, sizeof(value), "%.*s", (int)(middle - begin - 7), begin + 7);
	if (!strcmp(option, "--duration") && say_duration(value, end + strlen(invalid), out))
		return true;
	snprintf(out, SENTENCE_MAX, "%.*s%s %.200s: %s", (int)(begin - reason), reason, option, value, end + strlen(invalid));
	return true;
}

static bool is_name_byte(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }

/* Returns whether each word of the sentence that is a parameter means it. */
static bool has_only_parameters(const char *reason)
{
	return strstr(reason, " needs selected") || !strncmp(reason, "at most one of ", 15);
}

/* Replaces names that are no words of English, those with _, and "duration" at the end of a list of them. */
static void say_names(const char *reason, char *out)
{
	bool has_option = false, all = has_only_parameters(reason);
	size_t at = 0;

	while (*reason && at + 1 < SENTENCE_MAX) {
		size_t len = 0;
		const char *option;

		while (is_name_byte(reason[len]))
			len++;
		option = all || memchr(reason, '_', len) || (has_option && len == 8 && at > 4 && !memcmp(out + at - 4, "and ", 4)) ?
			option_of(reason, len) : NULL;
		has_option |= option != NULL;
		if (option)
			at += (size_t)snprintf(out + at, SENTENCE_MAX - at, "%s", option);
		else
			at += (size_t)snprintf(out + at, SENTENCE_MAX - at, "%.*s", (int)(len ? len : 1), reason);
		reason += len ? len : 1;
	}
}

void option_words(char *reason, size_t room)
{
	char said[SENTENCE_MAX] = "";

	if (!say_value(reason, said))
		say_names(reason, said);
	snprintf(reason, room, "%s", said);
}
