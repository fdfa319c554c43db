/* The parser finds the requests of a connection's receives, however they are cut.  test_reply.c has the sends. */
#include "test/kit/http_driver.h"
#include "collector/http/path_text.h"
#include "test/kit/check.h"

static __u64 path_of(const char *text)
{
	struct digest_sample unused;

	return http_path_read(text, strlen(text), 1, &unused);
}

static __u64 host_of(const char *text)
{
	struct name name;

	name_begin(&name);
	for (; *text; text++)
		name_byte(&name, (__u8)*text);
	return name_code(&name);
}

#define OK "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

static const struct {
	const char *requests;
	int n;			/* requests; -1: not the protocol, or malformed */
	__u32 method;		/* of the first one */
	const char *path, *host;
} cases[] = {
	{ "GET / HTTP/1.1\r\nHost: a\r\n\r\n", 1, METHOD_GET, "/", "a" },
	{ "GET /a HTTP/1.0\r\n\r\n", 1, METHOD_GET, "/a", NULL },
	{ "GET /a HTTP/1.1\nHost: b\n\n", 1, METHOD_GET, "/a", "b" },
	{ "GET /a?b=/c HTTP/1.1\r\nhOST:  Example.COM:8080 \r\n\r\n", 1, METHOD_GET, "/a", "example.com:8080" },
	{ "GET /a/17?b HTTP/1.1\r\n\r\n", 1, METHOD_GET, "/a/?", NULL },
	{ "GET http://h.example/p/q?r HTTP/1.1\r\n\r\n", 1, METHOD_GET, "/p/q", NULL },
	{ "GET http://h.example HTTP/1.1\r\n\r\n", 1, METHOD_GET, NULL, NULL },
	{ "OPTIONS * HTTP/1.1\r\n\r\n", 1, METHOD_OPTIONS, NULL, NULL },
	{ "CONNECT h:443 HTTP/1.1\r\n\r\n", 1, METHOD_CONNECT, NULL, NULL },
	{ "BREW /pot HTTP/1.1\r\n\r\n", 1, METHOD_OTHER, "/pot", NULL },
	{ "VERSION-CONTROL /x HTTP/1.1\r\n\r\n", 1, METHOD_OTHER, "/x", NULL },
	{ "POST /p HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello", 1, METHOD_POST, "/p", NULL },
	{ "POST /p HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello", 1, METHOD_POST, "/p", NULL },
	{ "POST /p HTTP/1.1\r\nContent-Length: 5 \r\n\r\nhelloGET /q HTTP/1.1\r\n\r\n", 2, METHOD_POST, "/p", NULL },
	{ "POST /p HTTP/1.1\r\nContent-Length: 28\r\n\r\nGET /no HTTP/1.1\r\nHost: a\r\n\r\n", 1, METHOD_POST, "/p", NULL },
	{ "POST /p HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", 1, METHOD_POST, "/p", NULL },
	{ "POST /p HTTP/1.1\r\ntransfer-encoding: gzip, Chunked\r\n\r\nA;x=y\r\n0123456789\r\n00\r\nT: v\r\n\r\nGET / HTTP/1.1\r\n\r\n", 2,
	  METHOD_POST, "/p", NULL },
	{ "POST /p HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n1\r\nx\r\n0\r\n\r\n", 1, METHOD_POST, "/p", NULL },
	{ "GET / HTTP/1.1\r\nContent-Lengthy: x\r\nHos: t\r\nCookie: Content-Length: 9\r\nX:\r\n\r\n", 1, METHOD_GET, "/", NULL },
	{ "GET / HTTP/1.1\r\nX: a\r\n b: folded\r\n\r\n", 1, METHOD_GET, "/", NULL },
	{ "GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n\r\n\r\nGET /3 HTTP/1.1\r\n\r\n", 3, METHOD_GET, "/?", NULL },
	{ "PROPFIND /d HTTP/1.1\r\n\r\n", 1, METHOD_PROPFIND, "/d", NULL },
	{ "\r\nGET /a HTTP/1.1\r\n\r\n", 1, METHOD_GET, "/a", NULL },
	{ "\nGET /a HTTP/1.1\r\n\r\n", 1, METHOD_GET, "/a", NULL },
	{ "\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\nGET /a HTTP/1.1\r\n\r\n\r\nGET /b HTTP/1.1\r\n\r\n", 2, METHOD_GET, "/a", NULL },
	{ "GET  /a?b   HTTP/1.1  \r\n\r\n", 1, METHOD_GET, "/a", NULL },
	{ "GET   http://h/p  HTTP/1.1\r\n\r\n", 1, METHOD_GET, "/p", NULL },

	{ "get / HTTP/1.1\r\n\r\n", -1, 0, NULL, NULL },
	{ "GET /\r\n", -1, 0, NULL, NULL },			/* HTTP/0.9 */
	{ "GET key\r\n", -1, 0, NULL, NULL },			/* Redis */
	{ "*1\r\n$4\r\nPING\r\n", -1, 0, NULL, NULL },
	{ "PING\r\n", -1, 0, NULL, NULL },
	{ "\r\nPING\r\n", -1, 0, NULL, NULL },
	{ "GET  key\r\n", -1, 0, NULL, NULL },
	{ "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", -1, 0, NULL, NULL },
	{ "GET / HTTP/2.0\r\n\r\n", -1, 0, NULL, NULL },
	{ "GET / HTTP/1.2\r\n\r\n", -1, 0, NULL, NULL },
	{ "GET / HTTP/1.1 x\r\n\r\n", -1, 0, NULL, NULL },
	{ "AVERYLONGWORDTHATISNOMETHOD / HTTP/1.1\r\n\r\n", -1, 0, NULL, NULL },
	{ "POST / HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n", -1, 0, NULL, NULL },
	{ "POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n", -1, 0, NULL, NULL },
	{ "POST / HTTP/1.1\r\nContent-Length: 5 5\r\n\r\n", -1, 0, NULL, NULL },
	{ "POST / HTTP/1.1\r\nContent-Length: -5\r\n\r\n", -1, 0, NULL, NULL },
	{ "POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", -1, 0, NULL, NULL },
	{ "POST / HTTP/1.1\r\nContent-Length: 5\r\n 5\r\n\r\n", -1, 0, NULL, NULL },
	{ "POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", -1, 0, NULL, NULL },
	{ "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nz\r\n", -1, 0, NULL, NULL },
	{ "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nxy\r\n", -1, 0, NULL, NULL },
};

static void case_check(size_t i, const struct drive *d)
{
	struct asked first = d->conn.asked.entry[0];

	if (cases[i].n < 0) {
		if (conn_reads(&d->conn) && !(d->conn.refused && d->conn.asked.n == 1 && d->conn.in.state == AT_NOTHING))
			fail_msg("understood: %s", cases[i].requests);
		return;
	}
	if (!conn_reads(&d->conn) || (int)d->conn.asked.n != cases[i].n || d->conn.in.state != AT_START)
		fail_msg("mode %u, %u requests, state %u: %s", d->conn.mode, d->conn.asked.n, d->conn.in.state, cases[i].requests);
	assert_int_equal(first.method, cases[i].method);
	assert_true(first.path == (cases[i].path ? path_of(cases[i].path) : PATH_NONE));
	assert_true(first.host == (cases[i].host ? host_of(cases[i].host) : NAME_NONE));
}

TEST(requests_cut_anywhere_are_the_same)
{
	static struct drive d;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const __u8 *bytes = (const __u8 *)cases[i].requests;
		__u32 n = strlen(cases[i].requests), cut;

		for (cut = 0; cut < n; cut++) {
			drive_new(&d);
			drive_receive(&d, bytes, cut, 1, ~0u);
			drive_receive(&d, bytes + cut, n - cut, !cut, ~0u);
			case_check(i, &d);
		}
		drive_new(&d);
		for (cut = 0; cut < n; cut++)
			drive_receive(&d, bytes + cut, 1, !cut, 1);
		case_check(i, &d);
	}
}

TEST(more_requests_than_are_kept_are_lost)
{
	static struct drive d;
	const char *request = "GET / HTTP/1.1\r\n\r\n";

	drive_new(&d);
	for (int i = 0; i <= ASKED_MAX; i++)
		drive_receive(&d, (const __u8 *)request, strlen(request), !i, ~0u);
	assert_int_equal(d.conn.mode, CONN_STRANGE);
	assert_int_equal(d.n_lost, ASKED_MAX + 1);
}

TEST(tls_is_encrypted_and_anything_else_opaque)
{
	static const struct { const char *bytes; __u32 n, mode; } first[] = {
		{ "\x16\x03\x01\x02\0\1", 6, CONN_ENCRYPTED }, { "\x16\x03\x01", 3, CONN_ENCRYPTED }, { "\x15\x03\x03\0\2", 5, CONN_ENCRYPTED },
		{ "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 24, CONN_OPAQUE }, { "*1\r\n", 4, CONN_OPAQUE }, { "\0\0\0\0", 4, CONN_OPAQUE },
		{ "SSH-2.0-x\r\n", 11, CONN_OPAQUE }, { "GET / HTTP/1.1\r\n", 16, CONN_PLAIN }, { "GE", 2, CONN_PLAIN },
		{ "\r\nGET / HTTP/1.1\r\n", 18, CONN_PLAIN }, { "\r\n", 2, CONN_PLAIN },
		{ "\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\nGET / HTTP/1.1\r\n", 32, CONN_PLAIN }, { "\r\nPRI * HTTP/2.0\r\n\r\n", 20, CONN_OPAQUE },
		{ "\nEHLO\r\n", 7, CONN_OPAQUE },
	};
	static struct drive d;

	for (size_t i = 0; i < sizeof(first) / sizeof(*first); i++) {
		drive_new(&d);
		drive_receive(&d, (const __u8 *)first[i].bytes, first[i].n, 1, ~0u);
		assert_int_equal(d.conn.mode, first[i].mode);
		assert_int_equal(d.n_lost, 0);
	}
}

#define V2 "\r\n\r\n\0\r\nQUIT\n"

/* PROXY headers, and the client's address that each has; NULL: none. */
static const struct {
	const char *bytes;
	__u32 n;
	const char *address;
} headers[] = {
	{ "PROXY TCP4 192.0.2.1 198.51.100.2 4711 80\r\n", 43, "\0\0\0\0\0\0\0\0\0\0\xff\xff\xc0\0\2\1" },
	{ "PROXY TCP6 2001:db8::1 ::1 4711 80\r\n", 36, "\x20\1\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\1" },
	{ "PROXY UNKNOWN\r\n", 15, NULL },
	{ V2 "\x21\x11\0\x0c\xc0\0\2\1\xc6\x33\x64\2\x12\x67\0\x50", 28, "\0\0\0\0\0\0\0\0\0\0\xff\xff\xc0\0\2\1" },
	{ V2 "\x21\x11\0\x11\xc0\0\2\1\xc6\x33\x64\2\x12\x67\0\x50\4\0\2GE", 33, "\0\0\0\0\0\0\0\0\0\0\xff\xff\xc0\0\2\1" },
	{ V2 "\x20\0\0\0", 16, NULL },
};

TEST(after_a_proxy_header_the_connection_begins)
{
	static const char request[] = "GET /a HTTP/1.1\r\nHost: b\r\n\r\n";
	static struct drive d;
	__u8 bytes[128];

	for (size_t i = 0; i < sizeof(headers) / sizeof(*headers); i++) {
		__u32 n = headers[i].n + sizeof(request) - 1;

		memcpy(bytes, headers[i].bytes, headers[i].n);
		memcpy(bytes + headers[i].n, request, sizeof(request) - 1);
		for (__u32 cut = 8; cut <= n; cut++) {
			drive_new(&d);
			drive_receive(&d, bytes, cut, 1, ~0u);
			drive_receive(&d, bytes + cut, n - cut, 0, 1);
			if (d.conn.mode != CONN_PLAIN || d.conn.asked.n != 1 || d.n_lost ||
			    d.conn.has_client != !!headers[i].address)
				fail_msg("header %zu, cut at %u: mode %u, %u requests, client %u", i, cut, d.conn.mode,
					 d.conn.asked.n, d.conn.has_client);
			if (headers[i].address)
				assert_memory_equal(d.conn.proxy.address.byte, headers[i].address, 16);
			assert_true(d.conn.asked.entry[0].path == path_of("/a"));
		}
		memcpy(bytes + headers[i].n, "\x16\x03\x01", 3);
		drive_new(&d);
		drive_receive(&d, bytes, headers[i].n, 1, ~0u);
		drive_receive(&d, bytes + headers[i].n, 3, 0, ~0u);
		assert_int_equal(d.conn.mode, CONN_ENCRYPTED);
	}
}

TEST(only_a_connection_begins_with_a_proxy_header)
{
	static const char request[] = "GET /a HTTP/1.1\r\n\r\n", proxy[] = "PROXY /a HTTP/1.1\r\n\r\n";
	static struct drive d;

	drive_new(&d);
	drive_receive(&d, (const __u8 *)proxy, sizeof(proxy) - 1, 1, ~0u);
	assert_int_equal(d.conn.asked.n, 1);
	assert_int_equal(d.conn.asked.entry[0].method, METHOD_OTHER);
	drive_new(&d);
	drive_receive(&d, (const __u8 *)request, sizeof(request) - 1, 1, ~0u);
	drive_receive(&d, (const __u8 *)headers[0].bytes, headers[0].n, 0, ~0u);
	assert_int_equal(d.conn.mode, CONN_PLAIN);
	assert_true(d.conn.refused);
	drive_new(&d);
	drive_receive(&d, (const __u8 *)headers[0].bytes, headers[0].n, 1, ~0u);
	drive_receive(&d, (const __u8 *)headers[0].bytes, headers[0].n, 0, ~0u);
	assert_true(d.conn.refused);
}

TEST(what_is_not_wanted_is_not_read)
{
	static struct drive d;
	const char *request = "GET /a HTTP/1.1\r\nHost: b\r\n\r\n";

	drive_new(&d);
	d.conn.wants_path = d.conn.wants_host = 0;
	drive_receive(&d, (const __u8 *)request, strlen(request), 1, ~0u);
	assert_int_equal(d.conn.asked.n, 1);
	assert_true(d.conn.asked.entry[0].path == PATH_UNKNOWN && d.conn.asked.entry[0].host == NAME_UNKNOWN);
}

TEST_MAIN()
