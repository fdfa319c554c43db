/* heatscope - the command line: asks heatscoped, or starts a private one for recordings. */
#include "command.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *argp_program_version = "heatscope " VERSION;

static const char doc[] =
	"See every query of the last minutes as a picture.\v"
	"Commands:\n"
	"  metrics    what can be measured here, and why not\n"
	"  create     switch a metric on: make an instrumentation\n"
	"  clone      another instrumentation like one, but for what is said\n"
	"  set        how long one is kept; suspend it, resume it\n"
	"  list       the instrumentations\n"
	"  show       one instrumentation with its sources\n"
	"  delete     switch instrumentations off and drop their data\n"
	"  raw        counts and percentiles per key\n"
	"  explain    what sets a rectangle of time and value apart from the rest\n"
	"  compare    two times, keys or measures against each other\n"
	"  slow       single slow statements, and what their time was\n"
	"  fsslow     single statements with their time in files\n"
	"  snoop      a sample of single statements\n"
	"  composition  what the time of the events in a rectangle of a map was\n"
	"  watch      the live heat map in the terminal\n"
	"  render     a heat map as PNG, PDF or SVG\n"
	"  report     latency, on-CPU and off-CPU maps with tables, as PNG, PDF, SVG, HTML or JSON\n"
	"  chart      rates or percentiles over time, as PNG, PDF, SVG or JSON\n"
	"  flame      stacks with their time or number, as a flame graph or folded\n"
	"  export     the numbers behind a heat map, as CSV\n"
	"  describe   a heat map in words: modes, shifts, the worst minute, and tables\n"
	"  open       a PNG of these brought back: its numbers, or drawn anew\n"
	"  record     record this host into a file\n"
	"  replay     feed a recording to heatscoped\n"
	"  alerts     what is watched, and how it is: add, remove\n"
	"  annotate   a note at a time, such as a deploy, that all maps show\n"
	"  worksheets  saved arrangements of maps: list, show, export, import, delete\n"
	"  off, on    measure nothing at all; measure again\n"
	"  status     how heatscoped and its sources fare\n"
	"  doctor     what works on this host, what does not, and why\n"
	"\n"
	"Examples:\n"
	"  heatscope create mysql.queries --by statement\n"
	"  heatscope raw 1 --duration 60\n"
	"  heatscope report 1 --duration 300 -o report.pdf\n"
	"\n"
	"'heatscope COMMAND --help' tells more. Exit status: 0 done, 1 refused or failed, 2 wrong usage.";

enum { OPT_CACERT = 256 };

static const struct argp_option options[] = {
	{ "url", 'u', "URL", 0, "heatscoped's address: http://HOST:PORT, https://HOST:PORT or unix:PATH (default $HEATSCOPE_URL, "
	  "then " CLIENT_SOCKET " if you may use it, then " CLIENT_URL ")", 0 },
	{ "token-file", 't', "FILE", 0, "The token for changing things over HTTP (default $HEATSCOPE_TOKEN_FILE)", 0 },
	{ "cacert", OPT_CACERT, "FILE", 0, "Certificates to trust for https (default $HEATSCOPE_CACERT, then the system's)", 0 },
	{ 0 },
};

struct global {
	struct client client;
	int first;			/* index of the command in argv */
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct global *g = state->input;

	switch (key) {
	case 'u':
		g->client.url = arg;
		return 0;
	case 't':
		g->client.token_file = arg;
		return 0;
	case OPT_CACERT:
		g->client.cacert = arg;
		return 0;
	case ARGP_KEY_ARG:
		g->first = state->next - 1;
		state->next = state->argc;	/* the rest is the command's */
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_usage(state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = { options, parse, "COMMAND [ARGUMENT...]", doc, NULL, NULL, NULL };

/* NULL: not there, or empty. */
static const char *said(const char *variable)
{
	const char *value = getenv(variable);

	return value && *value ? value : NULL;
}

int main(int argc, char **argv)
{
	struct global g = { .client = { .url = said("HEATSCOPE_URL") ?: client_url_default(),
					.token_file = said("HEATSCOPE_TOKEN_FILE"), .cacert = said("HEATSCOPE_CACERT") } };
	char name[64];
	int status;

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
