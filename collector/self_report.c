#include "collector/self_report.h"

#include "collector/proc/self.h"
#include "collector/proc/slurp.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

static void put_resident(json_t *all)
{
	struct bytes text = { 0 };
	__u64 pages;

	if (!slurp(AT_FDCWD, "/proc/self/statm", &text) && !self_parse_statm(text.data, text.len, &pages))
		json_object_set_new(all, "resident", json_integer((json_int_t)pages * sysconf(_SC_PAGESIZE)));
	bytes_fini(&text);
}

static void put_objects(json_t *all)
{
	struct self_totals totals;

	if (self_totals_read(&totals))
		return;
	json_object_set_new(all, "programs", json_integer((json_int_t)totals.n_programs));
	json_object_set_new(all, "maps", json_integer((json_int_t)totals.map_bytes));
}

json_t *self_report_json(const struct spool_stats *spool, __s64 started_ns)
{
	struct timespec cpu = { 0 };
	json_t *all;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	all = json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "started", (json_int_t)started_ns, "cpu",
			(json_int_t)cpu.tv_sec * 1000000000 + cpu.tv_nsec, "spool", (json_int_t)spool->waiting, "in_flight",
			(json_int_t)spool->in_flight, "dropped_batches", (json_int_t)spool->dropped_batches, "dropped_events",
			(json_int_t)spool->dropped_events);
	if (!all)
		return NULL;
	put_resident(all);
	put_objects(all);
	return all;
}
