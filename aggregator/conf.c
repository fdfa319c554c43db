#include "conf.h"

#include <cyaml/cyaml.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CUBE_SLOTS_MAX 1000000

void conf_init(struct conf *conf)
{
	*conf = (struct conf){
		.listen = "127.0.0.1:23181",
		.socket = "/run/heatscope/ingest.sock",
		.database = "/var/lib/heatscope/heatscope.db",
		.page = PKGDATADIR "/page",
		.cube_slots = 3600,
	};
}

int conf_check(const struct conf *conf, char *reason)
{
	if (conf->cube_slots && conf->cube_slots <= CUBE_SLOTS_MAX)
		return 0;
	snprintf(reason, CONF_REASON_MAX, "value \"%u\" for \"cube-slots\" is invalid: 1 to %d", conf->cube_slots,
		 CUBE_SLOTS_MAX);
	return -EINVAL;
}

/* What a file says; NULL: nothing about that. */
struct said {
	char *listen, *socket, *database, *page, *api_socket, *token_file, *tls_certificate, *tls_key;
	unsigned *cube_slots;
	bool *keep, *verbose;
};

#define TEXT_AS(key, name) \
	CYAML_FIELD_STRING_PTR(key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct said, name, 1, PATH_MAX - 1)
#define TEXT(name) TEXT_AS(#name, name)
#define FLAG(name) CYAML_FIELD_BOOL_PTR(#name, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct said, name)

static const cyaml_schema_field_t fields[] = {
	TEXT(listen), TEXT(socket), TEXT(database), TEXT(page), TEXT_AS("api-socket", api_socket),
	TEXT_AS("token-file", token_file), TEXT_AS("tls-certificate", tls_certificate), TEXT_AS("tls-key", tls_key), FLAG(keep), FLAG(verbose),
	CYAML_FIELD_UINT_PTR("cube-slots", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct said, cube_slots),
	CYAML_FIELD_END,
};

static const cyaml_schema_value_t schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct said, fields),
};

/* libcyaml says what is wrong through its log: first what, then where. */
static void note(cyaml_log_t level, void *ctx, const char *format, va_list args)
{
	char *reason = ctx;
	size_t at = strlen(reason);
	char line[256];

	vsnprintf(line, sizeof(line), format, args);
	line[strcspn(line, "\n")] = 0;
	snprintf(reason + at, CONF_REASON_MAX - at, "%s%s", at ? ": " : "", line);
}

static void take_text(const char *said, char conf[PATH_MAX])
{
	if (said)
		snprintf(conf, PATH_MAX, "%s", said);
}

static void take(const struct said *said, struct conf *conf)
{
	take_text(said->listen, conf->listen);
	take_text(said->socket, conf->socket);
	take_text(said->database, conf->database);
	take_text(said->page, conf->page);
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
}

int conf_read(struct conf *conf, const char *path, char *reason)
{
	char why[CONF_REASON_MAX] = "";
	const cyaml_config_t config = { .log_fn = note, .log_ctx = why, .log_level = CYAML_LOG_ERROR, .mem_fn = cyaml_mem };
	struct conf next = *conf;
	struct said *said = NULL;
	cyaml_err_t err;

	if (access(path, R_OK)) {
		snprintf(reason, CONF_REASON_MAX, "%.200s cannot be read: %s", path, strerror(errno));
		return errno == ENOENT ? -ENOENT : -EINVAL;
	}
	err = cyaml_load_file(path, &config, &schema, (cyaml_data_t **)&said, NULL);
	if (err) {
		snprintf(reason, CONF_REASON_MAX, "%.200s is not understood: %.290s", path, why[0] ? why : cyaml_strerror(err));
		return -EINVAL;
	}
	if (said)
		take(said, &next);
	cyaml_free(&config, &schema, said, 0);
	if (conf_check(&next, why)) {
		snprintf(reason, CONF_REASON_MAX, "%.200s: %.300s", path, why);
		return -EINVAL;
	}
	*conf = next;
	return 0;
}
