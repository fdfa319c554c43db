#include "aggregator/ingest/refusals.h"

#include "collector/core/key.h"

static __u64 line_hash(const char *line)
{
	__u64 hash = HASH_SEED;

	while (*line)
		hash = hash_byte(hash, (__u8)*line++);
	return hash ? hash : 1;		/* 0 is a free place */
}

bool refusals_logs(struct refusals *r, const char *line, __u64 now_ms, unsigned long *ret_before)
{
	const __u64 hash = line_hash(line);
	struct refusal *f = &r->of[0];

	for (int i = 0; i < REFUSALS_MAX && f->hash != hash; i++)
		if (r->of[i].hash == hash || r->of[i].last_ms < f->last_ms)
			f = &r->of[i];
	if (f->hash == hash && now_ms - f->logged_ms < REFUSALS_AGAIN_MS) {
		f->last_ms = now_ms;
		f->n_kept++;
		return false;
	}
	*ret_before = f->hash == hash ? f->n_kept : 0;
	*f = (struct refusal){ hash, now_ms, now_ms, 0 };
	return true;
}
