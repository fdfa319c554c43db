#include "aggregator/aggregator.h"
#include "aggregator/base/making.h"
#include "aggregator/http/page.h"
#include "collector/core/log.h"
#include "collector/core/standard_output.h"
#include "render/draw/memory.h"

#include <argp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CONF_DEFAULT SYSCONFDIR "/heatscope/heatscoped.yaml"

const char *argp_program_version = "heatscoped " PACKAGE_VERSION;

static const char doc[] =
	"Receives the data of collectors, merges and stores them, and serves them over HTTP as heat maps.\v"
	"Examples:\n"
	"  heatscoped\n"
	"  heatscoped --database memory --listen 127.0.0.1:8080 --socket /tmp/ingest.sock\n"
	"  heatscoped --config ./heatscoped.yaml --verbose\n"
	"\n"
	"Options override the configuration file, whose keys have the same names.\n"
	"SIGHUP reads the token files again.  Exit status: 0 stopped by SIGTERM or SIGINT; 1 it could not start; 2 wrong usage.\n";

enum { OPT_CONFIG = 'c', OPT_LISTEN = 'l', OPT_SOCKET = 's', OPT_DATABASE = 'd', OPT_VERBOSE = 'v',
       OPT_PAGE = 256, OPT_CUBE_SLOTS, OPT_MAX_SIZE, OPT_KEEP, OPT_API_SOCKET, OPT_TOKEN_FILE, OPT_TLS_CERTIFICATE, OPT_TLS_KEY,
       OPT_NO_CONFIG, OPT_WEBHOOK_HOSTS,
       OPT_BUS, OPT_BUS_CREDENTIALS, OPT_BUS_USER_FILE, OPT_BUS_CA, OPT_BUS_CERTIFICATE, OPT_BUS_KEY, OPT_BUS_REPLICAS, OPT_BUS_MAX_SIZE,
       OPT_CLICKHOUSE, OPT_CLICKHOUSE_DATABASE, OPT_CLICKHOUSE_USER_FILE, OPT_CLICKHOUSE_CA };

static const struct argp_option options[] = {
	{ "config", OPT_CONFIG, "FILE", 0, "YAML file (default " CONF_DEFAULT " if it exists)", 0 },
	{ "no-config", OPT_NO_CONFIG, NULL, 0, "Read no configuration file, not even the default one", 0 },
	{ "listen", OPT_LISTEN, "ADDR:PORT", 0, "Where HTTP is served, or unix:PATH (default 127.0.0.1:23181); beyond "
	  "loopback it needs --token-file, --tls-certificate and --tls-key", 0 },
	{ "api-socket", OPT_API_SOCKET, "PATH", 0, "Serve HTTP on this Unix socket too (mode 0660)", 0 },
	{ "token-file", OPT_TOKEN_FILE, "FILE", 0, "Changes need the token in FILE (mode 0600)", 0 },
	{ "tls-certificate", OPT_TLS_CERTIFICATE, "FILE", 0, "Serve HTTPS with this certificate (PEM)", 0 },
	{ "tls-key", OPT_TLS_KEY, "FILE", 0, "Its private key (PEM)", 0 },
	{ "socket", OPT_SOCKET, "PATH", 0, "Unix socket for collectors (default /run/heatscope/ingest.sock)", 0 },
	{ "bus", OPT_BUS, "URL", 0, "Also take what collectors send by a bus, a NATS server with JetStream: nats://HOST:PORT or "
	  "tls://HOST:PORT; several with commas", 0 },
	{ "bus-credentials", OPT_BUS_CREDENTIALS, "FILE", 0, "The user's JWT and seed for the bus", 0 },
	{ "bus-user-file", OPT_BUS_USER_FILE, "FILE", 0, "The user for the bus, a line USER:PASSWORD", 0 },
	{ "bus-ca", OPT_BUS_CA, "FILE", 0, "The authorities that may sign the bus' certificate, PEM (default: the system's)", 0 },
	{ "bus-certificate", OPT_BUS_CERTIFICATE, "FILE", 0, "Our certificate for the bus, PEM", 0 },
	{ "bus-key", OPT_BUS_KEY, "FILE", 0, "Its private key, PEM", 0 },
	{ "bus-replicas", OPT_BUS_REPLICAS, "N", 0, "How many of the bus' servers keep each batch: 1 (default), 3 or 5", 0 },
	{ "bus-max-size", OPT_BUS_MAX_SIZE, "SIZE", 0, "Limit for batches that wait in the bus, or \"none\" (default); beyond it "
	  "collectors keep them", 0 },
	{ "database", OPT_DATABASE, "PATH", 0, "Database file, or \"memory\" (default /var/lib/heatscope/heatscope.db)", 0 },
	{ "clickhouse", OPT_CLICKHOUSE, "URL[,URL...]", 0, "Keep the data in a ClickHouse server, or divided among several, instead of "
	  "the database file: http://HOST:PORT or https://HOST:PORT", 0 },
	{ "clickhouse-database", OPT_CLICKHOUSE_DATABASE, "NAME", 0, "Its database (default heatscope), which is made if it is missing", 0 },
	{ "clickhouse-user-file", OPT_CLICKHOUSE_USER_FILE, "FILE", 0, "The user for it, a line USER:PASSWORD", 0 },
	{ "clickhouse-ca", OPT_CLICKHOUSE_CA, "FILE", 0, "The authorities that may sign its certificate, PEM (default: the system's)", 0 },
	{ "page", OPT_PAGE, "DIR", 0, "The folder of the built page (default " PKGDATADIR "/page)", 0 },
	{ "cube-slots", OPT_CUBE_SLOTS, "N", 0, "How many of the newest slots of each instrumentation to keep in "
		"memory (default 3600)", 0 },
	{ "max-size", OPT_MAX_SIZE, "SIZE", 0, "Limit for the database, like \"10 GB\" (the default), or \"none\"; "
		"beyond it the oldest data are dropped, the finest first", 0 },
	{ "webhook-hosts", OPT_WEBHOOK_HOSTS, "HOST,...", 0, "The only hosts that webhooks may use", 0 },
	{ "keep", OPT_KEEP, NULL, 0, "Keep data beyond their retention, to show recordings", 0 },
	{ "verbose", OPT_VERBOSE, NULL, 0, "Print more on standard error", 0 },
	{ 0 },
};

struct arguments {
	const char *config;		/* the file to read; NULL: no file */
	struct conf *conf;
};

static void set_path(struct argp_state *state, const char *name, const char *text, char *out)
{
	if (!*text || strlen(text) >= PATH_MAX)
		argp_error(state, "--%s needs a value of 1 to %d bytes", name, PATH_MAX - 1);
	snprintf(out, PATH_MAX, "%s", text);
}

static void set_slots(struct argp_state *state, const char *text, struct conf *conf)
{
	char *end, reason[CONF_REASON_MAX];
	unsigned long n = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end)
		argp_error(state, "--cube-slots needs a number, not \"%s\"", text);
	conf->cube_slots = n > UINT_MAX ? 0 : (unsigned)n;
	if (conf_check(conf, reason))
		argp_error(state, "%s", reason);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;
	struct conf *conf = a->conf;
	char reason[CONF_REASON_MAX];

	switch (key) {
	case OPT_CONFIG: a->config = arg; break;
	case OPT_NO_CONFIG: a->config = NULL; break;
	case OPT_LISTEN: set_path(state, "listen", arg, conf->listen); break;
	case OPT_SOCKET: set_path(state, "socket", arg, conf->socket); break;
	case OPT_DATABASE: set_path(state, "database", arg, conf->database); break;
	case OPT_PAGE: set_path(state, "page", arg, conf->page); break;
	case OPT_API_SOCKET: set_path(state, "api-socket", arg, conf->api_socket); break;
	case OPT_TOKEN_FILE: set_path(state, "token-file", arg, conf->token_file); break;
	case OPT_TLS_CERTIFICATE: set_path(state, "tls-certificate", arg, conf->tls_certificate); break;
	case OPT_TLS_KEY: set_path(state, "tls-key", arg, conf->tls_key); break;
	case OPT_CUBE_SLOTS: set_slots(state, arg, conf); break;
	case OPT_MAX_SIZE:
		if (conf_set_size(conf, arg, reason))
			argp_error(state, "%s", reason);
		break;
	case OPT_CLICKHOUSE: set_path(state, "clickhouse", arg, conf->clickhouse.url); break;
	case OPT_CLICKHOUSE_DATABASE:
		if (!*arg || strlen(arg) >= sizeof(conf->clickhouse.database))
			argp_error(state, "--clickhouse-database needs a name of 1 to 63 bytes");
		snprintf(conf->clickhouse.database, sizeof(conf->clickhouse.database), "%s", arg);
		break;
	case OPT_CLICKHOUSE_USER_FILE: set_path(state, "clickhouse-user-file", arg, conf->clickhouse.user_file); break;
	case OPT_CLICKHOUSE_CA: set_path(state, "clickhouse-ca", arg, conf->clickhouse.ca); break;
	case OPT_BUS: set_path(state, "bus", arg, conf->bus.url); break;
	case OPT_BUS_CREDENTIALS: set_path(state, "bus-credentials", arg, conf->bus.credentials); break;
	case OPT_BUS_USER_FILE: set_path(state, "bus-user-file", arg, conf->bus.user_file); break;
	case OPT_BUS_CA: set_path(state, "bus-ca", arg, conf->bus.ca); break;
	case OPT_BUS_CERTIFICATE: set_path(state, "bus-certificate", arg, conf->bus.certificate); break;
	case OPT_BUS_KEY: set_path(state, "bus-key", arg, conf->bus.key); break;
	case OPT_BUS_REPLICAS: conf->bus.replicas = (unsigned)atoi(arg); break;
	case OPT_BUS_MAX_SIZE:
		if (conf_set_bus_size(conf, arg, reason))
			argp_error(state, "%s", reason);
		break;
	case ARGP_KEY_END:
		if (conf_check_bus(conf, reason))
			argp_error(state, "%s", reason);
		break;
	case OPT_WEBHOOK_HOSTS:
		if (conf_set_hosts(conf, arg, reason))
			argp_error(state, "%s", reason);
		break;
	case OPT_KEEP: conf->keep = true; break;
	case OPT_VERBOSE: conf->verbose = true; break;
	case ARGP_KEY_ARG: argp_error(state, "unexpected argument \"%s\": there are only options", arg); break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* Reads the options twice: first to find the file, then again so that options override it. */
static int read_conf(int argc, char **argv, struct conf *conf)
{
	const struct argp argp = { .options = options, .parser = parse_option, .doc = doc };
	struct arguments args = { .config = access(CONF_DEFAULT, F_OK) ? NULL : CONF_DEFAULT, .conf = conf };
	char reason[CONF_REASON_MAX];
	int err = 0;

	conf_init(conf);
	argp_err_exit_status = 2;
	argp_parse(&argp, argc, argv, 0, NULL, &args);
	conf_init(conf);
	if (args.config)
		err = conf_read(conf, args.config, reason);
	if (err)
		log_error("%s", reason);
	else
		argp_parse(&argp, argc, argv, 0, NULL, &args);
	return err;
}

struct program {
	struct aggregator aggregator;
	uv_loop_t loop;
	uv_signal_t term, interrupt, hangup;
	bool is_stopping;
	int err;
};

static void stop_program(struct program *p)
{
	if (p->is_stopping)
		return;
	p->is_stopping = true;
	aggregator_stop(&p->aggregator);
	uv_close((uv_handle_t *)&p->term, NULL);	/* a second signal ends us at once */
	uv_close((uv_handle_t *)&p->interrupt, NULL);
	uv_close((uv_handle_t *)&p->hangup, NULL);
}

static void on_hangup(uv_signal_t *s, int signum)
{
	struct program *p = s->data;
	char reason[CONF_REASON_MAX];

	if (aggregator_waits(&p->aggregator))
		log_warning("not reloaded: heatscoped waits for its store");
	else if (aggregator_reload(&p->aggregator, reason))
		log_error("not reloaded, the old tokens stay: %s", reason);
	else
		log_info("reloaded");
}

static void on_signal(uv_signal_t *s, int signum)
{
	struct program *p = s->data;

	if (p->aggregator.conf.verbose)
		log_info("stopping");
	stop_program(p);
}

static void watch_signals(struct program *p)
{
	signal(SIGPIPE, SIG_IGN);
	uv_signal_init(&p->loop, &p->term);
	uv_signal_init(&p->loop, &p->interrupt);
	uv_signal_init(&p->loop, &p->hangup);
	p->term.data = p->interrupt.data = p->hangup.data = p;
	uv_signal_start(&p->term, on_signal, SIGTERM);
	uv_signal_start(&p->interrupt, on_signal, SIGINT);
	uv_signal_start(&p->hangup, on_hangup, SIGHUP);
}

static void say_serving(const struct conf *conf)
{
	char reason[CONF_REASON_MAX];

	log_info("serving %s, collectors at %s, database %s", conf->listen, conf->socket,
		 conf->clickhouse.url[0] ? conf->clickhouse.url : conf->database);
	if (conf->page[0] && page_check(conf->page, reason))
		log_warning("%s", reason);
}

static void on_changed(void *arg, int err, const char *reason)
{
	struct program *p = arg;

	if (!err) {
		say_serving(&p->aggregator.conf);
		return;
	}
	log_error("%s", reason);
	p->err = err;
	stop_program(p);
}

int main(int argc, char **argv)
{
	static struct program p;
	static struct conf conf;
	char reason[CONF_REASON_MAX];

	standard_output_guard("heatscoped");
	log_open("heatscoped", LOG_LEVEL_INFO);
	memory_keep();
	setenv("UV_THREADPOOL_SIZE", WORKERS, 1);
	if (read_conf(argc, argv, &conf) || uv_loop_init(&p.loop))
		return 1;
	watch_signals(&p);
	p.err = aggregator_open(&p.aggregator, &p.loop, &conf, reason);
	aggregator_observe(&p.aggregator, on_changed, &p);
	if (p.err) {
		log_error("%s", reason);
		stop_program(&p);
	} else if (!aggregator_waits(&p.aggregator)) {
		say_serving(&conf);
	}
	uv_run(&p.loop, UV_RUN_DEFAULT);
	aggregator_close(&p.aggregator);
	uv_loop_close(&p.loop);
	return p.err ? 1 : 0;
}
