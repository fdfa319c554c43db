#include "collector/proc/disks.h"
#include "collector/proc/counter_file.h"
#include "collector/proc/scan.h"
#include "collector/core/refuse.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define SECTOR 512			/* unit of /proc, whatever the disk's sector size is */

enum { FIELD_DISK, FIELD_KIND };
enum { BUSYTIME, IOPS, IOPS_READ, IOPS_WRITE, BYTES, BYTES_READ, BYTES_WRITE };

#define IOPS_FIELD(name, label) { name, label, "number", FIELD_NUMERIC, UNIT_PER_S, 0, 30 }
#define BYTES_FIELD(name, label) { name, label, "size", FIELD_NUMERIC, UNIT_BYTES_PER_S, 0, 40 }

static const struct field fields[] = {
	{ "disk", "disk", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "kind", "kind", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "hostname", "host", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "busytime", "time busy", "percent", FIELD_NUMERIC, UNIT_PERCENT, 0, 7 },
	IOPS_FIELD("iops", "operations per second"),
	IOPS_FIELD("iops_read", "reads per second"),
	IOPS_FIELD("iops_write", "writes per second"),
	BYTES_FIELD("bytes", "bytes per second"),
	BYTES_FIELD("bytes_read", "bytes read per second"),
	BYTES_FIELD("bytes_write", "bytes written per second"),
};

static const struct metric disks_metric = {
	"disk", "disks", "Disks", "disks", fields, sizeof(fields) / sizeof(*fields), SCOPE_POINT, NULL, NULL, NULL
};

int disks_parse(const void *text, size_t len, struct counter_delta *counters, struct words *words)
{
	static const int column[] = { DISKS_READS, -1, DISKS_READ_SECTORS, -1, DISKS_WRITES, -1, DISKS_WRITE_SECTORS, -1, -1,
				      DISKS_BUSY_MS };
	struct scan all = scan_of(text, len), line, name;
	int err = 0;

	while (scan_line(&all, &line) && !err) {
		__u64 value[COUNTER_DELTA_VALUES] = { 0 }, n;

		if (!scan_number(&line, &n) || !scan_number(&line, &n) || !scan_word(&line, &name))
			return -EBADMSG;
		if (!scan_columns(&line, column, sizeof(column) / sizeof(*column), value))
			return -EBADMSG;
		err = counter_delta_add(counters, words_code(words, name.at, scan_len(&name)), value);
	}
	return err;
}

static int disks_check(char *reason)
{
	if (!access("/proc/diskstats", R_OK) && !access("/sys/block", R_OK))
		return 0;
	return refuse_as(-errno, reason, "disk.disks needs /proc/diskstats and /sys/block: %s", strerror(errno));
}

static int disks_start(void **ret_self, char *reason)
{
	return counter_file_start(DISKS_VALUES, ret_self, reason);
}

/* Returns the kind of a disk, from /sys, where '!' replaces '/' in its name.  NULL: it is a partition. */
static const char *kind_of(const char *name)
{
	char path[LABEL_MAX + 32];

	snprintf(path, sizeof(path), "/sys/block/%s", name);
	for (char *c = path + sizeof("/sys/block/") - 1; *c; c++)
		*c = *c == '/' ? '!' : *c;
	if (access(path, F_OK))
		return NULL;
	strcat(path, "/device");
	return access(path, F_OK) ? "virtual" : "physical";
}

static int was_used(const struct counter_delta_thing *t)
{
	return t->value[DISKS_READS] || t->value[DISKS_WRITES];
}

static void give(const struct meter_request *request, const struct meter_out *out,
		 const struct counter_delta_thing *disk, const __u64 *growth)
{
	char name[LABEL_MAX + 1];
	struct event e = { .field[FIELD_DISK] = disk->code };
	const char *kind;
	__u64 ns = request->since_ns, busy;

	words_text(out->words, disk->code, name);
	kind = kind_of(name);
	if (!kind || (*kind == 'v' && !was_used(disk)))
		return;
	busy = meter_percent(growth[DISKS_BUSY_MS] * 1000000, ns);
	e.field[FIELD_KIND] = words_code(out->words, kind, strlen(kind));
	e.measure[BUSYTIME] = busy < 100 ? busy : 100;
	e.measure[IOPS] = meter_rate(growth[DISKS_READS] + growth[DISKS_WRITES], ns);
	e.measure[IOPS_READ] = meter_rate(growth[DISKS_READS], ns);
	e.measure[IOPS_WRITE] = meter_rate(growth[DISKS_WRITES], ns);
	e.measure[BYTES] = meter_rate((growth[DISKS_READ_SECTORS] + growth[DISKS_WRITE_SECTORS]) * SECTOR, ns);
	e.measure[BYTES_READ] = meter_rate(growth[DISKS_READ_SECTORS] * SECTOR, ns);
	e.measure[BYTES_WRITE] = meter_rate(growth[DISKS_WRITE_SECTORS] * SECTOR, ns);
	out->event(out->arg, &e, 0);
}

static int disks_read(void *self, const struct meter_request *request, const struct meter_out *out)
{
	return counter_file_read(self, "/proc/diskstats", disks_parse, give, request, out);
}

const struct meter disks_meter = {
	.metric = &disks_metric,
	.grows = 1,
	.check = disks_check,
	.start = disks_start,
	.stop = counter_file_stop,
	.read = disks_read,
};
