#include "mysql_metric.h"
#include "quantize.h"

#define TIME_FIELD(name, label) { name, label, "time", FIELD_NUMERIC, UNIT_NS, 10, 39 }
#define COUNT_FIELD(name, label) { name, label, "number", FIELD_NUMERIC, UNIT_NONE, 0, 20 }

static const struct field fields[] = {
	{ "command", "protocol command", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "statement", "kind of statement", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "digest", "statement without its literals", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "table", "first table that is named", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "status", "ok, or the error's number", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "user", "user", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "database", "default database", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "client", "client's address", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "instance", "listening address or socket", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "pid", "process id", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "execname", "process name", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "blocked_in", "what it is blocked in now", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "hostname", "host", "string", FIELD_DISCRETE, 0, 0, 0 },
	TIME_FIELD("latency", "latency"),
	TIME_FIELD("cputime", "time on the CPU"),
	TIME_FIELD("runqwait", "time in the run queue"),
	TIME_FIELD("blocked", "time blocked"),
	TIME_FIELD("unsplit", "time that cannot be split"),
	TIME_FIELD("offcpu", "time off the CPU"),
	TIME_FIELD("io", "time blocked in file I/O"),
	TIME_FIELD("futex", "time blocked on a futex"),
	TIME_FIELD("net", "time blocked on a socket"),
	TIME_FIELD("sleep", "time asleep"),
	TIME_FIELD("fault", "time blocked in a page fault"),
	TIME_FIELD("other", "time blocked otherwise"),
	COUNT_FIELD("n_switches", "times blocked"),
	COUNT_FIELD("n_io", "times blocked in file I/O"),
	TIME_FIELD("age", "age of what still runs"),
	TIME_FIELD("fs", "time in file systems"),
	{ "io_bytes", "bytes of files", "size", FIELD_NUMERIC, UNIT_BYTES, 0, 33 },
	{ "rows", "rows affected or returned", "number", FIELD_NUMERIC, UNIT_NONE, 0, 32 },
};

const struct metric mysql_metric = {
	"mysql", "queries", "MySQL queries", "queries", fields, sizeof(fields) / sizeof(fields[0]),
	SCOPE_INTERVAL, "age", "cputime runqwait io futex net sleep fault other unsplit"
};
