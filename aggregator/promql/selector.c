#include "aggregator/promql/selector.h"

#include "collector/core/array.h"
#include "collector/core/refuse.h"

#include <ctype.h>
#include <stdio.h>

static const char *const signs[] = { "=", "!=", "=~", "!~" };

const char *matcher_sign(enum matcher_kind kind) { return signs[kind]; }

static bool is_pattern(enum matcher_kind kind) { return kind == MATCHER_PATTERN || kind == MATCHER_NOT_PATTERN; }

/* Refuses what POSIX and RE2 read differently.  Within brackets a backslash is a letter to POSIX. */
static int check_pattern(const char *pattern, char *reason)
{
	bool in_brackets = false;

	if (strlen(pattern) > SELECTOR_PATTERN_MAX)
		return refuse(reason, "a regular expression has more than %d bytes", SELECTOR_PATTERN_MAX);
	for (const char *at = pattern; *at; at++) {
		if (*at == '\\' && in_brackets)
			return refuse(reason, "a backslash between brackets is not supported in the regular expression \"%.200s\"", pattern);
		if (*at == '\\' && (isalnum((unsigned char)at[1]) || !at[1]))
			return refuse(reason, "\\%c is not supported in the regular expression \"%.200s\"", at[1] ? at[1] : ' ', pattern);
		if (*at == '\\') {
			at++;
		} else if (in_brackets) {
			in_brackets = *at != ']';
		} else if (*at == '[') {
			in_brackets = true;
			at += at[1] == '^';
			at += at[1] == ']';
		} else if (*at == '{' || (*at == '(' && at[1] == '?')) {
			return refuse(reason, "%s is not supported in the regular expression \"%.200s\"",
				      *at == '{' ? "repetition in braces" : "(?", pattern);
		} else if (strchr("*+?", *at) && at[1] && strchr("*+?", at[1])) {
			return refuse(reason, "%.2s is not supported in the regular expression \"%.200s\"", at, pattern);
		}
	}
	return 0;
}

static int compile_pattern(struct matcher *m, char *reason)
{
	char whole[SELECTOR_PATTERN_MAX + 8], why[128];
	int err = check_pattern(m->value, reason), failed;

	if (err)
		return err;
	snprintf(whole, sizeof(whole), "^(%s)$", m->value);
	failed = regcomp(&m->regex, *m->value ? whole : "^$", REG_EXTENDED | REG_NOSUB);
	if (!failed)
		return 0;
	regerror(failed, &m->regex, why, sizeof(why));
	return failed == REG_ESPACE ? -ENOMEM : refuse(reason, "the regular expression \"%.200s\" is invalid: %s", m->value, why);
}

int selector_add(struct selector *s, enum matcher_kind kind, const char *label, const char *value, char *reason)
{
	struct matcher m = { .kind = kind, .label = strdup(label), .value = strdup(value) };
	int err = !m.label || !m.value ? -ENOMEM : s->n >= SELECTOR_MATCHERS_MAX ?
		  refuse(reason, "a selector has more than %d matchers", SELECTOR_MATCHERS_MAX) : 0;

	if (!err)
		err = array_resize(&s->matcher, s->n + 1, sizeof(m));
	if (!err && is_pattern(kind))
		err = compile_pattern(&m, reason);
	if (err) {
		free(m.label);
		free(m.value);
		return err;
	}
	s->matcher[s->n++] = m;
	return 0;
}

void selector_fini(struct selector *s)
{
	for (size_t i = 0; i < s->n; i++) {
		if (is_pattern(s->matcher[i].kind))
			regfree(&s->matcher[i].regex);
		free(s->matcher[i].label);
		free(s->matcher[i].value);
	}
	free(s->matcher);
	*s = (struct selector){ 0 };
}

static bool matcher_accepts(const struct matcher *m, const char *value)
{
	switch (m->kind) {
	case MATCHER_EQUAL: return !strcmp(m->value, value);
	case MATCHER_NOT_EQUAL: return strcmp(m->value, value);
	case MATCHER_PATTERN: return !regexec(&m->regex, value, 0, NULL, 0);
	case MATCHER_NOT_PATTERN: return regexec(&m->regex, value, 0, NULL, 0);
	}
	return false;
}

bool selector_takes(const struct selector *s, const char *label, const char *value)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->matcher[i].label, label) && !matcher_accepts(&s->matcher[i], value))
			return false;
	return true;
}

bool selector_accepts(const struct selector *s, const struct series_labels *labels, const char *except)
{
	for (size_t i = 0; i < s->n; i++)
		if ((!except || strcmp(s->matcher[i].label, except)) &&
		    !matcher_accepts(&s->matcher[i], series_labels_get(labels, s->matcher[i].label)))
			return false;
	return true;
}

bool selector_is_narrow(const struct selector *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (!matcher_accepts(&s->matcher[i], ""))
			return true;
	return false;
}
