#include "aggregator/export/otlp.pb-c.h"
#include "aggregator/export/otlp_answer.h"
#include "test/kit/check.h"

#include <string.h>

#define PROTOBUF "application/x-protobuf"
#define JSON "application/json; charset=utf-8"

static void read_text(long status, const char *type, const char *body, struct otlp_answer *a)
{
	otlp_answer_read(status, type, body, strlen(body), a);
}

TEST(an_answer_says_what_was_rejected)
{
	static const struct { long status; const char *type, *body; bool is_readable; unsigned n_rejected; const char *message; } cases[] = {
		{ 200, PROTOBUF, "", true, 0, "" },
		{ 200, "", "", true, 0, "" },
		{ 204, "text/html", "", true, 0, "" },
		{ 200, JSON, "{}", true, 0, "" },
		{ 200, JSON, "{\"partialSuccess\":{}}", true, 0, "" },
		{ 200, JSON, "{\"partialSuccess\":{\"rejectedDataPoints\":\"3\",\"errorMessage\":\"too old\"}}", true, 3, "too old" },
		{ 200, JSON, "{\"partialSuccess\":{\"rejectedDataPoints\":3}}", true, 3, "" },
		{ 200, JSON, "{\"partialSuccess\":{\"rejectedDataPoints\":\"-3\",\"errorMessage\":7}}", true, 0, "" },
		{ 200, JSON, "{\"partialSuccess\":[]}", true, 0, "" },
		{ 200, JSON, "[]", false, 0, "" },
		{ 200, JSON, "{", false, 0, "" },
		{ 200, PROTOBUF, "\x0a\x06\x08\x03\x12\x02no", true, 3, "no" },
		{ 200, PROTOBUF, "\x0a\x06\x08\x03\x12\x09no", false, 0, "" },
		{ 200, "text/html", "<html>", false, 0, "" },
		{ 400, "text/plain; charset=utf-8", "\n out of order \x1b[31m\xff\nsecond line", true, 0, "out of order ?[31m?" },
		{ 400, "text/html", "<html>", true, 0, "" },
		{ 400, PROTOBUF, "\x08\x03\x12\x03" "bad", true, 0, "bad" },
		{ 400, JSON, "{\"code\":3,\"message\":\"bad\"}", true, 0, "bad" },
		{ 400, JSON, "{\"partialSuccess\":{\"rejectedDataPoints\":\"3\"}}", true, 0, "" },
		{ 503, PROTOBUF, "<html>", false, 0, "" },
	};
	struct otlp_answer a;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		read_text(cases[i].status, cases[i].type, cases[i].body, &a);
		if (a.is_readable != cases[i].is_readable || a.n_rejected != cases[i].n_rejected || strcmp(a.message, cases[i].message))
			fail_msg("case %zu: %d, %llu, \"%s\"", i, a.is_readable, (unsigned long long)a.n_rejected, a.message);
	}
}

TEST(a_long_message_is_cut)
{
	char body[1000];
	struct otlp_answer a;

	memset(body, 'x', sizeof(body));
	otlp_answer_read(400, "text/plain", body, sizeof(body), &a);
	assert_int_equal(strlen(a.message), OTLP_MESSAGE_MAX - 1);
}

TEST_MAIN()
