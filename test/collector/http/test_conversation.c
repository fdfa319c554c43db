/* Random valid conversations: every event is the one that was spoken, or none; no event has another request's status. */
#include "test/kit/http_driver.h"
#include "collector/http/path_text.h"
#include "test/kit/check.h"

#include <stdio.h>

#define EXCHANGES_MAX 24

struct bytes {
	__u8 at[1 << 16];
	__u32 n;
};

struct spoken {				/* a request and its reply, as bytes; `head`: bytes of the request's head */
	struct bytes request, reply;
	__u32 method, status, has_file, file;	/* the last `file` bytes of the reply are outside memory */
	__u64 path;
};

struct op {
	const __u8 *at;			/* NULL: outside memory */
	__u32 n;
	int sends;
};

struct conversation {
	struct spoken spoken[EXCHANGES_MAX];
	__u32 n;
	struct op op[8192];
	__u32 n_ops;
};

static struct conversation talk;
static struct drive d;

static void put(struct bytes *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(struct bytes *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	t->n += (__u32)vsnprintf((char *)t->at + t->n, sizeof(t->at) - t->n, format, args);
	va_end(args);
}

static void put_noise(struct bytes *t, __u32 n)
{
	static const char traps[] = "HTTP/1.1 200 OK\r\n\r\nGET / HTTP/1.1\r\n\r\n0\r\n\r\n";

	for (__u32 i = 0; i < n; i++)
		t->at[t->n++] = n & 1 ? (__u8)traps[i % (sizeof(traps) - 1)] : (__u8)check_random();
}

/* A body of either side, with the headers that announce it; of a request, or none. */
static void put_body(struct bytes *t, int replies, int sends_file, __u32 *ret_file)
{
	__u32 kind = replies ? 1 + check_below(2) : check_below(3), n = check_below(check_below(2) ? 10 : 2000), chunk;

	*ret_file = 0;
	if (kind == 0) {
		put(t, "\r\n");
	} else if (kind == 1 || sends_file) {
		put(t, "Content-Length: %u\r\n\r\n", n);
		put_noise(t, n);
		*ret_file = sends_file ? n : 0;
	} else {
		put(t, "Transfer-Encoding: chunked\r\n\r\n");
		for (; n; n -= chunk) {
			chunk = 1 + check_below(n);
			put(t, check_below(2) ? "%x\r\n" : "%X;e=\"v\"\r\n", chunk);
			put_noise(t, chunk);
			put(t, "\r\n");
		}
		put(t, check_below(2) ? "0\r\n\r\n" : "000\r\nTrailer: x\r\n\r\n");
	}
}

static void request_put(struct spoken *s, __u32 nth)
{
	static const char *const words[] = { "GET", "HEAD", "POST", "PUT" };
	static const __u32 methods[] = { METHOD_GET, METHOD_HEAD, METHOD_POST, METHOD_PUT };
	__u32 kind = check_below(4), unused;
	struct digest_sample tokens;
	char path[32];

	snprintf(path, sizeof(path), "/n%c%c", 'g' + nth / 16, 'g' + nth % 16);
	s->method = methods[kind];
	s->path = http_path_read(path, strlen(path), 1, &tokens);
	put(&s->request, "%s %s%s HTTP/1.%u\r\nHost: h\r\n", words[kind], path, check_below(2) ? "" : "?q=/1", (unsigned)(nth & 1));
	for (__u32 i = check_below(4); i; i--)
		put(&s->request, "X-%u: Content-Length: %u\r\n", i, i);
	if (kind < 2)
		put(&s->request, "\r\n");
	else
		put_body(&s->request, 0, 0, &unused);
}

/* Its status says which request it answers. */
static void reply_put(struct spoken *s, __u32 nth)
{
	for (__u32 i = check_below(3) / 2; i; i--)
		put(&s->reply, "HTTP/1.1 10%u Wait\r\nContent-Length: 5\r\n\r\n", i == 1 ? 0 : 3);
	s->status = (check_below(2) ? 210 : 410) + nth;
	put(&s->reply, "HTTP/1.1 %u Text\r\nServer: x\r\n", s->status);
	if (s->method == METHOD_HEAD)
		put(&s->reply, "Content-Length: 1234\r\n\r\n");
	else if (check_below(4))
		put_body(&s->reply, 1, check_below(2), &s->file);
	else
		put(&s->reply, "Content-Length: 0\r\n\r\n");
}

static void ops_put(const __u8 *at, __u32 n, int sends)
{
	__u32 piece;

	for (; n; n -= piece) {
		piece = check_below(3) ? n : 1 + check_below(n);
		talk.op[talk.n_ops++] = (struct op){ at, piece, sends };
		at = at ? at + piece : NULL;
	}
}

static void reply_ops(struct spoken *s)
{
	ops_put(s->reply.at, s->reply.n - s->file, 1);
	if (s->file)
		ops_put(NULL, s->file, 1);
}

/* Requests that come together, then their replies. */
static void group_ops(__u32 from, __u32 to)
{
	static struct bytes requests[EXCHANGES_MAX];
	struct bytes *all = &requests[from];

	all->n = 0;
	for (__u32 i = from; i < to; i++) {
		memcpy(all->at + all->n, talk.spoken[i].request.at, talk.spoken[i].request.n);
		all->n += talk.spoken[i].request.n;
	}
	ops_put(all->at, all->n, 0);
	for (__u32 i = from; i < to; i++)
		reply_ops(&talk.spoken[i]);
}

/* A server may read the next requests before it has sent a reply. */
static void ops_mix(void)
{
	for (__u32 i = 1; i < talk.n_ops; i++)
		if (!talk.op[i].sends && talk.op[i - 1].sends && check_below(2)) {
			struct op sends = talk.op[i - 1];

			talk.op[i - 1] = talk.op[i];
			talk.op[i] = sends;
		}
}

static void talk_make(int pipelines)
{
	__u32 at, group;

	memset(&talk, 0, sizeof(talk));
	talk.n = 1 + check_below(EXCHANGES_MAX);
	for (__u32 i = 0; i < talk.n; i++) {
		request_put(&talk.spoken[i], i);
		reply_put(&talk.spoken[i], i);
	}
	for (at = 0; at < talk.n; at += group) {
		group = pipelines ? 1 + check_below(4) : 1;
		if (group > talk.n - at)
			group = talk.n - at;
		group_ops(at, at + group);
	}
}

static void ops_run(__u32 from, __u32 to)
{
	for (__u32 i = from; i < to; i++) {
		const struct op *op = &talk.op[i];

		if (op->sends)
			drive_send(&d, op->at, op->n, ~0u);
		else
			drive_receive(&d, op->at, op->n, !i, ~0u);
	}
}

/* Is found[i] the exchange `at`? */
static void found_check(__u32 i, __u32 at)
{
	const struct spoken *s = &talk.spoken[at];

	if (d.found[i].path != s->path || d.found[i].status != s->status || d.found[i].method != s->method)
		fail_msg("seed %llu: event %u is not exchange %u of %u: status %u", (unsigned long long)check_state, i, at, talk.n,
			 d.found[i].status);
}

TEST(a_new_connection_gives_every_event_in_its_order)
{
	for (int round = 0; round < 3000; round++) {
		talk_make(1);
		ops_mix();
		drive_new(&d);
		ops_run(0, talk.n_ops);
		if (d.n != talk.n || d.n_lost)
			fail_msg("round %d: %u events and %u lost of %u", round, d.n, d.n_lost, talk.n);
		for (__u32 i = 0; i < d.n; i++)
			found_check(i, i);
	}
}

/* Cut anywhere: those found are the last ones, without a gap. */
TEST(a_connection_found_in_the_middle_gives_its_last_events)
{
	__u32 n_all = 0, n_found = 0;

	for (int round = 0; round < 3000; round++) {
		__u32 from;

		talk_make(round & 1);
		from = 1 + check_below(talk.n_ops);
		drive_new(&d);
		ops_run(from, talk.n_ops);
		assert_int_equal(d.n_lost, 0);
		assert_true(d.n <= talk.n);
		for (__u32 i = 0; i < d.n; i++)
			found_check(i, talk.n - d.n + i);
		n_all += talk.n;
		n_found += d.n;
	}
	assert_true(n_found > n_all / 8);
}

/* The end is missing: what was found before is right, and the rest waits. */
TEST(a_connection_cut_at_its_end_gives_its_first_events)
{
	for (int round = 0; round < 3000; round++) {
		talk_make(1);
		drive_new(&d);
		ops_run(0, check_below(talk.n_ops + 1));
		assert_int_equal(d.n_lost, 0);
		for (__u32 i = 0; i < d.n; i++)
			found_check(i, i);
	}
}

/* Bytes of the client where no request can have them: each exchange is found or lost, and none has another one's
 * status. */
TEST(noise_loses_events_and_shifts_none)
{
	static __u8 noise[16];

	for (int round = 0; round < 3000; round++) {
		__u32 at, last = 0, next = 0;

		talk_make(1);
		at = check_below(talk.n_ops);
		memset(noise, 0x80 + check_below(64), sizeof(noise));
		drive_new(&d);
		ops_run(0, at);
		if (d.conn.in.state <= AT_METHOD)
			drive_receive(&d, noise, sizeof(noise), !at, ~0u);
		ops_run(at, talk.n_ops);
		for (__u32 i = 0; i < d.n; i++) {
			for (next = last; next < talk.n && talk.spoken[next].status != d.found[i].status; next++)
				;
			assert_true(next < talk.n);
			if (d.found[i].path != PATH_UNKNOWN)
				found_check(i, next);
			last = next + 1;
		}
	}
}

TEST_MAIN()
