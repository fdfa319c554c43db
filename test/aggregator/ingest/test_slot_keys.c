#include "aggregator/ingest/slot_keys.h"
#include "test/kit/check.h"

#include <stdio.h>

#define MOST 100
#define RULER_HERE RULER(UNIT_NS, 5, 10, 39)

static struct slot_keys *keys;
static struct bytes cells;

static int begin(void **state)
{
	struct hist h;

	assert_int_equal(slot_keys_new(MOST, 1000, &keys), 0);
	assert_int_equal(hist_init(&h, RULER_HERE), 0);
	for (int i = 0; i < 3; i++)
		hist_record(&h, 5000, 1);
	hist_encode(&h, &cells);
	hist_fini(&h);
	return 0;
}

static int end(void **state)
{
	slot_keys_free(keys);
	slot_keys_free(NULL);
	bytes_fini(&cells);
	memset(&cells, 0, sizeof(cells));
	return 0;
}

/* Sends keys first..first+n-1, two slices (axes) each of three events; returns how many slices are left. */
static size_t sent(const char *source, __s64 slot, int first, int n, __u64 *ret_events, struct loss *ret_loss)
{
	struct slice *slice = calloc(2 * (size_t)n, sizeof(*slice));
	struct batch b = { .inst = 1, .slot_ns = 1000000000, .slot = slot, .slice = slice, .n_slices = 2 * (size_t)n };
	char (*label)[12] = calloc((size_t)n, sizeof(*label));

	snprintf(b.source, sizeof(b.source), "%s", source);
	for (int i = 0; i < n; i++) {
		label[i][0] = (char)snprintf(label[i] + 1, 11, "k%d", first + i);
		for (int axis = 0; axis < 2; axis++)
			slice[2 * i + axis] = (struct slice){ .ruler = RULER_HERE, .axis = (__u16)axis, .hist = cells.data, .hist_len = (__u32)cells.len,
							      .key = { (__u8 *)label[i], (__u16)(1 + label[i][0]) } };
	}
	assert_int_equal(slot_keys_cut(keys, &b, ret_events), 0);
	if (ret_loss)
		*ret_loss = b.loss;
	free(slice);
	free(label);
	return b.n_slices;
}

TEST_WITH(keys_within_the_bound_stay, begin, end)
{
	__u64 n;

	assert_int_equal(sent("a", 5, 0, MOST, &n, NULL), 2 * MOST);
	assert_int_equal(n, 0);
	assert_int_equal(sent("a", 5, 0, MOST, &n, NULL), 2 * MOST);	/* late events of known keys */
	assert_int_equal(n, 0);
	assert_int_equal(sent("a", 6, 1000, MOST, &n, NULL), 2 * MOST);	/* another slot, another source */
	assert_int_equal(sent("b", 5, 2000, MOST, &n, NULL), 2 * MOST);
	assert_int_equal(n, 0);
}

TEST_WITH(keys_of_many_batches_beyond_the_bound_are_lost_and_counted, begin, end)
{
	struct loss loss;
	size_t kept = 0;
	__u64 n, lost = 0;

	for (int i = 0; i < 100; i++) {
		kept += sent("a", 5, 30 * i, 30, &n, &loss);
		lost += n;
		assert_int_equal(loss.n, n);
		if (n)
			assert_true(loss.first == 5 && loss.last == 5 && loss.sum >= n * 5000 - n * 5000 / 16);
	}
	assert_int_equal(kept, 2 * MOST);
	assert_int_equal(lost, (100 * 30 - MOST) * 3);
	assert_int_equal(sent("a", 5, 0, 10, &n, NULL), 20);	/* known keys are still taken */
	assert_int_equal(n, 0);
}

TEST_WITH(old_slots_are_forgotten_for_new_ones, begin, end)
{
	__u64 n;

	for (__s64 slot = 0; slot < 1000; slot++) {
		assert_int_equal(sent("a", slot, 0, MOST, &n, NULL), 2 * MOST);
		assert_int_equal(sent("a", slot, MOST, 5, &n, NULL), 0);
		assert_int_equal(n, 15);
	}
	assert_int_equal(sent("a", 0, MOST, 5, &n, NULL), 10);
}

TEST_WITH(an_empty_batch_has_no_keys, begin, end)
{
	struct batch b = { .source = "a", .inst = 1, .slot = 5, .run = 3 };
	__u64 n = 1;

	assert_int_equal(slot_keys_cut(keys, &b, &n), 0);
	assert_int_equal(n, 0);
}

TEST_MAIN()
