#include "aggregator/store/chunk_cache.h"
#include "test/kit/check.h"

#include <stdbool.h>

static const __u64 ruler = RULER(UNIT_NS, 5, 10, 39);

/* Makes histograms in about half of the slots; the caller frees their memory. */
static void fill(struct chunk *c, struct bytes *ret, int n_values)
{
	__u32 at[CHUNK_SLOTS], len[CHUNK_SLOTS];
	struct hist h;

	memset(c, 0, sizeof(*c));
	c->name = (struct chunk_name){ .inst = 1, .first = 600, .ruler = ruler, .key = { (const __u8 *)"\3abc", 4 } };
	hist_init(&h, ruler);
	for (int i = 0; i < CHUNK_SLOTS; i++) {
		at[i] = (__u32)ret->len;
		hist_clear(&h);
		for (int j = 0; j < n_values; j++)
			hist_record(&h, check_value(), 1);
		if (check_below(2))
			hist_encode(&h, ret);
		len[i] = (__u32)ret->len - at[i];
	}
	for (int i = 0; i < CHUNK_SLOTS; i++)
		c->slot[i] = (struct chunk_part){ ret->data + at[i], len[i] };
	hist_fini(&h);
}

static const struct chunk_cache_name a = { .inst = 1, .ruler = RULER(UNIT_NS, 5, 10, 39), .slot = 600, .key = 3, .grain = 12 };

TEST(sums_are_those_of_the_slots)
{
	static const __u32 grain[] = { 1, 4, 12, 60, 300 };
	struct bytes bytes = { 0 };
	struct chunk_cache m = { 0 };
	struct sum sum = { 0 };
	struct chunk c;

	fill(&c, &bytes, 5);
	for (int g = 0; g < 5; g++) {
		struct chunk_cache_name name = a;
		const struct chunk_cache_entry *e;

		name.grain = grain[g];
		e = chunk_cache_make(&m, &name, &c);
		assert_non_null(e);
		assert_ptr_equal(chunk_cache_find(&m, &name), e);
		assert_int_equal(e->n, CHUNK_SLOTS / grain[g]);
		assert_memory_equal(e->slice.key.bytes, "\3abc", 4);
		for (__u32 i = 0; i < e->n; i++) {
			bool some = false;

			assert_int_equal(sum_begin(&sum, ruler), 0);
			for (__u32 j = i * grain[g]; j < (i + 1) * grain[g]; j++)
				if (c.slot[j].hist_len) {
					some = true;
					assert_int_equal(sum_add(&sum, c.slot[j].hist, c.slot[j].hist_len), 0);
				}
			assert_int_equal(sum_end(&sum), 0);
			assert_int_equal(e->sum[i].hist_len, some ? sum.bytes.len : 0);
			if (some)
				assert_memory_equal(e->sum[i].hist, sum.bytes.data, sum.bytes.len);
		}
	}
	sum_fini(&sum);
	bytes_fini(&bytes);
	chunk_cache_fini(&m);
}

TEST(sums_of_sums_are_those_of_the_slots)
{
	static const __u32 grain[] = { 12, 20, 60, 100, 300 };
	struct chunk_cache_name fine = a, name = a;
	const struct chunk_cache_entry *made, *again;
	struct chunk_cache m = { 0 }, direct = { 0 };
	struct bytes bytes = { 0 };
	struct chunk c;

	fill(&c, &bytes, 5);
	fine.grain = 4;
	assert_null(chunk_cache_coarser(&m, &a));
	assert_non_null(chunk_cache_make(&m, &fine, &c));
	assert_null(chunk_cache_coarser(&m, &fine));	/* no coarser */
	for (int g = 0; g < 5; g++) {
		name.grain = grain[g];
		made = chunk_cache_coarser(&m, &name);
		again = chunk_cache_make(&direct, &name, &c);
		assert_non_null(made);
		assert_ptr_equal(chunk_cache_find(&m, &name), made);
		assert_int_equal(made->n, again->n);
		assert_memory_equal(made->slice.key.bytes, "\3abc", 4);
		assert_true(made->slice.ruler == ruler && made->bytes == again->bytes);
		for (__u32 i = 0; i < made->n; i++) {
			assert_int_equal(made->sum[i].hist_len, again->sum[i].hist_len);
			assert_memory_equal(made->sum[i].hist, again->sum[i].hist, made->sum[i].hist_len);
		}
	}
	name.grain = 25;
	assert_null(chunk_cache_coarser(&m, &name));	/* no multiple */
	chunk_cache_forget(&m, &a);
	assert_null(chunk_cache_coarser(&m, &a));
	bytes_fini(&bytes);
	chunk_cache_fini(&direct);
	chunk_cache_fini(&m);
	assert_int_equal(chunk_cache_bytes(&m), 0);
}

TEST(counts_are_those_of_the_slots)
{
	struct chunk_cache_name name = a;
	const struct chunk_cache_entry *e;
	struct bytes bytes = { 0 };
	struct chunk_cache m = { 0 };
	struct chunk c;

	name.grain = 0;
	fill(&c, &bytes, 5);
	e = chunk_cache_count(&m, &name, &c);
	assert_non_null(e);
	assert_ptr_equal(chunk_cache_find(&m, &name), e);
	assert_null(chunk_cache_find(&m, &a));
	assert_memory_equal(e->slice.key.bytes, "\3abc", 4);
	for (int i = 0; i < CHUNK_SLOTS; i++)
		assert_int_equal(e->count[i], c.slot[i].hist_len ? 5 : 0);
	chunk_cache_forget(&m, &a);
	assert_null(chunk_cache_find(&m, &name));
	c.slot[7] = (struct chunk_part){ (const __u8 *)"\1", 1 };
	assert_null(chunk_cache_count(&m, &name, &c));
	bytes_fini(&bytes);
	chunk_cache_fini(&m);
	assert_int_equal(chunk_cache_bytes(&m), 0);
}

TEST(a_forgotten_chunk_is_not_found)
{
	struct chunk_cache_name other = a, coarse = a;
	struct bytes bytes = { 0 };
	struct chunk_cache m = { 0 };
	struct chunk c;

	other.key = 4;
	coarse.grain = 60;
	fill(&c, &bytes, 5);
	assert_null(chunk_cache_find(&m, &a));
	chunk_cache_forget(&m, &a);
	assert_non_null(chunk_cache_make(&m, &a, &c));
	assert_non_null(chunk_cache_make(&m, &other, &c));
	assert_non_null(chunk_cache_make(&m, &coarse, &c));
	chunk_cache_forget(&m, &a);
	assert_null(chunk_cache_find(&m, &a));
	assert_null(chunk_cache_find(&m, &coarse));
	assert_non_null(chunk_cache_find(&m, &other));
	bytes_fini(&bytes);
	chunk_cache_fini(&m);
	assert_int_equal(chunk_cache_bytes(&m), 0);
}

TEST(it_stays_within_its_bytes_and_the_oldest_goes)
{
	struct chunk_cache_name name = a;
	struct bytes bytes = { 0 };
	struct chunk_cache m = { 0 };
	struct chunk c;

	fill(&c, &bytes, 200);
	for (__s64 i = 0; i < 2500; i++) {
		name.slot = 600 + i * CHUNK_SLOTS;
		assert_non_null(chunk_cache_make(&m, &name, &c));
		assert_true(chunk_cache_bytes(&m) <= CHUNK_CACHE_SUMS);
		assert_non_null(chunk_cache_find(&m, &a));	/* used again and again */
	}
	assert_true(chunk_cache_bytes(&m) > CHUNK_CACHE_SUMS / 2);
	name.slot = 600 + CHUNK_SLOTS;
	assert_null(chunk_cache_find(&m, &name));
	/* entries of slots do not push out sums */
	for (name.grain = 1; name.slot < 600 + 200 * CHUNK_SLOTS; name.slot += CHUNK_SLOTS) {
		assert_non_null(chunk_cache_make(&m, &name, &c));
		assert_true(m.slots.bytes <= CHUNK_CACHE_SLOTS && m.sums.bytes > CHUNK_CACHE_SUMS / 2);
	}
	assert_non_null(chunk_cache_find(&m, &a));
	bytes_fini(&bytes);
	chunk_cache_fini(&m);
}

TEST(damaged_chunks_are_not_cached)
{
	struct bytes bytes = { 0 };
	struct chunk_cache m = { 0 };
	struct chunk c;

	fill(&c, &bytes, 5);
	c.slot[7] = (struct chunk_part){ (const __u8 *)"\377", 1 };
	assert_null(chunk_cache_make(&m, &a, &c));
	assert_null(chunk_cache_find(&m, &a));
	assert_int_equal(chunk_cache_bytes(&m), 0);
	bytes_fini(&bytes);
	chunk_cache_fini(&m);
}

TEST_MAIN()
