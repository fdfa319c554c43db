#include "collector/proc/self.h"
#include "collector/core/array.h"
#include "collector/core/refuse.h"
#include "collector/proc/counter_delta.h"
#include "collector/proc/meter.h"
#include "collector/probe/self_stats.h"
#include "collector/proc/scan.h"
#include "collector/proc/slurp.h"
#include "collector/trace/wall.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BPF_STATS "/proc/sys/kernel/bpf_stats_enabled"

static const struct field tick_fields[] = {
	{ "probe", "probe", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "hostname", "host", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "latency", "duration of the drain", "time", FIELD_NUMERIC, UNIT_NS, 10, 39 },
	{ "late", "delay of the drain", "time", FIELD_NUMERIC, UNIT_NS, 10, 39 },
	{ "batches", "batches sent", "number", FIELD_NUMERIC, UNIT_NONE, 0, 20 },
	{ "bytes", "bytes sent", "size", FIELD_NUMERIC, UNIT_BYTES, 0, 40 },
};
static const struct field spool_fields[] = {
	{ "hostname", "host", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "waiting", "bytes not acknowledged", "size", FIELD_NUMERIC, UNIT_BYTES, 0, 40 },
	{ "in_flight", "batches in flight", "number", FIELD_NUMERIC, UNIT_NONE, 0, 20 },
	{ "dropped", "batches dropped per second", "number", FIELD_NUMERIC, UNIT_PER_S, 0, 30 },
};
static const struct field process_fields[] = {
	{ "hostname", "host", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "cputime", "CPU time, of one CPU", "percent", FIELD_NUMERIC, UNIT_PERCENT, 0, 17 },
	{ "rss", "memory", "size", FIELD_NUMERIC, UNIT_BYTES, 12, 44 },
};
static const struct field program_fields[] = {
	{ "program", "BPF program", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "hostname", "host", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "runtime", "run time, of one CPU", "percent", FIELD_NUMERIC, UNIT_PERCENT, 0, 17 },
	{ "runs", "runs per second", "number", FIELD_NUMERIC, UNIT_PER_S, 0, 40 },
};
static const struct field map_fields[] = {
	{ "map", "BPF map", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "hostname", "host", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "memory", "kernel memory", "size", FIELD_NUMERIC, UNIT_BYTES, 0, 40 },
};

#define TABLE(fields) fields, sizeof(fields) / sizeof(*fields)

static const struct metric ticks_metric = {
	"heatscope", "ticks", "Heatscope's drains", "drains", TABLE(tick_fields), SCOPE_INTERVAL, NULL, NULL, NULL
};
static const struct metric spool_metric = {
	"heatscope", "spool", "Heatscope's spool", "collectors", TABLE(spool_fields), SCOPE_POINT, NULL, NULL, NULL
};
static const struct metric process_metric = {
	"heatscope", "process", "Heatscope's process", "collectors", TABLE(process_fields), SCOPE_POINT, NULL, NULL, NULL
};
static const struct metric programs_metric = {
	"heatscope", "programs", "Heatscope's BPF programs", "programs", TABLE(program_fields), SCOPE_POINT, NULL, NULL, NULL
};
static const struct metric maps_metric = {
	"heatscope", "maps", "Heatscope's BPF maps", "maps", TABLE(map_fields), SCOPE_POINT, NULL, NULL, NULL
};

/* --- texts --- */

/* Lines of "name:\tvalue" */
void self_parse_fdinfo(const void *text, size_t len, struct self_object *ret)
{
	struct scan all = scan_of(text, len), line, name;
	__u64 n;

	memset(ret, 0, sizeof(*ret));
	while (scan_line(&all, &line)) {
		if (!scan_until(&line, ":", &name) || !scan_number(&line, &n))
			continue;
		if (scan_is(&name, "prog_id") || scan_is(&name, "map_id")) {
			ret->is_program = *name.at == 'p';
			ret->is_map = !ret->is_program;
			ret->id = n;
		} else if (scan_is(&name, "memlock")) {
			ret->memory_bytes = n;
		} else if (scan_is(&name, "run_time_ns")) {
			ret->run_ns = n;
		} else if (scan_is(&name, "run_cnt")) {
			ret->runs = n;
		}
	}
}

int self_parse_statm(const void *text, size_t len, __u64 *ret_resident)
{
	struct scan all = scan_of(text, len), line;
	__u64 size;

	return scan_line(&all, &line) && scan_number(&line, &size) && scan_number(&line, ret_resident) ? 0 : -EBADMSG;
}

/* --- shared by the meters --- */

struct self {
	struct bytes text;
	struct counter_delta counters;
	__u64 tick;			/* the last one that was sent */
};

static int self_start(void **ret_self, size_t n_values, char *reason)
{
	struct self *s = calloc(1, sizeof(*s));

	if (!s)
		return no_memory(reason);
	s->counters.n_values = n_values;
	s->tick = self_stats_now();
	*ret_self = s;
	return 0;
}

static int start_simple(void **ret_self, char *reason)
{
	return self_start(ret_self, 1, reason);
}

/* Timing costs every program on the host a little, so we do not switch it on. */
static int start_programs(void **ret_self, char *reason)
{
	struct bytes text = { 0 };
	__u64 enabled = 0;
	int err = slurp_number(AT_FDCWD, BPF_STATS, &text, &enabled);

	bytes_fini(&text);
	if (!err && enabled)
		return self_start(ret_self, 2, reason);
	return refuse_as(-ENODATA, reason, "the kernel does not time its BPF programs: sysctl kernel.bpf_stats_enabled=1");
}

static void self_stop(void *self)
{
	struct self *s = self;

	bytes_fini(&s->text);
	counter_delta_fini(&s->counters);
	free(s);
}

/* Computes the growth of the one counter; 0: it has no value. */
static int grown(struct self *s, __u64 counter, __u64 *ret_growth)
{
	__u64 growth[COUNTER_DELTA_VALUES];

	counter_delta_begin(&s->counters);
	if (counter_delta_add(&s->counters, 1, &counter) || !counter_delta_of(&s->counters, 0, growth))
		return 0;
	*ret_growth = growth[0];
	return 1;
}

/* --- ticks, spool, process --- */

static int ticks_read(void *self, const struct meter_request *request, const struct meter_out *out)
{
	struct self *s = self;
	struct self_stats_tick t;

	while (self_stats_next(&s->tick, &t)) {
		struct event e = { .end_ns = (__u64)t.end_ns, .field = { words_code(out->words, t.probe, strlen(t.probe)) },
				   .measure = { t.drain_ns, t.late_ns, t.n_batches, t.bytes } };

		out->event(out->arg, &e, 0);
	}
	return 0;
}

static int spool_read(void *self, const struct meter_request *request, const struct meter_out *out)
{
	struct self_stats_spool p = self_stats_spool_get();
	struct event e = { .measure = { p.waiting, p.in_flight } };
	__u64 growth = 0;
	int has = grown(self, p.dropped, &growth);

	if (!has || !request->since_ns)
		return 0;
	e.measure[2] = meter_rate(growth, request->since_ns);
	out->event(out->arg, &e, 0);
	return 0;
}

static int process_read(void *self, const struct meter_request *request, const struct meter_out *out)
{
	struct self *s = self;
	struct event e = { 0 };
	__u64 growth = 0, pages;
	int has = grown(s, (__u64)clock_ns(CLOCK_PROCESS_CPUTIME_ID), &growth), err;

	err = slurp(AT_FDCWD, "/proc/self/statm", &s->text);
	if (!err)
		err = self_parse_statm(s->text.data, s->text.len, &pages);
	if (err || !has || !request->since_ns)
		return err;
	e.measure[0] = meter_percent(growth, request->since_ns);
	e.measure[1] = pages * (__u64)sysconf(_SC_PAGESIZE);
	out->event(out->arg, &e, 0);
	return 0;
}

/* --- BPF programs and maps --- */

static void name_of(int fd, const struct self_object *o, char out[BPF_OBJ_NAME_LEN])
{
	struct bpf_prog_info prog = { 0 };
	struct bpf_map_info map = { 0 };
	__u32 len = o->is_program ? sizeof(prog) : sizeof(map);

	if (bpf_obj_get_info_by_fd(fd, o->is_program ? (void *)&prog : (void *)&map, &len))
		snprintf(out, BPF_OBJ_NAME_LEN, "%llu", (unsigned long long)o->id);
	else
		snprintf(out, BPF_OBJ_NAME_LEN, "%s", o->is_program ? prog.name : map.name);
}

/* Gives each object of the requested kind, once per descriptor. */
static int objects_read(struct self *s, const char *kind,
			void (*each)(void *arg, int fd, const struct self_object *o), void *arg)
{
	DIR *fds = opendir("/proc/self/fd");
	const struct dirent *entry;

	if (!fds)
		return -errno;
	while ((entry = readdir(fds))) {
		char path[64], target[64];
		struct self_object o;
		ssize_t len = readlinkat(dirfd(fds), entry->d_name, target, sizeof(target) - 1);

		if (len < 0)
			continue;
		target[len] = 0;
		snprintf(path, sizeof(path), "/proc/self/fdinfo/%.20s", entry->d_name);
		if (strcmp(target, kind) || slurp(AT_FDCWD, path, &s->text))
			continue;
		self_parse_fdinfo(s->text.data, s->text.len, &o);
		if (o.is_program || o.is_map)
			each(arg, atoi(entry->d_name), &o);
	}
	closedir(fds);
	return 0;
}

struct giving {
	struct self *s;
	const struct meter_request *request;
	const struct meter_out *out;
	__u64 *seen;			/* ids, because an object may have several descriptors */
	size_t n_seen, room;
};

static int seen_before(struct giving *g, __u64 id)
{
	for (size_t i = 0; i < g->n_seen; i++)
		if (g->seen[i] == id)
			return 1;
	if (array_grow(&g->seen, g->n_seen, &g->room, sizeof(*g->seen)))
		return 1;
	g->seen[g->n_seen++] = id;
	return 0;
}

static void give_program(void *arg, int fd, const struct self_object *o)
{
	struct giving *g = arg;
	const __u64 value[2] = { o->run_ns, o->runs };
	__u64 growth[COUNTER_DELTA_VALUES];
	char name[BPF_OBJ_NAME_LEN];
	struct event e = { 0 };

	if (seen_before(g, o->id) || counter_delta_add(&g->s->counters, o->id, value) || !g->request->since_ns ||
	    !counter_delta_of(&g->s->counters, g->s->counters.now.n - 1, growth))
		return;
	name_of(fd, o, name);
	e.field[0] = words_code(g->out->words, name, strlen(name));
	e.measure[0] = meter_percent(growth[0], g->request->since_ns);
	e.measure[1] = meter_rate(growth[1], g->request->since_ns);
	g->out->event(g->out->arg, &e, 0);
}

static int programs_read(void *self, const struct meter_request *request, const struct meter_out *out)
{
	struct giving g = { self, request, out, NULL, 0, 0 };
	int err;

	counter_delta_begin(&g.s->counters);
	err = objects_read(self, "anon_inode:bpf-prog", give_program, &g);
	free(g.seen);
	return err;
}

static void give_map(void *arg, int fd, const struct self_object *o)
{
	struct giving *g = arg;
	char name[BPF_OBJ_NAME_LEN];
	struct event e = { .measure = { o->memory_bytes } };

	if (seen_before(g, o->id))
		return;
	name_of(fd, o, name);
	e.field[0] = words_code(g->out->words, name, strlen(name));
	g->out->event(g->out->arg, &e, 0);
}

static int maps_read(void *self, const struct meter_request *request, const struct meter_out *out)
{
	struct giving g = { self, request, out, NULL, 0, 0 };
	int err = objects_read(self, "anon_inode:bpf-map", give_map, &g);

	free(g.seen);
	return err;
}

/* --- totals --- */

struct counting_objects {
	struct giving giving;		/* of this, only what was seen */
	struct self_totals totals;
};

static void count_object(void *arg, int fd, const struct self_object *o)
{
	struct counting_objects *c = arg;

	if (seen_before(&c->giving, o->id))
		return;
	c->totals.n_programs += o->is_program ? 1 : 0;
	c->totals.map_bytes += o->is_map ? o->memory_bytes : 0;
}

int self_totals_read(struct self_totals *ret)
{
	struct self s = { 0 };
	struct counting_objects c = { 0 };
	int err = objects_read(&s, "anon_inode:bpf-prog", count_object, &c);

	c.giving.n_seen = 0;		/* ids of maps are others */
	if (!err)
		err = objects_read(&s, "anon_inode:bpf-map", count_object, &c);
	free(c.giving.seen);
	bytes_fini(&s.text);
	if (!err)
		*ret = c.totals;
	return err;
}

const struct meter ticks_meter = {
	.metric = &ticks_metric, .start = start_simple, .stop = self_stop, .read = ticks_read,
};
const struct meter spool_meter = {
	.metric = &spool_metric, .grows = 1, .start = start_simple, .stop = self_stop, .read = spool_read,
};
const struct meter process_meter = {
	.metric = &process_metric, .grows = 1, .start = start_simple, .stop = self_stop, .read = process_read,
};
const struct meter programs_meter = {
	.metric = &programs_metric, .grows = 1, .start = start_programs, .stop = self_stop,
	.read = programs_read,
};
const struct meter maps_meter = {
	.metric = &maps_metric, .start = start_simple, .stop = self_stop, .read = maps_read,
};
