#include "aggregator/conf/private.h"

#include "aggregator/base/endpoint.h"
#include "collector/bus/bus.h"
#include "collector/core/instrumentation.h"
#include "collector/core/refuse.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CUBE_SLOTS_MAX 1000000
#define MAX_SIZE_MIN 32000000
#define MAX_SIZE_DEFAULT 10000000000

void conf_init(struct conf *conf)
{
	*conf = (struct conf){
		.listen = "127.0.0.1:23181",
		.socket = "/run/heatscope/ingest.sock",
		.database = "/var/lib/heatscope/heatscope.db",
		.page = PKGDATADIR "/page",
		.bus.replicas = 1,
		.clickhouse.database = "heatscope",
		.cube_slots = 3600,
		.max_size = MAX_SIZE_DEFAULT,
	};
}

int conf_check(const struct conf *conf, char *reason)
{
	if (conf->cube_slots && conf->cube_slots <= CUBE_SLOTS_MAX)
		return 0;
	return refuse_in(-EINVAL, reason, CONF_REASON_MAX, "value \"%u\" for \"cube-slots\" is invalid: 1 to %d",
		conf->cube_slots, CUBE_SLOTS_MAX);
}

/* The file as libcyaml reads it; NULL: the key is absent. */
struct said {
	char *listen, *socket, *database, *page, *api_socket, *token_file, *tls_certificate, *tls_key;
	char *max_size, *page_url, *webhook_hosts;
	char *clickhouse, *clickhouse_database, *clickhouse_user_file, *clickhouse_ca;
	char *bus, *bus_credentials, *bus_user_file, *bus_ca, *bus_certificate, *bus_key, *bus_max_size;
	unsigned *cube_slots, *bus_replicas;
	bool *keep, *verbose;
	struct said_inst *instrumentation;
	struct said_webhook *webhooks;
	struct said_alert *alerts;
	struct said_report *reports;
	struct said_export *export;
	struct said_otlp *otlp;
	unsigned n_instrumentations, n_webhooks, n_alerts, n_reports, n_export;
};

const cyaml_strval_t conf_flags[] = {
	{ "true", 1 }, { "false", 0 }, { "yes", 1 }, { "no", 0 }, { "on", 1 }, { "off", 0 },
};

#define TEXT_AS(key, name) \
	CYAML_FIELD_STRING_PTR(key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct said, name, 1, PATH_MAX - 1)
#define TEXT(name) TEXT_AS(#name, name)
#define FLAG(name) \
	CYAML_FIELD_ENUM_PTR(#name, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL | CYAML_FLAG_STRICT | CYAML_FLAG_CASE_INSENSITIVE, \
			     struct said, name, conf_flags, CONF_FLAGS)

#define INST_TEXT(key, flags) CYAML_FIELD_STRING_PTR(#key, CYAML_FLAG_POINTER | (flags), struct said_inst, key, 1, CONF_NAME_MAX - 1)

static const cyaml_schema_value_t name_schema = {
	CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 1, CONF_NAME_MAX - 1),
};
static const cyaml_schema_value_t number_schema = { CYAML_VALUE_UINT(CYAML_FLAG_DEFAULT, unsigned) };

static const cyaml_schema_field_t inst_fields[] = {
	INST_TEXT(name, CYAML_FLAG_OPTIONAL), INST_TEXT(module, 0), INST_TEXT(stat, 0),
	CYAML_FIELD_STRING_PTR("predicate", MAY, struct said_inst, predicate, 1, CONF_REQUEST_MAX - 500),
	CYAML_FIELD_SEQUENCE_COUNT("decomposition", MAY, struct said_inst, decomposition, n_decomposition, &name_schema, 0, 5),
	CYAML_FIELD_SEQUENCE_COUNT("measures", MAY, struct said_inst, measures, n_measures, &name_schema, 0, 8),
	CYAML_FIELD_SEQUENCE_COUNT("weights", MAY, struct said_inst, weights, n_weights, &name_schema, 0, 16),
	CYAML_FIELD_FLOAT_PTR("granularity", MAY, struct said_inst, granularity),
	CYAML_FIELD_UINT_PTR("retention-time", MAY, struct said_inst, retention),
	CYAML_FIELD_SEQUENCE_COUNT("tiers", MAY, struct said_inst, tiers, n_tiers, &number_schema, 2, 2),
	CYAML_FIELD_UINT_PTR("ruler-bits", MAY, struct said_inst, ruler_bits),
	CYAML_FIELD_UINT_PTR("keys", MAY, struct said_inst, keys),
	CYAML_FIELD_UINT_PTR("exemplars", MAY, struct said_inst, exemplars),
	CYAML_FIELD_END,
};
static const cyaml_schema_value_t inst_schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct said_inst, inst_fields),
};

static const cyaml_schema_field_t fields[] = {
	TEXT(listen), TEXT(socket), TEXT(database), TEXT(page), TEXT_AS("api-socket", api_socket),
	TEXT_AS("token-file", token_file), TEXT_AS("tls-certificate", tls_certificate), TEXT_AS("tls-key", tls_key), FLAG(keep), FLAG(verbose),
	CYAML_FIELD_UINT_PTR("cube-slots", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct said, cube_slots),
	TEXT_AS("max-size", max_size),
	TEXT(clickhouse), TEXT_AS("clickhouse-user-file", clickhouse_user_file), TEXT_AS("clickhouse-ca", clickhouse_ca),
	CYAML_FIELD_STRING_PTR("clickhouse-database", MAY, struct said, clickhouse_database, 1, 63),
	TEXT(bus), TEXT_AS("bus-credentials", bus_credentials), TEXT_AS("bus-user-file", bus_user_file), TEXT_AS("bus-ca", bus_ca),
	TEXT_AS("bus-certificate", bus_certificate), TEXT_AS("bus-key", bus_key), TEXT_AS("bus-max-size", bus_max_size),
	CYAML_FIELD_UINT_PTR("bus-replicas", MAY, struct said, bus_replicas),
	CYAML_FIELD_STRING_PTR("webhook-hosts", MAY, struct said, webhook_hosts, 1, CONF_HOSTS_MAX - 1),
	CYAML_FIELD_STRING_PTR("page-url", MAY, struct said, page_url, 1, CONF_URL_MAX - 1),
	CYAML_FIELD_SEQUENCE_COUNT("instrumentations", MAY, struct said, instrumentation, n_instrumentations, &inst_schema, 0, CONF_INSTRUMENTATIONS_MAX),
	CYAML_FIELD_SEQUENCE_COUNT("webhooks", MAY, struct said, webhooks, n_webhooks, &conf_webhook_schema, 0, CONF_WEBHOOKS_MAX),
	CYAML_FIELD_SEQUENCE_COUNT("alerts", MAY, struct said, alerts, n_alerts, &conf_alert_schema, 0, CONF_ALERTS_MAX),
	CYAML_FIELD_SEQUENCE_COUNT("reports", MAY, struct said, reports, n_reports, &conf_report_schema, 0, CONF_REPORTS_MAX),
	CYAML_FIELD_SEQUENCE_COUNT("export", MAY, struct said, export, n_export, &conf_export_schema, 0, EXPORT_MAX),
	CYAML_FIELD_MAPPING_PTR("otlp", MAY, struct said, otlp, conf_otlp_fields),
	CYAML_FIELD_END,
};

static const cyaml_schema_value_t schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct said, fields),
};

#define LOG_MAX 1024

/* libcyaml reports errors through its log: first what, then where, from the inside out. */
static void note_message(cyaml_log_t level, void *ctx, const char *format, va_list args)
{
	char *log = ctx;
	size_t at = strlen(log);
	char line[256];

	vsnprintf(line, sizeof(line), format, args);
	line[strcspn(line, "\n")] = 0;
	snprintf(log + at, LOG_MAX - at, "%s\n", line);
}

/* "10 GB", "500 MiB", "1000000000"; "none": 0. */
static int read_size(const char *text, unsigned long long *ret)
{
	static const struct { const char *name; unsigned long long bytes; } units[] = {
		{ "", 1 }, { "B", 1 }, { "kB", 1000 }, { "MB", 1000000 }, { "GB", 1000000000 }, { "TB", 1000000000000 },
		{ "KiB", 1 << 10 }, { "MiB", 1 << 20 }, { "GiB", 1 << 30 }, { "TiB", 1ull << 40 },
	};
	char *end;
	double number = strtod(text, &end);

	if (!strcmp(text, "none")) {
		*ret = 0;
		return 0;
	}
	end += strspn(end, " ");
	for (size_t i = 0; *text >= '0' && *text <= '9' && i < sizeof(units) / sizeof(*units); i++)
		if (!strcmp(end, units[i].name) && number * (double)units[i].bytes < 1e18) {
			*ret = (unsigned long long)(number * (double)units[i].bytes);
			return 0;
		}
	return -EINVAL;
}

static int set_size(unsigned long long *ret_size, unsigned long long least, const char *key, const char *text, char *reason)
{
	unsigned long long size;

	if (!read_size(text, &size) && (!size || size >= least)) {
		*ret_size = size;
		return 0;
	}
	return refuse_in(-EINVAL, reason, CONF_REASON_MAX, "value \"%.40s\" for \"%s\" is invalid: a size like "
		"10 GB, at least %llu MB, or none", text, key, least / 1000000);
}

int conf_set_size(struct conf *conf, const char *text, char *reason)
{
	return set_size(&conf->max_size, MAX_SIZE_MIN, "max-size", text, reason);
}

int conf_set_bus_size(struct conf *conf, const char *text, char *reason)
{
	return set_size(&conf->bus.max_size, MAX_SIZE_MIN, "bus-max-size", text, reason);
}

int conf_check_bus(const struct conf *conf, char *reason)
{
	const struct conf_bus *b = &conf->bus;
	const struct bus_conf bus = { b->url, b->credentials, b->user_file, b->ca, b->certificate, b->key, "heatscoped", NULL };
	char why[REASON_MAX];

	if (!b->url[0] && (b->credentials[0] || b->user_file[0] || b->ca[0] || b->certificate[0] || b->key[0]))
		return refuse_in(-EINVAL, reason, CONF_REASON_MAX, "the keys bus-... need bus");
	if (b->replicas != 1 && b->replicas != 3 && b->replicas != 5)
		return refuse_in(-EINVAL, reason, CONF_REASON_MAX, "value \"%u\" for \"bus-replicas\" is invalid: 1, 3 or 5",
			b->replicas);
	if (b->url[0] && bus_conf_check(&bus, why))
		return refuse_in(-EINVAL, reason, CONF_REASON_MAX, "bus: %s", why);
	return 0;
}

static void take_text(const char *said, char conf[PATH_MAX])
{
	if (said)
		snprintf(conf, PATH_MAX, "%s", said);
}

/* Puts the key's line before the message about its value. */
static void name_line(const char *path, const char *key, char *why)
{
	char text[CONF_REASON_MAX];

	snprintf(text, sizeof(text), "%s", why);
	snprintf(why, CONF_REASON_MAX, "line %u: %.400s", conf_line_of(path, key), text);
}

static int take_page_url(const char *said, const char *path, struct conf *conf, char *reason)
{
	char why[REASON_MAX];

	if (!said)
		return 0;
	if (conf_check_url(said, why) || conf_check_public(said, why))
		return refuse_in(-EINVAL, reason, CONF_REASON_MAX, "line %u: page-url: %s",
			conf_line_of(path, "page-url"), why);
	snprintf(conf->page_url, sizeof(conf->page_url), "%s", said);
	return 0;
}

/* Takes the lists in this order because alerts, reports and exports name webhooks and instrumentations. */
static int take_lists(const struct said *said, const char *path, struct conf *conf, char *reason)
{
	int err = conf_take_instrumentations(said->instrumentation, said->n_instrumentations, path, conf, reason);

	if (!err)
		err = conf_take_webhooks(said->webhooks, said->n_webhooks, path, conf, reason);
	if (!err)
		err = conf_take_alerts(said->alerts, said->n_alerts, path, conf, reason);
	if (!err)
		err = conf_take_reports(said->reports, said->n_reports, path, conf, reason);
	if (!err)
		err = conf_take_export(said->export, said->n_export, path, conf, reason);
	return err ? err : conf_take_otlp(said->otlp, path, conf, reason);
}

/* Refuses an address at which heatscoped cannot listen; is_path: it is the path of a Unix socket. */
static int check_place(const char *said, bool is_path, const char *key, const char *path, char *reason)
{
	char at[PATH_MAX + 8];
	struct endpoint endpoint;
	int err;

	if (!said)
		return 0;
	snprintf(at, sizeof(at), "%s%s", is_path ? "unix:" : "", said);
	err = endpoint_parse(at, &endpoint, reason, CONF_REASON_MAX);
	if (err)
		name_line(path, key, reason);
	return err;
}

static int check_places(const struct said *said, const char *path, char *reason)
{
	int err = check_place(said->listen, false, "listen", path, reason);

	if (!err)
		err = check_place(said->api_socket, true, "api-socket", path, reason);
	return err ? err : check_place(said->socket, true, "socket", path, reason);
}

static int take_bus(const struct said *said, const char *path, struct conf *conf, char *reason)
{
	int err = said->bus_max_size ? conf_set_bus_size(conf, said->bus_max_size, reason) : 0;

	take_text(said->bus, conf->bus.url);
	take_text(said->bus_credentials, conf->bus.credentials);
	take_text(said->bus_user_file, conf->bus.user_file);
	take_text(said->bus_ca, conf->bus.ca);
	take_text(said->bus_certificate, conf->bus.certificate);
	take_text(said->bus_key, conf->bus.key);
	if (said->bus_replicas)
		conf->bus.replicas = *said->bus_replicas;
	if (err)
		name_line(path, "bus-max-size", reason);
	else
		err = conf_check_bus(conf, reason);
	return err;
}

static void take_clickhouse(const struct said *said, struct conf_clickhouse *conf)
{
	take_text(said->clickhouse, conf->url);
	take_text(said->clickhouse_user_file, conf->user_file);
	take_text(said->clickhouse_ca, conf->ca);
	if (said->clickhouse_database)
		snprintf(conf->database, sizeof(conf->database), "%s", said->clickhouse_database);
}

static int take_settings(const struct said *said, const char *path, struct conf *conf, char *reason)
{
	int err = said->max_size ? conf_set_size(conf, said->max_size, reason) : 0;
	const char *key = err ? "max-size" : "webhook-hosts";

	if (!err && said->webhook_hosts)
		err = conf_set_hosts(conf, said->webhook_hosts, reason);
	take_text(said->listen, conf->listen);
	take_text(said->socket, conf->socket);
	take_text(said->database, conf->database);
	take_text(said->page, conf->page);
	take_clickhouse(said, &conf->clickhouse);
	take_text(said->api_socket, conf->api_socket);
	take_text(said->token_file, conf->token_file);
	take_text(said->tls_certificate, conf->tls_certificate);
	take_text(said->tls_key, conf->tls_key);
	if (said->cube_slots)
		conf->cube_slots = *said->cube_slots;
	if (said->keep)
		conf->keep = *said->keep;
	if (said->verbose)
		conf->verbose = *said->verbose;
	if (err)
		name_line(path, key, reason);
	else
		err = take_page_url(said->page_url, path, conf, reason);
	if (!err)
		err = check_places(said, path, reason);
	if (!err)
		err = take_bus(said, path, conf, reason);
	return err ? err : take_lists(said, path, conf, reason);
}

int conf_read(struct conf *conf, const char *path, char *reason)
{
	char why[CONF_REASON_MAX] = "", log[LOG_MAX] = "";
	const cyaml_config_t config = { .log_fn = note_message, .log_ctx = log, .log_level = CYAML_LOG_ERROR, .mem_fn = cyaml_mem };
	struct conf next = *conf;
	struct said *said = NULL;
	struct stat st;
	cyaml_err_t err;
	int bad = 0;

	if (access(path, R_OK) || stat(path, &st))
		return refuse_in(errno == ENOENT ? -ENOENT : -EINVAL, reason, CONF_REASON_MAX, "%.200s cannot be read: "
			"%s", path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return refuse_in(-EINVAL, reason, CONF_REASON_MAX, "%.200s is a folder, not a file", path);
	err = cyaml_load_file(path, &config, &schema, (cyaml_data_t **)&said, NULL);
	if (err) {
		conf_explain(path, log[0] ? log : cyaml_strerror(err), reason);
		return -EINVAL;
	}
	snprintf(next.file, sizeof(next.file), "%s", path);
	if (said)
		bad = take_settings(said, path, &next, why);
	cyaml_free(&config, &schema, said, 0);
	if (!bad && conf_check(&next, why)) {
		name_line(path, "cube-slots", why);
		bad = -EINVAL;
	}
	if (bad)
		return refuse_in(-EINVAL, reason, CONF_REASON_MAX, "%.200s: %.300s", path, why);
	*conf = next;
	return 0;
}
