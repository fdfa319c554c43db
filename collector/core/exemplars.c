#include "collector/core/exemplars.h"

#include <errno.h>

static struct labels get_label(struct cursor *c)
{
	struct labels l = { .len = (__u16)cursor_get_int(c, 1) };

	l.bytes = cursor_get(c, l.len);
	return l;
}

static size_t get_names(struct cursor *c, struct labels *ret, size_t max)
{
	__u64 n = cursor_get_varint(c);

	if (n > max)
		c->err = -EBADMSG;
	for (size_t i = 0; i < n && !c->err; i++)
		ret[i] = get_label(c);
	return c->err ? 0 : (size_t)n;
}

int exemplars_open(struct exemplars *e, const __u8 *data, size_t len)
{
	__u64 n;

	*e = (struct exemplars){ .cursor = { .data = data, .len = len } };
	e->missed = cursor_get_varint(&e->cursor);
	e->n_fields = get_names(&e->cursor, e->field, EXEMPLAR_FIELDS_MAX);
	e->n_measures = get_names(&e->cursor, e->measure, MEASURES_MAX);
	n = cursor_get_varint(&e->cursor);
	if (n > EXEMPLARS_MAX + EXEMPLAR_DECADES || (n && !e->n_measures))
		e->cursor.err = -EBADMSG;
	e->n_left = n;
	return e->cursor.err;
}

static void get_text(struct cursor *c, struct exemplar_event *t)
{
	__u64 len = cursor_get_varint(c);

	if (len > EXEMPLAR_TEXT_MAX)
		c->err = -EBADMSG;
	t->text_len = c->err ? 0 : (size_t)len;
	t->text = cursor_get(c, t->text_len);
}

int exemplars_next(struct exemplars *e, struct exemplar_event *ret_event)
{
	struct exemplar_event t = { 0 };
	struct cursor *c = &e->cursor;

	if (c->err || !e->n_left)
		return c->err;
	e->n_left--;
	t.why = (__u8)cursor_get_int(c, 1);
	t.since_ns = cursor_get_varint(c);
	t.connection = cursor_get_varint(c);
	t.weight = cursor_get_varint(c);
	t.tag = (__u32)cursor_get_int(c, 4);
	for (size_t i = 0; i < e->n_fields; i++)
		t.field[i] = get_label(c);
	for (size_t i = 0; i < e->n_measures; i++)
		t.measure[i] = cursor_get_varint(c);
	if (!(t.why & (EXEMPLAR_WORST | EXEMPLAR_DRAWN)) || t.why > (EXEMPLAR_WORST | EXEMPLAR_DRAWN | EXEMPLAR_TEXT))
		c->err = -EBADMSG;
	if (t.why & EXEMPLAR_TEXT)
		get_text(c, &t);
	if (c->err)
		return c->err;
	*ret_event = t;
	return 1;
}

int exemplars_check(const __u8 *data, size_t len, __u64 slot_ns)
{
	struct exemplar_event event;
	struct exemplars e;
	int got = exemplars_open(&e, data, len);

	while (!got && e.n_left)
		got = exemplars_next(&e, &event) > 0 && event.since_ns < slot_ns ? 0 : -EBADMSG;
	return got || e.cursor.at != len ? -EBADMSG : 0;
}
