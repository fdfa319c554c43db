#include "aggregator/store/sum.h"


void sum_fini(struct sum *s)
{
	hist_fini(&s->hist);
	bytes_fini(&s->bytes);
}

int sum_begin(struct sum *s, __u64 ruler)
{
	bytes_clear(&s->bytes);
	if (s->hist.cell && s->hist.ruler == ruler) {
		hist_clear(&s->hist);
		return 0;
	}
	hist_fini(&s->hist);
	return hist_init(&s->hist, ruler);
}

int sum_add(struct sum *s, const __u8 *data, size_t len)
{
	return hist_decode_once(&s->hist, s->hist.ruler, data, len);
}

int sum_end(struct sum *s)
{
	hist_encode(&s->hist, &s->bytes);
	return s->bytes.err;
}

int sum_two(struct sum *s, __u64 ruler, const __u8 *a, size_t a_len, const __u8 *b, size_t b_len)
{
	int err = sum_begin(s, ruler);

	if (!err)
		err = sum_add(s, a, a_len);
	if (!err)
		err = sum_add(s, b, b_len);
	if (!err)
		err = sum_end(s);
	return err;
}
