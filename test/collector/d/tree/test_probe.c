#include "collector/d/tree/probe.h"
#include "test/kit/check.h"

#include <stdio.h>

TEST(descriptions_match_by_fields_from_the_right)
{
	static const struct {
		const char *description;
		unsigned ids;			/* bit per probe */
	} rows[] = {
		{ "BEGIN", 1 }, { "END", 2 }, { ":::BEGIN", 1 }, { "dtrace:::", 7 }, { "dtrace:::END", 2 }, { "dt*:::E*", 6 }, { "*:::?EGIN", 1 },
		{ ":::", 7 }, { "1", 1 }, { "2", 2 }, { "17", 0 }, { "4294967297", 0 }, { "18446744073709551617", 0 }, { "0", 0 }, { "begin", 0 }, { "syscall:::BEGIN", 0 }, { "[AB]EGIN", 1 }, { "[!B]*", 6 },
		{ "::BEGIN", 1 }, { "x::BEGIN", 0 }, { "a:b:c:d:e", 0 },
	};

	struct d_arena arena = { .most = 1u << 20 };
	struct d_description d;
	struct d_probes all;

	assert_int_equal(d_probes_init(&all, &arena), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		unsigned ids = 0;

		if (d_description_parse(rows[i].description, &d))
			for (unsigned p = 0; p < all.n; p++)
				ids |= d_probe_matches(all.probe[p], &d) << p;
		if (ids != rows[i].ids)
			print_message("%s\n", rows[i].description);
		assert_int_equal(ids, rows[i].ids);
	}
	assert_true(d_description_parse("a:b:c:d", &d));
	assert_false(d_description_parse("a:b:c:d:e", &d));
	d_probes_fini(&all);
	d_arena_fini(&arena);
}

TEST(a_module_is_also_named_without_its_version)
{
	static const struct {
		const char *glob, *module;
		bool is_main, matches;
	} rows[] = {
		{ "", "libc.so.6", false, true }, { "libc.so.6", "libc.so.6", false, true }, { "libc.so", "libc.so.6", false, true },
		{ "libc", "libc.so.6", false, true }, { "libc", "libc-2.31.so", false, true }, { "libc.so.1", "libc.so.6", false, true },
		{ "lib*", "libc.so.6", false, true }, { "lib", "libc.so.6", false, false }, { "libc.so.x", "libc.so.6", false, false },
		{ "libcrypto", "libc.so.6", false, false }, { "a.out", "mysqld", true, true }, { "a.out", "mysqld", false, false },
		{ "mysqld", "mysqld", true, true },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (d_module_matches(rows[i].glob, rows[i].module, rows[i].is_main) != rows[i].matches)
			print_message("%s of %s\n", rows[i].glob, rows[i].module);
		assert_int_equal(d_module_matches(rows[i].glob, rows[i].module, rows[i].is_main), rows[i].matches);
	}
}

TEST(a_probe_is_added_once)
{
	struct d_arena arena = { .most = 1u << 20 };
	char function[16] = "f0";
	const struct d_probe probe = { .context = CONTEXT_FUNCTION_ENTRY, .field = { "pid1", "a", function, "entry" }, .detail = 16 };
	struct d_probe other = probe;
	struct d_probe *first;
	struct d_probes all;

	other.detail = 32;
	assert_int_equal(d_probes_init(&all, &arena), 0);
	first = d_probes_add(&all, &probe);
	assert_int_equal(first->id, PROBE_ERROR + 1);
	assert_ptr_equal(d_probes_add(&all, &probe), first);
	assert_int_equal(all.n, 4);
	assert_int_equal(d_probes_add(&all, &other)->id, 5);		/* the same function, at another place */
	for (unsigned i = 1; i < 1000; i++) {				/* the index grows meanwhile */
		sprintf(function, "f%u", i);
		assert_int_equal(d_probes_add(&all, &probe)->id, i + 5);
	}
	strcpy(function, "f0");
	assert_ptr_equal(d_probes_add(&all, &probe), first);
	assert_string_equal(first->field[FIELD_FUNCTION], "f0");
	assert_ptr_equal(d_probes_find(&all, 4), first);
	assert_string_equal(d_probes_find(&all, PROBE_BEGIN)->field[FIELD_NAME], "BEGIN");
	assert_null(d_probes_find(&all, 0));
	assert_non_null(d_probes_find(&all, all.n));
	assert_null(d_probes_find(&all, all.n + 1));
	d_probes_fini(&all);
	d_arena_fini(&arena);
}

TEST_MAIN()
