#include "ui/cli/base/inst_state.h"

#include "ui/cli/base/command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define TRIES_PER_S 50

struct inst_state inst_state_of(const json_t *inst)
{
	struct inst_state s = { .failed = "", .failure = "", .suspended = !strcmp(json_text(inst, "state"), "suspended") };
	const json_t *source;
	size_t i;

	json_array_foreach(json_object_get(inst, "sources"), i, source) {
		const char *state = json_text(source, "state");
		double from_s = json_number(source, "counts_from");
		int counts = !strcmp(state, "active") || !strcmp(state, "partial"), waits = !strcmp(state, "pending");

		if ((counts || waits) && from_s > s.counts_from_s)
			s.counts_from_s = from_s;
		s.n_counting += (unsigned)counts;
		s.n_early += waits && from_s > 0;
		s.n_silent += waits && from_s <= 0;
		if (!strcmp(state, "failed") && !s.n_failed++) {
			s.failed = json_text(source, "source");
			s.failure = *json_text(source, "reason") ? json_text(source, "reason") : "the collector failed";
		}
	}
	return s;
}

/* Without a source that could measure it, INST_COUNTED goes on waiting: a source may still connect. */
static int is_over(const struct inst_state *s, enum inst_until until)
{
	if (s->n_silent)
		return 0;
	if (s->suspended)
		return 1;
	return until == INST_ANSWERED || (!s->n_early && s->n_counting + s->n_failed);
}

static int await_outcome(struct client *c, const struct inst_state *s, enum inst_until until, int over, int stopped,
			 unsigned seconds)
{
	if (over && until == INST_COUNTED && s->suspended)
		snprintf(c->reason, sizeof(c->reason), "it is suspended, or all are: 'heatscope status' says which");
	else if (over && s->n_failed && !s->n_counting && !s->n_early)
		snprintf(c->reason, sizeof(c->reason), "%.100s: %.390s", s->failed, s->failure);
	else if (over)
		return 0;
	else if (stopped)
		snprintf(c->reason, sizeof(c->reason), "interrupted before the collector began to measure");
	else if (s->n_silent + s->n_early)
		snprintf(c->reason, sizeof(c->reason), "the collector did not begin to measure within %u s", seconds);
	else
		snprintf(c->reason, sizeof(c->reason), "no collector measured it within %u s", seconds);
	return over ? -EIO : stopped ? -EINTR : -ETIMEDOUT;
}

int inst_await(struct client *c, const char *id, enum inst_until until, unsigned seconds, const volatile sig_atomic_t *stop,
	       json_t **ret_inst)
{
	const struct timespec nap = { .tv_nsec = 1000000000 / TRIES_PER_S };
	struct inst_state s = { 0 };
	json_t *inst = NULL;
	char path[512];
	int err = 0, over = 0;

	for (unsigned tries = 0; !err && !over && tries < seconds * TRIES_PER_S && !(stop && *stop); tries++) {
		if (tries)
			nanosleep(&nap, NULL);
		json_decref(inst);
		inst = NULL;
		err = client_json(c, "GET", inst_path(id, "", path), NULL, &inst);
		if (!err)
			s = inst_state_of(inst);
		over = !err && is_over(&s, until);
	}
	if (!err)
		err = await_outcome(c, &s, until, over, stop && *stop, seconds);
	if (ret_inst)
		*ret_inst = inst;
	else
		json_decref(inst);
	return err;
}
