/* heatscope - runs the commands: it sends requests to heatscoped, or starts a private one for recordings. */
#include "ui/cli/base/command.h"
#include "ui/cli/commands/commands.h"
#include "collector/core/standard_output.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *argp_program_version = "heatscope " VERSION;

static const char doc[] =
	"See every query of the last minutes as a picture.\v"
	"Examples:\n"
	"  heatscope create mysql.queries --by statement\n"
	"  heatscope raw 1 --duration 5m\n"
	"  heatscope report 1 --start 14:05 --end 14:10 -o report.pdf\n"
	"\n"
	"'heatscope COMMAND --help' explains a command, heatscope(1) everything. Exit status: 0 done, 1 refused or "
		"failed, 2 wrong usage.";

static const char *const group_titles[] = {
	[COMMAND_LOOK] = "Look at measurements", [COMMAND_ASK] = "Find differences, slow statements and waits",
	[COMMAND_EXPORT] = "Export pictures, numbers and recordings", [COMMAND_MANAGE] = "Manage instrumentations, "
		"alerts and notes",
};

/* The commands by group, before what `doc` has after the options.  argp frees it. */
static char *help_text(int key, const char *text, void *unused)
{
	char *out = NULL;
	size_t len;
	FILE *f = key == ARGP_KEY_HELP_POST_DOC ? open_memstream(&out, &len) : NULL;

	if (!f)
		return (char *)text;
	for (const struct command *c = commands; c->name; c++) {
		if (c == commands || c->group != c[-1].group)
			show_print(f, c == commands ? "%s:\n" : "\n%s:\n", group_titles[c->group]);
		show_print(f, "  %-12s %s\n", c->name, c->summary);
	}
	show_print(f, "\n");
	show_lines(f, text ? text : "", text ? strlen(text) : 0, false);
	return fclose(f) ? (char *)text : out;
}

enum { OPT_CACERT = 256 };

static const struct argp_option options[] = {
	{ "url", 'u', "URL", 0, "heatscoped's address: http://HOST:PORT, https://HOST:PORT or unix:PATH (default $HEATSCOPE_URL, "
	  "then " CLIENT_SOCKET " if you may use it, then " CLIENT_URL ")", 0 },
	{ "token-file", 't', "FILE", 0, "The token for changes over HTTP (default $HEATSCOPE_TOKEN_FILE)", 0 },
	{ "cacert", OPT_CACERT, "FILE", 0, "Certificates to trust for https (default $HEATSCOPE_CACERT, then the system's)", 0 },
	{ 0 },
};

struct global {
	struct client client;
	int first;			/* index of the command in argv */
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct global *g = state->input;

	switch (key) {
	case 'u': g->client.url = arg; return 0;
	case 't': g->client.token_file = arg; return 0;
	case OPT_CACERT: g->client.cacert = arg; return 0;
	case ARGP_KEY_ARG:
		g->first = state->next - 1;
		state->next = state->argc;	/* the rest is the command's */
		return 0;
	case ARGP_KEY_NO_ARGS: argp_usage(state); return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = { options, parse_option, "COMMAND [ARGUMENT...]", doc, NULL, help_text, NULL };

/* NULL: not there, or empty. */
static const char *env_value(const char *variable)
{
	const char *value = getenv(variable);

	return value && *value ? value : NULL;
}

int main(int argc, char **argv)
{
	struct global g = { .client = { .url = env_value("HEATSCOPE_URL") ?: client_url_default(),
					.token_file = env_value("HEATSCOPE_TOKEN_FILE"),
					.cacert = env_value("HEATSCOPE_CACERT") } };
	char name[64];
	int status;

	standard_output_guard("heatscope");
	argp_err_exit_status = EXIT_USAGE;
	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &g);
	curl_global_init(CURL_GLOBAL_DEFAULT);
	for (const struct command *c = commands; c->name; c++) {
		if (strcmp(c->name, argv[g.first]))
			continue;
		snprintf(name, sizeof(name), "heatscope %s", c->name);
		argv[g.first] = name;
		status = c->run(&g.client, argc - g.first, argv + g.first);
		curl_global_cleanup();
		return status;
	}
	show_print(stderr, "heatscope: no command \"%s\"; 'heatscope --help' lists them\n", argv[g.first]);
	return EXIT_USAGE;
}
