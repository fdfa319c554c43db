#include "aggregator/ingest/bus_feed.h"

#include "collector/bus/subjects.h"
#include "collector/core/frame.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADERS_ROOM 4096

int bus_feed_init(struct bus_feed *f) { return feed_new(&f->feed); }
void bus_feed_fini(struct bus_feed *f) { feed_free(f->feed); }

/* --- ours --- */

/* data NULL: a gap in the numbers, so that the others know that something is missing. */
static void send_piece(void *arg, const __u8 *data, size_t len)
{
	char subject[SUBJECT_MAX], number[24];
	struct bus_feed *f = arg;
	const struct bus_outgoing m = { .subject = subject, .data = data, .len = len, .header = { { BUS_HEADER_FEED, number } } };

	snprintf(subject, sizeof(subject), BUS_FEED ".%s", f->id);
	snprintf(number, sizeof(number), "%llu", (unsigned long long)++f->n);
	if (data)
		bus_publish(f->bus, &m);	/* if it fails, its number is missing */
}

void bus_feed_drop(struct bus_feed *f)
{
	feed_clear(f->feed);
	f->n++;
}

void bus_feed_flush(struct bus_feed *f)
{
	size_t most = f->bus ? bus_payload_max(f->bus) : 0;

	if (feed_is_empty(f->feed))
		return;
	if (most > HEADERS_ROOM && f->members->n)
		feed_take(f->feed, most - HEADERS_ROOM, send_piece, f);
	else
		bus_feed_drop(f);
}

void bus_feed_skip(struct bus_feed *f)
{
	f->n++;
}

void bus_feed_add(struct bus_feed *f, const struct batch *b)
{
	if (!f->bus || !f->members->n)
		f->n++;			/* one that hears us later knows that it has not heard all */
	else if (feed_add(f->feed, b))
		bus_feed_drop(f);
	if (feed_is_full(f->feed))
		bus_feed_flush(f);
}

/* --- the others' --- */

static bool take_frames(struct bus_feed *all, const struct bus_message *m)
{
	struct frame f;
	size_t at = 0;

	while (at < m->len) {
		long step = frame_get(m->data + at, m->len - at, &f);

		if (step <= 0 || (f.type != FRAME_BATCH && f.type != FRAME_FOLD) ||
		    intake_heard(all->intake, f.data, f.len, f.type == FRAME_FOLD))
			return false;
		at += (size_t)step;
	}
	return true;
}

void bus_feed_take(struct bus_feed *f, const char *id, const struct bus_message *m)
{
	const char *text = bus_header(m, BUS_HEADER_FEED);
	__u64 number = text ? strtoull(text, NULL, 10) : 0;
	struct member *from = members_find(f->members, id);
	bool is_next;

	if (!number || !strcmp(id, f->id))
		return;
	if (!from) {			/* it has not said that it lives, or that it is gone */
		f->missed(f->arg);
		return;
	}
	is_next = !from->next_feed || number == from->next_feed;
	from->next_feed = number + 1;
	if (!take_frames(f, m) || !is_next)
		f->missed(f->arg);
}

void bus_feed_said(struct bus_feed *f, struct member *m, __u64 n)
{
	if (m->next_feed && m->said_feeds >= m->next_feed) {
		m->next_feed = m->said_feeds + 1;
		f->missed(f->arg);
	}
	m->said_feeds = n;
}
