#include "collector/d/output/aggregate.h"
#include "collector/core/array.h"
#include "collector/d/output/stack_print.h"
#include "collector/d/tree/fold.h"
#include "collector/d/tree/function.h"

#include <stdint.h>

int d_aggregates_init(struct d_aggregates *a, const struct d_program *p, const struct d_probes *probes, struct d_symbols *symbols)
{
	*a = (struct d_aggregates){ .totals = calloc(p->n_aggregations + 1, sizeof(*a->totals)) };
	if (!a->totals)
		return -ENOMEM;
	for (const struct d_aggregation *g = p->aggregations; g; g = g->next)
		a->totals[a->n_totals++] = (struct d_totals){ .aggregation = g, .probes = probes, .symbols = symbols, .normal = 1 };
	return 0;
}

static void row_free(struct d_row *r)
{
	free(r->key);
	free(r->cells);
	free(r);
}

void d_aggregates_fini(struct d_aggregates *a)
{
	for (size_t i = 0; i < a->n_totals; i++) {
		for (size_t row = 0; row < a->totals[i].n_rows; row++)
			row_free(a->totals[i].rows[row]);
		free(a->totals[i].rows);
		free(a->totals[i].index);
	}
	free(a->totals);
	*a = (struct d_aggregates){ 0 };
}

/* ---- keys ---- */

static __u32 part_len(const struct d_key *k)
{
	return k->is_text ? D_STRING_SIZE : k->stack ? 8 * (D_FRAMES_MAX + 1) : 8;
}

static __u32 row_key_len(const struct d_aggregation *a)
{
	__u32 len = 0;

	for (__u32 i = 0; i + 1 < a->table->n_keys; i++)
		len += part_len(&a->table->key[i]);
	return len;
}

static void put_name(const struct d_totals *t, const struct d_key *k, const __u8 *key, __u8 *out)
{
	const struct d_probe *probe;
	__u64 id;

	memcpy(&id, key, sizeof(id));
	probe = d_probes_find(t->probes, (__u32)id);
	if (probe)
		memcpy(out, probe->field[k->field], strnlen(probe->field[k->field], D_STRING_SIZE - 1));
}

/* The key of a row, from that of an element: names in the place of ids, so probes of equal names are one row, and stacks
 * without the tracing's own frames. */
static void widen(const struct d_totals *t, const __u8 *key, __u8 *out)
{
	const struct d_table *table = t->aggregation->table;

	for (__u32 i = 0; i + 1 < table->n_keys; i++) {
		const struct d_key *k = &table->key[i];

		memset(out, 0, part_len(k));
		if (k->is_probe)
			put_name(t, k, key, out);
		else
			memcpy(out, key, k->room);
		if (k->stack == STACK_KERNEL)
			d_stack_trim(t->symbols, out, k->room);
		out += part_len(k);
		key += k->room;
	}
}

/* ---- rows by key ---- */

static size_t hash(const __u8 *key, size_t len)
{
	__u64 h = 14695981039346656037u;

	for (size_t i = 0; i < len; i++)
		h = (h ^ key[i]) * 1099511628211u;
	return h ^ h >> 32;
}

/* The place in the index that has the key, or a free one. */
static size_t *place(const struct d_totals *t, const void *key)
{
	__u32 len = row_key_len(t->aggregation);

	for (size_t at = hash(key, len);; at++) {
		size_t *found = &t->index[at & (t->index_len - 1)];

		if (!*found || !memcmp(t->rows[*found - 1]->key, key, len))
			return found;
	}
}

struct d_row *d_totals_find(const struct d_totals *t, const void *key)
{
	size_t at = t->index_len ? *place(t, key) : 0;

	return at ? t->rows[at - 1] : NULL;
}

int d_totals_index(struct d_totals *t, size_t len)
{
	size_t *index = calloc(len, sizeof(*index));

	if (!index)
		return -ENOMEM;
	free(t->index);
	t->index = index;
	t->index_len = len;
	for (size_t i = 0; i < t->n_rows; i++)
		*place(t, t->rows[i]->key) = i + 1;
	return 0;
}

static int row_new(struct d_totals *t, const void *key, struct d_row **ret_row)
{
	__u32 len = row_key_len(t->aggregation);
	struct d_row *r;

	if (2 * (t->n_rows + 1) > t->index_len && d_totals_index(t, t->index_len ? 2 * t->index_len : 16))
		return -ENOMEM;
	if (array_grow(&t->rows, t->n_rows, &t->rows_room, sizeof(*t->rows)))
		return -ENOMEM;
	r = calloc(1, sizeof(*r));
	if (r)
		r->key = malloc(len + 1);
	if (!r || !r->key) {
		free(r);
		return -ENOMEM;
	}
	memcpy(r->key, key, len);
	*place(t, key) = t->n_rows + 1;
	t->rows[t->n_rows++] = r;
	*ret_row = r;
	return 0;
}

/* ---- adding ---- */

static int add_cell(struct d_row *r, __s64 cell, __s64 count)
{
	size_t at = array_place(r->n_cells, at, r->cells[at].cell < cell);

	if (at == r->n_cells || r->cells[at].cell != cell) {
		if (array_grow(&r->cells, r->n_cells, &r->cells_room, sizeof(*r->cells)))
			return -ENOMEM;
		memmove(r->cells + at + 1, r->cells + at, (r->n_cells - at) * sizeof(*r->cells));
		r->cells[at] = (struct d_cell){ .cell = cell };
		r->n_cells++;
	}
	r->cells[at].count += count;
	return 0;
}

static bool is_most(const struct d_aggregation *a) { return a->function->id == FUNCTION_MIN || a->function->id == FUNCTION_MAX; }

static void add_words(const struct d_aggregation *a, struct d_row *r, const __u64 *words)
{
	for (__u32 i = 0; i < d_aggregation_words(a); i++)
		if (i == WORD_MOST && is_most(a))
			r->word[i] = words[i] > r->word[i] ? words[i] : r->word[i];
		else
			r->word[i] += words[i];
}

static int row_of(struct d_totals *t, const void *key, struct d_row **ret_row)
{
	__u8 wide[D_KEYS_MAX * 8 * (D_FRAMES_MAX + 1)];

	widen(t, key, wide);
	*ret_row = d_totals_find(t, wide);
	return *ret_row ? 0 : row_new(t, wide, ret_row);
}

/* As the programs make them. */
static void words_of_value(const struct d_aggregation *a, __s64 value, __u64 *words)
{
	__u64 size = value < 0 ? -(__u64)value : (__u64)value, high, low;

	size -= size >> 63;
	high = size >> 32;
	low = size & UINT32_MAX;
	words[WORD_COUNT] = 1;
	words[WORD_SUM] = (__u64)value;
	switch (a->function->id) {
	case FUNCTION_SUM: words[WORD_COUNT] = (__u64)value; return;
	case FUNCTION_MIN: words[WORD_MOST] = (__u64)INT64_MAX - (__u64)value; return;
	case FUNCTION_MAX: words[WORD_MOST] = (__u64)value ^ 1ull << 63; return;
	case FUNCTION_STDDEV:
		words[WORD_LL_LOW] = low * low & UINT32_MAX;
		words[WORD_LL_HIGH] = low * low >> 32;
		words[WORD_HL_LOW] = high * low & UINT32_MAX;
		words[WORD_HL_HIGH] = high * low >> 32;
		words[WORD_HH] = high * high;
		return;
	default: return;
	}
}

int d_totals_add_value(struct d_totals *t, const void *key, __s64 value, struct d_row **ret_row)
{
	__u64 words[D_WORDS];
	int err = row_of(t, key, ret_row);

	if (err || t->aggregation->buckets.kind)
		return err ? err : add_cell(*ret_row, d_buckets_cell(&t->aggregation->buckets, value), 1);
	words_of_value(t->aggregation, value, words);
	add_words(t->aggregation, *ret_row, words);
	return 0;
}

int d_totals_add(struct d_totals *t, const void *key, __s64 cell, const __u64 *words)
{
	struct d_row *r;
	int err = row_of(t, key, &r);

	if (err)
		return err;
	if (t->aggregation->buckets.kind)
		return add_cell(r, cell, (__s64)words[0]);
	add_words(t->aggregation, r, words);
	return 0;
}

void d_totals_clear(struct d_totals *t)
{
	for (size_t i = 0; i < t->n_rows; i++) {
		memset(t->rows[i]->word, 0, sizeof(t->rows[i]->word));
		t->rows[i]->n_cells = 0;
	}
}

void d_totals_trunc(struct d_totals *t, const struct d_sort *sort, __s64 n)
{
	size_t keep = n < 0 ? (size_t)-n : (size_t)n, from = 0;
	const struct d_sort by_value = { .position = sort->position };

	if (keep >= t->n_rows)
		return;
	d_totals_sort(t, &by_value);
	if (n > 0)
		from = t->n_rows - keep;
	for (size_t i = 0; i < t->n_rows; i++)
		if (i < from || i >= from + keep)
			row_free(t->rows[i]);
	memmove(t->rows, t->rows + from, keep * sizeof(*t->rows));
	t->n_rows = keep;
	if (t->n_rows)
		d_totals_index(t, t->index_len);
	else
		memset(t->index, 0, t->index_len * sizeof(*t->index));
}

/* ---- values ---- */

static __s64 square_root(unsigned __int128 x)
{
	unsigned __int128 low = 0, high = (unsigned __int128)1 << 64;

	while (high - low > 1) {
		unsigned __int128 middle = (low + high) / 2;

		if (middle * middle <= x)
			low = middle;
		else
			high = middle;
	}
	return (__s64)low;
}

/* In DTrace's order of divisions: the mean of the squares less the square of the mean. */
static __s64 stddev(const __u64 *w, __s64 normal)
{
	__s64 n = (__s64)w[WORD_COUNT], mean;
	unsigned __int128 squares = w[WORD_LL_LOW];

	if (!n)
		return 0;
	squares += (unsigned __int128)w[WORD_LL_HIGH] << 32;
	squares += (unsigned __int128)w[WORD_HL_LOW] << 33;
	squares += (unsigned __int128)w[WORD_HL_HIGH] << 65;
	squares += (unsigned __int128)w[WORD_HH] << 64;
	squares = squares / normal / normal / n;
	mean = (__s64)w[WORD_SUM] / normal / n;
	if ((__int128)mean * mean > (__int128)squares)
		return 0;
	return square_root(squares - (unsigned __int128)((__int128)mean * mean));
}

__s64 d_row_value(const struct d_totals *t, const struct d_row *r)
{
	__s64 normal = (__s64)t->normal, n = (__s64)r->word[WORD_COUNT];

	switch (t->aggregation->function->id) {
	case FUNCTION_AVG: return n ? (__s64)r->word[WORD_SUM] / normal / n : 0;
	case FUNCTION_STDDEV: return stddev(r->word, normal);
	case FUNCTION_MIN: return n ? (__s64)(INT64_MAX - r->word[WORD_MOST]) / normal : 0;
	case FUNCTION_MAX: return n ? (__s64)(r->word[WORD_MOST] ^ 1ull << 63) / normal : 0;
	case FUNCTION_COUNT: return (__s64)(r->word[WORD_COUNT] / t->normal);
	default: return (__s64)r->word[0] / normal;
	}
}

const __u8 *d_row_part(const struct d_aggregation *a, const struct d_row *r, unsigned i)
{
	const __u8 *at = r->key;

	for (unsigned before = 0; before < i; before++)
		at += part_len(&a->table->key[before]);
	return at;
}

struct d_format_value d_row_key(const struct d_aggregation *a, const struct d_row *r, unsigned i)
{
	const struct d_key *k = &a->table->key[i];
	const struct d_type *type = d_type_resolve(k->type);
	const __u8 *at = d_row_part(a, r, i);
	__u64 value;

	if (k->is_text)
		return (struct d_format_value){ .text = (const char *)at, .text_len = strnlen((const char *)at, D_STRING_SIZE) };
	memcpy(&value, at, sizeof(value));
	return (struct d_format_value){ .value = d_fold_cut(value, type->size, type->is_signed), .size = type->size,
					.is_signed = type->is_signed };
}
