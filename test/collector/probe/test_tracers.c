/* test_tracers - checks the table of every metric from the kernel. */
#include "collector/core/metric_json.h"
#include "collector/core/slice.h"
#include "collector/tracers.h"
#include "test/kit/check.h"

#include <errno.h>

/* An aggregator refuses a collector with a table that it cannot read. */
TEST(an_aggregator_can_read_each)
{
	char reason[REASON_MAX] = "";

	for (size_t i = 0; tracers[i]; i++) {
		const struct metric *m = tracers[i]->metric;
		json_t *json = metric_json_make(m, NULL);
		struct metric copy;

		if (metric_json_read(json, &copy, reason))
			fail_msg("%s.%s: %s", m->module, m->stat, reason);
		assert_int_equal(copy.n_fields, m->n_fields);
		metric_json_fini(&copy);
		json_decref(json);
	}
}

TEST(each_fits_an_event)
{
	for (size_t i = 0; tracers[i]; i++) {
		const struct metric *m = tracers[i]->metric;
		size_t n[2] = { 0, 0 }, hosts = 0;

		for (size_t f = 0; f < m->n_fields; f++) {
			n[m->field[f].arity]++;
			hosts += !strcmp(m->field[f].name, "hostname");
		}
		assert_int_equal(hosts, 1);
		assert_true(n[FIELD_DISCRETE] - hosts <= EVENT_FIELDS);
		assert_true(n[FIELD_NUMERIC] <= EVENT_MEASURES);
	}
}

static int has_row(const struct field_codes *c)
{
	return c && (c->label_of || c->label || ((c->names || c->named) && c->other < c->n));
}

/* Every discrete field has codes, except the host, which the aggregator fills in; one table may serve metrics with
 * fewer fields. */
TEST(the_codes_of_each_field_are_shown)
{
	for (size_t i = 0; tracers[i]; i++) {
		const struct metric *m = tracers[i]->metric;
		size_t n = 0;

		for (size_t f = 0; f < m->n_fields; f++)
			n += m->field[f].arity == FIELD_DISCRETE && strcmp(m->field[f].name, "hostname");
		if (tracers[i]->n_codes < n)
			fail_msg("%s.%s: %zu fields, codes of %zu", m->module, m->stat, n, tracers[i]->n_codes);
		for (size_t f = 0; f < n; f++)
			if (!has_row(tracers[i]->codes[f]))
				fail_msg("%s.%s: the codes of field %zu have no labels", m->module, m->stat, f);
	}
}

/* A label leads back to its code, for every field with a table of names or a function of the code alone. */
TEST(every_label_leads_back_to_its_code)
{
	for (size_t i = 0; tracers[i]; i++) {
		for (size_t f = 0; f < tracers[i]->n_codes; f++) {
			const struct field_codes *c = tracers[i]->codes[f];
			__u64 code, found[64];
			char label[LABEL_MAX + 1];
			int n, at;

			for (code = 0; c->names && code < c->n; code++) {
				if (!c->names[code])
					continue;
				codes_label(c, NULL, (unsigned)f, code, label);
				n = codes_find(c, NULL, (unsigned)f, label, found, 64);
				for (at = 0; at < n && found[at] != code; at++)
					;
				assert_true(at < n);
				assert_int_equal(codes_find(c, NULL, (unsigned)f, label, found, 0), -E2BIG);
			}
		}
	}
}

TEST(each_has_one_name)
{
	for (size_t i = 0; tracers[i]; i++) {
		const struct metric *m = tracers[i]->metric;

		for (size_t k = 0; k < i; k++)
			assert_true(strcmp(m->module, tracers[k]->metric->module) || strcmp(m->stat, tracers[k]->metric->stat));
		for (size_t f = 0; f < m->n_fields; f++)
			assert_ptr_equal(metric_field(m, m->field[f].name), &m->field[f]);
	}
}

/* Exemplars are written by one program at a time per CPU. */
TEST(tracers_with_exemplars_run_alone)
{
	size_t n = 0;

	for (size_t i = 0; tracers[i]; i++) {
		if (!tracers[i]->metric->text)
			continue;
		assert_true(tracers[i]->alone);
		n++;
	}
	assert_true(n > 0);
}

static const char *first_measure(const struct metric *m)
{
	size_t f = 0;

	while (m->field[f].arity != FIELD_NUMERIC)
		f++;
	return m->field[f].name;
}

/* A ruler with any number of bits that may be requested is valid. */
TEST(each_measure_has_a_ruler)
{
	char reason[REASON_MAX] = "";

	for (size_t i = 0; tracers[i]; i++) {
		const struct metric *m = tracers[i]->metric;

		for (size_t f = 0; f < m->n_fields; f++) {
			struct instrumentation in = { .n_measures = 2 };

			if (m->field[f].arity != FIELD_NUMERIC)
				continue;
			strcpy(in.module, m->module);
			strcpy(in.stat, m->stat);
			strcpy(in.measure[0], first_measure(m));
			strcpy(in.measure[1], m->field[f].name);
			for (in.ruler_bits = 0; in.ruler_bits <= RULER_BITS_MAX; in.ruler_bits++) {
				if (instrumentation_bind(&in, m, reason))
					fail_msg("%s.%s: %s", m->module, m->stat, reason);
				assert_true(ruler_valid(in.ruler[1]));
			}
		}
	}
}

TEST_MAIN()
