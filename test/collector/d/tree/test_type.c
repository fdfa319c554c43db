#include "test/collector/d/d_kit.h"

/* The type of the last thing that the text declares, as text. */
static void declared(const char *text, char *out, size_t room)
{
	struct d_case c = { 0 };
	const struct d_item *item;

	if (d_case_parse(&c, text, 0))
		print_message("%s: [%s] %s\n", text, c.error.tag, c.error.text);
	assert_null(c.error.tag);
	for (item = c.unit.items; item->next; item = item->next)
		;
	d_type_print(item->type, out, room);
	d_case_fini(&c);
}

TEST(declarators_read_as_in_c)
{
	static const struct {
		const char *text, *type;
	} rows[] = {
		{ "int x;", "int" }, { "unsigned x;", "unsigned int" }, { "long unsigned int long x;", "unsigned long long" },
		{ "signed char x;", "signed char" }, { "short x;", "short" }, { "long double x;", "long double" },
		{ "const char *x;", "char *" }, { "char **x;", "char **" }, { "char *x[3];", "char * [3]" },
		{ "char (*x)[3];", "char [3] *" }, { "int x[2][3];", "int [3] [2]" }, { "int (*x)(char, ...);", "int (char, ...) *" },
		{ "int (*x[4])(void);", "int () * [4]" }, { "uint64_t x;", "uint64_t" }, { "string x;", "string" },
		{ "int x[string, int];", "int [string, int]" }, { "self string *x;", "string *" },
		{ "struct s { int a; }; struct s x;", "struct s" }, { "typedef struct { int a; } t; t *x;", "t *" },
		{ "enum e { A } x;", "enum e" }, { "this int x, *y;", "int *" }, { "struct s; struct s *x;", "struct s *" },
	};
	char out[128];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		declared(rows[i].text, out, sizeof(out));
		assert_string_equal(out, rows[i].type);
	}
}

TEST(structs_have_cs_layout)
{
	struct d_case c = { 0 };
	const struct d_type *s;
	struct same { char a; short b; int c : 3, d : 30; char e; long long f; char g[5]; struct { char h; int i; } j; };
	union either { char a[9]; int b; };

	assert_int_equal(d_case_parse(&c, "struct same { char a; short b; int c : 3, d : 30; char e; long long f; char g[5]; "
					  "struct { char h; int i; } j; }; union either { char a[9]; int b; };", 0), 0);
	s = d_types_find(&c.types, TAG_STRUCT, "same");
	assert_int_equal(s->size, sizeof(struct same));
	assert_int_equal(s->align, _Alignof(struct same));
	assert_int_equal(d_type_member(s, "b")->offset, offsetof(struct same, b));
	assert_int_equal(d_type_member(s, "e")->offset, offsetof(struct same, e));
	assert_int_equal(d_type_member(s, "f")->offset, offsetof(struct same, f));
	assert_int_equal(d_type_member(s, "j")->offset, offsetof(struct same, j));
	assert_int_equal(d_type_member(s, "d")->n_bits, 30);
	assert_int_equal(d_types_find(&c.types, TAG_UNION, "either")->size, sizeof(union either));
	d_case_fini(&c);
}

TEST(a_bit_field_has_the_size_of_its_type)
{
	struct d_case c = { 0 };
	const struct d_type *s;

	assert_int_equal(d_case_parse(&c, "typedef enum e t; enum e { A }; struct s { t a : 3; t b : 32; };", 0), 0);
	s = d_types_find(&c.types, TAG_STRUCT, "s");
	assert_int_equal(s->size, 8);
	assert_int_equal(d_type_member(s, "a")->n_bits, 3);
	d_case_fini(&c);
}

/* Two chains of types that are 2^40 when written out. */
TEST(types_are_compared_in_bounded_time)
{
	char text[8192] = "typedef int (*t0)(int); typedef int (*u0)(int);";
	struct d_case c = { 0 };
	const struct d_item *i;
	size_t len = strlen(text);

	for (unsigned k = 1; k <= 40; k++)
		len += sprintf(text + len, "typedef int (*t%u)(t%u, t%u); typedef int (*u%u)(u%u, u%u);", k, k - 1, k - 1, k, k - 1, k - 1);
	strcpy(text + len, "t5 a; u5 b; t40 d; u40 e;");
	assert_int_equal(d_case_parse(&c, text, 0), 0);
	for (i = c.unit.items; strcmp(i->name, "a"); i = i->next)
		;
	assert_true(d_type_same(i->type, i->next->type));
	i = i->next->next;
	assert_true(d_type_same(i->type, i->type));
	assert_false(d_type_same(i->type, i->next->type));
	d_case_fini(&c);
}

TEST(operands_convert_as_in_c)
{
	static const struct {
		enum d_intrinsic a, b, usual;
	} rows[] = {
		{ D_CHAR, D_CHAR, D_INT }, { D_UCHAR, D_USHORT, D_INT }, { D_INT, D_UINT, D_UINT }, { D_UINT, D_LONG, D_LONG },
		{ D_LONG, D_ULONG, D_ULONG }, { D_INT, D_ULLONG, D_ULLONG }, { D_SHORT, D_UINT, D_UINT }, { D_BOOL, D_INT, D_INT },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct d_type *a = d_types_intrinsic(rows[i].a), *b = d_types_intrinsic(rows[i].b);

		assert_ptr_equal(d_type_usual(a, b), d_types_intrinsic(rows[i].usual));
		assert_ptr_equal(d_type_usual(b, a), d_types_intrinsic(rows[i].usual));
	}
}

TEST(a_typedef_is_its_type)
{
	struct d_case c = { 0 };
	const struct d_item *i;

	assert_int_equal(d_case_parse(&c, "typedef int *p; p a; int *b; unsigned *d;", 0), 0);
	i = c.unit.items->next;
	assert_true(d_type_same(i->type, i->next->type));
	assert_false(d_type_same(i->type, i->next->next->type));
	d_case_fini(&c);
}

TEST(refuses_declarations_with_dtraces_tags)
{
	static const struct {
		const char *text, *tag;
	} rows[] = {
		{ "short char x;", "D_DECL_CHARATTR" }, { "long void *x;", "D_DECL_VOIDATTR" }, { "unsigned string x;", "D_DECL_SIGNINT" },
		{ "long string x;", "D_DECL_LONGINT" }, { "signed unsigned x;", "D_DECL_COMBO" }, { "self this int x;", "D_DECL_CLASS" },
		{ "register int x;", "D_DECL_BADCLASS" }, { "int x[y];", "D_DECL_ARRSUB" }, { "int x[-1];", "D_DECL_ARRBIG" },
		{ "int x[1 << 30];", "D_DECL_ARRBIG" }, { "int x[];", "D_DECL_ARRNULL" }, { "this int x[int];", "D_DECL_LOCASSC" },
		{ "void x;", "D_DECL_VOIDOBJ" }, { "struct s x;", "D_DECL_INCOMPLETE" }, { "struct s { int; };", "D_DECL_MNAME" },
		{ "struct s { int a, a; };", "D_DECL_IDRED" }, { "struct s { int a : x; };", "D_DECL_BFCONST" },
		{ "struct s { int a : 0; };", "D_DECL_BFCONST" }, { "struct s { int : 0; };", "D_DECL_BFCONST" },
		{ "struct s { int a : 33; };", "D_DECL_BFSIZE" }, { "struct s { string a : 3; };", "D_DECL_BFTYPE" },
		{ "struct s { int a; }; struct s { int b; };", "D_DECL_TYPERED" }, { "typedef int t; typedef char t;", "D_DECL_TYPERED" },
		{ "enum e { A = x };", "D_DECL_ENCONST" }, { "enum e { A = 1 << 31 };", "D_DECL_ENOFLOW" },
		{ "enum e { A, A };", "D_DECL_IDRED" }, { "int;", "D_DECL_USELESS" }, { "int a`b;", "D_DECL_SCOPE" }, { "typedef int *;", "D_DECL_USELESS" },
		{ "struct s { struct s { int a; } b; };", "D_DECL_TYPERED" }, { "union s { int x; union s { int a; } b; };", "D_DECL_TYPERED" },
		{ "enum e { A = sizeof (enum e { B }) };", "D_DECL_TYPERED" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct d_case c = { 0 };

		assert_int_not_equal(d_case_parse(&c, rows[i].text, 0), 0);
		if (strcmp(c.error.tag, rows[i].tag))
			print_message("%s\n", rows[i].text);
		assert_string_equal(c.error.tag, rows[i].tag);
		d_case_fini(&c);
	}
}

TEST_MAIN()
