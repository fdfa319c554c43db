/* bpf_kit.h - sets up instrumentations for the tests of kernel metrics, and returns what they counted.
 *
 *      kit_begin(); kit_enable(1, "disk.physio_ops", "disk,optype", "latency,size")
 *      kit_clear(); act; kit_drain(); ok(kit_n(1, "loop0", "read") == 10, ...)
 *      return kit_end()
 *
 * Output  TAP.  kit_begin() ends the program with 77 if there is no root or no BTF.
 * Errors  if kit_enable() fails, the case fails and the program ends.
 */
#ifndef HEATSCOPE_BPF_KIT_H
#define HEATSCOPE_BPF_KIT_H

#include <linux/types.h>

#define KIT_SECOND 1000000000ll

void ok(int holds, const char *format, ...) __attribute__((format(printf, 2, 3)));

void kit_begin(void);
int kit_end(void);			/* the exit status */

/* Enables an instrumentation with slots of 1 s.  When it returns, a slot that is counted has begun. */
void kit_enable(__u64 inst, const char *metric, const char *fields, const char *measures);
void kit_enable_where(__u64 inst, const char *metric, const char *fields, const char *measures, const char *predicate, ...)
	__attribute__((format(printf, 5, 6)));		/* its JSON */
void kit_disable(__u64 inst);
const char *kit_refusal(const char *metric);	/* NULL: it is available */

/* From here on the metric measures one event in `every`, as beyond its budget; 1: every event. */
#define KIT_NONE (1u << 30)		/* so few that the first is years away, if nothing was sampled before */
void kit_sample(const char *metric, unsigned every);

/* May n be the estimate of `truth` events by such a sample?  Six standard deviations of picking each by itself are
 * more than it can be wrong by chance, and every event that is counted is counted so many times. */
int kit_is_sample(__u64 n, __u64 truth, unsigned every);

/* Waits until the slot that runs now has ended, and drains it. */
void kit_drain(void);
unsigned kit_drained_meanwhile(void);	/* how often the active ones were drained while kit_enable() loaded programs */
void kit_clear(void);
void kit_print(void);
void kit_doctor(void);

/* Returns how many events have these labels, one per field, in the order of the fields; NULL: any. */
__u64 kit_count(__u64 inst, const char *const label[4]);
__u64 kit_sum(__u64 inst, unsigned measure, const char *const label[4]);
#define kit_n(inst, ...) kit_count(inst, (const char *const[4]){ __VA_ARGS__ })
#define kit_total(inst, measure, ...) kit_sum(inst, measure, (const char *const[4]){ __VA_ARGS__ })

__u64 kit_lost(void);			/* since kit_begin() */

__s64 kit_now_ns(void);			/* wall clock */
int kit_run(const char *format, ...) __attribute__((format(printf, 1, 2)));	/* system() */

/* Lets the kernel count what programs cost, until the program ends. */
void kit_stats(void);

#endif
