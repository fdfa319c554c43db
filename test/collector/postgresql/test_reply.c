/* The parser reads the messages that a PostgreSQL server sends: back_...() of postgresql/parse.h.  test_parse.c has
 * those that it receives. */
#include "test/kit/postgresql_messages.h"
#include "test/kit/check.h"

static __u64 state_code(const char *state)
{
	__u64 packed = 0;

	for (int i = 0; i < 5; i++)
		packed |= (__u64)state[i] << (8 * i);
	return STATUS_ERROR(packed);
}

static void put_tag(struct bytes *b, const char *text) { put_message(b, 'C', text, strlen(text) + 1); }

TEST(a_tag_cut_anywhere_gives_its_rows)
{
	static const struct { const char *tag; __u64 n_rows; } cases[] = {
		{ "SELECT 5", 5 }, { "INSERT 0 12", 12 }, { "UPDATE 0", 0 }, { "COPY 18446744073709551615", ~0ull }, { "FETCH 100", 100 },
		{ "BEGIN", 0 }, { "CREATE TABLE", 0 }, { "DROP 5 TABLES", 0 }, { "SELECT 5x", 0 }, { "SELECT ", 0 }, { "", 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct bytes in = { .n = 0 }, out = { .n = 0 };
		struct drive d;

		MESSAGE(&in, 'Q', "SELECT 5\0");
		put_row(&out);
		put_tag(&out, cases[i].tag);
		put_ready(&out);
		for (__u32 cut = 0; cut <= out.n; cut++) {
			drive_plain(&d);
			exchange_cut(&d, &in, &out, cut);
			assert_int_equal(d.n, 1);
			if (d.found[0].n_rows != cases[i].n_rows)
				fail_msg("\"%s\": %llu", cases[i].tag, (unsigned long long)d.found[0].n_rows);
		}
		drive_plain(&d);
		d.front.counts = 0;
		exchange(&d, &in, &out);
		assert_int_equal(d.found[0].n_rows, 0);
	}
}

TEST(statements_of_a_text_have_their_rows_together)
{
	struct bytes in = { .n = 0 }, out = { .n = 0 };
	struct drive d;

	drive_plain(&d);
	MESSAGE(&in, 'Q', "UPDATE t SET a = 1; SELECT a FROM t\0");
	put_tag(&out, "UPDATE 3");
	put_tag(&out, "SELECT 4");
	put_ready(&out);
	exchange(&d, &in, &out);
	assert_int_equal(d.n, 1);
	assert_int_equal(d.found[0].n_rows, 7);
}

/* a, b b b, a: equal Executes in a row share their rows, and no rows are left over for the next round. */
TEST(executes_have_their_own_rows)
{
	static const char *const names[] = { "a", "b", "b", "b", "a" };
	static const char *const tags[] = { "SELECT 10", "INSERT 0 1", "INSERT 0 3", "INSERT 0 1", "SELECT 20" };
	static const __u64 n_rows[] = { 10, 2, 2, 1, 20 };
	struct bytes in = { .n = 0 }, out = { .n = 0 };
	struct drive d;

	put_parse(&in, "a", "SELECT a FROM t");
	put_parse(&in, "b", "INSERT INTO t VALUES (1)");
	for (int i = 0; i < 5; i++) {
		put_bind(&in, "", names[i]);
		put_execute(&in, "");
		put_tag(&out, tags[i]);
	}
	put_sync(&in);
	put_ready(&out);
	for (__u32 cut = 0; cut <= out.n; cut++) {
		drive_plain(&d);
		for (unsigned round = 0; round < 2; round++) {
			exchange_cut(&d, &in, &out, cut);
			assert_int_equal(d.n, 5 * (round + 1));
			for (int i = 0; i < 5; i++)
				assert_int_equal(d.found[5 * round + i].n_rows, n_rows[i]);
		}
	}
}

TEST(a_failed_execute_has_no_rows)
{
	struct bytes in = { .n = 0 }, out = { .n = 0 };
	struct drive d;

	drive_plain(&d);
	for (int i = 0; i < 3; i++) {
		put_bind(&in, "", "");
		put_execute(&in, "");
	}
	put_sync(&in);
	put_tag(&out, "INSERT 0 4");
	put_error(&out, "23505");
	put_ready(&out);
	exchange(&d, &in, &out);
	assert_int_equal(d.n, 2);
	assert_int_equal(d.found[0].n_rows, 4);
	assert_int_equal(d.found[1].n_rows, 0);
}

/* Executes that are counted together have a text only if all have the same text. */
TEST(each_has_the_text_that_it_was_sent_as)
{
	struct bytes in = { .n = 0 }, out = { .n = 0 };
	struct drive d;

	drive_plain(&d);
	d.keeps = 1;
	for (int i = 0; i < 2; i++) {
		in.n = out.n = 0;
		put_simple(&in, &out);
		exchange(&d, &in, &out);
		assert_int_equal(d.found[i].verbatim, i + 1);
	}
	in.n = out.n = 0;
	put_parse(&in, "", "SELECT a FROM t");
	for (int i = 0; i < 2; i++) {
		put_bind(&in, "", "");
		put_execute(&in, "");
		put_complete(&out);
	}
	put_sync(&in);
	put_ready(&out);
	exchange(&d, &in, &out);
	assert_int_equal(d.n, 4);
	assert_int_equal(d.found[2].verbatim, 3);
	assert_int_equal(d.found[3].verbatim, 3);

	in.n = out.n = 0;
	put_parse(&in, "s", "SELECT b FROM t");
	MESSAGE(&out, '1', "");
	put_simple(&in, &out);
	exchange(&d, &in, &out);
	in.n = out.n = 0;
	put_bind(&in, "p", "s");			/* by the statement's name, and the portal's */
	put_execute(&in, "p");
	put_complete(&out);
	put_sync(&in);
	put_ready(&out);
	exchange(&d, &in, &out);
	assert_int_equal(d.n_texts, 5);
	assert_int_equal(d.found[d.n - 1].verbatim, 4);

	drive_plain(&d);
	d.keeps = 1;
	in.n = out.n = 0;
	for (int i = 0; i < 3; i++)
		put_simple(&in, &out);
	exchange(&d, &in, &out);
	assert_int_equal(d.n, 3);
	assert_int_equal(d.front.asked.n, 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(d.found[i].verbatim, 0);
}

TEST(equal_rounds_have_their_own_rows)
{
	struct bytes in = { .n = 0 }, out = { .n = 0 };
	struct drive d;

	drive_plain(&d);
	for (int i = 0; i < 3; i++) {
		put_bind(&in, "", "");
		put_execute(&in, "");
		put_sync(&in);
		put_tag(&out, i == 1 ? "SELECT 7" : "SELECT 1");
		put_ready(&out);
	}
	exchange(&d, &in, &out);
	assert_int_equal(d.n, 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(d.found[i].n_rows, i == 1 ? 7 : 1);
}

TEST(an_error_cut_anywhere_ends_its_round)
{
	struct bytes in = { .n = 0 }, out = { .n = 0 };
	struct drive d;

	for (int i = 0; i < 3; i++) {
		put_bind(&in, "", "");
		put_execute(&in, "");
	}
	put_sync(&in);
	put_complete(&out);
	put_error(&out, "23505");
	put_ready(&out);
	for (__u32 cut = 0; cut <= out.n; cut++) {
		drive_plain(&d);
		exchange_cut(&d, &in, &out, cut);
		assert_int_equal(d.n, 2);		/* the third is not executed */
		assert_true(d.found[0].status == STATUS_OK);
		assert_true(d.found[1].status == state_code("23505"));
	}
}

TEST(an_error_at_the_end_belongs_to_the_last_execute)
{
	struct bytes in = { .n = 0 }, out = { .n = 0 };
	struct drive d;

	drive_plain(&d);
	put_bind(&in, "", "");
	put_execute(&in, "");
	put_sync(&in);
	put_complete(&out);
	put_error(&out, "40001");
	put_ready(&out);
	exchange(&d, &in, &out);
	assert_int_equal(d.n, 1);
	assert_true(d.found[0].status == state_code("40001"));
}

TEST(a_state_is_five_bytes_or_unknown)
{
	const struct { const char *sent; __u64 status; } cases[] = {
		{ "23505", state_code("23505") }, { "23505X", state_code("23505") },
		{ "2350", STATUS_UNKNOWN }, { "23 05", STATUS_UNKNOWN }, { "", STATUS_UNKNOWN },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct bytes in = { .n = 0 }, out = { .n = 0 };
		struct drive d;

		drive_plain(&d);
		MESSAGE(&in, 'Q', "x\0");
		put_error(&out, cases[i].sent);
		put_ready(&out);
		exchange(&d, &in, &out);
		assert_int_equal(d.n, 1);
		assert_true(d.found[0].status == cases[i].status);
	}
}

TEST(complete_executes_are_recorded_once)
{
	struct bytes in = { .n = 0 }, out = { .n = 0 }, rest = { .n = 0 };
	struct drive d;

	drive_plain(&d);
	put_bind(&in, "", "");
	put_execute(&in, "");
	MESSAGE(&in, 'H', "");
	put_complete(&out);
	put_sync(&rest);
	exchange(&d, &in, &out);
	assert_true(asked_waits(&d.front.asked));
	drive_record(&d, 0);				/* the server receives again */
	assert_int_equal(d.n, 1);
	drive_receive(&d, rest.at, rest.n, ~0u);
	out.n = 0;
	put_ready(&out);
	drive_send(&d, out.at, out.n, ~0u);
	assert_int_equal(d.n, 1);
	assert_int_equal(d.front.asked.n, 0);
}

TEST(a_loose_send_ends_with_its_ready)
{
	struct bytes in = { .n = 0 }, out = { .n = 0 };
	struct drive d;

	MESSAGE(&in, 'Q', "SELECT 5\0");
	put_row(&out);
	put_complete(&out);
	put_ready(&out);
	for (__u32 cut = 0; cut <= out.n; cut++) {
		drive_plain(&d);
		drive_receive(&d, in.at, in.n, ~0u);
		back_lets_go(&d.front);
		drive_send(&d, out.at, cut, ~0u);
		drive_send(&d, out.at + cut, out.n - cut, ~0u);
		assert_int_equal(d.n, 1);
		assert_int_equal(d.front.loose, 0);
	}
}

TEST(a_replication_stream_is_no_event)
{
	static const char *const ends[] = { "", "c", "Q" };	/* what the client sends before its next query */

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		struct bytes in = { .n = 0 }, out = { .n = 0 }, end = { .n = 0 };
		struct drive d;

		drive_plain(&d);
		MESSAGE(&in, 'Q', "START_REPLICATION 0/0\0");
		MESSAGE(&out, 'W', "\0\0\0");
		exchange(&d, &in, &out);
		assert_int_equal(d.n_streams, 1);
		in.n = out.n = 0;
		MESSAGE(&in, 'd', "r12345678");
		MESSAGE(&out, 'd', "wZ\0\0\0\5I");
		exchange(&d, &in, &out);
		assert_int_equal(d.n_rounds, 0);
		if (*ends[i] == 'c') {
			MESSAGE(&end, 'c', "");
			drive_receive(&d, end.at, end.n, ~0u);
			out.n = 0;
			MESSAGE(&out, 'd', "w");
			MESSAGE(&out, 'c', "");
			put_complete(&out);
			put_ready(&out);
			drive_send(&d, out.at, out.n, ~0u);
		}
		assert_int_equal(d.n, 0);
		if (!*ends[i])
			continue;
		in.n = out.n = 0;
		put_simple(&in, &out);
		exchange(&d, &in, &out);
		assert_int_equal(d.n, 1);
		assert_int_equal(d.n_lost, 0);
		assert_int_equal(d.front.mode, FRONT_PLAIN);
	}
}

TEST_MAIN()
