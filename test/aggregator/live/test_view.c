#include "test/kit/check.h"
#include "test/kit/server_kit.h"
#include "aggregator/params/params.h"
#include "aggregator/live/view.h"

static struct server server;
static const struct catalog_inst *inst;

static int start(void **state)
{
	server_open(&server, false);
	server_offer(&server);
	inst = server_make(&server, json_pack("{s:s, s:s, s:s}", "module", "mysql", "stat", "queries", "decomposition", "statement"));
	return 0;
}

static int stop(void **state)
{
	server_close(&server);
	return 0;
}

enum { AT_EVENT = 1, AT_FAILURE, AT_CHANGE };

struct heard {
	struct view *view;
	int events, failures, changes;
	int closes;			/* AT_...; 0: it does not close */
};

static void hear(struct heard *h, int *what, int now)
{
	++*what;
	if (h->closes == now)
		view_close(h->view);
}

static void on_event(void *arg, const char *text, size_t len)
{
	struct heard *h = arg;

	hear(h, &h->events, AT_EVENT);
}

static void on_failed(void *arg, unsigned status, const char *code, const char *reason)
{
	struct heard *h = arg;

	hear(h, &h->failures, AT_FAILURE);
}

static void on_changed(void *arg)
{
	struct heard *h = arg;

	hear(h, &h->changes, AT_CHANGE);
}

static bool on_full(void *arg) { return false; }

static struct view_memory memory;
static const struct view_owner owner = { on_event, on_failed, on_full, on_changed };

static void begin(struct heard *h, int closes)
{
	const struct view_asked asked = { .inst = inst->in.id, .number = -1 };
	char reason[PARAMS_REASON_MAX] = "";

	*h = (struct heard){ .closes = closes };
	if (view_new(&server.a.services, &memory, &asked, &owner, h, &h->view, reason))
		fail_msg("%s", reason);
}

/* As a stream does that has no memory for its reply. */
TEST(an_owner_may_close_it_in_any_call_and_gets_no_further_call)
{
	static const struct { int closes, events, changes; } cases[] = { { AT_EVENT, 1, 0 }, { AT_CHANGE, 1, 1 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct heard h, other;

		begin(&h, cases[i].closes);
		begin(&other, 0);
		while (!other.changes || !h.events)
			uv_run(&server.loop, UV_RUN_ONCE);
		view_close(other.view);
		assert_int_equal(h.events, cases[i].events);
		assert_int_equal(h.changes, cases[i].changes);
		assert_int_equal(h.failures, 0);
	}
}

TEST(a_closed_view_drops_the_grid_in_flight)
{
	struct heard h, other;

	begin(&h, 0);
	view_close(h.view);
	begin(&other, 0);
	while (!other.changes)
		uv_run(&server.loop, UV_RUN_ONCE);
	view_close(other.view);
	assert_int_equal(h.events + h.changes + h.failures, 0);
}

TEST_MAIN_WITH(start, stop)
