#include "test/kit/redis_driver.h"
#include "test/kit/check.h"

#include <stdio.h>

/* The events of a conversation, as "get=ok set=ERR". */
static void found_text(const struct drive *d, char *out, size_t size)
{
	static const char *const status[] = { "unknown", "ok", "queued", "misc" };
	size_t n = 0;

	out[0] = 0;
	for (__u32 i = 0; i < d->n; i++)
		n += snprintf(out + n, size - n, "%s%s=%s", n ? " " : "", command_name(d->found[i].code) ? command_name(d->found[i].code) : "misc",
			      d->found[i].status < STATUS_FIRST ? status[d->found[i].status] : error_name(d->found[i].status));
}

#define CASE(requests, replies, found, lost) { requests, replies, sizeof(replies) - 1, found, lost }

static const struct {
	const char *requests, *replies;
	size_t len;
	const char *found;
	__u32 n_lost;
} cases[] = {
	CASE("get a\n", "$1\r\na\r\n", "get=ok", 0),
	CASE("get a\n", "$-1\r\n", "get=ok", 0),
	CASE("get a\n", "$0\r\n\r\n", "get=ok", 0),
	CASE("get a\n", "$5\r\n+OK\r\n\r\n", "get=ok", 0),
	CASE("get a\nset a b\n", "-WRONGTYPE Operation against a key\r\n+OK\r\n", "get=WRONGTYPE set=ok", 0),
	CASE("get a\n", "-\r\n", "get=misc", 0),
	CASE("get a\n", "-MY own error\r\n", "get=misc", 0),
	CASE("get a\n", "-ERR\r\n", "get=ERR", 0),
	CASE("get a\n", "!5\r\nERR x\r\n", "get=misc", 0),
	CASE("lrange a 0 -1\nping\n", "*3\r\n$1\r\na\r\n*2\r\n:1\r\n-ERR\r\n*0\r\n+PONG\r\n", "lrange=ok ping=ok", 0),
	CASE("lrange a 0 -1\nping\n", "*-1\r\n+PONG\r\n", "lrange=ok ping=ok", 0),
	CASE("hgetall a\nping\n", "%2\r\n$1\r\na\r\n:1\r\n$1\r\nb\r\n~1\r\n#t\r\n+PONG\r\n", "hgetall=ok ping=ok", 0),
	CASE("zscore a b\ntime\ninfo\n", ",1.5\r\n_\r\n=7\r\ntxt:abc\r\n", "zscore=ok time=ok info=ok", 0),
	CASE("get a\n", "(123456789012345678901234567890\r\n", "get=ok", 0),
	CASE("get a\nping\n", "|1\r\n+ttl\r\n:5\r\n$1\r\na\r\n+PONG\r\n", "get=ok ping=ok", 0),
	CASE("get a\n", ">2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\na\r\n$1\r\na\r\n", "get=ok", 0),
	CASE("multi\nget a\nset\nexec\nget a\n", "+OK\r\n+QUEUED\r\n-ERR wrong\r\n-EXECABORT no\r\n+QUEUED\r\n",
	     "multi=ok get=queued set=ERR exec=EXECABORT get=ok", 0),
	CASE("multi\nget a\nset a b\nexec\n", "+OK\r\n+QUEUED\r\n+QUEUED\r\n*2\r\n$1\r\na\r\n+OK\r\n", "multi=ok get=queued set=queued exec=ok", 0),
	CASE("subscribe a b\n", "*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n*3\r\n$9\r\nsubscribe\r\n$1\r\nb\r\n:2\r\n", "subscribe=ok", 0),
	CASE("subscribe a\nping\nget a\nunsubscribe\nget a\n",
	     "*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n*3\r\n$7\r\nmessage\r\n$1\r\na\r\n$1\r\nx\r\n*2\r\n$4\r\npong\r\n$0\r\n\r\n"
	     "*3\r\n$7\r\nmessage\r\n$1\r\na\r\n$1\r\ny\r\n-ERR Can't execute\r\n*3\r\n$11\r\nunsubscribe\r\n$1\r\na\r\n:0\r\n$1\r\na\r\n",
	     "subscribe=ok ping=ok get=ERR unsubscribe=ok get=ok", 0),
	CASE("subscribe a b\npsubscribe *\nunsubscribe\npunsubscribe\nping\n",
	     "*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n*3\r\n$9\r\nsubscribe\r\n$1\r\nb\r\n:2\r\n*3\r\n$10\r\npsubscribe\r\n$1\r\n*\r\n:3\r\n"
	     "*4\r\n$8\r\npmessage\r\n$1\r\n*\r\n$1\r\na\r\n$1\r\nx\r\n"
	     "*3\r\n$11\r\nunsubscribe\r\n$1\r\nb\r\n:2\r\n*3\r\n$11\r\nunsubscribe\r\n$1\r\na\r\n:1\r\n*3\r\n$12\r\npunsubscribe\r\n$1\r\n*\r\n:0\r\n+PONG\r\n",
	     "subscribe=ok psubscribe=ok unsubscribe=ok punsubscribe=ok ping=ok", 0),
	CASE("unsubscribe\nping\n", "*3\r\n$11\r\nunsubscribe\r\n$-1\r\n:0\r\n+PONG\r\n", "unsubscribe=ok ping=ok", 0),
	CASE("subscribe a\nget a\n", "-NOPERM no\r\n$1\r\na\r\n", "subscribe=NOPERM get=ok", 0),
	CASE("hello 3\nsubscribe a\nlrange a 0 1\n",
	     "%1\r\n+server\r\n+redis\r\n>3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n>3\r\n$7\r\nmessage\r\n$1\r\na\r\n$1\r\nx\r\n*2\r\n$7\r\nmessage\r\n$1\r\na\r\n",
	     "hello=ok subscribe=ok lrange=ok", 0),
	CASE("lrange a 0 1\n", "*2\r\n$7\r\nmessage\r\n$1\r\na\r\n", "lrange=ok", 0),
	CASE("client reply skip\nget a\nping\n", "+PONG\r\n", "ping=ok", 0),
	CASE("client reply off\nget a\nclient reply on\nping\n", "+OK\r\n+PONG\r\n", "client reply=ok ping=ok", 0),
	CASE("client reply skip\nget a\nping\n", "-NOPERM no\r\n$1\r\na\r\n+PONG\r\n", "", 2),
	CASE("client reply off\nget a\nclient reply on\n", "$1\r\na\r\n", "", 2),
	CASE("monitor\nget a\n", "+OK\r\n+1.2 \"x\"\r\n", "monitor=ok", 0),
	CASE("reset\nping\n", "+RESET\r\n+PONG\r\n", "reset=ok ping=ok", 0),
	CASE("ping\n", "+PONG\r\n+PONG\r\n", "", 2),
	CASE("ping\nping\n", "hello\r\n", "", 3),
	CASE("ping\n", "$x\r\n", "", 2),
	CASE("ping\n", "+PONG\n", "", 2),
	CASE("ping\n", "$?\r\n", "", 2),
	CASE("multi\nsubscribe a\n", "+OK\r\n+QUEUED\r\n", "", 3),
};

TEST(replies_belong_to_their_commands)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		for (int ahead = 0; ahead < 2; ahead++) {
			struct drive d;
			char text[512];

			drive_open(&d, 1);
			d.ahead = ahead;
			drive_receive(&d, (const __u8 *)cases[i].requests, strlen(cases[i].requests), ~0u);
			drive_send(&d, (const __u8 *)cases[i].replies, cases[i].len, ~0u);
			found_text(&d, text, sizeof(text));
			assert_string_equal(text, cases[i].found);
			assert_int_equal(d.n_lost, cases[i].n_lost);
		}
	}
}

TEST(replies_may_be_cut_anywhere)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		if (cases[i].n_lost)
			continue;
		for (size_t cut = 0; cut <= cases[i].len; cut++) {
			struct drive d;
			char text[512];

			drive_open(&d, 1);
			d.ahead = cut & 1;
			drive_receive(&d, (const __u8 *)cases[i].requests, strlen(cases[i].requests), ~0u);
			drive_send(&d, (const __u8 *)cases[i].replies, cut, ~0u);
			drive_send(&d, (const __u8 *)cases[i].replies + cut, cases[i].len - cut, 3);
			found_text(&d, text, sizeof(text));
			assert_string_equal(text, cases[i].found);
			assert_int_equal(d.n_lost, 0);
		}
	}
}

TEST(the_database_is_the_one_selected)
{
	static const char requests[] = "get a\nselect 3\nget a\nselect 99\nget a\nmulti\nselect 4\nexec\nget a\nselect 1\nget a\nreset\nget a\n";
	static const char replies[] = "+\r\n+OK\r\n+\r\n-ERR DB index is out of range\r\n+\r\n+OK\r\n+QUEUED\r\n*1\r\n+OK\r\n+\r\n+OK\r\n+\r\n+RESET\r\n+\r\n";
	static const int want[] = { 0, 0, 3, 3, 3, 3, 3, 3, -1, -1, 1, 1, 0 };
	struct drive d;

	drive_open(&d, 1);
	drive_receive(&d, (const __u8 *)requests, sizeof(requests) - 1, ~0u);
	drive_send(&d, (const __u8 *)replies, sizeof(replies) - 1, ~0u);
	assert_int_equal(d.n_lost, 0);
	assert_int_equal(d.n, sizeof(want) / sizeof(*want));
	for (__u32 i = 0; i < d.n; i++)
		assert_int_equal(d.found[i].database, want[i] < 0 ? DATABASE_UNKNOWN : DATABASE_FIRST + want[i]);
}

TEST_MAIN()
