#include "aggregator/store/store.h"

#include "collector/core/hist.h"
#include "collector/core/refuse.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/random.h>

static int slice_check(const struct slice *s)
{
	if (s->axis >= MEASURES_MAX || s->weight > MEASURES_MAX || s->key.len > KEY_BYTES_MAX ||
	    labels_count(&s->key) < 0)
		return -EBADMSG;
	return hist_check(s->ruler, s->hist, s->hist_len);
}

static void keep_last(void *arg, __s64 first, __s64 last)
{
	*(__s64 *)arg = last + 1;
}

int store_kept(struct store *s, __u64 inst, __s64 ret_from[TIERS])
{
	struct store_range range = { .last = INT64_MAX / 2 };
	struct store_reader reader = { .dropped = keep_last };
	int err = 0;

	for (range.tier = 0; range.tier < TIERS && !err; range.tier++) {
		ret_from[range.tier] = INT64_MIN;
		reader.arg = &ret_from[range.tier];
		err = s->ops->read(s, inst, &range, &reader);
	}
	return err;
}

int store_check(struct store *s, const struct batch *b)
{
	int err = 0;

	if (!tier_fits(b->slot_ns))
		return refuse_in(-EBADMSG, s->reason, sizeof(s->reason), "a batch of %s has slots of %llu ns: not a "
			"whole part of a second", b->source, (unsigned long long)b->slot_ns);
	for (size_t i = 0; i < b->n_slices && !err; i++)
		err = slice_check(&b->slice[i]);
	if (err)
		snprintf(s->reason, sizeof(s->reason), "a batch of %s for slot %lld contains an invalid slice",
			 b->source, (long long)b->slot);
	return err;
}

int store_uuid(char ret_uuid[40])
{
	__u8 raw[16];

	if (getrandom(raw, sizeof(raw), 0) != sizeof(raw))
		return -EIO;
	raw[6] = (raw[6] & 0x0f) | 0x40;	/* version 4, RFC 4122 */
	raw[8] = (raw[8] & 0x3f) | 0x80;
	for (size_t i = 0, at = 0; i < sizeof(raw); i++)
		at += (size_t)snprintf(ret_uuid + at, 40 - at, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", raw[i]);
	return 0;
}

struct copying {
	struct store *to;
	int err;
};

static void copy_text(void *arg, const char *name, const char *text)
{
	struct copying *c = arg;

	if (!c->err)
		c->err = c->to->ops->remember(c->to, name, text);
}

static void copy_inst(void *arg, __u64 inst, const char *json)
{
	struct copying *c = arg;

	if (!c->err)
		c->err = c->to->ops->inst_put(c->to, inst, json);
}

int store_copy_texts(struct store *from, struct store **ret_copy)
{
	struct copying c = { 0 };
	int err = store_memory_open(&c.to);

	if (err)
		return err;
	err = from->ops->inst_each(from, copy_inst, &c);
	if (!err)
		err = from->ops->recall_each(from, "", copy_text, &c);
	err = err ? err : c.err;
	if (err)
		c.to->ops->close(c.to);
	else
		*ret_copy = c.to;
	return err;
}
