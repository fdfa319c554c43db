#include "collector/core/instrumentation.h"
#include "collector/probe/kernel_plan.h"
#include "collector/probe/probe.h"
#include "collector/ring/record.h"
#include "collector/ring/ring_plan.h"
#include "test/kit/check.h"

#include <errno.h>
#include <stdio.h>

static const struct field fields[] = {
	{ "hostname", "host", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "disk", "disk", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "optype", "operation", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "latency", "latency", "time", FIELD_NUMERIC, UNIT_NS, 10, 39 },
	{ "size", "size", "size", FIELD_NUMERIC, UNIT_BYTES, 9, 30 },
};
static const struct metric metric = { "disk", "ops", "", "", fields, sizeof(fields) / sizeof(*fields), SCOPE_INTERVAL, "size", NULL, NULL };

static struct instrumentation made(const char *field, const char *measure)
{
	struct instrumentation in = { .granularity_ns = 1000000000, .slot_ns = 1000000000, .ruler_bits = 5, .n_keys = 64,
				      .n_slots = 60, .n_fields = 1, .n_measures = 1 };
	char reason[REASON_MAX];

	snprintf(in.module, sizeof(in.module), "disk");
	snprintf(in.stat, sizeof(in.stat), "ops");
	snprintf(in.field[0], sizeof(in.field[0]), "%s", field);
	snprintf(in.measure[0], sizeof(in.measure[0]), "%s", measure);
	instrumentation_bind(&in, &metric, reason);
	return in;
}

TEST(names_are_places_in_an_event)
{
	struct instrumentation in = made("optype", "latency");
	char reason[REASON_MAX] = "";
	struct ring_plan plan;

	assert_int_equal(kernel_plan(&metric, &in, 0, 0, &plan, reason), 0);
	assert_int_equal(plan.n_fields, 1);
	assert_int_equal(plan.field[0], 1);
	assert_int_equal(plan.measure[0], 0);
	assert_true(kernel_wanted(&plan) == (WANTED_FIELD(1) | WANTED_MEASURE(0)));
}

/* Exemplars show all fields, so all are gathered, and their memory is counted. */
TEST(exemplars_want_every_field)
{
	struct instrumentation in = made("optype", "latency");
	char reason[REASON_MAX] = "";
	struct ring_plan plan, without;

	assert_int_equal(kernel_plan(&metric, &in, 0, 0, &without, reason), 0);
	in.n_exemplars = 5;
	assert_int_equal(kernel_plan(&metric, &in, 0, 0, &plan, reason), 0);
	assert_int_equal(plan.n_exemplar_fields, 2);
	assert_true(kernel_wanted(&plan) == (WANTED_FIELD(0) | WANTED_FIELD(1) | WANTED_MEASURE(0)));
	assert_true(record_memory(&plan) - record_memory(&without) ==
		    ((__u64)plan.n_slots + ring_spares(&plan)) * plan.n_cpus *
		    (sizeof(struct exemplar_box) + (5 + EXEMPLAR_DECADES) * sizeof(struct exemplar)));
}

/* Everything else of it would fit. */
TEST(too_many_exemplars_are_refused_by_name)
{
	struct instrumentation in = made("optype", "latency");
	char reason[REASON_MAX] = "";
	struct ring_plan plan;
	__u64 least;

	in.n_exemplars = EXEMPLARS_MAX;
	assert_int_equal(kernel_plan(&metric, &in, 0, 0, &plan, reason), 0);
	plan.n_slots = ring_plan_least(&plan);
	least = record_exemplars_memory(&plan);
	assert_int_equal(kernel_plan(&metric, &in, least - 1, 0, &plan, reason), -ENOMEM);
	assert_non_null(strstr(reason, "100 exemplars would take"));
	assert_int_equal(kernel_plan(&metric, &in, least, 0, &plan, reason), -ENOMEM);
	assert_non_null(strstr(reason, "100 exemplars), the limit is"));
}

TEST(the_host_is_not_in_a_key)
{
	struct instrumentation in = made("hostname", "latency");
	char reason[REASON_MAX] = "";
	struct ring_plan plan;

	assert_int_equal(kernel_plan(&metric, &in, 0, 0, &plan, reason), 0);
	assert_int_equal(plan.n_fields, 0);
	assert_int_equal(plan.n_classes, 2);
}

TEST(refuses_an_unknown_measure)
{
	struct instrumentation in = made("disk", "colour");
	char reason[REASON_MAX] = "";
	struct ring_plan plan;

	assert_int_equal(kernel_plan(&metric, &in, 0, 0, &plan, reason), -EINVAL);
	assert_string_equal(reason, "\"colour\" is not a measure of disk.ops");
}

TEST(a_point_is_marked)
{
	struct instrumentation in = made("disk", "latency");
	char reason[REASON_MAX] = "";
	struct ring_plan plan;

	in.n_measures = 2;
	snprintf(in.measure[1], sizeof(in.measure[1]), "size");
	assert_int_equal(kernel_plan(&metric, &in, 0, 0, &plan, reason), 0);
	assert_int_equal(plan.points, 1u << 1);
}

TEST(short_memory_takes_slots_then_shards_then_refuses)
{
	struct instrumentation in = made("disk", "latency");
	char reason[REASON_MAX] = "";
	struct ring_plan whole, plan;

	assert_int_equal(kernel_plan(&metric, &in, 0, 0, &whole, reason), 0);
	assert_int_equal(whole.n_slots, 60);
	assert_int_equal(kernel_plan(&metric, &in, record_memory(&whole) / 2, 0, &plan, reason), 0);
	assert_true(plan.n_slots < 60 && plan.n_shards == whole.n_shards);
	assert_true(record_memory(&plan) <= record_memory(&whole) / 2);
	assert_int_equal(kernel_plan(&metric, &in, 1000, 0, &plan, reason), -ENOMEM);
	assert_non_null(strstr(reason, "fewer keys, slots, measures, weights or exemplars"));
}

static const struct metric split = { "disk", "ops", "", "", fields, sizeof(fields) / sizeof(*fields), SCOPE_INTERVAL, NULL, "size", NULL };

static struct instrumentation weighing(void)
{
	struct instrumentation in = made("disk", "latency");
	char reason[REASON_MAX];

	in.n_weights = 2;
	snprintf(in.weight[0], sizeof(in.weight[0]), "latency");
	snprintf(in.weight[1], sizeof(in.weight[1]), "size");
	assert_int_equal(instrumentation_bind(&in, &split, reason), 0);
	return in;
}

TEST(weights_are_wanted_and_no_measures)
{
	struct instrumentation in = weighing(), plain = made("disk", "latency");
	char reason[REASON_MAX] = "";
	struct ring_plan plan, without;

	assert_int_equal(kernel_plan(&split, &in, 0, 0, &plan, reason), 0);
	assert_int_equal(kernel_plan(&split, &plain, 0, 0, &without, reason), 0);
	assert_true(plan.n_measures == 1 && plan.n_weights == 2 && plan.weight[0] == 0 && plan.weight[1] == 1);
	assert_true(kernel_wanted(&plan) == (WANTED_FIELD(0) | WANTED_MEASURE(0) | WANTED_MEASURE(1)));
	assert_int_equal(record_memory(&plan) - record_memory(&without),
			 (60ull + ring_spares(&plan)) * plan.n_shards * 65 * 2 * 8 * ruler_cells(in.weight_ruler));
	assert_true(!without.n_weights && !without.weight_ruler);
}

TEST(short_memory_takes_weights_first)
{
	struct instrumentation in = weighing();
	char reason[REASON_MAX] = "";
	struct ring_plan whole, plan;

	assert_int_equal(kernel_plan(&split, &in, 0, 0, &whole, reason), 0);
	assert_int_equal(kernel_plan(&split, &in, record_memory(&whole) - 1, 0, &plan, reason), 0);
	assert_true(plan.n_slots == 60 && plan.n_shards == whole.n_shards);
	assert_int_equal(plan.weight_ruler, ruler_coarser(whole.weight_ruler, ruler_bits(whole.weight_ruler) - 1));
	assert_int_equal(plan.n_weight_cells, ruler_cells(plan.weight_ruler));
}

TEST_MAIN()
