/* http_driver.h - runs the pure parser of HTTP over bytes in memory, as http.bpf.c does over the server's buffer, and
 * writes down the events.  For test/collector/http and fuzz_http_parse. */
#ifndef HEATSCOPE_HTTP_DRIVER_H
#define HEATSCOPE_HTTP_DRIVER_H

#include "collector/http/reply.h"

#include <string.h>

#define FOUND_MAX 4096

struct request_found {
	__u32 method, status;
	__u64 path, host;
};

struct drive {
	struct conn conn;
	struct request_found found[FOUND_MAX];
	__u32 n, n_lost;
};

/* Makes a connection that begins now, whose paths and hosts are wanted. */
static inline void drive_new(struct drive *d)
{
	memset(d, 0, sizeof(*d));
	d->conn.wants_path = d->conn.wants_host = 1;
}

static inline void drive_lost(struct drive *d, __u32 n)
{
	if (d->conn.mode == CONN_PLAIN)
		d->n_lost += n + d->conn.asked.n;
	conn_lost(&d->conn);
}

static inline void drive_found(struct drive *d)
{
	const struct asked *a = asked_at(&d->conn.asked, 0);

	if (d->conn.mode == CONN_PLAIN)
		d->found[d->n++ % FOUND_MAX] = (struct request_found){ a->method, d->conn.status, a->path, a->host };
}

/* Handles one receive, whose skips take at most `most` bytes. */
static inline void drive_receive(struct drive *d, const __u8 *data, __u32 n, int is_new, __u32 most)
{
	struct conn *c = &d->conn;
	__u8 head[CONN_HEAD] = { 0 };
	__u32 at = 0, out, step;
	__u8 mode = c->mode;
	__u64 blind;
	int tls;

	if (c->mode == CONN_IGNORED || !n)
		return;
	memcpy(head, data, n < CONN_HEAD ? n : CONN_HEAD);
	if (c->mode == CONN_STRANGE && is_new && is_proxy_header(head, n < CONN_HEAD ? n : CONN_HEAD)) {
		conn_proxy_begin(c, head);
		at = PROXY_HEAD;
	}
	while (at < n && c->mode == CONN_PROXY)
		at += conn_proxy_take(c, data[at], n - at > most ? most : n - at);
	if (at >= n)
		return;
	if (c->mode != CONN_PLAIN) {
		step = n - at < CONN_HEAD ? n - at : CONN_HEAD;
		memcpy(head, data + at, step);
		tls = is_tls_record(head, step);
		step = head_strip(head, step, head_empty(head, step));
		conn_receive(c, tls, is_request(head, step), is_new || c->begins);
		c->begins = 0;
	}
	d->n_lost += mode == CONN_OPAQUE && c->mode == CONN_PROBATION;
	while (at < n && conn_reads(c)) {
		blind = message_blind(&c->in);
		step = blind > n - at ? n - at : blind;
		if (step > most)
			step = most;
		out = step ? request_skip(c, step) : request_byte(c, data[at]);
		at += step ? step : 1;
		if ((out & ASK_LOST) && !request_refused(c))
			drive_lost(d, 1);
	}
}

/* Handles one send; data NULL: its bytes are not in memory, as sendfile's. */
static inline void drive_send(struct drive *d, const __u8 *data, __u32 n, __u32 most)
{
	struct conn *c = &d->conn;
	__u8 head[CONN_HEAD] = { 0 };
	__u32 at = 0, out, step;
	__u64 blind;

	if (data)
		memcpy(head, data, n < CONN_HEAD ? n : CONN_HEAD);
	if ((c->mode == CONN_STRANGE || c->mode == CONN_OPAQUE) && n)
		conn_sent(c, head, !data ? 0 : n < CONN_HEAD ? n : CONN_HEAD);
	while (at < n && conn_reads(c)) {
		blind = message_blind(&c->out);
		step = blind > n - at ? n - at : blind;
		if (step > most)
			step = most;
		out = step ? reply_skip(c, step) : data ? reply_byte(c, data[at]) : REPLY_LOST;
		at += step ? step : 1;
		if (out & REPLY_LOST) {
			drive_lost(d, 0);
		} else if (out & REPLY_END) {
			drive_found(d);
			reply_over(c);
		}
	}
}

/* Ends the connection, and with it a reply without a length. */
static inline void drive_close(struct drive *d)
{
	if (d->conn.mode == CONN_PLAIN && d->conn.out.state == AT_CLOSE)
		drive_found(d);
	conn_becomes(&d->conn, CONN_IGNORED);
}

#endif
