#include "collector/d/text/lex_private.h"

#include <stdarg.h>
#include <string.h>

static const char *const keywords[] = {
	"auto", "break", "case", "char", "const", "continue", "counter", "default", "do", "double",
	"else", "enum", "extern", "float", "for", "goto", "if", "import", "inline", "int", "long",
	"offsetof", "probe", "provider", "register", "restrict", "return", "self", "short", "signed",
	"sizeof", "static", "string", "stringof", "struct", "switch", "this", "translator", "typedef",
	"union", "unsigned", "userland", "void", "volatile", "while", "xlate",
};
_Static_assert(sizeof(keywords) / sizeof(*keywords) == KEY_END - KEY_AUTO, "a name per keyword");

/* Operators of several characters; of two that begin alike the longer one is first. */
static const struct {
	char text[4];
	int kind;
} operators[] = {
	{ "<<=", TOKEN_SHL_TO }, { ">>=", TOKEN_SHR_TO }, { "...", TOKEN_ELLIPSIS },
	{ "->", TOKEN_ARROW }, { "++", TOKEN_INC }, { "--", TOKEN_DEC }, { "<<", TOKEN_SHL }, { ">>", TOKEN_SHR },
	{ "<=", TOKEN_LE }, { ">=", TOKEN_GE }, { "==", TOKEN_EQ }, { "!=", TOKEN_NE }, { "&&", TOKEN_AND },
	{ "||", TOKEN_OR }, { "^^", TOKEN_XOR }, { "+=", TOKEN_ADD_TO }, { "-=", TOKEN_SUB_TO }, { "*=", TOKEN_MUL_TO },
	{ "/=", TOKEN_DIV_TO }, { "%=", TOKEN_MOD_TO }, { "&=", TOKEN_AND_TO }, { "|=", TOKEN_OR_TO }, { "^=", TOKEN_XOR_TO },
};
#define N_OPERATORS (sizeof(operators) / sizeof(*operators))

const char *d_token_name(int kind)
{
	static const char singles[] = "!%&()*+,-./:;<=>?@[]^{|}~";
	static char single[sizeof(singles)][2];
	const char *at = kind < 128 ? strchr(singles, kind) : NULL;

	for (size_t i = 0; i < N_OPERATORS; i++)
		if (operators[i].kind == kind)
			return operators[i].text;
	if (kind >= KEY_AUTO && kind < KEY_END)
		return keywords[kind - KEY_AUTO];
	if (at && *at) {
		single[at - singles][0] = *at;
		return single[at - singles];
	}
	switch (kind) {
	case TOKEN_END: return "end of the script";
	case TOKEN_SPEC: return "probe description";
	case TOKEN_NAME: return "identifier";
	case TOKEN_AGG: return "aggregation";
	case TOKEN_INT: return "integer";
	case TOKEN_STRING: return "string";
	case TOKEN_PREDICATE_END: return "/";
	}
	return "character";
}

void d_lex_init(struct d_lexer *l, const struct d_script *s, struct d_arena *a, struct d_macros *m, struct d_error *e)
{
	*l = (struct d_lexer){ .script = s, .arena = a, .macros = m, .error = e };
	l->pragmas_end = &l->pragmas;
}

struct d_token lex_error(struct d_lexer *l, __u32 at, const char *tag, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	d_fail_args(l->error, l->script, l->arena, at, tag, format, args);
	va_end(args);
	return (struct d_token){ .kind = TOKEN_ERROR, .at = at };
}

struct d_token lex_full(struct d_lexer *l, __u32 at)
{
	d_fail_full(l->error, l->script, at);
	return (struct d_token){ .kind = TOKEN_ERROR, .at = at };
}

/* ---- between tokens ---- */

static bool skip_comment(struct d_lexer *l)
{
	__u32 begin = l->at;

	for (l->at += 2; l->at + 1 < l->script->len; l->at++) {
		if (lex_peek(l, 0) == '*' && lex_peek(l, 1) == '/') {
			l->at += 2;
			return true;
		}
		if (lex_peek(l, 0) == '/' && lex_peek(l, 1) == '*') {
			lex_error(l, l->at, "D_SYNTAX", "/* encountered inside a comment");
			return false;
		}
	}
	lex_error(l, begin, "D_SYNTAX", "end-of-file encountered before matching */");
	return false;
}

static void skip_line(struct d_lexer *l)
{
	while (lex_peek(l, 0) >= 0 && lex_peek(l, 0) != '\n')
		l->at++;
}

/* Only blanks stand before it in its line. */
static bool begins_line(const struct d_lexer *l)
{
	__u32 at = l->at;

	while (at && (l->script->text[at - 1] == ' ' || l->script->text[at - 1] == '\t'))
		at--;
	return !at || l->script->text[at - 1] == '\n';
}

/* Skips blanks, comments and control lines.  false: an error. */
static bool skip_blanks(struct d_lexer *l)
{
	if (l->error->tag)
		return false;
	for (;;) {
		int c = lex_peek(l, 0), d = lex_peek(l, 1);

		if (c == ' ' || (c >= '\t' && c <= '\r')) {
			l->at++;
		} else if (c == '\\' && (d == '\n' || d == '\r')) {
			l->at += 2;
		} else if (c == '/' && d == '/') {
			skip_line(l);
		} else if (c == '/' && d == '*') {
			if (!skip_comment(l))
				return false;
		} else if (c == '#' && begins_line(l)) {
			if (lex_control(l))
				return false;
		} else {
			return true;
		}
	}
}

/* ---- inside braces ---- */

static int keyword(const char *text, size_t len)
{
	for (int i = 0; i < KEY_END - KEY_AUTO; i++)
		if (strlen(keywords[i]) == len && !memcmp(keywords[i], text, len))
			return KEY_AUTO + i;
	return 0;
}

static struct d_token lex_text(struct d_lexer *l, int kind, __u32 at, __u32 skip)
{
	struct d_token t = { .kind = kind, .at = at, .len = l->at - at };

	t.text_len = t.len - skip;
	t.text = d_alloc_text(l->arena, l->script->text + at + skip, t.text_len);
	return t.text ? t : lex_full(l, at);
}

static struct d_token lex_name(struct d_lexer *l)
{
	__u32 at = l->at;
	struct d_token t;

	while (is_name(lex_peek(l, 0)))
		l->at++;
	t = lex_text(l, TOKEN_NAME, at, 0);
	if (t.kind == TOKEN_NAME && keyword(t.text, t.text_len))
		t.kind = keyword(t.text, t.text_len);
	return t;
}

static struct d_token lex_agg(struct d_lexer *l)
{
	__u32 at = l->at++;
	struct d_token t;

	while (is_name(lex_peek(l, 0)) && lex_peek(l, 0) != '`')
		l->at++;
	t = lex_text(l, TOKEN_AGG, at, 1);
	if (t.kind == TOKEN_AGG && !t.text_len)
		t.text = "_";
	return t;
}

/* A slash ends the predicate if the next character that is no blank is {, ; or /, or the script ends (as in DTrace). */
static bool ends_predicate(const struct d_lexer *l)
{
	__u32 ahead = 1;
	int c;

	while ((c = lex_peek(l, ahead)) == ' ' || (c >= '\t' && c <= '\r'))
		ahead++;
	return c < 0 || c == ';' || c == '{' || c == '/';
}

static struct d_token lex_operator(struct d_lexer *l)
{
	struct d_token t = { .at = l->at, .len = 1 };

	t.kind = lex_peek(l, 0);
	for (size_t i = 0; i < N_OPERATORS; i++) {
		size_t n = strlen(operators[i].text);

		if (l->script->len - l->at >= n && !memcmp(l->script->text + l->at, operators[i].text, n)) {
			t.kind = operators[i].kind;
			t.len = n;
			break;
		}
	}
	if (t.kind == '/' && ends_predicate(l))
		t.kind = TOKEN_PREDICATE_END;
	if (t.kind < 256 && !(t.kind && strchr("!%&()*+,-./:;<=>?[]^{|}~", t.kind))) {
		if (t.kind > ' ' && t.kind < 127)
			return lex_error(l, l->at, "D_SYNTAX", "syntax error near \"%c\"", t.kind);
		if (t.kind == 0xe2 && lex_peek(l, 1) == 0x80)
			return lex_error(l, l->at, "D_SYNTAX", "a typographic quotation mark or dash; write \" ' or -");
		return lex_error(l, l->at, "D_SYNTAX", "invalid character 0x%02x", t.kind);
	}
	l->at += t.len;
	return t;
}

struct d_token d_lex(struct d_lexer *l)
{
	int c;

	if (!skip_blanks(l))
		return (struct d_token){ .kind = TOKEN_ERROR, .at = l->at };
	c = lex_peek(l, 0);
	if (c < 0)
		return (struct d_token){ .kind = TOKEN_END, .at = l->at };
	if (is_name_begin(c))
		return lex_name(l);
	if (c >= '0' && c <= '9')
		return lex_integer(l);
	switch (c) {
	case '"': return lex_string(l);
	case '\'': return lex_character(l);
	case '$': return lex_macro(l);
	case '@': return lex_agg(l);
	}
	return lex_operator(l);
}

/* ---- outside braces ---- */

static bool is_spec(int c)
{
	return is_name(c) || (c > 0 && strchr("-$:.?*\\[]!", c));
}

/* Whether the word at l->at, `len` bytes up to the next sign that no description has, begins a declaration. */
static bool is_declaration(const struct d_lexer *l, __u32 len, bool (*is_type)(const void *, const char *),
			   const void *types, bool only_specs)
{
	const char *text = l->script->text + l->at;
	char name[64];
	__u32 n = 0;

	while (n < len && is_name(text[n]))
		n++;
	if (!n || n >= sizeof(name) || memchr(text, ':', len) || memchr(text, '-', len) || memchr(text, '.', len) ||
	    memchr(text, '?', len) || memchr(text, '!', len) || (only_specs && n != len))
		return false;
	if (keyword(text, n))
		return true;
	memcpy(name, text, n);
	name[n] = '\0';
	return !only_specs && is_type(types, name);
}

struct d_token d_lex_top(struct d_lexer *l, bool (*is_type)(const void *types, const char *name), const void *types,
			 bool only_specs)
{
	__u32 at, len = 0;
	int c;

	if (!skip_blanks(l))
		return (struct d_token){ .kind = TOKEN_ERROR, .at = l->at };
	at = l->at;
	c = lex_peek(l, 0);
	if (c < 0)
		return (struct d_token){ .kind = TOKEN_END, .at = at };
	if (c == ',' || c == ';' || c == '{' || c == '/' || c == '}') {
		l->at++;
		return (struct d_token){ .kind = c, .at = at, .len = 1 };
	}
	while (is_spec(lex_peek(l, len)))
		len++;
	if (!len)
		return c > ' ' && c < 127 ? lex_error(l, at, "D_SYNTAX", "syntax error near \"%c\"", c)
					  : lex_error(l, at, "D_SYNTAX", "invalid character 0x%02x", c);
	if (is_declaration(l, len, is_type, types, only_specs))
		return lex_name(l);
	l->at += len;
	return lex_spec_macros(l, at, len);
}
