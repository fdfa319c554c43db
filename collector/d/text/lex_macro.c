#include "collector/d/text/lex_private.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SPEC_MAX 1024			/* bytes of a description with its macros replaced */

/* ---- macros ---- */

static const char *const numbers[] = {
	"egid", "euid", "gid", "pgid", "pid", "ppid", "projid", "sid", "target", "taskid", "uid",
};

/* The number that `$name` stands for.  false: it is not defined. */
static bool macro_number(const struct d_macros *m, const char *name, __s64 *ret_value)
{
	const __s64 value[] = {
		getegid(), geteuid(), getgid(), getpgid(0), getpid(), getppid(), 0, getsid(0), m->target, 0, getuid(),
	};

	_Static_assert(sizeof(value) / sizeof(*value) == sizeof(numbers) / sizeof(*numbers), "a value per name");
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (!strcmp(name, numbers[i]) && (m->target || strcmp(name, "target"))) {
			*ret_value = value[i];
			return true;
		}
	return false;
}

/* The text that `$n` stands for; NULL: there is no such argument. */
static const char *macro_argument(struct d_macros *m, unsigned n)
{
	if (!n)
		return m->script ? m->script : "";
	if (n > m->n_arguments)
		return NULL;
	if (n <= 64)
		m->used |= 1ull << (n - 1);
	return m->argument[n - 1];
}

static struct d_token fail_undefined_macro(struct d_lexer *l, __u32 at, __u32 len)
{
	const char *name = d_alloc_text(l->arena, l->script->text + at, len);
	struct d_suggestion s = { .unknown = name ? name + 1 : "" };
	char meant[D_SUGGESTION_LEN];

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		d_suggest(&s, numbers[i]);
	if (s.best && !strcmp(s.best, s.unknown))		/* $target, without a process */
		s.best = NULL;
	return lex_error(l, at, "D_MACRO_UNDEF", "macro argument %s is not defined%s", name ? name : "",
			 d_suggestion_text(&s, "$", meant));
}

/* The length of the macro's name after its `$`; *ret_n: its number, -1: it is a name.  0: no macro. */
static __u32 macro_name(const struct d_lexer *l, __u32 at, int *ret_n)
{
	__u32 n = 0;

	*ret_n = -1;
	if (at < l->script->len && l->script->text[at] >= '0' && l->script->text[at] <= '9')
		for (*ret_n = 0; at + n < l->script->len && l->script->text[at + n] >= '0' && l->script->text[at + n] <= '9'; n++)
			*ret_n = *ret_n > 100000 ? *ret_n : *ret_n * 10 + l->script->text[at + n] - '0';
	else
		while (at + n < l->script->len && is_name(l->script->text[at + n]) && l->script->text[at + n] != '`')
			n++;
	return n;
}

/* An argument that is a number, with its sign. */
static struct d_token integer_argument(struct d_lexer *l, struct d_token t, const char *text)
{
	bool minus = *text == '-', sign = minus || *text == '+';
	const struct d_script argument = { NULL, text + sign, strlen(text + sign) };
	struct d_error error = { 0 };		/* its place would be one in the argument */
	struct d_lexer inner = { .script = &argument, .arena = l->arena, .macros = l->macros, .error = &error };
	struct d_token value = lex_integer(&inner);

	if (value.kind != TOKEN_INT || inner.at != argument.len)
		return lex_error(l, t.at, "D_MACRO_OFLOW", "argument \"%s\" is not an integer", text);
	t.value = minus ? -value.value : value.value;
	t.is_unsigned = value.is_unsigned;
	t.is_long = value.is_long || minus;
	return t;
}

/* An argument as a token: a number or a name. */
static struct d_token argument_token(struct d_lexer *l, struct d_token t, const char *text)
{
	const char *digits = text + (*text == '-' || *text == '+');
	bool is_text = !is_name_begin((unsigned char)*text);

	if (*digits >= '0' && *digits <= '9')
		return integer_argument(l, t, text);
	for (const char *c = text; *c; c++)
		is_text |= !is_name((unsigned char)*c);
	if (is_text)
		return lex_error(l, t.at, "D_SYNTAX", "argument \"%s\" is no name or number; write $$ for a string", text);
	t.kind = TOKEN_NAME;
	t.text = d_alloc_text(l->arena, text, strlen(text));
	t.text_len = strlen(text);
	return t.text ? t : lex_full(l, t.at);
}

struct d_token lex_macro(struct d_lexer *l)
{
	bool is_string = lex_peek(l, 1) == '$';
	struct d_token t = { .kind = TOKEN_INT, .at = l->at };
	const char *text = NULL;
	__s64 value;
	int number;

	t.len = 1 + is_string;
	t.len += macro_name(l, l->at + t.len, &number);
	if (t.len == 1u + is_string)
		return lex_error(l, t.at, "D_SYNTAX", "syntax error near \"$\"");
	l->at += t.len;
	if (number >= 0) {
		text = macro_argument(l->macros, number);
		if (!text && !l->macros->default_arguments)
			return fail_undefined_macro(l, t.at, t.len);
		if (!is_string)
			return text ? argument_token(l, t, text) : t;
		t.kind = TOKEN_STRING;
		t.text = text ? text : "";
		t.text_len = strlen(t.text);
		return t;
	}
	text = d_alloc_text(l->arena, l->script->text + t.at + 1 + is_string, t.len - 1 - is_string);
	if (!text || is_string || !macro_number(l->macros, text, &value))
		return fail_undefined_macro(l, t.at, t.len);
	t.value = value;
	t.is_long = value < -(1ll << 31) || value >= 1ll << 31;
	return t;
}

/* Appends the text of the macro at `at`.  Returns the bytes it has in the script; 0: an error. */
static __u32 spec_macro(struct d_lexer *l, __u32 at, char *out, size_t *len)
{
	__u32 skip = at + 1 < l->script->len && l->script->text[at + 1] == '$' ? 2 : 1;
	int number;
	__u32 n = macro_name(l, at + skip, &number);
	char name[32], digits[24];
	const char *text = digits;
	__s64 value;

	snprintf(name, sizeof(name), "%.*s", (int)(n < 31 ? n : 31), l->script->text + at + skip);
	if (number >= 0 && n)
		text = macro_argument(l->macros, number);
	else if (n && macro_number(l->macros, name, &value))
		snprintf(digits, sizeof(digits), "%lld", (long long)value);
	else
		text = NULL;
	if (!text && number >= 0 && l->macros->default_arguments)
		text = "";
	if (!text) {
		fail_undefined_macro(l, at, skip + n);
		return 0;
	}
	if (*len + strlen(text) >= SPEC_MAX) {
		lex_error(l, at, "D_PDESC_INVAL", "the description of the probe is too long");
		return 0;
	}
	memcpy(out + *len, text, strlen(text));
	*len += strlen(text);
	return skip + n;
}

struct d_token lex_spec_macros(struct d_lexer *l, __u32 at, __u32 len)
{
	struct d_token t = { .kind = TOKEN_SPEC, .at = at, .len = len };
	char out[SPEC_MAX];
	__u32 n;

	for (__u32 i = 0; i < len; i += n) {
		n = 1;
		if (l->script->text[at + i] == '$') {
			n = spec_macro(l, at + i, out, &t.text_len);
			if (!n)
				return (struct d_token){ .kind = TOKEN_ERROR, .at = at + i };
			continue;
		}
		if (t.text_len + 1 >= SPEC_MAX)
			return lex_error(l, at, "D_PDESC_INVAL", "the description of the probe is too long");
		out[t.text_len++] = l->script->text[at + i];
	}
	t.text = d_alloc_text(l->arena, out, t.text_len);
	return t.text ? t : lex_full(l, at);
}

/* ---- control lines ---- */

/* Cuts the next word off the text. */
static char *next_word(char **text)
{
	char *word = *text + strspn(*text, " \t\r");

	*text = word + strcspn(word, " \t\r");
	if (**text)
		*(*text)++ = '\0';
	return *word ? word : NULL;
}

static int pragma_option(struct d_lexer *l, __u32 at, char *text)
{
	struct d_pragma *p = d_alloc(l->arena, sizeof(*p));
	char *key = next_word(&text), *equals;

	if (!p)
		return d_fail_full(l->error, l->script, at);
	if (!key || next_word(&text))
		return d_fail(l->error, l->script, at, "D_PRAGMA_MALFORM", "superfluous or missing arguments of #pragma option");
	equals = strchr(key, '=');
	if (equals)
		*equals++ = '\0';
	*p = (struct d_pragma){ NULL, at, key, equals };
	if (!strcmp(key, "defaultargs"))
		l->macros->default_arguments = true;
	*l->pragmas_end = p;
	l->pragmas_end = &p->next;
	return 0;
}

static int pragma(struct d_lexer *l, __u32 at, char *text)
{
	char *word = next_word(&text);

	if (word && !strcmp(word, "D"))
		word = next_word(&text);
	if (!word || !strcmp(word, "ident"))
		return 0;
	if (!strcmp(word, "error"))
		return d_fail(l->error, l->script, at, "D_PRAGERR", "#error: %s", text);
	if (!strcmp(word, "option"))
		return pragma_option(l, at, text);
	if (!strcmp(word, "attributes") || !strcmp(word, "binding") || !strcmp(word, "depends_on"))
		return 0;		/* stability and libraries: they have no effect here */
	return d_fail(l->error, l->script, at, "D_PRAGMA_INVAL", "invalid #pragma %s", word);
}

int lex_control(struct d_lexer *l)
{
	__u32 at = l->at, end = at;
	char *text, *word;

	while (end < l->script->len && l->script->text[end] != '\n')
		end++;
	text = d_alloc_text(l->arena, l->script->text + at + 1, end - at - 1);
	if (!text)
		return d_fail_full(l->error, l->script, at);
	l->at = end;
	if (*text == '!')
		return 0;
	word = next_word(&text);
	if (!word || !strcmp(word, "line") || !strcmp(word, "ident") || (*word >= '0' && *word <= '9'))
		return 0;
	if (!strcmp(word, "pragma"))
		return pragma(l, at, text);
	if (!strcmp(word, "error"))
		return d_fail(l->error, l->script, at, "D_PRAGERR", "#error: %s", text);
	return d_fail(l->error, l->script, at, "D_PRAGCTL_INVAL", "invalid control directive: #%s", word);
}
