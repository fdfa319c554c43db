#include "collector/proc/disks.h"
#include "test/kit/meter_kit.h"

#include <errno.h>

static const char diskstats[] =
	"   7       0 loop0 4330 0 2057040 103 242 0 71856 333 0 432 438 2 0 4096 0 10 0\n"
	" 254       0 vda 48319 7091 3176554 9295 880371 96860 19150536 86230 0 41980 116117 135859 65 32807152 6947 282143 13642\n"
	" 254       1 vda1 100 0 800 10 20 0 160 3 0 12 13\n";

TEST(the_columns_are_those_of_iostats)
{
	struct counter_delta g = { .n_values = DISKS_VALUES };
	struct words w = { 0 };
	const __u64 *v;

	counter_delta_begin(&g);
	assert_int_equal(disks_parse(diskstats, strlen(diskstats), &g, &w), 0);
	assert_int_equal(g.now.n, 3);
	v = KIT_VALUES(&g, &w, "vda");
	assert_non_null(v);
	assert_int_equal(v[DISKS_READS], 48319);
	assert_int_equal(v[DISKS_READ_SECTORS], 3176554);
	assert_int_equal(v[DISKS_WRITES], 880371);
	assert_int_equal(v[DISKS_WRITE_SECTORS], 19150536);
	assert_int_equal(v[DISKS_BUSY_MS], 41980);
	assert_int_equal(KIT_VALUES(&g, &w, "vda1")[DISKS_BUSY_MS], 12);
	counter_delta_fini(&g);
	words_fini(&w);
}

TEST(a_machine_without_disks_has_none)
{
	struct counter_delta g = { .n_values = DISKS_VALUES };
	struct words w = { 0 };

	assert_int_equal(disks_parse("", 0, &g, &w), 0);
	assert_int_equal(g.now.n, 0);
	counter_delta_fini(&g);
	words_fini(&w);
}

TEST(refuses_text_that_is_not_diskstats)
{
	static const char *const bad[] = { "\n", "7 0 loop0\n", "7 x loop0 1 2 3 4 5 6 7 8 9 10 11\n",
					   "7 0 loop0 1 2 3 4 5 6 7 8 9\n", "7 0 loop0 1 2 3 4 5 6 7 8 9 -1\n" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct counter_delta g = { .n_values = DISKS_VALUES };
		struct words w = { 0 };

		assert_int_equal(disks_parse(bad[i], strlen(bad[i]), &g, &w), -EBADMSG);
		counter_delta_fini(&g);
		words_fini(&w);
	}
}

TEST_MAIN()
