#include "aggregator/ingest/bus_assembly.h"
#include "test/kit/check.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int add(struct bus_assemblies *all, const char *source, const char *id, const char *part, const char *data, __u64 now_ms,
	       struct bus_assembly **ret_whole)
{
	char ack[64];
	const struct bus_part p = { id, part, ack, 1000 + now_ms, (const __u8 *)data, strlen(data) };

	snprintf(ack, sizeof(ack), "ack of %s", id ? id : "none");
	return bus_assemblies_add(all, source, &p, now_ms, ret_whole);
}

static void assert_whole(struct bus_assembly *a, const char *data)
{
	assert_int_equal(a->data.len, strlen(data));
	assert_memory_equal(a->data.data, data, a->data.len);
	bus_assembly_fini(a);
}

TEST(a_message_without_parts_is_whole)
{
	struct bus_assemblies all = { 0 };
	struct bus_assembly *whole;

	assert_int_equal(add(&all, "a", NULL, NULL, "bytes", 0, &whole), 1);
	assert_int_equal(whole->n_acks, 1);
	assert_string_equal(whole->ack[0], "ack of none");
	assert_whole(whole, "bytes");
	assert_int_equal(add(&all, "a", "a/1/1/1/1/1/1", NULL, "", 0, &whole), 1);
	assert_whole(whole, "");
	assert_null(all.first);
	assert_int_equal(all.n_bytes, 0);
}

TEST(parts_make_the_same_message_in_every_order)
{
	static const int order[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
	static const char *const id[] = { "x/1", "x/2", "x/3" }, *const part[] = { "1/3", "2/3", "3/3" }, *const data[] = { "one", "two", "three" };
	struct bus_assemblies all = { 0 };
	struct bus_assembly *whole;

	for (size_t i = 0; i < 6; i++) {
		const int *o = order[i];

		assert_int_equal(add(&all, "a", id[o[0]], part[o[0]], data[o[0]], 0, &whole), 0);
		assert_int_equal(add(&all, "b", id[o[1]], part[o[1]], data[o[1]], 0, &whole), 0);	/* another source's */
		assert_int_equal(add(&all, "a", id[o[1]], part[o[1]], data[o[1]], 0, &whole), 0);
		assert_int_equal(add(&all, "a", id[o[1]], part[o[1]], data[o[1]], 0, &whole), 0);	/* it comes again */
		assert_int_equal(add(&all, "a", id[o[2]], part[o[2]], data[o[2]], 0, &whole), 1);
		assert_int_equal(whole->n_acks, 4);		/* of the one that came twice, both */
		assert_whole(whole, "onetwothree");
		bus_assemblies_fini(&all);
		assert_int_equal(all.n_bytes, 0);
	}
}

TEST(parts_that_wait_too_long_are_taken_out)
{
	struct bus_assemblies all = { 0 };
	struct bus_assembly *whole, *expired;

	assert_int_equal(add(&all, "a", "x/1", "1/2", "one", 1000, &whole), 0);
	assert_int_equal(add(&all, "a", "y/1", "1/2", "one", 2000, &whole), 0);
	expired = bus_assemblies_expired(&all, 1001 + ASSEMBLY_MS);
	assert_non_null(expired);
	assert_string_equal(expired->ack[0], "ack of x/1");
	assert_int_equal(expired->oldest_ns, 2000);
	bus_assembly_fini(expired);
	assert_null(bus_assemblies_expired(&all, 1001 + ASSEMBLY_MS));
	assert_int_equal(all.n_bytes, 3);
	assert_int_equal(add(&all, "a", "x/2", "2/2", "two", 12000, &whole), 0);
	assert_int_equal(add(&all, "a", "y/2", "2/2", "two", 12000, &whole), 1);
	assert_whole(whole, "onetwo");
	bus_assemblies_fini(&all);
}

TEST(parts_that_cannot_be_are_refused)
{
	static const char *const bad[] = { "", "1", "0/2", "3/2", "1/0", "1/8193", "-1/2", "a/b", "1/2x", "100000/2" };
	struct bus_assemblies all = { 0 };
	struct bus_assembly *whole;
	char *much = calloc(1, (40u << 20) + 1);

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(add(&all, "a", "x/1", bad[i], "data", 0, &whole), -EINVAL);
	assert_int_equal(add(&all, "a", NULL, "1/2", "data", 0, &whole), -EINVAL);
	assert_int_equal(add(&all, "a", "x", "1/2", "data", 0, &whole), -EINVAL);
	assert_int_equal(add(&all, "a", "x/1", "1/2", "data", 0, &whole), 0);
	assert_int_equal(add(&all, "a", "x/2", "2/3", "data", 0, &whole), -EINVAL);	/* of how many, then? */
	assert_non_null(much);
	memset(much, 'a', 40u << 20);
	assert_int_equal(add(&all, "a", "y/1", "1/2", much, 0, &whole), 0);
	assert_int_equal(add(&all, "a", "z/1", "1/2", much, 0, &whole), -ENOMEM);	/* more than ASSEMBLY_BYTES */
	assert_int_equal(add(&all, "a", "x/2", "2/2", "end", 0, &whole), 1);
	assert_whole(whole, "dataend");
	free(much);
	bus_assemblies_fini(&all);
	assert_int_equal(all.n_bytes, 0);
}

TEST_MAIN()
