#include "test/kit/check.h"
#include "aggregator/store/slice_buffer.h"

#include <stdio.h>

/* Writes all calls of a reader as text. */
struct log {
	char text[4096];
};

static void add(struct log *l, const char *format, ...)
{
	size_t at = strlen(l->text);
	va_list args;

	va_start(args, format);
	vsnprintf(l->text + at, sizeof(l->text) - at, format, args);
	va_end(args);
}

static void on_slice(void *arg, __s64 slot, const struct slice *s)
{
	add(arg, "slice %lld %llx %u %u %.*s %.*s\n", (long long)slot, (unsigned long long)s->ruler, s->axis, s->weight,
	    s->key.len, s->key.bytes, (int)s->hist_len, s->hist);
}

static void on_cover(void *arg, const char *source, __s64 first, __s64 last)
{
	add(arg, "cover %s %lld %lld\n", source, (long long)first, (long long)last);
}

static void on_loss(void *arg, const char *source, const struct loss *l)
{
	add(arg, "loss %s %llu %llu %lld %lld\n", source, (unsigned long long)l->n, (unsigned long long)l->sum,
	    (long long)l->first, (long long)l->last);
}

static void on_mark(void *arg, const struct mark *mark)
{
	add(arg, "mark %d %lld %lld\n", (int)mark->kind, (long long)mark->slot, (long long)mark->value);
}

static void give_all(const struct store_reader *r)
{
	struct slice s = { .ruler = RULER(UNIT_NS, 5, 10, 40), .axis = 1, .weight = 2, .key = { (const __u8 *)"abc", 3 },
			   .hist = (const __u8 *)"0123456", .hist_len = 7 };
	struct loss loss = { .n = 5, .sum = 6, .first = -7, .last = 8 };

	r->slice(r->arg, 17, &s);
	r->cover(r->arg, "db1", 1, 2);
	s.key = (struct labels){ NULL, 0 };
	s.axis = 3;
	s.hist_len = 1;
	r->slice(r->arg, 18, &s);
	r->loss(r->arg, "", &loss);
	r->mark(r->arg, &(struct mark){ MARK_CLOCK_STEP, 19, -20 });
	s.axis = 5;				/* this axis is not read */
	r->slice(r->arg, 20, &s);
}

TEST(a_buffer_plays_what_it_recorded)
{
	struct log live = { "" }, played = { "" };
	struct store_reader to_live = { .arg = &live, .slice = on_slice, .cover = on_cover, .loss = on_loss, .mark = on_mark };
	struct store_reader to_played = { .arg = &played, .slice = on_slice, .cover = on_cover, .loss = on_loss, .mark = on_mark };
	struct slice_buffer t = { .axes = { [1] = true, [3] = true } };

	give_all(&to_live);
	*strstr(live.text, "slice 20") = 0;
	give_all(slice_buffer_recorder(&t));
	assert_int_equal(t.bytes.err, 0);
	slice_buffer_play(&t, &to_played);
	assert_string_equal(live.text, played.text);
	slice_buffer_fini(&t);
}

TEST(members_that_are_null_are_not_called)
{
	struct store_reader empty = { 0 };
	struct slice_buffer t = { .axes = { [1] = true } };

	give_all(slice_buffer_recorder(&t));
	slice_buffer_play(&t, &empty);
	slice_buffer_fini(&t);
	slice_buffer_play(&t, &empty);			/* an empty reader */
}

TEST_MAIN()
