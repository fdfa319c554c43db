#include "test/kit/check.h"
#include "ui/cli/watch/event_stream.h"

#include <errno.h>
#include <stdio.h>

struct heard {
	char text[4096];
	size_t n;
};

static void hear(void *arg, const char *type, const char *data)
{
	struct heard *h = arg;
	size_t len = strlen(h->text);

	snprintf(h->text + len, sizeof(h->text) - len, "%s=%s;", type, data);
	h->n++;
}

static const char stream[] = "event: grid\ndata: {\"a\": 1}\n\n:\n\nevent: column\ndata: {\"b\": 2}\n\ndata:bare\n\nid: 7\nevent: none\n\n"
			     "retry: 1\nevent: shade\nid: 8\ndata: {}\n\n";
static const char what[] = "grid={\"a\": 1};column={\"b\": 2};message=bare;shade={};";

TEST(events_come_out_whatever_the_pieces)
{
	for (int round = 0; round < 300; round++) {
		struct heard h = { .n = 0 };
		struct event_stream e = { .on = hear, .arg = &h };

		for (size_t at = 0, n; at < strlen(stream); at += n) {
			n = round == 0 ? strlen(stream) : round == 1 ? 1 : 1 + check_below(30);
			n = n < strlen(stream) - at ? n : strlen(stream) - at;
			assert_int_equal(event_stream_push(&e, stream + at, n), 0);
		}
		assert_string_equal(h.text, what);
		event_stream_fini(&e);
	}
}

TEST(what_is_not_whole_is_not_told)
{
	struct heard h = { .n = 0 };
	struct event_stream e = { .on = hear, .arg = &h };

	assert_int_equal(event_stream_push(&e, "event: grid\ndata: {}\n", 21), 0);
	assert_int_equal(h.n, 0);
	assert_int_equal(event_stream_push(&e, "", 0), 0);
	assert_int_equal(event_stream_push(&e, "\n", 1), 0);
	assert_int_equal(h.n, 1);
	event_stream_fini(&e);
}

TEST(an_event_without_end_is_refused)
{
	static char much[1 << 20];
	struct heard h = { .n = 0 };
	struct event_stream e = { .on = hear, .arg = &h };
	int err = 0;

	memset(much, 'x', sizeof(much));
	for (size_t i = 0; i <= EVENT_BYTES_MAX / sizeof(much) && !err; i++)
		err = event_stream_push(&e, much, sizeof(much));
	assert_int_equal(err, -EMSGSIZE);
	event_stream_fini(&e);
}

TEST_MAIN()
