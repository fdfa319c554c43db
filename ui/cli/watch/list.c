#include "ui/cli/watch/list.h"

#include "render/grid/axis.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int list_read(const json_t *reply, struct list *ret_list)
{
	const json_t *keys = json_object_get(reply, "keys");
	const char *unit = json_string_value(json_object_get(reply, "unit"));
	struct list l = { .n = 0 };
	json_t *key;
	size_t i;
	int err = json_is_array(keys) && unit && strlen(unit) < sizeof(l.unit) ? 0 : -EBADMSG;

	if (!err)
		l.row = calloc(json_array_size(keys) + 1, sizeof(*l.row));
	if (!err && !l.row)
		err = -ENOMEM;
	json_array_foreach(keys, i, key) {
		struct list_row *row = &l.row[l.n];
		const char *name;

		if (err)
			break;
		err = json_unpack(key, "{s:s, s:F, s:F, s:F, s:F, s:F, s:F}", "key", &name, "sum", &row->sum, "sum_share",
				  &row->share, "count", &row->count, "p50", &row->p50, "p99", &row->p99, "max", &row->max) ? -EBADMSG : 0;
		row->key = err ? NULL : strdup(name);
		l.n += row->key != NULL;
		if (!err && !row->key)
			err = -ENOMEM;
	}
	if (err) {
		list_fini(&l);
		return err;
	}
	strcpy(l.unit, unit);
	l.lower_bound = json_is_true(json_object_get(reply, "lower_bound"));
	*ret_list = l;
	return 0;
}

void list_fini(struct list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->row[i].key);
	free(l->row);
	*l = (struct list){ .n = 0 };
}

static const struct { const char *name; long width; } columns[] = {
	{ "", 9 }, { "SHARE", 9 }, { "COUNT", 10 }, { "P50", 9 }, { "P99", 9 }, { "MAX", 9 },	/* the first: time, or total */
};
#define N_COLUMNS (sizeof(columns) / sizeof(*columns))
#define KEY_GAP 2
#define KEY_MIN 16			/* columns of the screen: where there are fewer, numbers give way from the right */

static size_t columns_shown(long n_cols, long *ret_key)
{
	size_t n = N_COLUMNS;
	long key = n_cols - KEY_GAP;

	for (size_t i = 0; i < N_COLUMNS; i++)
		key -= columns[i].width;
	while (n > 1 && key < KEY_MIN)
		key += columns[--n].width;
	*ret_key = key;
	return n;
}

static void put_blank(struct screen *s, const struct list_place *p, long line, struct style style)
{
	for (long col = 0; col < p->n_cols; col++)
		screen_put(s, p->line + line, p->col + col, ' ', style);
}

/* Numbers, then the key. */
static void put_line(struct screen *s, const struct list_place *p, long line, const char *key, const char *const text[N_COLUMNS],
		     struct style style)
{
	long room, end = p->col;
	size_t n = columns_shown(p->n_cols, &room);

	for (size_t i = 0; i < n; i++)
		screen_text_right(s, p->line + line, end += columns[i].width, text[i], style);
	screen_text(s, p->line + line, end + KEY_GAP, room, key, style);
}

static void put_row(struct screen *s, const struct list_place *p, long line, const struct list_row *row,
		    enum axis_unit unit, struct style style)
{
	char sum[AXIS_TEXT], share[AXIS_TEXT], count[AXIS_TEXT], p50[AXIS_TEXT], p99[AXIS_TEXT], max[AXIS_TEXT];
	const char *const text[N_COLUMNS] = { sum, share, count, p50, p99, max };

	axis_format(row->sum, unit, sum);
	axis_format(100 * row->share, AXIS_PERCENT, share);
	axis_format_count(row->count, count);
	axis_format(row->p50, unit, p50);
	axis_format(row->p99, unit, p99);
	axis_format(row->max, unit, max);
	put_line(s, p, line, *row->key ? row->key : "(no fields)", text, style);
}

static void put_heading(struct screen *s, const struct list_place *p, const char *heading, const struct list *l)
{
	const struct style style = { LOOK_DEFAULT, LOOK_DEFAULT, false, true };
	const char *text[N_COLUMNS], *sum = axis_sum_heading(axis_unit(l->unit));

	for (size_t i = 0; i < N_COLUMNS; i++)
		text[i] = i ? columns[i].name : l->n ? sum : "";
	put_blank(s, p, 0, style);
	put_line(s, p, 0, heading, text, style);
}

void list_draw(struct screen *s, struct list_place place, const struct list *l, const char *heading, size_t at,
	       const char *selected)
{
	static const char *const nothing[N_COLUMNS] = { "", "", "", "", "", "" };
	size_t room = (size_t)(place.n_lines - 1), top = at >= room ? at - room + 1 : 0;

	put_heading(s, &place, heading, l);
	for (size_t i = 0; i < room; i++) {
		size_t index = top + i;
		struct style style = index == at ? STYLE_REVERSE : STYLE_PLAIN;

		put_blank(s, &place, (long)i + 1, style);
		if (index > l->n)
			continue;
		style.bold = index ? selected && !strcmp(selected, l->row[index - 1].key) : !selected;
		screen_put(s, place.line + (long)i + 1, place.col, index == at ? '>' : ' ', style);
		if (index)
			put_row(s, &place, (long)i + 1, &l->row[index - 1], axis_unit(l->unit), style);
		else
			put_line(s, &place, 1 + (long)i, l->lower_bound ? "(all; more keys than the limit: the rest "
				"is in `other`)" : "(all)",
				 nothing, style);
	}
}
