#include "test/kit/redis_driver.h"
#include "test/kit/check.h"

#include <stdio.h>

/* Receives whole, in pieces of n bytes, and with and without taking several bytes at once. */
static void receive(struct drive *d, const char *bytes, size_t len, size_t piece, int ahead)
{
	drive_open(d, 1);
	d->ahead = ahead;
	for (size_t at = 0; at < len; at += piece)
		drive_receive(d, (const __u8 *)bytes + at, len - at < piece ? len - at : piece, ~0u);
}

/* The commands without a reply, as "get set"; a key's prefix after a colon, "?" for one that waits. */
static void asked_text(struct drive *d, char *out, size_t size)
{
	static const char *const names[] = { "user", "b", "s", "a b" };
	size_t n = 0;

	out[0] = 0;
	for (__u32 i = 0; i < d->front.asked.n; i++) {
		__u32 run = *asked_run(&d->front.asked, i);
		const struct asked *a = asked_kind(&d->front.asked, run);
		const char *prefix = a->prefix == NAME_NONE ? "" : ":?";

		for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++)
			if (a->prefix == drive_name(names[k]))
				prefix = names[k];
		for (__u32 k = 0; k < (run & RUN_MAX); k++)
			n += snprintf(out + n, size - n, "%s%s%s%s%s", n ? "," : "", command_name(a->code) ? command_name(a->code) : "misc",
				      a->waits ? "?" : "", *prefix ? ":" : "", prefix);
	}
}

#define CASE(bytes, asked) { bytes, sizeof(bytes) - 1, asked }

TEST(requests_are_commands_however_they_are_cut)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *asked;
	} cases[] = {
		CASE("*1\r\n$4\r\nPING\r\n", "ping"),
		CASE("*2\r\n$3\r\nGET\r\n$1\r\na\r\n", "get"),
		CASE("*2\r\n$3\r\nget\r\n$9\r\nuser:1234\r\n", "get:user"),
		CASE("*3\r\n$3\r\nSET\r\n$3\r\nb:1\r\n$0\r\n\r\n", "set:b"),
		CASE("*3\r\n$3\r\nSET\r\n$1\r\na\r\n$14\r\n*1\r\n$4\r\nPING\r\n\r\n", "set"),
		CASE("*2\r\n$6\r\nCONFIG\r\n$3\r\nGET\r\n", "config get"),
		CASE("*3\r\n$6\r\nCONFIG\r\n$3\r\nGET\r\n$1\r\n*\r\n", "config get"),
		CASE("*3\r\n$6\r\nOBJECT\r\n$8\r\nENCODING\r\n$4\r\nuser\r\n", "object encoding"),
		CASE("*1\r\n$6\r\nCONFIG\r\n", "config"),
		CASE("*2\r\n$6\r\nCONFIG\r\n$4\r\nFROG\r\n", "config"),
		CASE("*1\r\n$9\r\nJSON.FROG\r\n", "misc"),
		CASE("*1\r\n$70\r\n0123456789012345678901234567890123456789012345678901234567890123456789\r\n", "misc"),
		CASE("*0\r\n*-1\r\n*1\r\n$4\r\nPING\r\n", "ping"),
		CASE("*1\r\n$4\r\nPING\r\n*1\r\n$4\r\nPING\r\n*1\r\n$4\r\nECHO\r\n*1\r\n$4\r\nPI", "ping,ping,echo"),
		CASE("*3\r\n$5\r\nBLPOP\r\n$3\r\ns:1\r\n$1\r\n0\r\n", "blpop?:s"),
		CASE("*4\r\n$5\r\nXREAD\r\n$7\r\nSTREAMS\r\n$3\r\ns:1\r\n$1\r\n0\r\n", "xread:s"),
		CASE("*6\r\n$5\r\nXREAD\r\n$5\r\nblock\r\n$1\r\n0\r\n$7\r\nstreams\r\n$3\r\ns:1\r\n$1\r\n$\r\n", "xread?:s"),
		CASE("*7\r\n$10\r\nXREADGROUP\r\n$5\r\nGROUP\r\n$5\r\nblock\r\n$7\r\nstreams\r\n$7\r\nSTREAMS\r\n$3\r\ns:1\r\n$1\r\n>\r\n", "xreadgroup:s"),
		CASE("*4\r\n$4\r\nEVAL\r\n$1\r\nx\r\n$1\r\n1\r\n$3\r\nb:1\r\n", "eval:b"),
		CASE("*4\r\n$4\r\nEVAL\r\n$1\r\nx\r\n$1\r\n0\r\n$3\r\nb:1\r\n", "eval"),
		CASE("*3\r\n$6\r\nCLIENT\r\n$5\r\nREPLY\r\n$3\r\nOFF\r\n*1\r\n$4\r\nPING\r\n", ""),
		CASE("*3\r\n$6\r\nCLIENT\r\n$5\r\nREPLY\r\n$4\r\nSKIP\r\n*1\r\n$4\r\nPING\r\n*1\r\n$4\r\nECHO\r\n", "echo"),
		CASE("*3\r\n$6\r\nCLIENT\r\n$5\r\nREPLY\r\n$3\r\nOFF\r\n*1\r\n$4\r\nPING\r\n*3\r\n$6\r\nCLIENT\r\n$5\r\nREPLY\r\n$2\r\nON\r\n", "client reply"),
		CASE("*3\r\n$6\r\nCLIENT\r\n$5\r\nREPLY\r\n$4\r\nFROG\r\n", "client reply"),
		CASE("PING\r\n", "ping"),
		CASE("ping\n\r\n   \r\n PiNG  x \r\n", "ping,ping"),
		CASE("config get *\r\nconfig\r\n", "config get,config"),
		CASE("get \"user:1\"\r\nset 'a b:2' 'it''s'\r\n", "get:user,set:a b"),
		CASE("\"get\" user:1\r\n", "get:user"),
		CASE("get \"us\\x65r:1\"\r\n", "get"),
		CASE("ping \0 x\r\necho\r\n", "ping,echo"),
		CASE("*3\r\n$4\r\nMSET\r\n$6\r\nuser:1\r\n$1\r\nx\r\nget b:1\r\n*2\r\n$3\r\nGET\r\n$4\r\ns:99\r\n", "mset:user,get:b,get:s"),
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		for (size_t piece = 1; piece <= cases[i].len; piece++) {
			char text[512];
			struct drive d;

			receive(&d, cases[i].bytes, cases[i].len, piece, piece & 1);
			asked_text(&d, text, sizeof(text));
			assert_string_equal(text, cases[i].asked);
			assert_int_equal(d.front.mode, FRONT_PLAIN);
		}
	}
}

TEST(what_is_not_the_protocol_is_lost_and_opaque)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *asked;
	} cases[] = {
		CASE("POST / HTTP/1.1\r\n", ""), CASE("GET / HTTP/1.1\r\nHost: a\r\n", ""), CASE("*a\r\n", ""), CASE("*1\r\n+PING\r\n", ""),
		CASE("*1\r\n$-1\r\n", ""), CASE("*1\r\n$04\r\nPING\r\n", ""), CASE("*1\r\n$4\r\nPINGx\n", ""), CASE("*1\r\n$4\rxPING\r\n", ""),
		CASE("*99999999999\r\n", ""), CASE("*1\r\n$2147483648\r\n", ""), CASE("\"g\\x65t\" a\r\n", ""),
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct drive d;

		receive(&d, cases[i].bytes, cases[i].len, cases[i].len, 1);
		assert_int_equal(d.front.mode, FRONT_STRANGE);
		assert_true(d.front.opaque);
		assert_int_equal(d.n_lost, 1 + (i == 1));
		assert_int_equal(d.front.asked.n, 0);
	}
}

TEST(an_inline_command_that_never_ends_is_opaque)
{
	struct drive d;

	drive_open(&d, 1);
	for (int i = 0; i < 70000; i++)
		drive_receive(&d, (const __u8 *)"x", 1, ~0u);
	assert_int_equal(d.n_lost, 1);
	assert_true(d.front.opaque);
}

TEST(encrypted_replicas_and_the_cluster_bus_are_recognized)
{
	struct drive d;

	receive(&d, "\x16\3\1\2\0\1", 6, 6, 1);
	assert_int_equal(d.front.mode, FRONT_ENCRYPTED);
	receive(&d, "RCmb\0\0\0\0", 8, 8, 1);
	assert_int_equal(d.front.mode, FRONT_IGNORED);
	receive(&d, "*3\r\n$8\r\nREPLCONF\r\n$3\r\nACK\r\n$1\r\n0\r\n", 36, 36, 1);
	assert_int_equal(d.front.mode, FRONT_IGNORED);
	receive(&d, "*1\r\n$4\r\nPING\r\n", 14, 14, 1);
	receive(&d, "PSYNC ? -1\r\n", 12, 5, 1);
	assert_int_equal(d.front.mode, FRONT_IGNORED);
}

TEST(a_replica_whose_master_sends_nothing_is_recognized)
{
	static const char ack[] = "*3\r\n$8\r\nREPLCONF\r\n$3\r\nACK\r\n$1\r\n0\r\n";
	struct drive d;

	drive_open(&d, 0);
	drive_receive(&d, (const __u8 *)ack, sizeof(ack) - 1, ~0u);
	assert_int_equal(d.front.mode, FRONT_IGNORED);
}

static void receive_text(struct drive *d, const char *text)
{
	drive_receive(d, (const __u8 *)text, strlen(text), ~0u);
}

static void send_text(struct drive *d, const char *text)
{
	drive_send(d, (const __u8 *)text, strlen(text), ~0u);
}

TEST(a_command_beyond_the_last_run_is_unknown_and_counted)
{
	enum { n = ASKED_RUNS + 72 };
	static struct drive d;

	drive_open(&d, 1);
	for (int i = 0; i < n; i++)
		receive_text(&d, i & 1 ? "ping\r\n" : "time\r\n");
	assert_int_equal(d.front.asked.n, ASKED_RUNS);
	assert_int_equal(d.front.asked.left, n);
	for (int i = 0; i < n; i++)
		send_text(&d, i == n - 1 ? "-ERR\r\n" : i & 1 ? "+PONG\r\n" : "*0\r\n");
	assert_int_equal(d.n, n);
	assert_int_equal(d.n_lost, 0);
	for (int i = 0; i < ASKED_RUNS - 1; i++)
		assert_int_equal(d.found[i].code, drive_code(i & 1 ? "ping" : "time"));
	for (int i = ASKED_RUNS - 1; i < n; i++)
		assert_int_equal(d.found[i].code, COMMAND_UNKNOWN);
	assert_int_equal(d.found[n - 1].status, drive_error("ERR"));
	assert_int_equal(d.front.asked.n_kinds, 0);
	receive_text(&d, "echo\r\n");
	send_text(&d, "-ERR\r\n");
	assert_int_equal(d.found[n].code, drive_code("echo"));
	assert_int_equal(d.found[n].status, drive_error("ERR"));
}

TEST(commands_in_turn_take_runs_and_not_kinds)
{
	static const char *const kinds[] = { "multi\r\n", "select 3\r\n", "get user:1\r\n", "set a b\r\n", "exec\r\n" };
	static const char *const names[] = { "multi", "select", "get", "set", "exec" };
	enum { n = 1000 };
	static struct drive d;

	drive_open(&d, 1);
	for (int i = 0; i < n; i++)
		receive_text(&d, kinds[i % 5]);
	assert_int_equal(d.front.asked.n_kinds, 5);
	for (int i = 0; i < n; i++)
		send_text(&d, i % 5 == 0 ? "+OK\r\n" : i % 5 == 4 ? "*0\r\n" : "+QUEUED\r\n");
	assert_int_equal(d.n, n);
	assert_int_equal(d.n_lost, 0);
	for (int i = 0; i < n; i++) {
		assert_int_equal(d.found[i].code, drive_code(names[i % 5]));
		assert_int_equal(d.found[i].status, i % 5 % 4 ? STATUS_QUEUED : STATUS_OK);
		assert_int_equal(d.found[i].prefix, i % 5 == 2 ? drive_name("user") : NAME_NONE);
	}
}

TEST(a_key_beyond_the_last_kind_has_no_prefix_and_its_command_counts)
{
	enum { n = ASKED_KINDS };
	static struct drive d;
	char text[64];

	drive_open(&d, 1);
	for (int i = 0; i < n; i++) {
		snprintf(text, sizeof(text), "get u%d:1\r\n", i);
		receive_text(&d, text);
	}
	receive_text(&d, "multi\r\n");
	for (int i = 0; i < n; i++)
		send_text(&d, "$1\r\na\r\n");
	send_text(&d, "+OK\r\n");
	assert_int_equal(d.n, n + 1);
	assert_int_equal(d.n_lost, 0);
	for (int i = 0; i < n; i++) {
		snprintf(text, sizeof(text), "u%d", i);
		assert_int_equal(d.found[i].code, drive_code("get"));
		assert_int_equal(d.found[i].prefix, i < ASKED_KEYED ? drive_name(text) : NAME_UNKNOWN);
	}
	assert_int_equal(d.found[n].code, drive_code("multi"));
}

TEST(a_kind_beyond_the_last_one_is_unknown_and_counted)
{
	enum { n = ASKED_KINDS + 8 };
	static struct drive d;
	__u16 codes[n];
	int found = 0;

	for (__u16 code = COMMAND_FIRST; command_name(code) && found < n; code++)
		if (drive_row(command_name(code))->kind == KIND_PLAIN && !strchr(command_name(code), ' '))
			codes[found++] = code;
	assert_int_equal(found, n);
	drive_open(&d, 1);
	for (int i = 0; i < n; i++) {
		receive_text(&d, command_name(codes[i]));
		receive_text(&d, "\r\n");
	}
	receive_text(&d, "select 3\r\n");
	for (int i = 0; i < n; i++)
		send_text(&d, ":1\r\n");
	send_text(&d, "+OK\r\n");
	assert_int_equal(d.n, n + 1);
	assert_int_equal(d.n_lost, 0);
	for (int i = 0; i < n; i++)
		assert_int_equal(d.found[i].code, i < ASKED_SIMPLE ? codes[i] : COMMAND_UNKNOWN);
	assert_int_equal(d.found[n].code, drive_code("select"));
	assert_int_equal(d.front.database, DATABASE_FIRST + 3);
}

TEST(a_connection_in_the_middle_is_read_after_a_whole_exchange)
{
	static const char ping[] = "*1\r\n$4\r\nPING\r\n";
	struct drive d;

	drive_open(&d, 0);
	drive_receive(&d, (const __u8 *)ping, sizeof(ping) - 1, ~0u);		/* there may be commands before it */
	assert_int_equal(d.front.mode, FRONT_STRANGE);
	drive_send(&d, (const __u8 *)"+PONG\r\n", 7, ~0u);
	front_sent(&d.front, 0);						/* and replies after */
	drive_receive(&d, (const __u8 *)ping, sizeof(ping) - 1, ~0u);
	assert_int_equal(d.front.mode, FRONT_STRANGE);
	drive_receive(&d, (const __u8 *)"G\r\n$3\r\nGET\r\n", 11, ~0u);
	drive_send(&d, (const __u8 *)"$1\r\na\r\n", 7, ~0u);
	assert_int_equal(d.front.mode, FRONT_STRANGE);
	drive_receive(&d, (const __u8 *)ping, sizeof(ping) - 1, ~0u);
	assert_int_equal(d.front.mode, FRONT_TRIAL);
	drive_send(&d, (const __u8 *)"$1\r\na\r\n+PONG\r\n", 14, ~0u);	/* a reply too many */
	assert_int_equal(d.front.mode, FRONT_STRANGE);
	drive_receive(&d, (const __u8 *)ping, sizeof(ping) - 1, ~0u);
	drive_send(&d, (const __u8 *)"+PO", 3, ~0u);
	assert_int_equal(d.front.mode, FRONT_TRIAL);
	drive_send(&d, (const __u8 *)"NG\r\n", 4, ~0u);
	assert_int_equal(d.front.mode, FRONT_PLAIN);
	assert_int_equal(d.n, 0);
	drive_receive(&d, (const __u8 *)"select 3\r\n", 10, ~0u);
	drive_send(&d, (const __u8 *)"+OK\r\n", 5, ~0u);
	drive_receive(&d, (const __u8 *)"dbsize\r\n", 8, ~0u);
	drive_send(&d, (const __u8 *)":0\r\n", 4, ~0u);
	assert_int_equal(d.n, 2);
	assert_int_equal(d.found[0].database, DATABASE_UNKNOWN);
	assert_int_equal(d.found[1].database, DATABASE_FIRST + 3);
	assert_int_equal(d.n_lost, 0);
}

TEST(a_connection_without_a_byte_so_far_is_read_from_a_command_on)
{
	static const char ping[] = "*1\r\n$4\r\nPING\r\n";
	struct drive d;

	drive_open(&d, 0);
	d.front.unused = 1;
	drive_receive(&d, (const __u8 *)ping, sizeof(ping) - 1, ~0u);
	drive_send(&d, (const __u8 *)"+PONG\r\n", 7, ~0u);
	assert_int_equal(d.front.mode, FRONT_PLAIN);
	assert_int_equal(d.n, 1);
	assert_int_equal(d.found[0].database, DATABASE_UNKNOWN);
	drive_open(&d, 0);
	d.front.unused = 1;
	drive_receive(&d, (const __u8 *)"ING\r\n", 5, ~0u);			/* the rest of a command */
	drive_send(&d, (const __u8 *)"+PONG\r\n", 7, ~0u);
	assert_int_equal(d.front.mode, FRONT_STRANGE);
	drive_open(&d, 0);
	d.front.unused = 1;
	front_sent(&d.front, 7);					/* the reply to a command before it */
	drive_receive(&d, (const __u8 *)ping, sizeof(ping) - 1, ~0u);
	assert_int_equal(d.front.mode, FRONT_TRIAL);
	assert_int_equal(d.n, 0);
}

TEST_MAIN()
