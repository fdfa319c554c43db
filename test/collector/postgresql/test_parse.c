/* The parser reads the messages that a PostgreSQL server receives: front_...() of postgresql/parse.h.  test_reply.c
 * has those that it sends. */
#include "test/kit/postgresql_messages.h"
#include "test/kit/check.h"

static __u64 digest_of(const char *text)
{
	struct digest d;

	digest_begin(&d, 0);
	for (; *text; text++)
		digest_byte(&d, (__u8)*text);
	return digest_code(&d, 1);
}

TEST(a_login_cut_anywhere_says_who_it_is)
{
	struct bytes b = { .n = 0 };
	struct drive d;

	STARTUP(&b, "user\0alice\0database\0bench\0application_name\0psql\0user_x\0no\0");
	for (__u32 cut = 0; cut <= b.n; cut++) {
		drive_plain(&d);
		d.front.mode = FRONT_STARTUP;
		drive_receive(&d, b.at, cut, ~0u);
		drive_receive(&d, b.at + cut, b.n - cut, ~0u);
		assert_int_equal(d.front.mode, FRONT_PLAIN);
		assert_true(d.user == drive_hash("alice") && d.database == drive_hash("bench"));
	}
}

TEST(a_startup_packet_is_known)
{
	static const struct { const char *head; int is; } cases[] = {
		{ "\0\0\0\x08\x04\xd2\x16\x2f", 1 }, { "\0\0\0\x08\x04\xd2\x16\x30", 1 }, { "\0\0\0\x26\0\3\0\0", 1 }, { "\0\0\0\x26\0\3\0\2", 1 },
		{ "\0\0\0\x07\0\3\0\0", 0 }, { "\0\1\0\x26\0\3\0\0", 0 }, { "\0\0\0\x26\0\2\0\0", 0 }, { "Q\0\0\0\x10sel", 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(front_startup((const __u8 *)cases[i].head, 8), cases[i].is);
	assert_int_equal(front_startup((const __u8 *)cases[0].head, 7), 0);
}

/* Three rounds: a simple query; a named Parse; two Executes. */
static void conversation(struct bytes *in, struct bytes *out)
{
	memset(in, 0, sizeof(*in));
	memset(out, 0, sizeof(*out));
	MESSAGE(in, 'Q', "SELECT 5\0");
	put_parse(in, "s1", "UPDATE t SET a = $1");
	put_sync(in);
	put_parse(in, "", "INSERT INTO t VALUES ($1)");
	put_bind(in, "", "s1");
	MESSAGE(in, 'D', "P\0");
	put_execute(in, "");
	put_bind(in, "", "");
	put_execute(in, "");
	put_sync(in);

	MESSAGE(out, 'T', "\0\0");
	put_row(out);
	put_complete(out);
	put_ready(out);
	MESSAGE(out, '1', "");
	put_ready(out);
	MESSAGE(out, '1', "");
	MESSAGE(out, '2', "");
	put_complete(out);
	MESSAGE(out, '2', "");
	put_complete(out);
	put_ready(out);
}

static void conversation_check(const struct drive *d)
{
	assert_int_equal(d->n_lost, 0);
	assert_int_equal(d->n_rounds, 3);
	assert_int_equal(d->n, 4);
	assert_int_equal(d->found[0].command, COMMAND_SIMPLE);
	assert_true(d->found[0].digest == digest_of("select ?"));
	assert_int_equal(d->found[1].command, COMMAND_PREPARE);
	assert_true(d->found[1].digest == digest_of("update t set a = ?"));
	assert_int_equal(d->found[2].command, COMMAND_EXECUTE);
	assert_true(d->found[2].digest == digest_of("update t set a = ?"));
	assert_true(d->found[3].digest == digest_of("insert into t values (?)"));
	for (int i = 0; i < 4; i++)
		assert_true(d->found[i].status == STATUS_OK);
}

TEST(events_are_the_same_however_cut)
{
	struct bytes in, out;
	struct drive d;

	conversation(&in, &out);
	for (__u32 cut = 0; cut <= in.n; cut++)
		for (__u32 most = 1; most < 40; most += 19) {
			drive_plain(&d);
			drive_receive(&d, in.at, cut, most);
			drive_receive(&d, in.at + cut, in.n - cut, most);
			drive_send(&d, out.at, cut < out.n ? cut : out.n, most);
			if (cut < out.n)
				drive_send(&d, out.at + cut, out.n - cut, most);
			conversation_check(&d);
			assert_int_equal(d.n_begins, 1);	/* the others are in a pipeline */
		}
}

TEST(each_of_several_rounds_has_a_begin)
{
	struct drive d;

	drive_plain(&d);
	for (int i = 0; i < 5; i++) {
		struct bytes in = { .n = 0 }, out = { .n = 0 };

		put_simple(&in, &out);
		exchange(&d, &in, &out);
	}
	assert_int_equal(d.n_begins, 5);
	assert_int_equal(d.n, 5);
}

TEST(after_a_flush_a_round_begins_again)
{
	struct bytes in = { .n = 0 }, out = { .n = 0 }, more = { .n = 0 }, rest = { .n = 0 };
	struct drive d;

	drive_plain(&d);
	put_parse(&in, "", "SELECT 1");
	MESSAGE(&in, 'H', "");
	MESSAGE(&out, '1', "");
	put_bind(&more, "", "");
	put_execute(&more, "");
	put_sync(&more);
	put_complete(&rest);
	put_ready(&rest);
	exchange(&d, &in, &out);
	drive_receive(&d, more.at, more.n, ~0u);
	drive_send(&d, rest.at, rest.n, ~0u);
	assert_int_equal(d.n_begins, 2);
	assert_int_equal(d.n, 1);
	assert_int_equal(d.found[0].command, COMMAND_EXECUTE);
}

TEST(a_send_that_ends_a_round_may_answer_the_next)
{
	for (__u32 cut = 0; cut < 100; cut++) {
		struct bytes in = { .n = 0 }, out = { .n = 0 }, more = { .n = 0 };
		struct drive d;

		drive_plain(&d);
		put_simple(&in, &out);
		put_parse(&in, "", "SELECT 1");
		MESSAGE(&in, 'H', "");
		MESSAGE(&out, '1', "");
		put_bind(&more, "", "");
		if (cut > out.n)
			return;
		exchange_cut(&d, &in, &out, cut);
		drive_receive(&d, more.at, more.n, ~0u);
		assert_int_equal(d.n_begins, 2);
	}
	fail_msg("the answer is longer than that");
}

TEST(many_of_a_kind_take_one_entry)
{
	struct bytes in = { .n = 0 }, out = { .n = 0 };
	struct drive d;

	drive_plain(&d);
	for (int i = 0; i < 100; i++) {
		put_bind(&in, "", "");
		put_execute(&in, "");
		put_complete(&out);
	}
	put_sync(&in);
	put_ready(&out);
	drive_receive(&d, in.at, in.n, ~0u);
	assert_int_equal(d.front.asked.n, 1);
	drive_send(&d, out.at, out.n, ~0u);
	assert_int_equal(d.n, 100);
	assert_int_equal(d.n_rounds, 1);

	drive_plain(&d);
	in.n = out.n = 0;
	for (int i = 0; i < 100; i++)
		put_simple(&in, &out);
	drive_receive(&d, in.at, in.n, ~0u);
	assert_int_equal(d.front.asked.n, 1);
	drive_send(&d, out.at, out.n, ~0u);
	assert_int_equal(d.n, 100);
	assert_int_equal(d.n_rounds, 100);
}

/* Rounds of one query each, none equal to the one before, more than the ring holds; then one that is read whole. */
TEST(rounds_that_do_not_fit_are_lost_and_counted)
{
	for (int n = ASKED_MAX - 1; n < 3 * ASKED_MAX; n++) {
		int n_lost = n > ASKED_MAX ? n - ASKED_MAX : 0;
		struct bytes in = { .n = 0 }, out = { .n = 0 };
		struct drive d;

		drive_plain(&d);
		for (int i = 0; i < n; i++) {
			if (i & 1)
				MESSAGE(&in, 'Q', "SELECT 5\0");
			else
				MESSAGE(&in, 'Q', "SELECT a\0");
			put_complete(&out);
			put_ready(&out);
		}
		exchange(&d, &in, &out);
		assert_int_equal(d.n_crowded, n_lost);
		assert_int_equal(d.n, n - n_lost);
		in.n = out.n = 0;
		MESSAGE(&in, 'Q', "SELECT b\0");
		put_complete(&out);
		put_ready(&out);
		exchange(&d, &in, &out);
		assert_int_equal(d.n, n - n_lost + 1);
		assert_int_equal(d.n_lost, 0);
		assert_true(d.found[d.n - 1].digest == digest_of("select b"));
	}
}

/* The same in one round, whose last Execute fails. */
TEST(a_round_that_does_not_fit_keeps_its_place)
{
	for (int n = ASKED_MAX - 1; n < 3 * ASKED_MAX; n++) {
		int n_lost = n > ASKED_MAX ? n - ASKED_MAX : 0;
		struct bytes in = { .n = 0 }, out = { .n = 0 };
		struct drive d;

		drive_plain(&d);
		put_parse(&in, "a", "SELECT a");
		put_parse(&in, "b", "SELECT b");
		for (int i = 0; i < n; i++) {
			put_bind(&in, "", i & 1 ? "a" : "b");
			put_execute(&in, "");
			if (i < n - 1)
				put_complete(&out);
		}
		put_sync(&in);
		put_error(&out, "23505");
		put_ready(&out);
		exchange(&d, &in, &out);
		assert_int_equal(d.n_crowded, n_lost);
		assert_int_equal(d.n, n - n_lost);
		assert_true((d.found[d.n - 1].status == STATUS_OK) == (n_lost != 0));
		in.n = out.n = 0;
		put_simple(&in, &out);
		exchange(&d, &in, &out);
		assert_int_equal(d.n, n - n_lost + 1);
		assert_int_equal(d.n_lost, 0);
		assert_true(d.found[d.n - 1].digest == digest_of("select ?"));
	}
}

TEST(bytes_of_no_protocol_make_it_opaque)
{
	static const char *const cases[] = { "\x01\0\0\0\x04", "Q\0\0\0\x03", "Q\xff\0\0\0", "y\0\0\0\x09" };
	struct drive d;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		drive_plain(&d);
		drive_receive(&d, (const __u8 *)cases[i], 5, ~0u);
		assert_int_equal(d.front.mode, FRONT_OPAQUE);
		assert_int_equal(d.n_lost, 1);
	}
}

TEST(a_strange_connection_comes_into_step)
{
	struct bytes query = { .n = 0 }, round = { .n = 0 }, part = { .n = 0 };
	const struct { const struct bytes *b; __u32 n; int mode; } cases[] = {
		{ &query, 0, FRONT_PLAIN }, { &query, 1, FRONT_STRANGE }, { &round, 0, FRONT_PLAIN }, { &part, 0, FRONT_STRANGE },
	};
	struct drive d;

	MESSAGE(&query, 'Q', "SELECT 5\0");
	put_bind(&round, "", "s");
	put_execute(&round, "");
	put_bytes(&part, round.at, round.n);
	put_sync(&round);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		drive_plain(&d);
		d.front.mode = FRONT_STRANGE;
		drive_receive(&d, cases[i].b->at, cases[i].b->n - cases[i].n, ~0u);
		assert_int_equal(d.front.mode, cases[i].mode);
	}
	drive_plain(&d);
	d.front.mode = FRONT_STRANGE;
	drive_receive(&d, (const __u8 *)"\x17\3\3\0\x20", 5, ~0u);
	assert_int_equal(d.front.mode, FRONT_ENCRYPTED);
	drive_plain(&d);
	d.front.mode = FRONT_STRANGE;
	for (int i = 0; i < FRONT_TRIES; i++)
		drive_receive(&d, (const __u8 *)"copied data", 11, ~0u);
	assert_int_equal(d.front.mode, FRONT_OPAQUE);
}

/* A client of another protocol sends its bytes, and the server answers with one error.  The test handles the
 * connection as the event programs do. */
static void another_protocol(struct drive *d, const __u8 *data, __u32 n, __u32 most)
{
	struct bytes out = { .n = 0 };

	drive_plain(d);
	d->front.mode = front_startup(data, n) ? FRONT_STARTUP : FRONT_STRANGE;
	MESSAGE(&out, 'E', "SFATAL\0C0A000\0\0");
	for (int i = 0; i < 2 * FRONT_TRIES; i++) {
		for (__u32 at = 0; at < n; at += most) {
			d->n_lost = 0;
			drive_receive(d, data + at, n - at < most ? n - at : most, ~0u);
		}
		drive_send(d, out.at, out.n, ~0u);
	}
}

static void check_is_no_event(const struct drive *d, const char *what)
{
	if (d->n || d->front.asked.n || d->n_begins || !front_turns(&d->front))
		fail_msg("%s: %u events, %u asked, %u begun, mode %u", what, d->n, d->front.asked.n, d->n_begins, d->front.mode);
}

/* A literal and its bytes without the NUL at its end. */
#define LITERAL(text) text, sizeof(text) - 1

TEST(another_protocol_is_turns_only)
{
	static const struct { const char *what, *bytes; __u32 n; } cases[] = {
		{ "HTTP GET", LITERAL("GET / HTTP/1.1\r\nHost: a\r\n\r\n") },
		{ "HTTP POST", LITERAL("POST /query HTTP/1.1\r\nContent-Length: 4\r\n\r\nQ=1;") },
		{ "HTTP DELETE", LITERAL("DELETE /x HTTP/1.0\r\n\r\n") },
		{ "HTTP/2", LITERAL("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") },
		{ "Redis", LITERAL("*2\r\n$3\r\nGET\r\n$1\r\na\r\n") },
		{ "Redis inline", LITERAL("SET key value\r\n") },
		{ "memcached", LITERAL("quit\r\nQUIT\r\n") },
		{ "SSH", LITERAL("SSH-2.0-OpenSSH_9.2\r\n") },
		{ "SMTP", LITERAL("EHLO a.example\r\n") },
		{ "TLS hello", LITERAL("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03") },
		{ "MySQL greeting", LITERAL("\x4a\0\0\0\x0a" "9.7.4\0" "\x08\0\0\0abcdefgh\0\xff\xff\xff\x02\0") },
		{ "MySQL query", LITERAL("\x09\0\0\0\x03select 1") },
		{ "zeros", LITERAL("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0") },
		{ "a query longer than it says", LITERAL("Q\0\0\0\x08select 1") },
		{ "a query shorter than it says", LITERAL("Q\0\0\0\x20select 1") },
	};
	static const __u32 most[] = { ~0u >> 1, 8, 5, 3 };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		for (size_t k = 0; k < sizeof(most) / sizeof(*most); k++) {
			struct drive d;

			another_protocol(&d, (const __u8 *)cases[i].bytes, cases[i].n, most[k]);
			check_is_no_event(&d, cases[i].what);
		}
	}
}

TEST(noise_is_turns_only)
{
	__u64 seed = 1;

	for (int i = 0; i < 20000; i++) {
		__u8 noise[256];
		struct drive d;
		char what[32];

		for (size_t k = 0; k < sizeof(noise); k++) {
			seed = seed * 6364136223846793005ull + 1442695040888963407ull;
			noise[k] = seed >> 56;
		}
		snprintf(what, sizeof(what), "noise %d", i);
		another_protocol(&d, noise, 16 + i % 240, ~0u >> 1);
		check_is_no_event(&d, what);
	}
}

TEST(texts_are_not_read_unless_it_is_safe)
{
	static const struct { const char *setting; __u32 n; int reads; } cases[] = {
		{ "client_encoding\0SJIS\0", 21, 0 }, { "client_encoding\0GBK\0", 20, 0 }, { "client_encoding\0UTF8\0", 21, 1 },
		{ "standard_conforming_strings\0off\0", 32, 0 }, { "standard_conforming_strings\0on\0", 31, 1 },
		{ "application_name\0SJIS\0", 22, 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct bytes in = { .n = 0 }, out = { .n = 0 };
		struct drive d;

		drive_plain(&d);
		put_message(&out, 'S', cases[i].setting, cases[i].n);
		for (__u32 at = 0; at < out.n; at++)
			drive_send(&d, out.at + at, 1, 1);
		MESSAGE(&in, 'Q', "SELECT 5\0");
		out.n = 0;
		put_complete(&out);
		put_ready(&out);
		exchange(&d, &in, &out);
		assert_int_equal(d.n, 1);
		if ((d.found[0].digest == digest_of("select ?")) != cases[i].reads)
			fail_msg("%s", cases[i].setting);
	}
}

TEST_MAIN()
