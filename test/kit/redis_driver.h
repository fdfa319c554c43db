/* redis_driver.h - runs the pure parsers of Redis over bytes in memory, as redis.bpf.c does over the server's buffer.
 *
 *      drive_open() -> drive_receive(), drive_send() ... -> found[], n_lost
 *
 * `ahead`: several bytes are taken at once where the kernel does that; the result must be the same.
 */
#ifndef HEATSCOPE_REDIS_DRIVER_H
#define HEATSCOPE_REDIS_DRIVER_H

#include "collector/redis/reply.h"

#include <string.h>

#define FOUND_MAX 2048

struct drive {
	struct front front;
	struct done found[FOUND_MAX];
	__u32 n, n_sent;		/* events; those of the current send */
	__u32 n_lost, n_unanswered, n_begins, n_breaks;
	int ahead;
};

static inline const struct command_row *drive_rows(void)
{
	static struct command_row rows[COMMAND_ROWS];
	static int filled;

	if (!filled)
		filled = !commands_fill(rows);
	return filled ? rows : NULL;
}

static inline const struct command_row *drive_row(const char *name)
{
	__u64 hash = COMMAND_SEED;

	for (; *name; name++)
		hash = hash_byte(hash, (__u8)*name);
	return command_find(drive_rows(), hash);
}

static inline __u64 drive_code(const char *name)
{
	return drive_row(name) ? drive_row(name)->code : COMMAND_MISC;
}

static inline __u64 drive_error(const char *word)
{
	__u64 hash = ERROR_SEED;

	for (; *word; word++)
		hash = hash_byte(hash, (__u8)*word);
	return command_find(drive_rows(), hash) ? command_find(drive_rows(), hash)->code : STATUS_OTHER;
}

static inline __u64 drive_name(const char *text)
{
	struct name name;

	name_begin(&name);
	for (; *text; text++)
		name_byte(&name, (__u8)*text);
	return name_code(&name);
}

static inline void drive_open(struct drive *d, int known)
{
	memset(d, 0, sizeof(*d));
	d->front.wanted = 1;
	if (known)
		front_open(&d->front);
	else
		front_lose(&d->front);
}

static inline void drive_break(struct drive *d, __u32 n)
{
	if (d->front.mode == FRONT_PLAIN) {
		d->n_lost += n + d->front.asked.left + d->n_sent;
		d->n -= d->n_sent;
		d->n_breaks++;
		d->front.searching = 1;
	}
	d->n_sent = 0;
	front_lose(&d->front);
}

static inline __u64 drive_u64(const __u8 *data, __u32 left)
{
	__u64 bytes = 0;

	for (__u32 i = 0; i < 8 && i < left; i++)
		bytes |= (__u64)data[i] << (8 * i);
	return bytes;
}

static inline __u32 drive_front(struct drive *d, const __u8 *data, __u32 left, __u32 most, __u32 *ret_out)
{
	struct front *c = &d->front;
	__u32 n = front_blind(c);

	if (n) {
		n = n < left ? n : left;
		n = n < most ? n : most;
		*ret_out = front_skip(c, n);
		return n;
	}
	if (d->ahead && left >= 8) {
		*ret_out = front_ahead(c, drive_u64(data, left), &n);
		if (n)
			return n;
	}
	*ret_out = front_byte(c, *data);
	return 1;
}

/* Handles one receive, in steps of at most `most` bytes. */
static inline void drive_receive(struct drive *d, const __u8 *data, __u32 total, __u32 most)
{
	struct front *c = &d->front;
	__u8 head[FRONT_HEAD] = { 0 };
	__u32 at = 0, out;

	if (!total || c->mode == FRONT_IGNORED)
		return;
	memcpy(head, data, total < FRONT_HEAD ? total : FRONT_HEAD);
	front_receive(c, head, total);
	while (at < total && front_reads(c)) {
		at += drive_front(d, data + at, total - at, most, &out);
		if (out & FRONT_WORD)
			out |= front_command(c, command_find(drive_rows(), c->in.hash));
		if (out & FRONT_ENDED)
			out |= front_ask(c);
		if (out & FRONT_LOST) {
			drive_break(d, 1);
			return;
		}
		if (c->mode != FRONT_PLAIN)
			continue;
		d->n_begins += !!(out & FRONT_BEGIN);
		d->n_unanswered += !!(out & FRONT_UNANSWERED);
	}
	d->n_lost += front_received(c);
}

static inline __u32 drive_back(struct drive *d, const __u8 *data, __u32 left, __u32 most, __u32 *ret_out)
{
	struct front *c = &d->front;
	__u32 n = back_blind(c);

	if (n) {
		n = n < left ? n : left;
		n = n < most ? n : most;
		*ret_out = back_skip(c, n);
		return n;
	}
	if (d->ahead && left >= 8) {
		*ret_out = back_ahead(c, drive_u64(data, left), &n);
		if (n)
			return n;
	}
	*ret_out = back_byte(c, *data);
	return 1;
}

static inline __u32 drive_reply(struct drive *d)
{
	struct front *c = &d->front;
	const struct command_row *row = c->out.top == '-' ? command_find(drive_rows(), c->out.hash) : NULL;
	__u32 out = back_reply(c, c->out.top == '!' ? STATUS_OTHER : c->out.top != '-' ? STATUS_OK : row ? row->code : STATUS_OTHER);

	if ((out & BACK_DONE) && c->mode != FRONT_TRIAL) {
		d->found[d->n++ % FOUND_MAX] = c->done;
		d->n_sent++;
	}
	return out;
}

/* Handles one send. */
static inline void drive_send(struct drive *d, const __u8 *data, __u32 total, __u32 most)
{
	__u32 at = 0, out;

	d->n_sent = 0;
	front_sent(&d->front, total);
	if (!front_reads(&d->front))
		return;
	while (at < total && front_reads(&d->front)) {
		at += drive_back(d, data + at, total - at, most, &out);
		if (out & BACK_REPLY)
			out |= drive_reply(d);
		if (out & BACK_LOST) {
			drive_break(d, 1);
			return;
		}
	}
	front_tried(&d->front);
}

#endif
