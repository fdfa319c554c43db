#include "collector/proc/cpus.h"
#include "collector/proc/counter_file.h"
#include "collector/proc/scan.h"

#include <errno.h>

enum { FIELD_CPU, FIELD_CPUMODE };

static const struct field fields[] = {
	{ "cpu", "CPU", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "cpumode", "mode", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "hostname", "host", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "utilization", "utilization", "percent", FIELD_NUMERIC, UNIT_PERCENT, 0, 7 },
};

static const struct metric cpus_metric = {
	"cpu", "cpus", "CPUs", "CPUs", fields, sizeof(fields) / sizeof(*fields), SCOPE_POINT, NULL, NULL, NULL
};

static const char *const mode_name[CPUS_N_MODES] = { "user", "nice", "system", "irq", "softirq", "steal" };

static int is_cpu(const struct scan *word)
{
	return scan_len(word) > 3 && !memcmp(word->at, "cpu", 3) && word->at[3] >= '0' && word->at[3] <= '9';
}

int cpus_parse(const void *text, size_t len, struct counter_delta *counters, struct words *words)
{
	static const int column[] = { CPUS_USER, CPUS_NICE, CPUS_SYSTEM, CPUS_IDLE, CPUS_IOWAIT, CPUS_IRQ, CPUS_SOFTIRQ,
				      CPUS_STEAL };
	struct scan all = scan_of(text, len), line, word;
	int n = 0, err = 0;

	while (scan_line(&all, &line) && !err) {
		__u64 value[COUNTER_DELTA_VALUES] = { 0 };
		int found = 0;

		if (!scan_word(&line, &word) || !is_cpu(&word))
			continue;
		while (found < 8 && scan_number(&line, &value[column[found]]))
			found++;
		if (found < 4)
			return -EBADMSG;
		err = counter_delta_add(counters, words_code(words, word.at, scan_len(&word)), value);
		n++;
	}
	return err ? err : n ? 0 : -EBADMSG;
}

static int cpus_start(void **ret_self, char *reason)
{
	int err = counter_file_start(CPUS_VALUES, ret_self, reason);

	if (!err)
		((struct counter_file *)*ret_self)->counters.may_shrink = 1u << CPUS_IDLE | 1u << CPUS_IOWAIT;	/* as proc(5) warns */
	return err;
}

static void give(const struct meter_request *request, const struct meter_out *out,
		 const struct counter_delta_thing *cpu, const __u64 *ticks)
{
	struct event e = { .field[FIELD_CPU] = cpu->code };
	__u64 busy = 0, all;

	for (int mode = 0; mode < CPUS_N_MODES; mode++)
		busy += ticks[mode];
	all = busy + ticks[CPUS_IDLE] + ticks[CPUS_IOWAIT];
	if (!all)
		return;
	e.measure[0] = meter_percent(busy, all);
	out->event(out->arg, &e, 0);
	for (int mode = 0; mode < CPUS_N_MODES && request->wanted & WANTED_FIELD(FIELD_CPUMODE); mode++) {
		e.field[FIELD_CPUMODE] = words_code(out->words, mode_name[mode], strlen(mode_name[mode]));
		e.measure[0] = meter_percent(ticks[mode], all);
		out->event(out->arg, &e, 1);
	}
}

static int cpus_read(void *self, const struct meter_request *request, const struct meter_out *out)
{
	return counter_file_read(self, "/proc/stat", cpus_parse, give, request, out);
}

const struct meter cpus_meter = {
	.metric = &cpus_metric,
	.grows = 1,
	.parts = WANTED_FIELD(FIELD_CPUMODE),
	.start = cpus_start,
	.stop = counter_file_stop,
	.read = cpus_read,
};
