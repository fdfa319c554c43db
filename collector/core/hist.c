#include "collector/core/hist.h"
#include "collector/core/saturating.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define VARINT_MAX 10			/* bytes */

int hist_init(struct hist *h, __u64 ruler)
{
	__u64 *cell;

	if (!ruler_valid(ruler))
		return -EINVAL;
	cell = calloc(ruler_cells(ruler), sizeof(*cell));
	if (!cell)
		return -ENOMEM;
	*h = (struct hist){ .ruler = ruler, .min = ~(__u64)0, .cell = cell };
	return 0;
}

void hist_fini(struct hist *h)
{
	free(h->cell);
	memset(h, 0, sizeof(*h));
}

void hist_clear(struct hist *h)
{
	memset(h->cell, 0, ruler_cells(h->ruler) * sizeof(*h->cell));
	h->count = h->sum = h->max = 0;
	h->min = ~(__u64)0;
}

/* Adds count, sum, min and max, which need no ruler. */
static void add_totals(struct hist *h, __u64 count, __u64 sum, __u64 min, __u64 max)
{
	if (!count)
		return;
	h->count = saturating_add(h->count, count);
	h->sum = saturating_add(h->sum, sum);
	if (min < h->min)
		h->min = min;
	if (max > h->max)
		h->max = max;
}

void hist_weigh(struct hist *h, __u64 value, __u64 n, __u64 weight)
{
	__u64 *cell = &h->cell[ruler_cell(h->ruler, value)];

	*cell = saturating_add(*cell, weight);
	add_totals(h, n, value && n > ~0ull / value ? ~0ull : value * n, value, value);
}

void hist_record(struct hist *h, __u64 value, __u64 weight)
{
	hist_weigh(h, value, 1, weight);
}

void hist_record_times(struct hist *h, __u64 value, __u64 n)
{
	hist_weigh(h, value, n, n);
}

static void add_cell(struct hist *h, __u64 from, __u32 cell, __u64 value)
{
	__u64 *to = &h->cell[from == h->ruler ? cell : ruler_fold(from, h->ruler, cell)];

	*to = saturating_add(*to, value);
}

int hist_fold(struct hist *h, __u64 ruler)
{
	struct hist folded;
	__u32 n = ruler_cells(h->ruler);
	int err;

	if (ruler == h->ruler)
		return 0;
	if (!ruler || ruler_common(h->ruler, ruler) != ruler)
		return -EINVAL;
	err = hist_init(&folded, ruler);
	if (err)
		return err;
	for (__u32 i = 0; i < n; i++)
		if (h->cell[i])
			add_cell(&folded, h->ruler, i, h->cell[i]);
	free(h->cell);
	h->cell = folded.cell;
	h->ruler = ruler;
	return 0;
}

/* Are these eight cells 0? */
static bool eight_empty(const __u64 *c)
{
	return !(c[0] | c[1] | c[2] | c[3] | c[4] | c[5] | c[6] | c[7]);
}

void hist_used(const struct hist *h, __u32 *ret_first, __u32 *ret_end)
{
	__u32 first = 0, end = ruler_cells(h->ruler);

	while (first + 8 <= end && eight_empty(&h->cell[first]))
		first += 8;
	while (end >= first + 8 && eight_empty(&h->cell[end - 8]))
		end -= 8;
	while (first < end && !h->cell[first])
		first++;
	while (end > first && !h->cell[end - 1])
		end--;
	*ret_first = first;
	*ret_end = end;
}

int hist_add(struct hist *h, const struct hist *other)
{
	__u32 i, n;
	int err = hist_fold(h, ruler_common(h->ruler, other->ruler));

	if (err)
		return err;
	hist_used(other, &i, &n);
	for (; i < n && h->ruler == other->ruler; i++)
		h->cell[i] = saturating_add(h->cell[i], other->cell[i]);
	for (; i < n && h->ruler != other->ruler; i++)
		if (other->cell[i])
			add_cell(h, other->ruler, i, other->cell[i]);
	add_totals(h, other->count, other->sum, other->min, other->max);
	return 0;
}

__u64 hist_total(const struct hist *h)
{
	__u32 i, n;
	__u64 total = 0;

	hist_used(h, &i, &n);
	for (; i < n; i++)
		total = saturating_add(total, h->cell[i]);
	return total;
}

/* Returns the rank of p among `total`: ceil(p * total). */
static __u64 rank_of(__u64 total, __u32 p_millionths)
{
	return (__u64)(((unsigned __int128)total * p_millionths + 999999) / 1000000);
}

void hist_percentiles(const struct hist *h, const __u32 *p_millionths, size_t n, __u64 *ret_value)
{
	__u32 n_cells = ruler_cells(h->ruler), cell = 0;
	__u64 total = hist_total(h), seen = 0, last;

	for (size_t i = 0; i < n; i++) {
		__u64 rank = rank_of(total, p_millionths[i]);

		ret_value[i] = h->count ? h->max : 0;
		if (!h->count || !p_millionths[i]) {
			ret_value[i] = h->count ? h->min : 0;
			continue;
		}
		while (seen < rank && cell < n_cells)
			seen = saturating_add(seen, h->cell[cell++]);
		if (!cell || seen < rank)
			continue;
		last = ruler_last(h->ruler, cell - 1);
		ret_value[i] = last < h->max ? last : h->max;
	}
}

__u64 hist_percentile(const struct hist *h, __u32 p_millionths)
{
	__u64 value;

	hist_percentiles(h, &p_millionths, 1, &value);
	return value;
}

double hist_middle(__u64 ruler, __u32 cell, __u64 min, __u64 max)
{
	__u64 first = ruler_first(ruler, cell), last = ruler_last(ruler, cell);

	first = min > first && min <= last ? min : first;
	last = max < last && max >= first ? max : last;
	return (double)first + (double)(last - first) / 2;
}

__u64 hist_mean(const struct hist *h)
{
	return h->count ? h->sum / h->count : 0;
}

/* Returns the floor of the root, by Newton's method. */
static __u64 root(unsigned __int128 square)
{
	unsigned __int128 at = square, next;

	if (square < 2)
		return (__u64)square;
	at = (unsigned __int128)1 << 64;
	if (at > square)
		at = square;
	while ((next = (at + square / at) / 2) < at)
		at = next;
	return (__u64)at;
}

/* Returns the value that we assume for the events of a cell. */
static __u64 cell_middle(const struct hist *h, __u32 cell)
{
	__u64 first = ruler_first(h->ruler, cell), last = ruler_last(h->ruler, cell);

	if (last == ~(__u64)0)
		return h->max;
	return first + (last - first) / 2;
}

/* Sum of n * (x - mean)^2 over the cells / count.  Distances are shifted right until their squares
 * times the counts fit in 128 bits; the shift depends only on the extremes, not on any order. */
__u64 hist_stddev(const struct hist *h)
{
	__u32 n = ruler_cells(h->ruler), shift = 0;
	__u64 mean = hist_mean(h), total = hist_total(h), widest = 0;
	unsigned __int128 squares = 0;

	if (!total)
		return 0;
	for (__u32 i = 0; i < n; i++) {
		__u64 x = cell_middle(h, i), away = x > mean ? x - mean : mean - x;

		if (h->cell[i] && away > widest)
			widest = away;
	}
	while (widest >> shift && 2 * (highest_bit(widest >> shift) + 1) + highest_bit(total) + 1 > 127)
		shift++;
	for (__u32 i = 0; i < n; i++) {
		__u64 x = cell_middle(h, i), away = (x > mean ? x - mean : mean - x) >> shift;

		squares += (unsigned __int128)away * away * h->cell[i];
	}
	return root(squares / total) << shift;
}

/* Gathers a few hundred numbers of one or two bytes, which is faster than to put each into the buffer. */
struct gather {
	struct bytes *out;
	size_t len;
	__u8 data[512];
};

static void gather_end(struct gather *g)
{
	bytes_put(g->out, g->data, g->len);
	g->len = 0;
}

static inline void gather_varint(struct gather *g, __u64 value)
{
	if (g->len > sizeof(g->data) - VARINT_MAX)
		gather_end(g);
	for (; value >= 0x80; value >>= 7)
		g->data[g->len++] = (__u8)(value | 0x80);
	g->data[g->len++] = (__u8)value;
}

void hist_encode(const struct hist *h, struct bytes *out)
{
	struct gather g = { .out = out, .len = 0 };
	__u32 n = ruler_cells(h->ruler), used = 0, skip = 0;

	for (__u32 i = 0; i < n; i++)
		used += h->cell[i] != 0;
	gather_varint(&g, h->count);
	gather_varint(&g, h->sum);
	gather_varint(&g, h->count ? h->min : 0);
	gather_varint(&g, h->max);
	gather_varint(&g, used);
	for (__u32 i = 0; i < n; i++) {
		if (!h->cell[i]) {
			skip++;
			continue;
		}
		gather_varint(&g, skip);
		gather_varint(&g, h->cell[i]);
		skip = 0;
	}
	gather_end(&g);
}

int hist_reader_open(struct hist_reader *r, __u64 ruler, const __u8 *data, size_t len)
{
	*r = (struct hist_reader){ .cursor = { .data = data, .len = len } };
	if (!ruler_valid(ruler))
		return -EBADMSG;
	r->count = cursor_get_varint(&r->cursor);
	r->sum = cursor_get_varint(&r->cursor);
	r->min = cursor_get_varint(&r->cursor);
	r->max = cursor_get_varint(&r->cursor);
	r->n_left = cursor_get_varint(&r->cursor);
	r->n_cells = ruler_cells(ruler);
	r->cell = ~(__u32)0;			/* the first skip counts from cell 0 */
	if (!r->cursor.err && (r->n_left > r->n_cells || r->min > r->max || (!r->count && (r->sum || r->max))))
		r->cursor.err = -EBADMSG;
	return r->cursor.err;
}

/* Most numbers here are less than 128: they need no function call. */
static inline __u64 get_varint(struct cursor *c)
{
	if (!c->err && c->at < c->len && c->data[c->at] < 0x80)
		return c->data[c->at++];
	return cursor_get_varint(c);
}

int hist_reader_next(struct hist_reader *r)
{
	__u64 skip;

	if (!r->n_left || r->cursor.err)
		return 0;
	r->n_left--;
	skip = get_varint(&r->cursor);
	r->value = get_varint(&r->cursor);
	if (r->cursor.err || skip >= r->n_cells || r->cell + 1 + skip >= r->n_cells) {
		r->cursor.err = -EBADMSG;
		return 0;
	}
	r->cell += 1 + (__u32)skip;
	return 1;
}

int hist_check(__u64 ruler, const __u8 *data, size_t len)
{
	struct hist_reader r;
	int err = hist_reader_open(&r, ruler, data, len);

	while (!err && hist_reader_next(&r))
		;
	if (!err)
		err = r.cursor.err;
	return !err && r.cursor.at != len ? -EBADMSG : err;
}

/* The first pass checks, so that bad bytes add nothing. */
int hist_decode_add(struct hist *h, __u64 ruler, const __u8 *data, size_t len)
{
	struct hist_reader r;
	int err = hist_check(ruler, data, len);

	if (!err)
		err = hist_fold(h, ruler_common(h->ruler, ruler));
	if (err)
		return err;
	hist_reader_open(&r, ruler, data, len);
	while (hist_reader_next(&r))
		add_cell(h, ruler, r.cell, r.value);
	add_totals(h, r.count, r.sum, r.min, r.max);
	return 0;
}

/* Nearly all skips have one byte, and counts at most three: adds those without a call, while four bytes are left. */
static void add_short_cells(__u64 *cell, struct hist_reader *r)
{
	const __u8 *at = r->cursor.data + r->cursor.at, *end = r->cursor.data + r->cursor.len;

	while (r->n_left && end - at >= 4 && at[0] < 0x80 && r->cell + 1 + at[0] < r->n_cells) {
		__u32 value = at[1] & 0x7f, n = 2;

		if (at[1] & 0x80) {
			value |= (at[2] & 0x7fu) << 7;
			n = 3;
			if (at[2] & 0x80) {
				if (at[3] & 0x80)
					break;
				value |= (__u32)at[3] << 14;
				n = 4;
			}
		}
		r->cell += 1u + at[0];
		cell[r->cell] = saturating_add(cell[r->cell], value);
		at += n;
		r->n_left--;
	}
	r->cursor.at = (size_t)(at - r->cursor.data);
}

static void add_cells(__u64 *cell, struct hist_reader *r)
{
	for (;;) {
		add_short_cells(cell, r);
		if (!hist_reader_next(r))
			return;
		cell[r->cell] = saturating_add(cell[r->cell], r->value);
	}
}

int hist_decode_once(struct hist *h, __u64 ruler, const __u8 *data, size_t len)
{
	struct hist_reader r;
	int err;

	if (h->ruler != ruler)
		return hist_decode_add(h, ruler, data, len);
	err = hist_reader_open(&r, ruler, data, len);
	if (err)
		return err;
	add_cells(h->cell, &r);
	add_totals(h, r.count, r.sum, r.min, r.max);
	if (!r.cursor.err && r.cursor.at != len)
		return -EBADMSG;
	return r.cursor.err;
}
