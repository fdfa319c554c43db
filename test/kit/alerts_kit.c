#include "test/kit/alerts_kit.h"

#include "test/kit/check.h"
#include "test/kit/server_kit.h"

#include <math.h>

static void begin(struct alerts_bench *b, __s64 now_s)
{
	char reason[REASON_MAX] = "";

	assert_int_equal(store_queue_new(&b->loop, b->store, b->cube, &b->store_queue), 0);
	store_queue_begin(b->store_queue);
	assert_int_equal(catalog_new(b->store_queue, b->cube, 3600, &b->catalog), 0);
	assert_int_equal(catalog_load(b->catalog, b->store, INT64_MAX / 2, reason), 0);
	assert_int_equal(annotations_new(b->store_queue, b->catalog, &b->annotations), 0);
	assert_int_equal(annotations_load(b->annotations, b->store), 0);
	assert_int_equal(alerts_new(b->store_queue, b->cube, b->catalog, b->annotations, &b->alerts), 0);
	assert_int_equal(alerts_load(b->alerts, b->store, now_s * 1000000000), 0);
}

static void end(struct alerts_bench *b)
{
	uv_run(&b->loop, UV_RUN_DEFAULT);
	alerts_free(b->alerts);
	annotations_free(b->annotations);
	catalog_free(b->catalog);
	store_queue_free(b->store_queue);
}

static void on_made(void *arg, int err, const struct catalog_inst *made)
{
	assert_int_equal(err, 0);
}

void alerts_bench_open(struct alerts_bench *b)
{
	json_t *hello = server_hello("db1"), *request = json_pack("{s:s, s:s, s:[s]}", "module", "mysql", "stat", "queries", "measures", "latency");
	char reason[REASON_MAX] = "";
	const char *name;

	check_seed();
	memset(b, 0, sizeof(*b));
	uv_loop_init(&b->loop);
	assert_int_equal(store_memory_open(&b->store), 0);
	assert_int_equal(cube_new(&b->cube), 0);
	begin(b, 0);
	assert_int_equal(catalog_hello(b->catalog, hello, 1700000000000000000, &name, reason), 0);
	assert_int_equal(catalog_create(b->catalog, request, 0, on_made, NULL, reason), 0);
	json_decref(hello);
	json_decref(request);
	uv_run(&b->loop, UV_RUN_DEFAULT);
	assert_non_null(catalog_find(b->catalog, 1));
}

void alerts_bench_restart(struct alerts_bench *b, __s64 now_s)
{
	end(b);
	cube_free(b->cube);
	assert_int_equal(cube_new(&b->cube), 0);
	begin(b, now_s);
}

void alerts_bench_close(struct alerts_bench *b)
{
	end(b);
	cube_free(b->cube);
	b->store->ops->close(b->store);
	assert_int_equal(uv_loop_close(&b->loop), 0);
}

void alerts_bench_lend(struct alerts_bench *b, struct services *ret_services)
{
	*ret_services = (struct services){ .loop = &b->loop, .cube = b->cube, .store_queue = b->store_queue, .catalog = b->catalog, .annotations = b->annotations };
}

__u64 alerts_bench_add(struct alerts_bench *b, const char *rule, __s64 now_s)
{
	json_t *json = json_loads(rule, 0, NULL);
	char reason[REASON_MAX] = "";
	__u64 id = 0;

	if (alerts_add(b->alerts, json, now_s * 1000000000, NULL, NULL, &id, reason))
		fail_msg("%s", reason);
	json_decref(json);
	return id;
}

void alerts_bench_put(struct alerts_bench *b, __s64 slot_s, const struct hist *h)
{
	struct batch batch = { .source = "db1", .incarnation = 1, .inst = 1, .slot_ns = 1000000000, .slot = slot_s, .run = 1, .seq = b->seq++ };
	struct slice slice = { .ruler = h->ruler };
	struct bytes bytes = { 0 };

	hist_encode(h, &bytes);
	slice.hist = bytes.data;
	slice.hist_len = (__u32)bytes.len;
	batch.slice = &slice;
	batch.n_slices = 1;
	assert_int_equal(cube_add(b->cube, &batch), 0);
	bytes_fini(&bytes);
}

void alerts_bench_slot(struct alerts_bench *b, __s64 slot_s, const struct hist *h)
{
	if (h)
		alerts_bench_put(b, slot_s, h);
	alerts_tick(b->alerts, (slot_s + 1) * 1000000000);
	uv_run(&b->loop, UV_RUN_NOWAIT);
}

const char *alerts_bench_state(struct alerts_bench *b)
{
	static char state[20];
	json_t *all = alerts_json(b->alerts);

	snprintf(state, sizeof(state), "%s", json_string_value(json_object_get(json_array_get(all, 0), "state")));
	json_decref(all);
	return state;
}

/* ---- load ---- */

static double uniform(void) { return ((double)(check_random() >> 11) + 0.5) / 9007199254740992.0; }

static double normal(void) { return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform()); }

/* Wanders back to 0, with this much of deviation in the long run, a step a minute. */
static double wander(double at, double deviation) { return 0.8 * at + 0.6 * deviation * normal(); }

static void move_on(struct load *l, __s64 at_s)
{
	if (at_s % 60)
		return;
	for (int i = 0; i < 4; i++)
		l->mix[i] = wander(l->mix[i], 0.03);
	l->speed = wander(l->speed, 0.015);
	l->burst = check_below(20) ? 1 : 2;	/* one minute in twenty has ten seconds of twice as many slow ones */
}

void load_second(struct load *l, __s64 at_s, enum change change, struct hist *h)
{
	double share[4] = { 0.70, 0.25, 0.045, 0.005 }, place[4] = { 2e5, 2e6, 2e7, 5e8 };
	unsigned n = (unsigned)(200 * (1 + 0.4 * sin((double)at_s / 13751)) + 20 * normal());
	double sum = 0;

	move_on(l, at_s);
	switch (change) {
	case MAIN_SLOWER: place[0] *= 1.5; break;
	case NEW_MODE: share[0] -= 0.1; share[2] += 0.1; place[2] = 8e6; break;
	case MIDDLE_SLOWER: place[1] *= 2; break;
	case MORE_SLOW: share[0] -= 0.075; share[2] += 0.075; break;
	default: break;
	}
	for (int i = 0; i < 4; i++)
		sum += share[i] *= exp(l->mix[i]) * (i == 2 && at_s % 60 < 10 ? l->burst : 1);
	for (unsigned i = 0; i < n; i++) {
		double at = uniform() * sum;
		int mode = at < share[0] ? 0 : at < share[0] + share[1] ? 1 : at < share[0] + share[1] + share[2] ? 2 : 3;

		hist_record(h, (__u64)(place[mode] * exp(l->speed + 0.35 * normal())), 1);
	}
}
