/* The parser finds the end of each reply among the bytes that a server sends: reply.h.  test_parse.c has the requests. */
#include "test/kit/http_driver.h"
#include "test/kit/check.h"

static struct drive d;

static void receive(const char *text) { drive_receive(&d, (const __u8 *)text, strlen(text), 0, ~0u); }
static void send_text(const char *text) { drive_send(&d, (const __u8 *)text, strlen(text), ~0u); }

static void begin(const char *request)
{
	drive_new(&d);
	drive_receive(&d, (const __u8 *)request, strlen(request), 1, ~0u);
}

#define GET "GET /a HTTP/1.1\r\n\r\n"

static const struct {
	const char *request, *reply;
	__u32 status;		/* 0: it is lost */
	__u32 after;		/* the mode */
} cases[] = {
	{ GET, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, CONN_PLAIN },
	{ GET, "HTTP/1.0 200\r\nContent-Length: 0\r\n\r\n", 200, CONN_PLAIN },
	{ GET, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nf;a\r\n0123456789abcde\r\n0\r\n\r\n", 200, CONN_PLAIN },
	{ GET, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 7\r\n\r\n0\r\nX: y\r\n\r\n", 200, CONN_PLAIN },
	{ GET, "HTTP/1.1 204 No Content\r\nContent-Length: 9\r\n\r\n", 204, CONN_PLAIN },
	{ GET, "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\nETag: x\r\n\r\n", 304, CONN_PLAIN },
	{ GET, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 500 No\r\nContent-Length: 1\r\n\r\nx", 500, CONN_PLAIN },
	{ GET, "HTTP/1.1 103 Early Hints\r\nLink: x\r\nContent-Length: 9\r\n\r\nHTTP/1.1 102 P\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
	  200, CONN_PLAIN },
	{ GET, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n", 101, CONN_IGNORED },
	{ "HEAD /a HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n", 200, CONN_PLAIN },
	{ "HEAD /a HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", 200, CONN_PLAIN },
	{ "CONNECT h:1 HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n", 200, CONN_IGNORED },
	{ "CONNECT h:1 HTTP/1.1\r\n\r\nno request\r\n", "HTTP/1.1 200 OK\r\n\r\n", 200, CONN_IGNORED },	/* of the tunnel */
	{ "CONNECT h:1 HTTP/1.1\r\n\r\n", "HTTP/1.1 405 No\r\nContent-Length: 2\r\n\r\nno", 405, CONN_PLAIN },
	{ "POST /a HTTP/1.1\r\nContent-Length: 900\r\n\r\nx", "HTTP/1.1 413 Too Large\r\nContent-Length: 1\r\n\r\nx", 413, CONN_PLAIN },
	{ "GET /aaaa", "HTTP/1.1 414 Too Long\r\nContent-Length: 1\r\n\r\nx", 414, CONN_IGNORED },
	{ "GET /a HTTP/1.1\r\nHo", "HTTP/1.1 408 Timeout\r\nContent-Length: 1\r\n\r\nx", 408, CONN_IGNORED },

	{ GET, "HTTP/1.1 2000 OK\r\n\r\n", 0, CONN_PLAIN },		/* its last digit is the reason's: see below */
	{ GET, "HTTP/2.0 200 OK\r\n\r\n", 0, CONN_STRANGE },
	{ GET, "HTTP/1.1 099 OK\r\n\r\n", 0, CONN_STRANGE },
	{ GET, "<html>hello", 0, CONN_STRANGE },
	{ GET, "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", 0, CONN_STRANGE },
	{ GET, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 0, CONN_STRANGE },
};

TEST(a_reply_cut_anywhere_ends_where_it_ends)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const __u8 *bytes = (const __u8 *)cases[i].reply;
		__u32 n = strlen(cases[i].reply), cut;

		for (cut = 0; cut <= n; cut++) {
			begin(cases[i].request);
			drive_send(&d, bytes, cut, ~0u);
			if (cases[i].status && cut < n && d.n)
				fail_msg("ended after %u bytes: %s", cut, cases[i].reply);
			drive_send(&d, bytes + cut, n - cut, 1);
			if (d.conn.mode != cases[i].after || d.n != (cases[i].status != 0))
				fail_msg("mode %u, %u events: %s", d.conn.mode, d.n, cases[i].reply);
			if (cases[i].status)
				assert_int_equal(d.found[0].status, cases[i].status);
		}
	}
}

TEST(without_a_length_a_reply_ends_with_the_connection)
{
	begin(GET);
	send_text("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nsome");
	assert_int_equal(d.conn.out.state, AT_CLOSE);
	send_text("HTTP/1.1 404 is text\r\nContent-Length: 0\r\n\r\n");
	assert_int_equal(d.n, 0);
	drive_close(&d);
	assert_int_equal(d.n, 1);
	assert_int_equal(d.found[0].status, 200);
}

TEST(a_body_outside_memory_is_counted_by_its_length)
{
	begin(GET GET);
	send_text("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
	drive_send(&d, NULL, 65536, ~0u);
	assert_int_equal(d.n, 0);
	drive_send(&d, NULL, 100000 - 65536, ~0u);
	assert_int_equal(d.n, 1);
	drive_send(&d, NULL, 10, ~0u);			/* bytes of a head cannot be there */
	assert_int_equal(d.n, 1);
	assert_int_equal(d.n_lost, 1);
	assert_int_equal(d.conn.mode, CONN_STRANGE);
}

TEST(a_reply_that_nothing_asked_for_shows_that_the_position_is_lost)
{
	begin(GET);
	send_text("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\n");
	assert_int_equal(d.n, 1);
	assert_int_equal(d.conn.mode, CONN_STRANGE);
}

TEST(a_connection_found_in_the_middle_is_understood_after_one_exchange_in_lock_step)
{
	drive_new(&d);
	receive(GET);						/* is it a body? */
	assert_int_equal(d.conn.mode, CONN_STRANGE);
	send_text("HTTP/1.1 100 Continue\r\n\r\n");
	receive(GET);						/* it may be a body */
	assert_int_equal(d.conn.mode, CONN_STRANGE);
	send_text("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
	receive(GET);
	assert_int_equal(d.conn.mode, CONN_PROBATION);
	send_text("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
	assert_int_equal(d.n, 0);
	receive(GET);
	assert_int_equal(d.conn.mode, CONN_PLAIN);
	send_text("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n");
	assert_int_equal(d.n, 1);
	assert_int_equal(d.found[0].status, 404);
}

TEST(a_client_that_does_not_wait_is_not_understood_in_the_middle)
{
	drive_new(&d);
	send_text("x");
	receive(GET);
	assert_int_equal(d.conn.mode, CONN_PROBATION);
	receive(GET);
	assert_int_equal(d.conn.mode, CONN_STRANGE);
	send_text("x");
	receive(GET);
	send_text("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
	send_text("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");	/* the reply before was an older request's */
	assert_int_equal(d.conn.mode, CONN_STRANGE);
	assert_int_equal(d.n, 0);
	assert_int_equal(d.n_lost, 0);
}

TEST(a_connection_that_stays_strange_becomes_opaque)
{
	drive_new(&d);
	receive("zzz");
	for (int i = 0; i < CONN_TRIES; i++) {
		assert_int_equal(d.conn.mode, CONN_STRANGE);
		send_text("zzz");
		receive("zzz");
	}
	assert_int_equal(d.conn.mode, CONN_OPAQUE);
}

TEST(an_opaque_connection_is_understood_after_one_exchange_in_lock_step)
{
	const char *first = "no HTTP\r\n";

	drive_new(&d);
	drive_receive(&d, (const __u8 *)first, strlen(first), 1, ~0u);
	assert_int_equal(d.conn.mode, CONN_OPAQUE);
	receive(GET);						/* no send came between */
	assert_int_equal(d.conn.mode, CONN_OPAQUE);
	send_text("HTTP/1.1 400 No\r\nContent-Length: 0\r\n\r\n");
	receive("EHLO host\r\n");				/* no path */
	assert_int_equal(d.conn.mode, CONN_OPAQUE);
	send_text("250 host\r\n");
	receive(GET);
	assert_int_equal(d.conn.mode, CONN_PROBATION);
	assert_int_equal(d.n_lost, 1);
	send_text("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
	receive(GET);
	assert_int_equal(d.conn.mode, CONN_PLAIN);
	send_text("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n");
	assert_int_equal(d.n, 1);
	assert_int_equal(d.found[0].status, 404);
	assert_int_equal(d.n_lost, 1);
}

/* Its requests may look like ours, but its replies do not. */
TEST(another_protocol_is_opaque_and_tried_only_so_often)
{
	const char *first = "*1\r\n";

	drive_new(&d);
	drive_receive(&d, (const __u8 *)first, strlen(first), 1, ~0u);
	for (int i = 0; i < 2 * CONN_TRIES; i++) {
		assert_int_equal(d.conn.mode, CONN_OPAQUE);
		send_text("+OK\r\n");
		receive("GET /key\r\n");
	}
	assert_int_equal(d.conn.mode, CONN_OPAQUE);
	assert_int_equal(d.n_lost, CONN_TRIES);
}

/* Malformed requests, with as much of them as is known; the first `before` ones are well-formed. */
static const struct {
	const char *requests;
	int before;
	__u32 method;
	int path_is_known;
} malformed[] = {
	{ "GET /a b HTTP/1.1\r\nHost: h\r\n\r\n", 0, METHOD_GET, 0 },
	{ "GET /a HTTP/3.0\r\n\r\n", 0, METHOD_GET, 0 },
	{ "GET /a\r\n", 0, METHOD_GET, 0 },
	{ "POST /a HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello", 0, METHOD_POST, 1 },
	{ "POST /a HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\nhello", 0, METHOD_POST, 1 },
	{ "POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 0, METHOD_POST, 1 },
	{ "GET /b HTTP/1.1\r\n\r\nGET /a b HTTP/1.1\r\n\r\n", 1, METHOD_GET, 0 },
	{ "GET /b HTTP/1.1\r\n\r\n*1\r\n$4\r\nPING\r\n", 1, METHOD_NONE, 0 },
};

static void ask_malformed(struct drive *d, size_t i, __u32 cut)
{
	const __u8 *bytes = (const __u8 *)malformed[i].requests;
	__u32 n = strlen(malformed[i].requests);

	drive_new(d);
	drive_receive(d, bytes, cut, 1, ~0u);
	drive_receive(d, bytes + cut, n - cut, !cut, ~0u);
	for (int k = 0; k < malformed[i].before; k++)
		drive_send(d, (const __u8 *)"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 38, ~0u);
}

TEST(a_malformed_request_has_the_status_that_refuses_it)
{
	static const char refusal[] = "HTTP/1.1 400 Bad Request\r\nContent-Length: 2\r\n\r\nno";
	static struct drive d;

	for (size_t i = 0; i < sizeof(malformed) / sizeof(*malformed); i++)
		for (__u32 cut = 0; cut < strlen(malformed[i].requests); cut++) {
			const struct request_found *found = &d.found[malformed[i].before];

			ask_malformed(&d, i, cut);
			drive_send(&d, (const __u8 *)refusal, sizeof(refusal) - 1, ~0u);
			if (d.n_lost || d.n != (__u32)malformed[i].before + 1 || found->status != 400 ||
			    found->method != malformed[i].method || (found->path == PATH_UNKNOWN) == malformed[i].path_is_known)
				fail_msg("cut at %u: %u lost, %u found, status %u: %s", cut, d.n_lost, d.n, found->status,
					 malformed[i].requests);
			assert_int_equal(d.conn.mode, CONN_STRANGE);
		}
}

TEST(a_request_that_only_we_take_for_malformed_is_lost)
{
	static const char reply[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
	static struct drive d;

	for (size_t i = 0; i < sizeof(malformed) / sizeof(*malformed); i++) {
		ask_malformed(&d, i, 0);
		drive_send(&d, (const __u8 *)reply, sizeof(reply) - 1, ~0u);
		assert_int_equal(d.n, malformed[i].before);
		assert_int_equal(d.n_lost, 1);
		assert_false(conn_reads(&d.conn));
	}
}

TEST(after_a_refusal_the_connection_is_understood_again_after_an_exchange)
{
	static const char bad[] = "GET /a b HTTP/1.1\r\n\r\n", good[] = "GET /a HTTP/1.1\r\n\r\n";
	static const char refusal[] = "HTTP/1.1 400 Bad Request\r\nContent-Length: 2\r\n\r\nno";
	static const char ok[] = "HTTP/1.1 204 No Content\r\n\r\n";
	static struct drive d;

	drive_new(&d);
	drive_receive(&d, (const __u8 *)bad, sizeof(bad) - 1, 1, ~0u);
	drive_send(&d, (const __u8 *)refusal, sizeof(refusal) - 1, ~0u);
	for (int i = 0; i < 3; i++) {
		drive_receive(&d, (const __u8 *)good, sizeof(good) - 1, 0, ~0u);
		drive_send(&d, (const __u8 *)ok, sizeof(ok) - 1, ~0u);
	}
	assert_int_equal(d.n, 3);
	assert_int_equal(d.found[2].status, 204);
	assert_int_equal(d.conn.mode, CONN_PLAIN);
}

TEST_MAIN()
