#include "collector/proc/cpus.h"
#include "test/kit/meter_kit.h"

#include <errno.h>
#include <unistd.h>

static const char stat_text[] =
	"cpu  117641 595 33987 462985 1762 0 1494 80 0 0\n"
	"cpu0 59297 283 16951 231069 1025 3 573 40 0 0\n"
	"cpu10 58344 312 17036 231916 737 0 921 41 0 0\n"
	"intr 5210904 0 0\n"
	"ctxt 8429483\n"
	"cpufreq 3\n";

TEST(each_cpu_has_its_modes)
{
	struct counter_delta g = { .n_values = CPUS_VALUES };
	struct words w = { 0 };
	const __u64 *v;

	counter_delta_begin(&g);
	assert_int_equal(cpus_parse(stat_text, strlen(stat_text), &g, &w), 0);
	assert_int_equal(g.now.n, 2);
	v = KIT_VALUES(&g, &w, "cpu0");
	assert_non_null(v);
	assert_int_equal(v[CPUS_USER], 59297);
	assert_int_equal(v[CPUS_NICE], 283);
	assert_int_equal(v[CPUS_SYSTEM], 16951);
	assert_int_equal(v[CPUS_IDLE], 231069);
	assert_int_equal(v[CPUS_IOWAIT], 1025);
	assert_int_equal(v[CPUS_IRQ], 3);
	assert_int_equal(v[CPUS_SOFTIRQ], 573);
	assert_int_equal(v[CPUS_STEAL], 40);
	v = KIT_VALUES(&g, &w, "cpu10");
	assert_int_equal(v[CPUS_STEAL], 41);
	counter_delta_fini(&g);
	words_fini(&w);
}

TEST(old_kernels_have_fewer_columns)
{
	struct counter_delta g = { .n_values = CPUS_VALUES };
	struct words w = { 0 };

	counter_delta_begin(&g);
	assert_int_equal(cpus_parse("cpu0 1 2 3 4", 12, &g, &w), 0);
	assert_int_equal(KIT_VALUES(&g, &w, "cpu0")[CPUS_IDLE], 4);
	assert_int_equal(KIT_VALUES(&g, &w, "cpu0")[CPUS_STEAL], 0);
	counter_delta_fini(&g);
	words_fini(&w);
}

TEST(refuses_text_that_is_not_stat)
{
	static const char *const bad[] = { "", "cpu 1 2 3 4\n", "intr 1\n", "cpu0 1 2 3\n", "cpu0 1 2 x 4\n", "cpu0\n",
					   "cpu1 18446744073709551616 1 1 1\n" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct counter_delta g = { .n_values = CPUS_VALUES };
		struct words w = { 0 };

		assert_int_equal(cpus_parse(bad[i], strlen(bad[i]), &g, &w), -EBADMSG);
		counter_delta_fini(&g);
		words_fini(&w);
	}
}

/* On this machine: a program is busy between the snapshots, and the modes add up to the CPU. */
TEST(modes_add_up_to_the_utilization)
{
	struct kit k = { 0 };
	char reason[REASON_MAX];
	void *self;

	assert_int_equal(cpus_meter.start(&self, reason), 0);
	assert_int_equal(kit_read(&k, &cpus_meter, self, 0), 0);
	assert_int_equal(k.n[0] + k.n[1], 0);		/* the first snapshot has no value */
	usleep(200000);
	assert_int_equal(kit_read(&k, &cpus_meter, self, 200000000), 0);
	assert_in_range(k.n[0], 1, sysconf(_SC_NPROCESSORS_ONLN));
	assert_int_equal(k.n[1], CPUS_N_MODES * k.n[0]);
	for (size_t i = 0; i < k.n[0]; i++) {
		__u64 sum = 0;

		for (size_t j = 0; j < CPUS_N_MODES; j++)
			sum += k.event[1][i * CPUS_N_MODES + j].measure[0];
		assert_in_range(k.event[0][i].measure[0], 0, 100);
		assert_in_range(sum + 3, k.event[0][i].measure[0], k.event[0][i].measure[0] + 6);
	}
	cpus_meter.stop(self);
	words_fini(&k.words);
}

TEST_MAIN()
