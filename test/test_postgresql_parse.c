#include "postgresql_driver.h"
#include "check.h"

#include <stdio.h>

/* Bytes of a conversation under way. */
struct bytes {
	__u8 at[4096];
	__u32 n;
};

static void put(struct bytes *b, const void *data, __u32 n)
{
	memcpy(b->at + b->n, data, n);
	b->n += n;
}

static void put_u32(struct bytes *b, __u32 n)
{
	__u8 be[4] = { n >> 24, n >> 16, n >> 8, n };

	put(b, be, 4);
}

static void message(struct bytes *b, char type, const void *body, __u32 n)
{
	put(b, &type, 1);
	put_u32(b, n + 4);
	put(b, body, n);
}

#define MESSAGE(b, type, body) message(b, type, body, sizeof(body) - 1)

static void prepare(struct bytes *b, const char *name, const char *text)
{
	__u8 body[256];
	int n = snprintf((char *)body, sizeof(body), "%s%c%s", name, 0, text) + 1;

	body[n++] = 0;
	body[n++] = 0;
	message(b, 'P', body, n);
}

static void bind(struct bytes *b, const char *portal, const char *name)
{
	__u8 body[64];
	int n = snprintf((char *)body, sizeof(body), "%s%c%s", portal, 0, name) + 1;

	memset(body + n, 0, 6);
	message(b, 'B', body, n + 6);
}

static void execute(struct bytes *b, const char *portal)
{
	__u8 body[64];
	int n = snprintf((char *)body, sizeof(body), "%s", portal) + 1;

	memset(body + n, 0, 4);
	message(b, 'E', body, n + 4);
}

static void sync(struct bytes *b) { message(b, 'S', "", 0); }
static void complete(struct bytes *b) { MESSAGE(b, 'C', "SELECT 1\0"); }
static void ready(struct bytes *b) { MESSAGE(b, 'Z', "I"); }
static void row(struct bytes *b) { MESSAGE(b, 'D', "\0\1\0\0\0\1C"); }

/* A simple query, and its answer. */
static void simple(struct bytes *asked, struct bytes *answered)
{
	MESSAGE(asked, 'Q', "SELECT 5\0");
	complete(answered);
	ready(answered);
}

static void error(struct bytes *b, const char *state)
{
	__u8 body[64];
	int n = snprintf((char *)body, sizeof(body), "SFEHLER%cVERROR%cC%s%cMno", 0, 0, state, 0) + 1;

	body[n++] = 0;
	message(b, 'E', body, n);
}

static __u64 state_code(const char *state)
{
	__u64 packed = 0;

	for (int i = 0; i < 5; i++)
		packed |= (__u64)state[i] << (8 * i);
	return STATUS_ERROR(packed);
}

static __u64 digest_of(const char *text)
{
	struct digest d;

	digest_begin(&d, 0);
	for (; *text; text++)
		digest_byte(&d, (__u8)*text);
	return digest_code(&d, 1);
}

static void open_plain(struct drive *d)
{
	memset(d, 0, sizeof(*d));
	d->front.mode = FRONT_PLAIN;
	d->front.wanted = 1;
	d->front.counts = 1;
}

static void startup(struct bytes *b, const char *params, __u32 n)
{
	put_u32(b, n + 8);
	put_u32(b, 3 << 16);
	put(b, params, n);
}

#define STARTUP(b, params) startup(b, params, sizeof(params))

/* ---- receives ---- */

static void a_login_says_who_it_is_however_cut(void **state)
{
	struct bytes b = { .n = 0 };
	struct drive d;

	STARTUP(&b, "user\0alice\0database\0bench\0application_name\0psql\0user_x\0no\0");
	for (__u32 cut = 0; cut <= b.n; cut++) {
		open_plain(&d);
		d.front.mode = FRONT_STARTUP;
		drive_receive(&d, b.at, cut, ~0u);
		drive_receive(&d, b.at + cut, b.n - cut, ~0u);
		assert_int_equal(d.front.mode, FRONT_PLAIN);
		assert_true(d.user == drive_hash("alice") && d.database == drive_hash("bench"));
	}
}

static void a_startup_packet_is_known(void **state)
{
	static const struct { const char *head; int is; } cases[] = {
		{ "\0\0\0\x08\x04\xd2\x16\x2f", 1 }, { "\0\0\0\x08\x04\xd2\x16\x30", 1 }, { "\0\0\0\x26\0\3\0\0", 1 }, { "\0\0\0\x26\0\3\0\2", 1 },
		{ "\0\0\0\x07\0\3\0\0", 0 }, { "\0\1\0\x26\0\3\0\0", 0 }, { "\0\0\0\x26\0\2\0\0", 0 }, { "Q\0\0\0\x10sel", 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(front_startup((const __u8 *)cases[i].head, 8), cases[i].is);
	assert_int_equal(front_startup((const __u8 *)cases[0].head, 7), 0);
}

/* Three rounds: a simple query; what is prepared under a name; two Executes. */
static void conversation(struct bytes *in, struct bytes *out)
{
	memset(in, 0, sizeof(*in));
	memset(out, 0, sizeof(*out));
	MESSAGE(in, 'Q', "SELECT 5\0");
	prepare(in, "s1", "UPDATE t SET a = $1");
	sync(in);
	prepare(in, "", "INSERT INTO t VALUES ($1)");
	bind(in, "", "s1");
	MESSAGE(in, 'D', "P\0");
	execute(in, "");
	bind(in, "", "");
	execute(in, "");
	sync(in);

	MESSAGE(out, 'T', "\0\0");
	row(out);
	complete(out);
	ready(out);
	MESSAGE(out, '1', "");
	ready(out);
	MESSAGE(out, '1', "");
	MESSAGE(out, '2', "");
	complete(out);
	MESSAGE(out, '2', "");
	complete(out);
	ready(out);
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

static void events_are_the_same_however_cut(void **state)
{
	struct bytes in, out;
	struct drive d;

	conversation(&in, &out);
	for (__u32 cut = 0; cut <= in.n; cut++)
		for (__u32 most = 1; most < 40; most += 19) {
			open_plain(&d);
			drive_receive(&d, in.at, cut, most);
			drive_receive(&d, in.at + cut, in.n - cut, most);
			drive_send(&d, out.at, cut < out.n ? cut : out.n, most);
			if (cut < out.n)
				drive_send(&d, out.at + cut, out.n - cut, most);
			conversation_check(&d);
			assert_int_equal(d.n_begins, 1);	/* the others are in a pipeline */
		}
}

static void rounds_one_by_one_begin_each(void **state)
{
	struct drive d;

	open_plain(&d);
	for (int i = 0; i < 5; i++) {
		struct bytes in = { .n = 0 }, out = { .n = 0 };

		simple(&in, &out);
		drive_receive(&d, in.at, in.n, ~0u);
		drive_send(&d, out.at, out.n, ~0u);
	}
	assert_int_equal(d.n_begins, 5);
	assert_int_equal(d.n, 5);
}

static void after_a_flush_a_round_begins_again(void **state)
{
	struct bytes in = { .n = 0 }, out = { .n = 0 }, more = { .n = 0 }, rest = { .n = 0 };
	struct drive d;

	open_plain(&d);
	prepare(&in, "", "SELECT 1");
	MESSAGE(&in, 'H', "");
	MESSAGE(&out, '1', "");
	bind(&more, "", "");
	execute(&more, "");
	sync(&more);
	complete(&rest);
	ready(&rest);
	drive_receive(&d, in.at, in.n, ~0u);
	drive_send(&d, out.at, out.n, ~0u);
	drive_receive(&d, more.at, more.n, ~0u);
	drive_send(&d, rest.at, rest.n, ~0u);
	assert_int_equal(d.n_begins, 2);
	assert_int_equal(d.n, 1);
	assert_int_equal(d.found[0].command, COMMAND_EXECUTE);
}

static void a_send_that_ends_a_round_may_answer_the_next(void **state)
{
	for (__u32 cut = 0; cut < 100; cut++) {
		struct bytes in = { .n = 0 }, out = { .n = 0 }, more = { .n = 0 };
		struct drive d;

		open_plain(&d);
		simple(&in, &out);
		prepare(&in, "", "SELECT 1");
		MESSAGE(&in, 'H', "");
		MESSAGE(&out, '1', "");
		bind(&more, "", "");
		if (cut > out.n)
			return;
		drive_receive(&d, in.at, in.n, ~0u);
		drive_send(&d, out.at, cut, ~0u);
		drive_send(&d, out.at + cut, out.n - cut, ~0u);
		drive_receive(&d, more.at, more.n, ~0u);
		assert_int_equal(d.n_begins, 2);
	}
	fail_msg("the answer is longer than that");
}

static void many_of_a_kind_take_one_entry(void **state)
{
	struct bytes in = { .n = 0 }, out = { .n = 0 };
	struct drive d;

	open_plain(&d);
	for (int i = 0; i < 100; i++) {
		bind(&in, "", "");
		execute(&in, "");
		complete(&out);
	}
	sync(&in);
	ready(&out);
	drive_receive(&d, in.at, in.n, ~0u);
	assert_int_equal(d.front.asked.n, 1);
	drive_send(&d, out.at, out.n, ~0u);
	assert_int_equal(d.n, 100);
	assert_int_equal(d.n_rounds, 1);

	open_plain(&d);
	in.n = out.n = 0;
	for (int i = 0; i < 100; i++)
		simple(&in, &out);
	drive_receive(&d, in.at, in.n, ~0u);
	assert_int_equal(d.front.asked.n, 1);
	drive_send(&d, out.at, out.n, ~0u);
	assert_int_equal(d.n, 100);
	assert_int_equal(d.n_rounds, 100);
}

static void what_does_not_fit_is_refused(void **state)
{
	struct bytes in = { .n = 0 };
	struct drive d;

	open_plain(&d);
	for (int i = 0; i < ASKED_MAX; i++) {
		if (i & 1)
			MESSAGE(&in, 'Q', "SELECT 5\0");
		else
			MESSAGE(&in, 'Q', "SELECT a\0");
	}
	drive_receive(&d, in.at, in.n, ~0u);
	assert_int_equal(d.n_lost, 0);
	in.n = 0;
	MESSAGE(&in, 'Q', "SELECT b\0");
	drive_receive(&d, in.at, in.n, ~0u);
	assert_int_equal(d.n_lost, 1);
}

static void what_is_no_protocol_makes_it_opaque(void **state)
{
	static const char *const cases[] = { "\x01\0\0\0\x04", "Q\0\0\0\x03", "Q\xff\0\0\0", "y\0\0\0\x09" };
	struct drive d;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		open_plain(&d);
		drive_receive(&d, (const __u8 *)cases[i], 5, ~0u);
		assert_int_equal(d.front.mode, FRONT_OPAQUE);
		assert_int_equal(d.n_lost, 1);
	}
}

static void a_strange_connection_comes_into_step(void **state)
{
	struct bytes query = { .n = 0 }, round = { .n = 0 }, part = { .n = 0 };
	const struct { const struct bytes *b; __u32 n; int mode; } cases[] = {
		{ &query, 0, FRONT_PLAIN }, { &query, 1, FRONT_STRANGE }, { &round, 0, FRONT_PLAIN }, { &part, 0, FRONT_STRANGE },
	};
	struct drive d;

	MESSAGE(&query, 'Q', "SELECT 5\0");
	bind(&round, "", "s");
	execute(&round, "");
	put(&part, round.at, round.n);
	sync(&round);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		open_plain(&d);
		d.front.mode = FRONT_STRANGE;
		drive_receive(&d, cases[i].b->at, cases[i].b->n - cases[i].n, ~0u);
		assert_int_equal(d.front.mode, cases[i].mode);
	}
	open_plain(&d);
	d.front.mode = FRONT_STRANGE;
	drive_receive(&d, (const __u8 *)"\x17\3\3\0\x20", 5, ~0u);
	assert_int_equal(d.front.mode, FRONT_ENCRYPTED);
	open_plain(&d);
	d.front.mode = FRONT_STRANGE;
	for (int i = 0; i < FRONT_TRIES; i++)
		drive_receive(&d, (const __u8 *)"copied data", 11, ~0u);
	assert_int_equal(d.front.mode, FRONT_OPAQUE);
}

static void texts_that_cannot_be_read_safely_are_not(void **state)
{
	static const struct { const char *setting; __u32 n; int reads; } cases[] = {
		{ "client_encoding\0SJIS\0", 21, 0 }, { "client_encoding\0GBK\0", 20, 0 }, { "client_encoding\0UTF8\0", 21, 1 },
		{ "standard_conforming_strings\0off\0", 32, 0 }, { "standard_conforming_strings\0on\0", 31, 1 },
		{ "application_name\0SJIS\0", 22, 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct bytes in = { .n = 0 }, out = { .n = 0 };
		struct drive d;

		open_plain(&d);
		message(&out, 'S', cases[i].setting, cases[i].n);
		for (__u32 at = 0; at < out.n; at++)
			drive_send(&d, out.at + at, 1, 1);
		MESSAGE(&in, 'Q', "SELECT 5\0");
		out.n = 0;
		complete(&out);
		ready(&out);
		drive_receive(&d, in.at, in.n, ~0u);
		drive_send(&d, out.at, out.n, ~0u);
		assert_int_equal(d.n, 1);
		if ((d.found[0].digest == digest_of("select ?")) != cases[i].reads)
			fail_msg("%s", cases[i].setting);
	}
}

/* ---- sends ---- */

static void tag(struct bytes *b, const char *text) { message(b, 'C', text, strlen(text) + 1); }

static void a_tag_tells_its_rows_however_cut(void **state)
{
	static const struct { const char *tag; __u64 n_rows; } cases[] = {
		{ "SELECT 5", 5 }, { "INSERT 0 12", 12 }, { "UPDATE 0", 0 }, { "COPY 18446744073709551615", ~0ull }, { "FETCH 100", 100 },
		{ "BEGIN", 0 }, { "CREATE TABLE", 0 }, { "DROP 5 TABLES", 0 }, { "SELECT 5x", 0 }, { "SELECT ", 0 }, { "", 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct bytes in = { .n = 0 }, out = { .n = 0 };
		struct drive d;

		MESSAGE(&in, 'Q', "SELECT 5\0");
		row(&out);
		tag(&out, cases[i].tag);
		ready(&out);
		for (__u32 cut = 0; cut <= out.n; cut++) {
			open_plain(&d);
			drive_receive(&d, in.at, in.n, ~0u);
			drive_send(&d, out.at, cut, ~0u);
			drive_send(&d, out.at + cut, out.n - cut, ~0u);
			assert_int_equal(d.n, 1);
			if (d.found[0].n_rows != cases[i].n_rows)
				fail_msg("\"%s\": %llu", cases[i].tag, (unsigned long long)d.found[0].n_rows);
		}
		open_plain(&d);
		d.front.counts = 0;
		drive_receive(&d, in.at, in.n, ~0u);
		drive_send(&d, out.at, out.n, ~0u);
		assert_int_equal(d.found[0].n_rows, 0);
	}
}

static void statements_of_a_text_have_their_rows_together(void **state)
{
	struct bytes in = { .n = 0 }, out = { .n = 0 };
	struct drive d;

	open_plain(&d);
	MESSAGE(&in, 'Q', "UPDATE t SET a = 1; SELECT a FROM t\0");
	tag(&out, "UPDATE 3");
	tag(&out, "SELECT 4");
	ready(&out);
	drive_receive(&d, in.at, in.n, ~0u);
	drive_send(&d, out.at, out.n, ~0u);
	assert_int_equal(d.n, 1);
	assert_int_equal(d.found[0].n_rows, 7);
}

/* a, b b b, a: those that are alike and in a row share theirs, and nothing is left over for the next round. */
static void executes_have_their_own_rows(void **state)
{
	static const char *const names[] = { "a", "b", "b", "b", "a" };
	static const char *const tags[] = { "SELECT 10", "INSERT 0 1", "INSERT 0 3", "INSERT 0 1", "SELECT 20" };
	static const __u64 n_rows[] = { 10, 2, 2, 1, 20 };
	struct bytes in = { .n = 0 }, out = { .n = 0 };
	struct drive d;

	prepare(&in, "a", "SELECT a FROM t");
	prepare(&in, "b", "INSERT INTO t VALUES (1)");
	for (int i = 0; i < 5; i++) {
		bind(&in, "", names[i]);
		execute(&in, "");
		tag(&out, tags[i]);
	}
	sync(&in);
	ready(&out);
	for (__u32 cut = 0; cut <= out.n; cut++) {
		open_plain(&d);
		for (unsigned round = 0; round < 2; round++) {
			drive_receive(&d, in.at, in.n, ~0u);
			drive_send(&d, out.at, cut, ~0u);
			drive_send(&d, out.at + cut, out.n - cut, ~0u);
			assert_int_equal(d.n, 5 * (round + 1));
			for (int i = 0; i < 5; i++)
				assert_int_equal(d.found[5 * round + i].n_rows, n_rows[i]);
		}
	}
}

static void a_failed_one_has_no_rows(void **state)
{
	struct bytes in = { .n = 0 }, out = { .n = 0 };
	struct drive d;

	open_plain(&d);
	for (int i = 0; i < 3; i++) {
		bind(&in, "", "");
		execute(&in, "");
	}
	sync(&in);
	tag(&out, "INSERT 0 4");
	error(&out, "23505");
	ready(&out);
	drive_receive(&d, in.at, in.n, ~0u);
	drive_send(&d, out.at, out.n, ~0u);
	assert_int_equal(d.n, 2);
	assert_int_equal(d.found[0].n_rows, 4);
	assert_int_equal(d.found[1].n_rows, 0);
}

/* What is counted together has one text only if it is the same. */
static void each_has_the_text_that_it_was_sent_as(void **state)
{
	struct bytes in = { .n = 0 }, out = { .n = 0 };
	struct drive d;

	open_plain(&d);
	d.keeps = 1;
	for (int i = 0; i < 2; i++) {
		in.n = out.n = 0;
		simple(&in, &out);
		drive_receive(&d, in.at, in.n, ~0u);
		drive_send(&d, out.at, out.n, ~0u);
		assert_int_equal(d.found[i].verbatim, i + 1);
	}
	in.n = out.n = 0;
	prepare(&in, "", "SELECT a FROM t");
	for (int i = 0; i < 2; i++) {
		bind(&in, "", "");
		execute(&in, "");
		complete(&out);
	}
	sync(&in);
	ready(&out);
	drive_receive(&d, in.at, in.n, ~0u);
	drive_send(&d, out.at, out.n, ~0u);
	assert_int_equal(d.n, 4);
	assert_int_equal(d.found[2].verbatim, 3);
	assert_int_equal(d.found[3].verbatim, 3);

	in.n = out.n = 0;
	prepare(&in, "s", "SELECT b FROM t");
	simple(&in, &out);
	drive_receive(&d, in.at, in.n, ~0u);
	drive_send(&d, out.at, out.n, ~0u);
	in.n = out.n = 0;
	bind(&in, "p", "s");			/* by its name, and so its portal */
	execute(&in, "p");
	complete(&out);
	sync(&in);
	ready(&out);
	drive_receive(&d, in.at, in.n, ~0u);
	drive_send(&d, out.at, out.n, ~0u);
	assert_int_equal(d.n_texts, 5);
	assert_int_equal(d.found[d.n - 1].verbatim, 4);

	open_plain(&d);
	d.keeps = 1;
	in.n = out.n = 0;
	for (int i = 0; i < 3; i++)
		simple(&in, &out);
	drive_receive(&d, in.at, in.n, ~0u);
	drive_send(&d, out.at, out.n, ~0u);
	assert_int_equal(d.n, 3);
	assert_int_equal(d.front.asked.n, 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(d.found[i].verbatim, 0);
}

static void rows_of_equal_rounds_are_each_their_own(void **state)
{
	struct bytes in = { .n = 0 }, out = { .n = 0 };
	struct drive d;

	open_plain(&d);
	for (int i = 0; i < 3; i++) {
		bind(&in, "", "");
		execute(&in, "");
		sync(&in);
		tag(&out, i == 1 ? "SELECT 7" : "SELECT 1");
		ready(&out);
	}
	drive_receive(&d, in.at, in.n, ~0u);
	drive_send(&d, out.at, out.n, ~0u);
	assert_int_equal(d.n, 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(d.found[i].n_rows, i == 1 ? 7 : 1);
}

static void an_error_ends_its_round_however_cut(void **state)
{
	struct bytes in = { .n = 0 }, out = { .n = 0 };
	struct drive d;

	for (int i = 0; i < 3; i++) {
		bind(&in, "", "");
		execute(&in, "");
	}
	sync(&in);
	complete(&out);
	error(&out, "23505");
	ready(&out);
	for (__u32 cut = 0; cut <= out.n; cut++) {
		open_plain(&d);
		drive_receive(&d, in.at, in.n, ~0u);
		drive_send(&d, out.at, cut, ~0u);
		drive_send(&d, out.at + cut, out.n - cut, ~0u);
		assert_int_equal(d.n, 2);		/* the third is not executed */
		assert_true(d.found[0].status == STATUS_OK);
		assert_true(d.found[1].status == state_code("23505"));
	}
}

static void an_error_at_the_end_is_the_last_ones(void **state)
{
	struct bytes in = { .n = 0 }, out = { .n = 0 };
	struct drive d;

	open_plain(&d);
	bind(&in, "", "");
	execute(&in, "");
	sync(&in);
	complete(&out);
	error(&out, "40001");
	ready(&out);
	drive_receive(&d, in.at, in.n, ~0u);
	drive_send(&d, out.at, out.n, ~0u);
	assert_int_equal(d.n, 1);
	assert_true(d.found[0].status == state_code("40001"));
}

static void an_error_without_a_state_is_unknown(void **state)
{
	static const char *const cases[] = { "2350", "23 05", "23505X", "" };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct bytes in = { .n = 0 }, out = { .n = 0 };
		struct drive d;

		open_plain(&d);
		MESSAGE(&in, 'Q', "x\0");
		error(&out, cases[i]);
		ready(&out);
		drive_receive(&d, in.at, in.n, ~0u);
		drive_send(&d, out.at, out.n, ~0u);
		assert_int_equal(d.n, 1);
		assert_true(d.found[0].status == (strlen(cases[i]) == 6 ? state_code("23505") : STATUS_UNKNOWN));
	}
}

static void what_is_complete_is_recorded_once(void **state)
{
	struct bytes in = { .n = 0 }, out = { .n = 0 }, rest = { .n = 0 };
	struct drive d;

	open_plain(&d);
	bind(&in, "", "");
	execute(&in, "");
	MESSAGE(&in, 'H', "");
	complete(&out);
	sync(&rest);
	drive_receive(&d, in.at, in.n, ~0u);
	drive_send(&d, out.at, out.n, ~0u);
	assert_true(asked_waits(&d.front.asked));
	drive_record(&d, 0);				/* the server receives again */
	assert_int_equal(d.n, 1);
	drive_receive(&d, rest.at, rest.n, ~0u);
	out.n = 0;
	ready(&out);
	drive_send(&d, out.at, out.n, ~0u);
	assert_int_equal(d.n, 1);
	assert_int_equal(d.front.asked.n, 0);
}

static void a_loose_send_ends_with_its_ready(void **state)
{
	struct bytes in = { .n = 0 }, out = { .n = 0 };
	struct drive d;

	MESSAGE(&in, 'Q', "SELECT 5\0");
	row(&out);
	complete(&out);
	ready(&out);
	for (__u32 cut = 0; cut <= out.n; cut++) {
		open_plain(&d);
		drive_receive(&d, in.at, in.n, ~0u);
		back_lets_go(&d.front);
		drive_send(&d, out.at, cut, ~0u);
		drive_send(&d, out.at + cut, out.n - cut, ~0u);
		assert_int_equal(d.n, 1);
		assert_int_equal(d.front.loose, 0);
	}
}

static void replication_is_ignored(void **state)
{
	struct bytes in = { .n = 0 }, out = { .n = 0 };
	struct drive d;

	open_plain(&d);
	MESSAGE(&in, 'Q', "START_REPLICATION 0/0\0");
	MESSAGE(&out, 'W', "\0\0\0");
	drive_receive(&d, in.at, in.n, ~0u);
	drive_send(&d, out.at, out.n, ~0u);
	assert_int_equal(d.front.mode, FRONT_IGNORED);
	assert_int_equal(d.n, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_login_says_who_it_is_however_cut),
	cmocka_unit_test(a_startup_packet_is_known),
	cmocka_unit_test(events_are_the_same_however_cut),
	cmocka_unit_test(rounds_one_by_one_begin_each),
	cmocka_unit_test(after_a_flush_a_round_begins_again),
	cmocka_unit_test(a_send_that_ends_a_round_may_answer_the_next),
	cmocka_unit_test(many_of_a_kind_take_one_entry),
	cmocka_unit_test(what_does_not_fit_is_refused),
	cmocka_unit_test(what_is_no_protocol_makes_it_opaque),
	cmocka_unit_test(a_strange_connection_comes_into_step),
	cmocka_unit_test(texts_that_cannot_be_read_safely_are_not),
	cmocka_unit_test(a_tag_tells_its_rows_however_cut),
	cmocka_unit_test(statements_of_a_text_have_their_rows_together),
	cmocka_unit_test(executes_have_their_own_rows),
	cmocka_unit_test(a_failed_one_has_no_rows),
	cmocka_unit_test(each_has_the_text_that_it_was_sent_as),
	cmocka_unit_test(rows_of_equal_rounds_are_each_their_own),
	cmocka_unit_test(an_error_ends_its_round_however_cut),
	cmocka_unit_test(an_error_at_the_end_is_the_last_ones),
	cmocka_unit_test(an_error_without_a_state_is_unknown),
	cmocka_unit_test(what_is_complete_is_recorded_once),
	cmocka_unit_test(a_loose_send_ends_with_its_ready),
	cmocka_unit_test(replication_is_ignored),
};

CHECK_MAIN(tests)
