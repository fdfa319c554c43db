#include "test/kit/check.h"
#include "test/kit/server_kit.h"

#include <stdio.h>
#include <string.h>

#define SLOT 1000000000ll
#define LATENCY 8000000
#define BASE "/ca/instrumentations/1/value/"

static struct server server;
static __s64 t0;

/* Makes a slice of n events of LATENCY whose cells are counts, or, with weight 1, their time. */
static void put_slice(struct bytes *hist, __u16 weight, unsigned n, struct slice *ret_slice)
{
	__u64 ruler = RULER(UNIT_NS, weight ? 3 : 5, 10, 40);
	struct hist h;

	assert_int_equal(hist_init(&h, ruler), 0);
	if (weight)
		hist_weigh(&h, LATENCY, n, (__u64)n * LATENCY);
	else
		hist_record_times(&h, LATENCY, n);
	hist_encode(&h, hist);
	hist_fini(&h);
	*ret_slice = (struct slice){ .ruler = ruler, .weight = weight, .hist = hist->data, .hist_len = (__u32)hist->len };
}

static void send_events(__s64 slot, unsigned n, bool weighed)
{
	struct batch b = { .incarnation = 77, .inst = 1, .slot_ns = SLOT, .slot = slot, .seq = server.seq++, .run = 1 };
	struct bytes key = { 0 }, hist[2] = { { 0 }, { 0 } };
	struct slice slice[2];

	strcpy(b.source, "db1");
	labels_put(&key, "select");
	for (__u16 weight = 0; weight < 2; weight++) {
		put_slice(&hist[weight], weight, n, &slice[weight]);
		slice[weight].key.bytes = key.data;
		slice[weight].key.len = (__u16)key.len;
	}
	b.slice = slice;
	b.n_slices = weighed ? 2 : 1;
	server_send(&server, &b);
	bytes_fini(&key);
	bytes_fini(&hist[0]);
	bytes_fini(&hist[1]);
}

static int start(void **state)
{
	struct answer a;

	server_start(&server, true);
	server_collector(&server, "db1");
	a = ask(&server, "POST", "/ca/instrumentations", NULL, "{\"module\": \"mysql\", \"stat\": \"queries\", \"decomposition\": [\"statement\"],"
		" \"measures\": [\"latency\"], \"weights\": [\"latency\"]}");
	assert_int_equal(a.status, 201);
	answer_fini(&a);
	t0 = now_ns() / SLOT - 60;
	return 0;
}

static int stop(void **state)
{
	server_stop(&server);
	return 0;
}

static bool has(const char *what, const char *text)
{
	char path[256];
	struct answer a;
	bool found;

	snprintf(path, sizeof(path), BASE "%sstart_time=%lld&duration=10", what, (long long)t0);
	a = ask(&server, "GET", path, NULL, NULL);
	assert_int_equal(a.status, 200);
	found = strstr(a.body, text) != NULL;
	answer_fini(&a);
	return found;
}

/* A collector sends no weights: its events are in no part, and the bar says so. */
TEST(a_reports_bar_says_which_events_it_lacks)
{
	(void)state;
	send_events(t0, 10, true);
	assert_true(has("report?format=html&", "<caption>parts of the latency</caption>"));
	assert_false(has("composition?", "unweighed"));
	send_events(t0 + 1, 3000, false);
	assert_true(has("composition?", "\"unweighed\":3000,"));
	assert_true(has("report?format=html&", "<caption>parts of the latency; without 3,000 queries that came without weights</caption>"));
}

TEST_MAIN_WITH(start, stop)
