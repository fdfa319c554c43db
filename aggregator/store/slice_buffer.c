#include "aggregator/store/slice_buffer.h"

#include <string.h>

enum note { NOTE_SLICE, NOTE_COVER, NOTE_LOSS, NOTE_MARK };

/* A record is this head, then key and histogram bytes, or a source's name, NUL included; the next
 * one begins at a multiple of 8. */
struct head {
	__u32 note, text_len;
	__s64 first, last;		/* slots; of a mark: slot and value */
	__u64 n, sum;			/* of a loss; of a slice: ruler, and axis; n: kind of a mark */
	__u32 weight, hist_len;
};

static void put_note(struct slice_buffer *t, const struct head *head, const void *text, const void *hist)
{
	static const __u8 zero[8];
	size_t over = (head->text_len + head->hist_len) % 8;

	bytes_put(&t->bytes, head, sizeof(*head));
	bytes_put(&t->bytes, text, head->text_len);
	bytes_put(&t->bytes, hist, head->hist_len);
	bytes_put(&t->bytes, zero, over ? 8 - over : 0);
}

static void record_slice(void *arg, __s64 slot, const struct slice *s)
{
	struct slice_buffer *t = arg;
	struct head head = { .note = NOTE_SLICE, .text_len = s->key.len, .first = slot, .n = s->ruler, .sum = s->axis,
			     .weight = s->weight, .hist_len = s->hist_len };

	if (s->axis < MEASURES_MAX && t->axes[s->axis])
		put_note(t, &head, s->key.bytes, s->hist);
}

static void record_cover(void *arg, const char *source, __s64 first, __s64 last)
{
	struct head head = { .note = NOTE_COVER, .text_len = (__u32)strlen(source) + 1, .first = first, .last = last };

	put_note(arg, &head, source, NULL);
}

static void record_loss(void *arg, const char *source, const struct loss *loss)
{
	struct head head = { .note = NOTE_LOSS, .text_len = (__u32)strlen(source) + 1, .first = loss->first,
			     .last = loss->last, .n = loss->n, .sum = loss->sum };

	put_note(arg, &head, source, NULL);
}

static void record_mark(void *arg, const struct mark *mark)
{
	struct head head = { .note = NOTE_MARK, .first = mark->slot, .last = mark->value, .n = mark->kind };

	put_note(arg, &head, NULL, NULL);
}

void slice_buffer_fini(struct slice_buffer *t)
{
	bytes_fini(&t->bytes);
}

const struct store_reader *slice_buffer_recorder(struct slice_buffer *t)
{
	t->recorder = (struct store_reader){ .arg = t, .slice = record_slice, .cover = record_cover, .loss = record_loss,
					     .mark = record_mark };
	return &t->recorder;
}

static void play_note(const struct head *head, const __u8 *text, const struct store_reader *r)
{
	const struct mark mark = { head->n, head->first, head->last };
	struct slice slice = { .ruler = head->n, .axis = (__u16)head->sum, .weight = (__u16)head->weight,
			       .key = { text, (__u16)head->text_len }, .hist = text + head->text_len,
			       .hist_len = head->hist_len };
	struct loss loss = { .n = head->n, .sum = head->sum, .first = head->first, .last = head->last };

	switch ((enum note)head->note) {
	case NOTE_SLICE:
		if (r->slice)
			r->slice(r->arg, head->first, &slice);
		break;
	case NOTE_COVER:
		if (r->cover)
			r->cover(r->arg, (const char *)text, head->first, head->last);
		break;
	case NOTE_LOSS:
		if (r->loss)
			r->loss(r->arg, (const char *)text, &loss);
		break;
	case NOTE_MARK:
		if (r->mark)
			r->mark(r->arg, &mark);
		break;
	}
}

void slice_buffer_play(const struct slice_buffer *t, const struct store_reader *reader)
{
	for (size_t at = 0; at < t->bytes.len;) {
		const struct head *head = (const struct head *)(t->bytes.data + at);

		play_note(head, t->bytes.data + at + sizeof(*head), reader);
		at += sizeof(*head) + (head->text_len + head->hist_len + 7u) / 8 * 8;
	}
}
