#include "test/kit/wire_kit.h"

#include <errno.h>

static const __u64 values[] = { 5000, 6000, 7000 };

/* An instrumentation that is decomposed by n_fields fields and measures latency and cputime. */
static struct instrumentation instrumentation(size_t n_fields)
{
	struct instrumentation in = { .id = 1, .n_fields = n_fields, .n_measures = 2, .slot_ns = 1000000000,
				      .granularity_ns = 1000000000, .ruler = { WIRE_RULER, WIRE_RULER } };

	return in;
}

static struct incoming_batch *arrive(const char *label, __s64 slot)
{
	struct bytes data = { 0 };
	struct incoming_batch *a;

	wire_batch(&data, "db1", 1, slot, 1, label, values, 3);
	assert_int_equal(incoming_batch_new(data.data, data.len, &a), 0);
	bytes_fini(&data);
	return a;
}

TEST(an_incoming_batch_owns_its_bytes)
{
	struct bytes data = { 0 };
	struct incoming_batch *a;

	wire_batch(&data, "db1", 1, 100, 1, "query", values, 3);
	assert_int_equal(incoming_batch_new(data.data, data.len, &a), 0);
	memset(data.data, 0xff, data.len);
	bytes_fini(&data);
	assert_string_equal(a->batch.source, "db1");
	assert_int_equal(incoming_batch_events(a), 3);
	assert_int_equal(incoming_batch_last(a), 100);
	incoming_batch_free(a);
}

TEST(refuses_every_truncation)
{
	struct bytes data = { 0 };
	struct incoming_batch *a;

	wire_batch(&data, "db1", 1, 100, 1, "query", values, 3);
	for (size_t len = 0; len < data.len; len++)
		assert_int_equal(incoming_batch_new(data.data, len, &a), -EBADMSG);
	bytes_fini(&data);
}

TEST(the_host_fills_in_its_fields_and_all_other_labels_stay)
{
	static const struct host_labels labels = { 1, { { "role", "db" } } };
	static const struct {
		const char *field[4], *label[4];
	} cases[] = {
		{ { "hostname", "command", "statement" }, { "db1", "query", "select" } },
		{ { "command", "hostname", "statement" }, { "query", "db1", "select" } },
		{ { "command", "statement", "label.role" }, { "query", "select", "db" } },
		{ { "label.role", "command", "hostname", "statement" }, { "db", "query", "db1", "select" } },
		{ { "command", "label.zone", "statement" }, { "query", "none", "select" } },
		{ { "command", "statement" }, { "query", "select" } },
	};
	char text[LABEL_MAX + 1];

	for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
		struct bytes data = { 0 }, key = { 0 };
		struct batch b = { .source = "db1", .inst = 1, .slot_ns = 1000000000, .slot = 5, .run = 1 };
		struct instrumentation in = { .slot_ns = 1000000000, .n_fields = 0 };
		struct hist h;
		struct bytes cells = { 0 };
		struct slice s[4];
		struct incoming_batch *a;

		while (in.n_fields < 4 && cases[c].field[in.n_fields]) {
			strcpy(in.field[in.n_fields], cases[c].field[in.n_fields]);
			in.n_fields++;
		}
		assert_int_equal(hist_init(&h, WIRE_RULER), 0);
		hist_record(&h, 5000, 1);
		hist_encode(&h, &cells);
		labels_put(&key, "query");
		labels_put(&key, "select");
		for (int i = 0; i < 4; i++)	/* four slices of one key: they share its bytes */
			s[i] = (struct slice){ .ruler = WIRE_RULER, .axis = (__u16)(i & 1), .weight = (__u16)(i >> 1),
					       .key = { key.data, (__u16)key.len }, .hist = cells.data,
					       .hist_len = (__u32)cells.len };
		b.slice = s;
		b.n_slices = 4;
		batch_encode(&b, &data);
		assert_int_equal(incoming_batch_new(data.data, data.len, &a), 0);
		assert_int_equal(incoming_batch_fill_host(a, &in, &labels), 0);
		for (int i = 0; i < 4; i++) {
			assert_int_equal(labels_count(&a->batch.slice[i].key), (int)in.n_fields);
			assert_ptr_equal(a->batch.slice[i].key.bytes, a->batch.slice[0].key.bytes);
			for (unsigned l = 0; l < in.n_fields; l++) {
				assert_int_equal(labels_text(&a->batch.slice[i].key, l, text), 0);
				assert_string_equal(text, cases[c].label[l]);
			}
		}
		incoming_batch_free(a);
		hist_fini(&h);
		bytes_fini(&cells);
		bytes_fini(&key);
		bytes_fini(&data);
	}
}

/* Checks a batch of slot 100 with one label for this instrumentation, and returns the problem; NULL: none. */
static const char *wrong(const struct instrumentation *in, bool has_host, __s64 horizon, __s64 now_s)
{
	struct incoming_batch *a = arrive("query", 100);
	struct instrumentation of_host = *in;
	const char *why;

	if (has_host)
		strcpy(of_host.field[of_host.n_fields - 1], "hostname");
	why = incoming_batch_check(a, &of_host, &(struct incoming_batch_bounds){ horizon, 0, now_s * 1000000000 });

	incoming_batch_free(a);
	return why;
}

TEST(a_batch_that_does_not_fit_is_refused_with_the_reason)
{
	struct instrumentation in = instrumentation(1), other;
	const __s64 now_ns = 100000000000;
	struct incoming_batch *a;

	assert_null(wrong(&in, false, 0, 100));
	assert_null(wrong(&in, false, 100, 90));
	assert_non_null(strstr(wrong(&in, false, 0, 89), "future"));
	assert_non_null(strstr(wrong(&in, false, 101, 100), "older than the retention"));
	assert_non_null(strstr(wrong(&in, true, 0, 100), "fields"));
	a = arrive("query", 100);
	assert_null(incoming_batch_check(a, &in, &(struct incoming_batch_bounds){ 50, 100, now_ns }));
	assert_non_null(strstr(incoming_batch_check(a, &in, &(struct incoming_batch_bounds){ 50, 101, now_ns }), "has dropped its slot"));
	assert_non_null(strstr(incoming_batch_check(a, &in, &(struct incoming_batch_bounds){ 101, 101, now_ns }), "older than the retention"));
	assert_false(incoming_batch_lose(a, &in, &(struct incoming_batch_bounds){ 50, 101, now_ns }));
	incoming_batch_free(a);

	other = instrumentation(2);
	assert_null(wrong(&other, true, 0, 100));
	assert_non_null(strstr(wrong(&other, false, 0, 100), "fields"));

	other = in;
	other.slot_ns = 500000000;
	assert_non_null(strstr(wrong(&other, false, 0, 100), "another length"));
	other = in;
	other.n_measures = 0;
	assert_non_null(strstr(wrong(&other, false, 0, 100), "has a measure that"));
	other = in;
	other.n_weights = 0;
	assert_null(wrong(&other, false, 0, 100));
	other.ruler[0] = RULER(UNIT_BYTES, 5, 10, 39);
	assert_non_null(strstr(wrong(&other, false, 0, 100), "ruler"));
}

TEST(slices_that_do_not_fit_become_a_loss_in_their_slot)
{
	struct instrumentation in = instrumentation(2), other;
	struct incoming_batch *a = arrive("query", 100);

	assert_true(incoming_batch_lose(a, &in, &(struct incoming_batch_bounds){ 0, 0, 100000000000 }));
	assert_null(incoming_batch_check(a, &in, &(struct incoming_batch_bounds){ 0, 0, 100000000000 }));
	assert_int_equal(a->batch.n_slices, 0);
	assert_int_equal(incoming_batch_events(a), 3);
	assert_int_equal(a->batch.loss.sum, 18000);
	assert_true(a->batch.loss.first == 100 && a->batch.loss.last == 100);
	incoming_batch_free(a);

	a = arrive("query", 100);
	a->batch.loss = (struct loss){ .n = 4, .sum = 5, .first = 90, .last = 95 };
	a->batch.slice[0].axis = 1;	/* now the number of events is unknown */
	assert_true(incoming_batch_lose(a, &in, &(struct incoming_batch_bounds){ 0, 0, 100000000000 }));
	assert_true(a->batch.loss.n == 5 && a->batch.loss.sum == 5);
	assert_true(a->batch.loss.first == 90 && a->batch.loss.last == 100);
	incoming_batch_free(a);

	a = arrive("query", 100);
	other = in;
	other.slot_ns = 500000000;
	assert_false(incoming_batch_lose(a, &other, &(struct incoming_batch_bounds){ 0, 0, 100000000000 }));
	assert_false(incoming_batch_lose(a, &in, &(struct incoming_batch_bounds){ 101, 0, 100000000000 }));
	assert_false(incoming_batch_lose(a, &in, &(struct incoming_batch_bounds){ 0, 0, 89000000000 }));
	assert_int_equal(a->batch.n_slices, 1);
	incoming_batch_free(a);
}

static struct incoming_batch *arrive_with_slices(size_t n)
{
	struct incoming_batch *a = arrive("query", 100);
	struct slice *slice = realloc(a->batch.slice, n * sizeof(*slice));

	assert_non_null(slice);
	for (size_t i = 1; i < n; i++)
		slice[i] = slice[0];
	a->batch.slice = slice;
	a->batch.n_slices = n;
	return a;
}

TEST(more_than_a_slot_may_have_becomes_a_loss)
{
	struct instrumentation in = instrumentation(1);
	size_t most = INCOMING_BATCH_KEYS_MAX * in.n_measures * (1 + in.n_weights);
	struct incoming_batch *a = arrive_with_slices(most);
	const char *why;

	assert_null(incoming_batch_check(a, &in, &(struct incoming_batch_bounds){ 0, 0, 100000000000 }));
	incoming_batch_free(a);
	a = arrive_with_slices(most + 1);
	why = incoming_batch_check(a, &in, &(struct incoming_batch_bounds){ 0, 0, 100000000000 });
	assert_non_null(why);
	assert_non_null(strstr(why, "4096 keys"));
	assert_true(incoming_batch_lose(a, &in, &(struct incoming_batch_bounds){ 0, 0, 100000000000 }));
	assert_true(incoming_batch_events(a) == 3 * (most + 1));
	incoming_batch_free(a);
}

TEST(events_saturate)
{
	struct incoming_batch *a = arrive("query", 100);

	assert_true(clamp_json(5) == 5 && clamp_json(~0ull) == ~0ull >> 1 && saturating_add(~0ull, 1) == ~0ull && saturating_add(1, 2) == 3);
	assert_true(events_add(1, 2) == 3 && events_add(~0ull, 1) == ~0ull >> 1 && events_add(5, ~0ull) == ~0ull >> 1);
	a->batch.loss.n = ~0ull - 1;
	assert_true(incoming_batch_events(a) == ~0ull >> 1);
	incoming_batch_free(a);
}

TEST(losses_and_runs_are_held_to_the_same_time)
{
	struct instrumentation in = instrumentation(1);
	struct incoming_batch *a = arrive("query", 100);

	a->batch.run = 11;
	assert_int_equal(incoming_batch_last(a), 110);
	assert_null(incoming_batch_check(a, &in, &(struct incoming_batch_bounds){ 105, 0, 100000000000 }));
	assert_non_null(incoming_batch_check(a, &in, &(struct incoming_batch_bounds){ 0, 0, 99000000000 }));
	a->batch.run = 1;
	a->batch.loss = (struct loss){ .n = 4, .first = 90, .last = 111 };
	assert_int_equal(incoming_batch_events(a), 7);
	assert_non_null(incoming_batch_check(a, &in, &(struct incoming_batch_bounds){ 0, 0, 100000000000 }));
	a->batch.loss.last = 100;
	assert_null(incoming_batch_check(a, &in, &(struct incoming_batch_bounds){ 0, 0, 100000000000 }));
	a->batch.loss.first = -1;
	assert_non_null(incoming_batch_check(a, &in, &(struct incoming_batch_bounds){ 0, 0, 100000000000 }));
	incoming_batch_free(a);
}

TEST_MAIN()
