#include "test/kit/exemplar_kit.h"

#include <errno.h>

#define SLOT_NS 1000000000ull

static const struct kit_exemplar some[] = {
	{ 900000, 5, 0, 1, "select ?", "select 'x'" }, { 800000, 999999999, 77, 1, "insert ?", NULL }, { 700, 0, 1, 0, "", "" },
};

static void exemplars_come_back_as_they_were(void **state)
{
	struct bytes b = { 0 };
	struct exemplar_event t;
	struct exemplars e;

	kit_exemplars(&b, 12, some, 3);
	assert_int_equal(exemplars_check(b.data, b.len, SLOT_NS), 0);
	assert_int_equal(exemplars_open(&e, b.data, b.len), 0);
	assert_true(e.missed == 12 && e.n_fields == 1 && e.n_measures == 1);
	assert_true(is_text(&e.field[0], "digest"));
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(exemplars_next(&e, &t), 1);
		assert_true(t.measure[0] == some[i].value && t.since_ns == some[i].since_ns && t.tag == some[i].tag);
		assert_true(t.connection == 3 && t.weight == 1);
		assert_int_equal(t.why & EXEMPLAR_WORST, some[i].worst ? EXEMPLAR_WORST : 0);
		assert_true(is_text(&t.field[0], some[i].text));
		assert_int_equal(t.text != NULL, some[i].sent != NULL);
		if (t.text)
			assert_true(t.text_len == strlen(some[i].sent) && !memcmp(t.text, some[i].sent, t.text_len));
	}
	assert_int_equal(exemplars_next(&e, &t), 0);
	bytes_fini(&b);
}

static void refuses_every_truncation_and_a_byte_too_many(void **state)
{
	struct bytes b = { 0 };

	kit_exemplars(&b, 0, some, 3);
	for (size_t len = 0; len < b.len; len++) {
		__u8 *copy = malloc(len + 1);	/* so that a sanitizer sees a read past the end */

		memcpy(copy, b.data, len);
		assert_int_equal(exemplars_check(copy, len, SLOT_NS), -EBADMSG);
		free(copy);
	}
	bytes_put_int(&b, 0, 1);
	assert_int_equal(exemplars_check(b.data, b.len, SLOT_NS), -EBADMSG);
	bytes_fini(&b);
}

static void refuses_impossible_exemplars(void **state)
{
	static const struct kit_exemplar late = { 1, SLOT_NS, 0, 1, "x", NULL }, neither = { 1, 0, 0, 0, "x", "x" };
	struct kit_exemplar many[EXEMPLARS_MAX + EXEMPLAR_DECADES + 1];
	char endless[EXEMPLAR_TEXT_MAX + 2];
	const struct kit_exemplar wordy = { 1, 0, 0, 1, "x", endless };
	struct bytes b = { 0 };

	memset(endless, 'x', sizeof(endless));
	for (size_t over = 0; over < 2; over++) {
		endless[EXEMPLAR_TEXT_MAX + over] = 0;
		bytes_clear(&b);
		kit_exemplars(&b, 0, &wordy, 1);
		assert_int_equal(exemplars_check(b.data, b.len, SLOT_NS), over ? -EBADMSG : 0);
		endless[EXEMPLAR_TEXT_MAX] = 'x';
	}
	bytes_clear(&b);
	kit_exemplars(&b, 0, &late, 1);
	assert_int_equal(exemplars_check(b.data, b.len, SLOT_NS), -EBADMSG);	/* it ends in the next slot */
	bytes_clear(&b);
	kit_exemplars(&b, 0, &neither, 1);
	assert_int_equal(exemplars_check(b.data, b.len, SLOT_NS), -EBADMSG);
	bytes_clear(&b);
	for (size_t i = 0; i < sizeof(many) / sizeof(*many); i++)
		many[i] = some[0];
	kit_exemplars(&b, 0, many, EXEMPLARS_MAX + EXEMPLAR_DECADES + 1);
	assert_int_equal(exemplars_check(b.data, b.len, SLOT_NS), -EBADMSG);
	bytes_clear(&b);
	kit_exemplars(&b, 0, many, EXEMPLARS_MAX + EXEMPLAR_DECADES);
	assert_int_equal(exemplars_check(b.data, b.len, SLOT_NS), 0);
	bytes_fini(&b);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(exemplars_come_back_as_they_were),
	cmocka_unit_test(refuses_every_truncation_and_a_byte_too_many),
	cmocka_unit_test(refuses_impossible_exemplars),
};

CHECK_MAIN(tests)
