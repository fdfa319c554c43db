#include "collector/d/text/lex.h"
#include "test/kit/check.h"

struct lex_case {
	struct d_script script;
	struct d_arena arena;
	struct d_macros macros;
	struct d_error error;
	struct d_lexer lexer;
};

static void begin(struct lex_case *c, const char *text)
{
	c->script = (struct d_script){ NULL, text, strlen(text) };
	c->arena.most = 1u << 20;
	d_lex_init(&c->lexer, &c->script, &c->arena, &c->macros, &c->error);
}

static bool is_my_t(const void *types, const char *name) { return !strcmp(name, "my_t"); }

static struct d_token top(struct lex_case *c, bool only_specs) { return d_lex_top(&c->lexer, is_my_t, NULL, only_specs); }

TEST(integers_have_cs_types)
{
	static const struct {
		const char *text;
		__u64 value;
		bool is_unsigned, is_long;
	} rows[] = {
		{ "0", 0, false, false }, { "42", 42, false, false }, { "2147483647", 2147483647, false, false },
		{ "2147483648", 2147483648u, false, true }, { "0x7fffffff", 0x7fffffff, false, false },
		{ "0x80000000", 0x80000000u, true, false }, { "0xffffffffff", 0xffffffffffull, false, true },
		{ "1u", 1, true, false }, { "1L", 1, false, true }, { "1ull", 1, true, true }, { "1LLU", 1, true, true },
		{ "017", 15, false, false }, { "9223372036854775807", INT64_MAX, false, true },
		{ "9223372036854775808", 1ull << 63, true, true }, { "18446744073709551615", UINT64_MAX, true, true },
		{ "'a'", 'a', false, false }, { "'\\n'", '\n', false, false }, { "'\\377'", (__u64)-1, false, false },
		{ "'ab'", 'a' << 8 | 'b', false, false }, { "'\\x41'", 'A', false, false },
		{ "'abcdefgh'", 0x6162636465666768ull, false, true },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct lex_case c = { 0 };
		struct d_token t;

		begin(&c, rows[i].text);
		t = d_lex(&c.lexer);
		assert_int_equal(t.kind, TOKEN_INT);
		assert_true(t.value == rows[i].value);
		assert_int_equal(t.is_unsigned, rows[i].is_unsigned);
		assert_int_equal(t.is_long, rows[i].is_long);
		assert_int_equal(d_lex(&c.lexer).kind, TOKEN_END);
		d_arena_fini(&c.arena);
	}
}

TEST(strings_are_decoded)
{
	struct lex_case c = { 0 };
	struct d_token t;

	begin(&c, "\"a\\tb\\\"\\101\\x42\\\nc\\0d\"");
	t = d_lex(&c.lexer);
	assert_int_equal(t.kind, TOKEN_STRING);
	assert_int_equal(t.text_len, 9);
	assert_memory_equal(t.text, "a\tb\"ABc\0d", 9);
	d_arena_fini(&c.arena);
}

TEST(operators_are_the_longest)
{
	static const int kinds[] = { TOKEN_SHL_TO, TOKEN_SHR, TOKEN_GE, TOKEN_XOR, '^', TOKEN_ARROW, TOKEN_DEC, '-', TOKEN_ELLIPSIS,
				     '.', TOKEN_NAME, TOKEN_AGG, TOKEN_AGG, '[', TOKEN_END };
	struct lex_case c = { 0 };

	begin(&c, "<<= >> >= ^^^ -> --- ... . mod`name @a @[");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		assert_int_equal(d_lex(&c.lexer).kind, kinds[i]);
	d_arena_fini(&c.arena);
}

TEST(a_slash_before_a_body_ends_a_predicate)
{
	static const struct {
		const char *text;
		int kind;
	} rows[] = {
		{ "/ {", TOKEN_PREDICATE_END }, { "/\n\t;", TOKEN_PREDICATE_END }, { "/", TOKEN_PREDICATE_END },
		{ "/ /* c */ {", TOKEN_PREDICATE_END }, { "/ 2", '/' }, { "/= 2", TOKEN_DIV_TO },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct lex_case c = { 0 };

		begin(&c, rows[i].text);
		assert_int_equal(d_lex(&c.lexer).kind, rows[i].kind);
		d_arena_fini(&c.arena);
	}
}

TEST(a_description_is_no_declaration)
{
	static const struct {
		const char *text;
		bool only_specs;
		int kind;
		const char *spec;
	} rows[] = {
		{ "syscall::*read*:entry", false, TOKEN_SPEC, "syscall::*read*:entry" },
		{ "BEGIN{", false, TOKEN_SPEC, "BEGIN" }, { "17 {", false, TOKEN_SPEC, "17" },
		{ "tick-1s", false, TOKEN_SPEC, "tick-1s" }, { "int x", false, KEY_INT, NULL },
		{ "int x", true, KEY_INT, NULL }, { "my_t x", false, TOKEN_NAME, NULL },
		{ "my_t x", true, TOKEN_SPEC, "my_t" }, { "my_t*x", false, TOKEN_NAME, NULL },
		{ "my_t:::x", false, TOKEN_SPEC, "my_t:::x" }, { "int*", true, TOKEN_SPEC, "int*" },
		{ "pid$target:libc.so.[67]:str*:entry", false, TOKEN_SPEC, "pid1234:libc.so.[67]:str*:entry" },
		{ "tick-$1", false, TOKEN_SPEC, "tick-5s" }, { "pid$target::$$2:", false, TOKEN_SPEC, "pid1234::a*b:" },
	};
	static const char *const arguments[] = { "5s", "a*b" };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct lex_case c = { .macros = { .argument = arguments, .n_arguments = 2, .target = 1234 } };
		struct d_token t;

		begin(&c, rows[i].text);
		t = top(&c, rows[i].only_specs);
		assert_int_equal(t.kind, rows[i].kind);
		if (rows[i].spec)
			assert_string_equal(t.text, rows[i].spec);
		d_arena_fini(&c.arena);
	}
}

TEST(macros_are_replaced)
{
	static const char *const arguments[] = { "-12", "name", "two words", "0x10" };
	struct lex_case c = { .macros = { .script = "x.d", .argument = arguments, .n_arguments = 4, .target = 77 } };
	struct d_token t;

	begin(&c, "$1 $$1 $2 $$3 $4 $target $$0");
	t = d_lex(&c.lexer);
	assert_true(t.kind == TOKEN_INT && (__s64)t.value == -12);
	assert_string_equal(d_lex(&c.lexer).text, "-12");
	t = d_lex(&c.lexer);
	assert_true(t.kind == TOKEN_NAME);
	assert_string_equal(t.text, "name");
	assert_string_equal(d_lex(&c.lexer).text, "two words");
	assert_int_equal(d_lex(&c.lexer).value, 16);
	assert_int_equal(d_lex(&c.lexer).value, 77);
	assert_string_equal(d_lex(&c.lexer).text, "x.d");
	assert_int_equal(c.macros.used, 15);
	d_arena_fini(&c.arena);
}

TEST(an_argument_without_quotes_is_a_name_or_an_integer)
{
	static const struct {
		const char *argument, *tag, *text;
	} rows[] = {
		{ "5s", "D_MACRO_OFLOW", "argument \"5s\" is not an integer" }, { "08", "D_MACRO_OFLOW", "argument \"08\" is not an integer" },
		{ "-1.5", "D_MACRO_OFLOW", "argument \"-1.5\" is not an integer" },
		{ "99999999999999999999", "D_MACRO_OFLOW", "argument \"99999999999999999999\" is not an integer" },
		{ "", "D_SYNTAX", "argument \"\" is no name or number; write $$ for a string" },
		{ "two words", "D_SYNTAX", "argument \"two words\" is no name or number; write $$ for a string" },
		{ "-", "D_SYNTAX", "argument \"-\" is no name or number; write $$ for a string" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct lex_case c = { .macros = { .argument = &rows[i].argument, .n_arguments = 1 } };

		begin(&c, "\n  $1");
		assert_int_equal(d_lex(&c.lexer).kind, TOKEN_ERROR);
		assert_string_equal(c.error.tag, rows[i].tag);
		assert_string_equal(c.error.text, rows[i].text);
		assert_ptr_equal(c.error.script, c.script.text);
		assert_int_equal(c.error.line, 2);
		assert_int_equal(c.error.column, 3);
		d_arena_fini(&c.arena);
	}
}

TEST(the_name_of_a_script_is_no_name_without_a_script)
{
	struct lex_case c = { 0 };

	begin(&c, "$0");
	assert_int_equal(d_lex(&c.lexer).kind, TOKEN_ERROR);
	assert_string_equal(c.error.tag, "D_SYNTAX");
	d_arena_fini(&c.arena);
}

TEST(a_full_arena_is_a_script_that_is_too_large)
{
	static const char *const rows[] = { "name", "@a", "\"a\"", "$1", "#pragma D option quiet\n", "#line 1\n", "08" };
	static const char *const arguments[] = { "first" };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct lex_case c = { .macros = { .argument = arguments, .n_arguments = 1 } };

		begin(&c, rows[i]);
		c.arena.failed = true;
		assert_int_equal(d_lex(&c.lexer).kind, TOKEN_ERROR);
		assert_string_equal(c.error.text, "the script is too large");
		d_arena_fini(&c.arena);
	}
}

TEST(missing_arguments_are_zero_if_the_script_says_so)
{
	struct lex_case c = { 0 };

	begin(&c, "#!/usr/sbin/dtrace -s\n#pragma D option defaultargs\n#pragma D option switchrate=10hz\n$3 $$4");
	assert_int_equal(d_lex(&c.lexer).kind, TOKEN_INT);
	assert_string_equal(d_lex(&c.lexer).text, "");
	assert_string_equal(c.lexer.pragmas->key, "defaultargs");
	assert_string_equal(c.lexer.pragmas->next->value, "10hz");
	d_arena_fini(&c.arena);
}

TEST(refuses_what_is_no_token)
{
	static const struct {
		const char *text, *tag;
		unsigned line, column;
	} rows[] = {
		{ "\n  08", "D_INT_DIGIT", 2, 4 }, { "99999999999999999999", "D_INT_OFLOW", 1, 1 }, { "1.5", "D_SYNTAX", 1, 1 },
		{ "12ab", "D_SYNTAX", 1, 3 }, { "\"abc\n\"", "D_STR_NL", 1, 1 }, { "\"abc", "D_SYNTAX", 1, 1 },
		{ "\"abc\\", "D_SYNTAX", 1, 1 }, { "'\n'", "D_CHR_NL", 1, 1 }, { "''", "D_CHR_NULL", 1, 1 },
		{ "'123456789'", "D_CHR_OFLOW", 1, 1 }, { "/* a", "D_SYNTAX", 1, 1 }, { "/* /* */", "D_SYNTAX", 1, 4 },
		{ "$1", "D_MACRO_UNDEF", 1, 1 }, { "$targe", "D_MACRO_UNDEF", 1, 1 }, { "$", "D_SYNTAX", 1, 1 },
		{ "#pragma D nonsense\n1", "D_PRAGMA_INVAL", 1, 1 }, { "#if 1\n", "D_PRAGCTL_INVAL", 1, 1 },
		{ "#pragma D option\n", "D_PRAGMA_MALFORM", 1, 1 }, { "#error no\n", "D_PRAGERR", 1, 1 },
		{ "\xe2\x80\x9c", "D_SYNTAX", 1, 1 }, { "\\", "D_SYNTAX", 1, 1 }, { "\x01", "D_SYNTAX", 1, 1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct lex_case c = { 0 };

		begin(&c, rows[i].text);
		assert_int_equal(d_lex(&c.lexer).kind, TOKEN_ERROR);
		assert_string_equal(c.error.tag, rows[i].tag);
		assert_int_equal(c.error.line, rows[i].line);
		assert_int_equal(c.error.column, rows[i].column);
		assert_int_equal(d_lex(&c.lexer).kind, TOKEN_ERROR);
		d_arena_fini(&c.arena);
	}
}

TEST_MAIN()
