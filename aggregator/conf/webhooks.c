/* Reads the webhooks of a configuration file: the destinations of alerts and reports. */
#include "aggregator/conf/private.h"

#include "aggregator/notify/host_list.h"
#include "collector/core/refuse.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define TIMEOUT_MAX_S 60
#define TIMEOUT_S 10

#define TEXT(key, name, flags, most) CYAML_FIELD_STRING_PTR(key, CYAML_FLAG_POINTER | (flags), struct said_webhook, name, 1, most)

static const cyaml_schema_field_t fields[] = {
	TEXT("name", name, 0, CONF_NAME_MAX - 1), TEXT("url", url, 0, CONF_URL_MAX - 1),
	TEXT("token-file", token_file, CYAML_FLAG_OPTIONAL, PATH_MAX - 1),
	CYAML_FIELD_UINT_PTR("timeout", MAY, struct said_webhook, timeout),
	CYAML_FIELD_ENUM_PTR("picture", MAY | CYAML_FLAG_STRICT | CYAML_FLAG_CASE_INSENSITIVE, struct said_webhook, picture, conf_flags, CONF_FLAGS),
	CYAML_FIELD_END,
};
const cyaml_schema_value_t conf_webhook_schema = { CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct said_webhook, fields) };

int conf_check_url(const char *url, char *reason)
{
	const char *host = !strncmp(url, "http://", 7) ? url + 7 : !strncmp(url, "https://", 8) ? url + 8 : NULL;
	const char *at = url;

	while (*at > ' ' && *at < 0x7f)
		at++;
	if (host && *host && !strchr("/:?#@", *host) && !*at)
		return 0;
	return refuse(reason, "not a URL that can be used: it must be like https://example.net/hook, without "
		"spaces");	/* it may be a secret */
}

int conf_check_public(const char *url, char *reason)
{
	const char *at = strstr(url, "://"), *end = at ? at + 3 + strcspn(at + 3, "/?#") : url;

	if (!at || !memchr(at, '@', (size_t)(end - at)))
		return 0;
	return refuse(reason, "it has a user or a password, and it is sent to everybody who gets a link");
}

int conf_set_hosts(struct conf *conf, const char *text, char *reason)
{
	if (!host_list_is_valid(text) || strlen(text) >= sizeof(conf->webhook_hosts))
		return refuse_in(-EINVAL, reason, CONF_REASON_MAX, "value \"%.100s\" for \"webhook-hosts\" is invalid: "
			"hosts with commas between them, without ports, like hooks.example.net, 192.0.2.7",
			strchr(text, '@') ? "..." : text);
	snprintf(conf->webhook_hosts, sizeof(conf->webhook_hosts), "%s", text);
	return 0;
}

int conf_check_webhook(const struct conf *conf, const char *name, char *reason)
{
	for (size_t i = 0; name && i < conf->n_webhooks; i++)
		if (!strcmp(conf->webhook[i].name, name))
			return 0;
	if (name)
		/* a URL may be a secret */
		snprintf(reason, REASON_MAX, "there is no \"%s\" under `webhooks`", strstr(name, "://") ? "URL" : name);
	return name ? -EINVAL : 0;
}

static int take_one(const struct said_webhook *s, struct conf_webhook *w, char *reason)
{
	if (conf_check_url(s->url, reason))
		return -EINVAL;
	if (s->timeout && (*s->timeout < 1 || *s->timeout > TIMEOUT_MAX_S))
		return refuse(reason, "value \"%u\" for \"timeout\" is invalid: 1 to %d seconds", *s->timeout, TIMEOUT_MAX_S);
	snprintf(w->name, sizeof(w->name), "%s", s->name);
	snprintf(w->url, sizeof(w->url), "%s", s->url);
	snprintf(w->token_file, sizeof(w->token_file), "%s", s->token_file ? s->token_file : "");
	w->timeout_s = s->timeout ? *s->timeout : TIMEOUT_S;
	w->picture = s->picture ? *s->picture : true;
	return 0;
}

int conf_take_webhooks(const struct said_webhook *said, unsigned n, const char *path, struct conf *conf, char *reason)
{
	char why[REASON_MAX] = "";
	unsigned line[CONF_WEBHOOKS_MAX];
	int err = 0;

	conf->n_webhooks = n;
	conf_entry_lines(path, "webhooks", n, line);
	for (unsigned i = 0; i < n && !err; i++) {
		conf->webhook[i].line = line[i];
		err = take_one(&said[i], &conf->webhook[i], why);
		if (!err)
			err = conf_check_new(conf->webhook[0].name, sizeof(conf->webhook[0]), i, line, why);
		if (err)
			snprintf(reason, CONF_REASON_MAX, "the webhook at line %u: %s", line[i], why);
	}
	return err;
}
