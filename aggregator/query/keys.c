#include "aggregator/query/query.h"
#include "aggregator/query/keytable.h"
#include "collector/core/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct key_fold {
	struct query q;
	__s64 first, last;
	struct keytable keys;		/* key bytes as they come; total_of has the same indexes */
	long *total_of;			/* index into total, -1: not selected */
	size_t n_known;
	struct key_total *total;
	size_t n_totals;
	struct store_reader reader;
	int err;
};

/* Returns the total of that text, and makes it if it does not exist; -errno. */
static long total_named(struct key_fold *f, const char *text, bool other)
{
	struct key_total *more;
	int err;

	for (size_t i = 0; i < f->n_totals; i++)
		if (!strcmp(f->total[i].text, text)) {
			f->total[i].other = f->total[i].other || other;
			return (long)i;
		}
	if (array_resize(&f->total, f->n_totals + 1, sizeof(*f->total)))
		return -ENOMEM;
	more = &f->total[f->n_totals];
	strcpy(more->text, text);
	more->other = other;
	err = hist_init(&more->hist, f->q.inst->ruler[f->q.axis]);
	return err ? err : (long)f->n_totals++;
}

/* Returns the key without the fields that are dropped; its bytes are those of `room`. */
static struct labels keep_fields(const struct query *q, const struct labels *key, struct bytes *room)
{
	__u32 all = (1u << q->inst->n_fields) - 1;

	labels_keep(key, all & ~q->drop, room);
	return (struct labels){ .bytes = room->data, .len = (__u16)room->len };
}

int query_key_text(const struct query *q, const struct labels *key, char *out, bool *ret_other)
{
	struct bytes room = { 0 };
	struct labels kept = keep_fields(q, key, &room);
	int err = room.err;

	if (!err)
		key_text(&kept, out, ret_other);
	bytes_fini(&room);
	return err;
}

long query_selected(const struct query *q, const struct labels *key, bool kept)
{
	struct bytes room = { 0 };
	struct labels label = kept ? keep_fields(q, key, &room) : *key;
	long at = 0;

	if (room.err)
		label = *key;
	while (at < (long)q->n_select && !key_is(&label, q->select[at]))
		at++;
	bytes_fini(&room);
	return at < (long)q->n_select ? at : -1;
}

/* Returns the total of a new key; -1: none. */
static long total_for(struct key_fold *f, const struct labels *key)
{
	char text[KEY_TEXT_MAX];
	bool other;
	long total;

	if (!query_selects(&f->q, key))
		return -1;
	total = query_key_text(&f->q, key, text, &other);
	if (!total)
		total = total_named(f, text, other);
	if (total < 0)
		f->err = (int)total;
	return total;
}

static struct hist *hist_of(struct key_fold *f, const struct labels *key)
{
	long at = keytable_at(&f->keys, key);

	if (at < 0) {
		f->err = (int)at;
		return NULL;
	}
	if ((size_t)at == f->n_known) {
		f->err = array_resize(&f->total_of, f->n_known + 1, sizeof(*f->total_of));
		if (f->err)
			return NULL;
		f->total_of[f->n_known++] = total_for(f, key);
	}
	return f->err || f->total_of[at] < 0 ? NULL : &f->total[f->total_of[at]].hist;
}

static void key_fold_slice(void *arg, __s64 slot, const struct slice *s)
{
	struct key_fold *f = arg;
	struct hist *h;
	int err;

	if (f->err || slot < f->first || slot > f->last || s->axis != f->q.axis || s->weight != f->q.weight)
		return;
	h = hist_of(f, &s->key);
	if (!h)
		return;
	err = hist_decode_once(h, s->ruler, s->hist, s->hist_len);
	if (err)
		f->err = err;
}

void key_fold_count(void *fold, const struct slice *s, __u64 n)
{
	struct key_fold *f = fold;
	struct hist *h = f->err || s->axis != f->q.axis || s->weight != f->q.weight ? NULL : hist_of(f, &s->key);

	if (h)
		h->count = h->count + n < n ? ~(__u64)0 : h->count + n;
}

int key_fold_new(const struct query *q, struct key_fold **ret_fold)
{
	struct key_fold *f;

	if (q->axis < 0 || (size_t)q->axis >= q->inst->n_measures || q->inst->slot_ns == 0)
		return -EINVAL;
	f = calloc(1, sizeof(*f));
	if (!f)
		return -ENOMEM;
	f->q = *q;
	query_slots(q, &f->first, &f->last);
	f->reader = (struct store_reader){ .arg = f, .slice = key_fold_slice };
	*ret_fold = f;
	return 0;
}

void key_fold_free(struct key_fold *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n_totals; i++)
		hist_fini(&f->total[i].hist);
	free(f->total);
	free(f->total_of);
	keytable_fini(&f->keys);
	free(f);
}

const struct store_reader *key_fold_reader(struct key_fold *f)
{
	return &f->reader;
}

int key_fold_error(const struct key_fold *f)
{
	return f->err;
}

/* A histogram without cells has only a count. */
static __u64 rank_of(const struct hist *h, enum key_order order)
{
	static const __u32 millionths[] = { [KEYS_BY_P50] = 500000, [KEYS_BY_P90] = 900000, [KEYS_BY_P99] = 990000, [KEYS_BY_P999] = 999000 };

	switch (order) {
	case KEYS_BY_SUM: return h->sum;
	case KEYS_BY_COUNT: return h->count;
	case KEYS_BY_MEAN: return hist_mean(h);
	case KEYS_BY_P50:
	case KEYS_BY_P90:
	case KEYS_BY_P99:
	case KEYS_BY_P999: return h->cell ? hist_percentile(h, millionths[order]) : 0;
	case KEYS_BY_MAX: return h->max;
	case KEYS_BY_KEY: break;
	}
	return 0;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct key_total *)a)->text, ((const struct key_total *)b)->text);
}

static int by_rank(const void *a, const void *b)
{
	const struct key_total *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? 1 : -1;
	if (x->hist.count != y->hist.count)
		return x->hist.count < y->hist.count ? 1 : -1;
	return by_text(a, b);
}

/* Sorting makes total_of invalid, so nothing may be added after it. */
const struct key_total *key_fold_totals(struct key_fold *f, enum key_order order, size_t *ret_n)
{
	for (size_t i = 0; i < f->n_totals; i++)
		f->total[i].rank = rank_of(&f->total[i].hist, order);
	if (f->n_totals)
		qsort(f->total, f->n_totals, sizeof(*f->total), order == KEYS_BY_KEY ? by_text : by_rank);
	f->reader.slice = NULL;
	*ret_n = f->n_totals;
	return f->total;
}
