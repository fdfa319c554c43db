#include "collector/d/tree/probe.h"
#include "test/kit/check.h"

TEST(descriptions_match_by_fields_from_the_right)
{
	static const struct {
		const char *description;
		unsigned ids;			/* bit per probe */
	} rows[] = {
		{ "BEGIN", 1 }, { "END", 2 }, { ":::BEGIN", 1 }, { "dtrace:::", 7 }, { "dtrace:::END", 2 }, { "dt*:::E*", 6 }, { "*:::?EGIN", 1 },
		{ ":::", 7 }, { "1", 1 }, { "2", 2 }, { "17", 0 }, { "begin", 0 }, { "syscall:::BEGIN", 0 }, { "[AB]EGIN", 1 }, { "[!B]*", 6 },
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

TEST_MAIN()
