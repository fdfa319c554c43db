/* heatscope-collector runs once per host, enables the instrumentations that the aggregator wants, and sends batches. */
#include "collector/collector.h"
#include "collector/core/host_labels.h"
#include "collector/core/log.h"
#include "collector/core/source_name.h"
#include "collector/core/standard_output.h"
#include "collector/privilege.h"
#include "collector/probe/probes.h"
#include "collector/spool.h"
#include "collector/trace/pod_names.h"
#include "collector/tracers.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define EXIT_USAGE 2
#define SPOOL_PATH "/var/lib/heatscope/spool"
#define SPOOL_LIMIT_MIN (64u << 10)

const char *argp_program_version = "heatscope-collector " PACKAGE_VERSION;
error_t argp_err_exit_status = EXIT_USAGE;

static const char doc[] =
	"Quantizes the latency of this host's events in the kernel, and sends the histograms to the aggregator.\v"
	"Examples:\n"
	"  This host's own events, to the local aggregator:\n"
	"    heatscope-collector\n"
	"  What works here, and why something does not:\n"
	"    heatscope-collector --doctor\n"
	"  To a fleet's bus, as the user that a file names:\n"
	"    heatscope-collector --bus tls://bus.example.net:4222 --bus-credentials /etc/heatscope/bus.creds\n"
	"  Also keep everything in a file:\n"
	"    heatscope-collector --record day.hsr\n"
	"  A recording as if it happened now, on a host called a:\n"
	"    heatscope-collector --replay day.hsr --source a --follow-clock\n"
	"  Send a recording, then exit:\n"
	"    heatscope-collector --replay day.hsr --once\n"
	"\n"
	"Sizes are bytes, or a number with K, M or G.\n"
	"Exit status: 0 ended normally, 1 failure (see the log on stderr), 2 usage.";

enum {
	OPT_RECORD = 256, OPT_REPLAY, OPT_FOLLOW_CLOCK, OPT_ONCE, OPT_SPOOL, OPT_SPOOL_LIMIT, OPT_MEMORY_LIMIT, OPT_MEMORY_TOTAL,
	OPT_DOCTOR, OPT_BUDGET, OPT_FIXED, OPT_TEXT, OPT_LABEL, OPT_POD_LOGS, OPT_BUS, OPT_BUS_CREDENTIALS, OPT_BUS_USER_FILE, OPT_BUS_CA,
	OPT_BUS_CERTIFICATE, OPT_BUS_KEY,
};

static const struct argp_option options[] = {
	{ "socket", 's', "PATH", 0, "The aggregator's Unix socket (default /run/heatscope/ingest.sock)", 1 },
	{ "bus", OPT_BUS, "URL", 0, "Send by a bus, a NATS server with JetStream, instead of the socket: nats://HOST:PORT or "
		"tls://HOST:PORT; several with commas", 1 },
	{ "bus-credentials", OPT_BUS_CREDENTIALS, "FILE", 0, "The user's JWT and seed for the bus", 1 },
	{ "bus-user-file", OPT_BUS_USER_FILE, "FILE", 0, "The user for the bus, a line USER:PASSWORD", 1 },
	{ "bus-ca", OPT_BUS_CA, "FILE", 0, "The authorities that may sign the bus' certificate, PEM (default: the system's)", 1 },
	{ "bus-certificate", OPT_BUS_CERTIFICATE, "FILE", 0, "This host's certificate for the bus, PEM", 1 },
	{ "bus-key", OPT_BUS_KEY, "FILE", 0, "Its private key, PEM", 1 },
	{ "source", 'n', "NAME", 0, "The name of this source (default: the host's)", 1 },
	{ "label", OPT_LABEL, "NAME=VALUE", 0, "A label of this host, such as role=db: heatscoped offers it as the field label.NAME of "
		"every metric; may be repeated, or NAME=VALUE,NAME=VALUE", 1 },
	{ "memory-limit", OPT_MEMORY_LIMIT, "SIZE", 0, "Kernel memory of one instrumentation (default 64M)", 1 },
	{ "memory-total", OPT_MEMORY_TOTAL, "SIZE", 0, "Kernel memory of all instrumentations (default 1G, at most an eighth of the "
	  "machine's)", 1 },
	{ "budget", OPT_BUDGET, "PERCENT", 0, "Limit for the cost of measuring, of all CPUs together (default 1; 0: "
		"no limit); beyond it only a part of the events is looked at, and the data say so", 1 },
	{ "text", OPT_TEXT, "WHAT", 0, "Text of statements in exemplars: digest (the default: without literals) or "
		"full, also the first 1,023 bytes as they were sent, with everybody's data and passwords in them", 1 },
	{ "pod-logs", OPT_POD_LOGS, "DIR", 0, "The kubelet's folder with pods and containers, whose names name the fields "
		"pod and containername (default " POD_LOGS ")", 1 },
	{ "record", OPT_RECORD, "FILE", 0, "Also write every batch to a recording; replaces FILE", 2 },
	{ "replay", OPT_REPLAY, "FILE", 0, "Send a recording instead of this host's events", 2 },
	{ "follow-clock", OPT_FOLLOW_CLOCK, NULL, 0, "Shift the recording to now and keep its pace", 2 },
	{ "once", OPT_ONCE, NULL, 0, "Exit when all of the recording is acknowledged", 2 },
	{ "spool", OPT_SPOOL, "FILE", 0,
	  "Keep unacknowledged batches in FILE.0 and FILE.1 (default " SPOOL_PATH ", with --replay none); "
	  "empty: in memory only", 3 },
	{ "spool-limit", OPT_SPOOL_LIMIT, "SIZE", 0, "Size of both files together (default 64M, at least 64K)", 3 },
	{ "fixed", OPT_FIXED, NULL, 0,
	  "Drop all capabilities once the first instrumentations are active; refuse later ones", 1 },
	{ "doctor", OPT_DOCTOR, NULL, 0, "Print what works here, and why something does not; exit 0 if everything "
		"works", 4 },
	{ "verbose", 'v', NULL, 0, "Log more", 4 },
	{ "quiet", 'q', NULL, 0, "Log only warnings and errors", 4 },
	{ 0 },
};

struct arguments {
	struct collector_conf conf;
	char host[SOURCE_MAX];
	int doctor, verbose, quiet, has_socket;
	struct host_labels labels;
};

/* "64M" -> bytes; refuses a text that is not a number, or too large a number. */
static __u64 parse_size(const char *text, const char *option, struct argp_state *state)
{
	char *end;
	unsigned long long n;
	unsigned shift = 0;

	errno = 0;
	n = strtoull(text, &end, 10);
	if (*end)
		shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 99;
	if (*text < '0' || *text > '9' || errno || shift == 99 || (*end && end[1]) || n << shift >> shift != n ||
	    n << shift > (1ull << 50))
		argp_error(state, "--%s %s: not a size (examples: 1000000, 64M)", option, text);
	return n << shift;
}

/* heatscoped refuses any other name, however often it is sent.  The host's name may break the rule, too. */
static void check_source(const struct arguments *a, struct argp_state *state)
{
	char reason[REASON_MAX];

	if (!source_name_check(a->conf.probe.source, reason))
		return;
	if (a->conf.probe.source == a->host)
		argp_error(state, "cannot take this host's name: %s; give --source", reason);
	else
		argp_error(state, "--source: %s", reason);
}

static double parse_percent(const char *text, struct argp_state *state)
{
	char *end;
	double percent = strtod(text, &end);

	if (end == text || *end || !(percent >= 0 && percent <= 100))
		argp_error(state, "--budget %s: not a percentage from 0 to 100", text);
	return percent;
}

static int parse_text(const char *text, struct argp_state *state)
{
	if (strcmp(text, "digest") && strcmp(text, "full"))
		argp_error(state, "--text %s: must be digest or full", text);
	return !strcmp(text, "full");
}

static void check_bus(struct arguments *a, struct argp_state *state)
{
	struct bus_conf *bus = &a->conf.bus;
	char reason[REASON_MAX];

	if (!bus->url && (bus->credentials || bus->user_file || bus->ca || bus->certificate || bus->key))
		argp_error(state, "the options --bus-... need --bus");
	if (!bus->url)
		return;
	if (a->has_socket)
		argp_error(state, "--socket and --bus exclude each other");
	if (bus_conf_check(bus, reason))
		argp_error(state, "--bus: %s", reason);
	bus->name = a->conf.probe.source;
	bus->thread_begins = privilege_drop_thread;
}

static void parse_label(const char *text, struct arguments *a, struct argp_state *state)
{
	char reason[REASON_MAX];

	if (host_labels_add(&a->labels, text, reason))
		argp_error(state, "--label: %s", reason);
}

/* Checks rules that need the whole command line. */
static void check_arguments(struct arguments *a, struct argp_state *state)
{
	struct collector_conf *c = &a->conf;

	if (!c->probe.recording && c->probe.follow_clock)
		argp_error(state, "--follow-clock needs --replay");
	if (!c->probe.recording && c->once)
		argp_error(state, "--once needs --replay");
	if (c->spool_limit < SPOOL_LIMIT_MIN)
		argp_error(state, "--spool-limit must be at least 64K");
	if (!c->spool_path) {
		c->spool_path = c->probe.recording ? "" : SPOOL_PATH;
		c->spool_optional = 1;
	}
	if (!c->probe.source) {
		gethostname(a->host, sizeof(a->host) - 1);
		c->probe.source = a->host;
	}
	check_source(a, state);
	check_bus(a, state);
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct arguments *a = state->input;
	struct collector_conf *c = &a->conf;

	switch (key) {
	case 's': c->socket_path = text; a->has_socket = 1; break;
	case 'n': c->probe.source = text; break;
	case OPT_BUS: c->bus.url = text; break;
	case OPT_BUS_CREDENTIALS: c->bus.credentials = text; break;
	case OPT_BUS_USER_FILE: c->bus.user_file = text; break;
	case OPT_BUS_CA: c->bus.ca = text; break;
	case OPT_BUS_CERTIFICATE: c->bus.certificate = text; break;
	case OPT_BUS_KEY: c->bus.key = text; break;
	case 'v': a->verbose = 1; break;
	case 'q': a->quiet = 1; break;
	case OPT_RECORD: c->record_path = text; break;
	case OPT_REPLAY: c->probe.recording = text; break;
	case OPT_FOLLOW_CLOCK: c->probe.follow_clock = 1; break;
	case OPT_ONCE: c->once = 1; break;
	case OPT_SPOOL: c->spool_path = text; break;
	case OPT_SPOOL_LIMIT: c->spool_limit = parse_size(text, "spool-limit", state); break;
	case OPT_MEMORY_TOTAL: c->probe.memory_total = parse_size(text, "memory-total", state); break;
	case OPT_MEMORY_LIMIT: c->probe.memory_limit = parse_size(text, "memory-limit", state); break;
	case OPT_TEXT: c->probe.text_full = parse_text(text, state); break;
	case OPT_LABEL: parse_label(text, a, state); break;
	case OPT_POD_LOGS: c->probe.pod_logs = text; break;
	case OPT_FIXED: c->fixed = 1; break;
	case OPT_BUDGET: c->probe.budget = parse_percent(text, state) / 100; break;
	case OPT_DOCTOR: a->doctor = 1; break;
	case ARGP_KEY_ARG: argp_error(state, "unexpected argument: %s", text); break;
	case ARGP_KEY_END: check_arguments(a, state); break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* Every start is a new incarnation. */
static __u64 incarnation_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (__u64)t.tv_sec * 1000000000 + (__u64)t.tv_nsec;
}

static int doctor(const struct collector_conf *conf)
{
	struct probes *p;
	int err = probes_open(conf->probes, conf->n_probes, &conf->probe, &p), refused;

	if (err) {
		log_error("probes: %s", strerror(-err));
		return EXIT_FAILURE;
	}
	refused = probes_doctor(p, stdout);
	probes_close(p);
	return refused ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* 1 GB, or an eighth of the machine's memory if that is less. */
static __u64 usual_memory_total(void)
{
	__u64 eighth = (__u64)sysconf(_SC_PHYS_PAGES) * (__u64)sysconf(_SC_PAGESIZE) / 8;

	return eighth < 1ull << 30 ? eighth : 1ull << 30;
}

int main(int argc, char **argv)
{
	static const struct probe *const local_probes[] = { &kernel_probe, &proc_probe };
	static const struct probe *const replay_probes[] = { &replay_probe };
	static const struct argp argp = { options, parse_option, NULL, doc, NULL, NULL, NULL };
	struct arguments a = { .conf = { .socket_path = "/run/heatscope/ingest.sock", .version = PACKAGE_VERSION,
					 .spool_limit = 64u << 20, .probe.tracers = tracers, .probe.memory_limit = 64u << 20,
					 .probe.memory_total = usual_memory_total(), .probe.budget = 0.01 } };

	standard_output_guard("heatscope-collector");
	a.conf.probe.labels = &a.labels;
	argp_parse(&argp, argc, argv, 0, NULL, &a);
	log_open(NULL, a.verbose ? LOG_LEVEL_DEBUG : a.quiet ? LOG_LEVEL_WARNING : LOG_LEVEL_INFO);
	a.conf.probe.incarnation = incarnation_now();
	a.conf.probes = a.conf.probe.recording ? replay_probes : local_probes;
	a.conf.n_probes = a.conf.probe.recording ? 1 : sizeof(local_probes) / sizeof(*local_probes);
	if (a.doctor)
		return doctor(&a.conf);
	return collector_run(&a.conf) ? EXIT_FAILURE : EXIT_SUCCESS;
}
