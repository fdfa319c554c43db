#include "collector/proc/nics.h"
#include "collector/proc/counter_file.h"
#include "collector/proc/scan.h"
#include "collector/core/refuse.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

enum { FIELD_NIC, FIELD_KIND };
enum { PACKETS, PACKETS_IN, PACKETS_OUT, BYTES, BYTES_READ, BYTES_WRITE };

#define PACKETS_FIELD(name, label) { name, label, "number", FIELD_NUMERIC, UNIT_PER_S, 0, 40 }
#define BYTES_FIELD(name, label) { name, label, "size", FIELD_NUMERIC, UNIT_BYTES_PER_S, 0, 44 }

static const struct field fields[] = {
	{ "nic", "network interface", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "kind", "kind", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "hostname", "host", "string", FIELD_DISCRETE, 0, 0, 0 },
	PACKETS_FIELD("packets", "packets per second"),
	PACKETS_FIELD("packets_in", "packets in per second"),
	PACKETS_FIELD("packets_out", "packets out per second"),
	BYTES_FIELD("bytes", "bytes per second"),
	BYTES_FIELD("bytes_read", "bytes in per second"),
	BYTES_FIELD("bytes_write", "bytes out per second"),
};

static const struct metric nics_metric = {
	"nic", "nics", "Network interfaces", "NICs", fields, sizeof(fields) / sizeof(*fields), SCOPE_POINT, NULL, NULL, NULL
};

int nics_parse(const void *text, size_t len, struct counter_delta *counters, struct words *words)
{
	static const int column[] = { NICS_BYTES_IN, NICS_PACKETS_IN, -1, -1, -1, -1, -1, -1, NICS_BYTES_OUT, NICS_PACKETS_OUT };
	struct scan all = scan_of(text, len), line, name;
	int err = 0;

	while (scan_line(&all, &line) && !err) {
		__u64 value[COUNTER_DELTA_VALUES] = { 0 };

		if (memchr(line.at, '|', scan_len(&line)))
			continue;		/* the line has the heads of the columns */
		if (!scan_until(&line, ":", &name) || line.at[-1] != ':')
			return -EBADMSG;
		if (!scan_columns(&line, column, sizeof(column) / sizeof(*column), value))
			return -EBADMSG;
		err = counter_delta_add(counters, words_code(words, name.at, scan_len(&name)), value);
	}
	return err;
}

static int nics_check(char *reason)
{
	if (!access("/proc/net/dev", R_OK))
		return 0;
	return refuse_as(-errno, reason, "nic.nics needs /proc/net/dev: %s", strerror(errno));
}

static int nics_start(void **ret_self, char *reason)
{
	return counter_file_start(NICS_VALUES, ret_self, reason);
}

static const char *kind_of(const char *name)
{
	char path[LABEL_MAX + 32];

	if (!strcmp(name, "lo"))
		return "loopback";
	snprintf(path, sizeof(path), "/sys/class/net/%s/device", name);
	return access(path, F_OK) ? "virtual" : "physical";
}

static void give(const struct meter_request *request, const struct meter_out *out,
		 const struct counter_delta_thing *nic, const __u64 *growth)
{
	char name[LABEL_MAX + 1];
	struct event e = { .field[FIELD_NIC] = nic->code };
	__u64 ns = request->since_ns;
	const char *kind;

	if (request->wanted & WANTED_FIELD(FIELD_KIND)) {
		words_text(out->words, nic->code, name);
		kind = kind_of(name);
		e.field[FIELD_KIND] = words_code(out->words, kind, strlen(kind));
	}
	e.measure[PACKETS] = meter_rate(growth[NICS_PACKETS_IN] + growth[NICS_PACKETS_OUT], ns);
	e.measure[PACKETS_IN] = meter_rate(growth[NICS_PACKETS_IN], ns);
	e.measure[PACKETS_OUT] = meter_rate(growth[NICS_PACKETS_OUT], ns);
	e.measure[BYTES] = meter_rate(growth[NICS_BYTES_IN] + growth[NICS_BYTES_OUT], ns);
	e.measure[BYTES_READ] = meter_rate(growth[NICS_BYTES_IN], ns);
	e.measure[BYTES_WRITE] = meter_rate(growth[NICS_BYTES_OUT], ns);
	out->event(out->arg, &e, 0);
}

static int nics_read(void *self, const struct meter_request *request, const struct meter_out *out)
{
	return counter_file_read(self, "/proc/net/dev", nics_parse, give, request, out);
}

const struct meter nics_meter = {
	.metric = &nics_metric,
	.grows = 1,
	.check = nics_check,
	.start = nics_start,
	.stop = counter_file_stop,
	.read = nics_read,
};
