#include "collector/proc/nics.h"
#include "test/kit/meter_kit.h"

#include <errno.h>

static const char net_dev[] =
	"Inter-|   Receive                                                |  Transmit\n"
	" face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed\n"
	"    lo: 2482880987 1940136    0    0    0     0          0         0 2482880987 1940136    0    0    0     0       0          0\n"
	"  eth0: 652138890   21156    1    2    3     4          5         6  1026797   12861    0    0    0     0       0          0\n"
	"veth0@x:12345678901 2 0 0 0 0 0 0 3 4 0 0 0 0 0 0\n";

TEST(bytes_and_packets_of_both_ways)
{
	struct counter_delta g = { .n_values = NICS_VALUES };
	struct words w = { 0 };
	const __u64 *v;

	counter_delta_begin(&g);
	assert_int_equal(nics_parse(net_dev, strlen(net_dev), &g, &w), 0);
	assert_int_equal(g.now.n, 3);
	v = KIT_VALUES(&g, &w, "eth0");
	assert_non_null(v);
	assert_int_equal(v[NICS_BYTES_IN], 652138890);
	assert_int_equal(v[NICS_PACKETS_IN], 21156);
	assert_int_equal(v[NICS_BYTES_OUT], 1026797);
	assert_int_equal(v[NICS_PACKETS_OUT], 12861);
	v = KIT_VALUES(&g, &w, "veth0@x");		/* a wide number leaves no blank */
	assert_int_equal(v[NICS_BYTES_IN], 12345678901);
	assert_int_equal(v[NICS_PACKETS_OUT], 4);
	counter_delta_fini(&g);
	words_fini(&w);
}

TEST(refuses_text_that_is_not_net_dev)
{
	static const char *const bad[] = { "eth0 1 2 3\n", "eth0: 1 2 3\n", "eth0:\n", ":\n", "\n",
					   "eth0: 1 2 3 4 5 6 7 8 9 x\n" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct counter_delta g = { .n_values = NICS_VALUES };
		struct words w = { 0 };

		assert_int_equal(nics_parse(bad[i], strlen(bad[i]), &g, &w), -EBADMSG);
		counter_delta_fini(&g);
		words_fini(&w);
	}
}

TEST_MAIN()
