#include "cpus.h"
#include "meter.h"
#include "scan.h"
#include "slurp.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIELD_CPU, FIELD_CPUMODE };

static const struct field fields[] = {
	{ "cpu", "CPU", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "cpumode", "mode", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "hostname", "host", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "utilization", "utilization", "percent", FIELD_NUMERIC, UNIT_PERCENT, 0, 7 },
};

static const struct metric cpus_metric = {
	"cpu", "cpus", "CPUs", "CPUs", fields, sizeof(fields) / sizeof(*fields), SCOPE_POINT
};

static const char *const mode_name[CPUS_N_MODES] = { "user", "nice", "system", "irq", "softirq", "steal" };

static int is_cpu(const struct scan *word)
{
	return scan_len(word) > 3 && !memcmp(word->at, "cpu", 3) && word->at[3] >= '0' && word->at[3] <= '9';
}

int cpus_parse(const void *text, size_t len, struct growth *counters, struct words *words)
{
	static const int column[] = { CPUS_USER, CPUS_NICE, CPUS_SYSTEM, CPUS_IDLE, CPUS_IOWAIT, CPUS_IRQ, CPUS_SOFTIRQ,
				      CPUS_STEAL };
	struct scan all = scan_of(text, len), line, word;
	int n = 0, err = 0;

	while (scan_line(&all, &line) && !err) {
		__u64 value[GROWTH_VALUES] = { 0 };
		int found = 0;

		if (!scan_word(&line, &word) || !is_cpu(&word))
			continue;
		while (found < 8 && scan_number(&line, &value[column[found]]))
			found++;
		if (found < 4)
			return -EBADMSG;
		err = growth_add(counters, words_code(words, word.at, scan_len(&word)), value);
		n++;
	}
	return err ? err : n ? 0 : -EBADMSG;
}

struct cpus {
	struct growth counters;
	struct bytes text;
};

static int cpus_start(void **ret_self, char *reason)
{
	struct cpus *c = calloc(1, sizeof(*c));

	if (!c) {
		snprintf(reason, REASON_MAX, "no memory");
		return -ENOMEM;
	}
	c->counters.n_values = CPUS_VALUES;
	c->counters.may_shrink = 1u << CPUS_IDLE | 1u << CPUS_IOWAIT;	/* as proc(5) warns */
	*ret_self = c;
	return 0;
}

static void cpus_stop(void *self)
{
	struct cpus *c = self;

	growth_fini(&c->counters);
	bytes_fini(&c->text);
	free(c);
}

static void give(const struct meter_look *look, const struct meter_out *out, __u64 cpu, const __u64 *ticks)
{
	struct event e = { .field[FIELD_CPU] = cpu };
	__u64 busy = 0, all;

	for (int mode = 0; mode < CPUS_N_MODES; mode++)
		busy += ticks[mode];
	all = busy + ticks[CPUS_IDLE] + ticks[CPUS_IOWAIT];
	if (!all)
		return;
	e.measure[0] = meter_percent(busy, all);
	out->event(out->arg, &e, 0);
	for (int mode = 0; mode < CPUS_N_MODES && look->wanted & WANTED_FIELD(FIELD_CPUMODE); mode++) {
		e.field[FIELD_CPUMODE] = words_code(out->words, mode_name[mode], strlen(mode_name[mode]));
		e.measure[0] = meter_percent(ticks[mode], all);
		out->event(out->arg, &e, 1);
	}
}

static int cpus_read(void *self, const struct meter_look *look, const struct meter_out *out)
{
	struct cpus *c = self;
	__u64 ticks[GROWTH_VALUES];
	int err = slurp(AT_FDCWD, "/proc/stat", &c->text);

	if (err)
		return err;
	growth_begin(&c->counters);
	err = cpus_parse(c->text.data, c->text.len, &c->counters, out->words);
	for (size_t i = 0; i < c->counters.now.n && !err && look->since_ns; i++)
		if (growth_of(&c->counters, i, ticks))
			give(look, out, c->counters.now.thing[i].code, ticks);
	return err;
}

const struct meter cpus_meter = {
	.metric = &cpus_metric,
	.grows = 1,
	.parts = WANTED_FIELD(FIELD_CPUMODE),
	.start = cpus_start,
	.stop = cpus_stop,
	.read = cpus_read,
};
