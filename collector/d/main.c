/* heatscope-dtrace compiles D scripts to BPF, runs them, and prints as dtrace(1) does. */
#include "collector/core/array.h"
#include "collector/d/compile.h"
#include "collector/d/parse.h"
#include "collector/d/probe.h"
#include "collector/d/session.h"

#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXIT_USAGE 2

error_t argp_err_exit_status = EXIT_USAGE;

static const char doc[] =
	"Runs D scripts, the language of DTrace, in the kernel by BPF.\v"
	"Examples:\n"
	"  Print a line, then end:\n"
	"    heatscope-dtrace -n 'BEGIN { printf(\"hello %d\\n\", 6 * 7); exit(0); }'\n"
	"  Only what the script prints, with an argument:\n"
	"    heatscope-dtrace -qn 'BEGIN { trace($1 + 1); exit(0); }' 41\n"
	"  Run a file:\n"
	"    heatscope-dtrace -s script.d\n"
	"  Only compile it, with the tags of errors:\n"
	"    heatscope-dtrace -e -x errtags -s script.d\n"
	"\n"
	"So far: the probes BEGIN and END; printf(), trace(), exit(); integers, global, self-> and this-> variables,\n"
	"predicates, if. See heatscope-dtrace(8).\n"
	"Exit status: that of exit(), 1 failure, 2 usage.";

static const struct argp_option options[] = {
	{ NULL, 'n', "PROGRAM", 0, "Run this text; it may be given several times, also with -s", 1 },
	{ NULL, 's', "FILE", 0, "Run this file", 1 },
	{ NULL, 'q', NULL, 0, "Print only what the script prints", 1 },
	{ NULL, 'e', NULL, 0, "Compile, then exit", 1 },
	{ NULL, 'x', "OPTION[=VALUE]", 0, "Set an option: quiet, errtags, defaultargs", 1 },
	{ NULL, 'S', NULL, 0, "Print the intermediate code of each probe", 1 },
	{ NULL, 'V', NULL, 0, "Print the version of D", 1 },
	{ 0 },
};

struct source {
	const char *file;		/* NULL: -n */
	char *text;
	size_t len;
};

struct arguments {
	struct source *sources;
	size_t n_sources, sources_room;
	const char **words;		/* $1 ... */
	size_t n_words, words_room;
	const char **settings;		/* of -x */
	size_t n_settings, settings_room;
	bool quiet, only_compile, show_code;
};

/* ---- arguments ---- */

static void add_source(struct arguments *a, const char *file, const char *text)
{
	if (array_grow(&a->sources, a->n_sources, &a->sources_room, sizeof(*a->sources)))
		exit(EXIT_FAILURE);
	a->sources[a->n_sources++] = (struct source){ file, (char *)text, text ? strlen(text) : 0 };
}

static void add_word(const char ***list, size_t *n, size_t *room, const char *word)
{
	if (array_grow(list, *n, room, sizeof(**list)))
		exit(EXIT_FAILURE);
	(*list)[(*n)++] = word;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case 'n': add_source(a, NULL, text); return 0;
	case 's': add_source(a, text, NULL); return 0;
	case 'q': a->quiet = true; return 0;
	case 'e': a->only_compile = true; return 0;
	case 'S': a->show_code = true; return 0;
	case 'x': add_word(&a->settings, &a->n_settings, &a->settings_room, text); return 0;
	case 'V':
		printf("dtrace: Heatscope D 2.0 (heatscope %s)\n", PACKAGE_VERSION);
		exit(EXIT_SUCCESS);
	case ARGP_KEY_ARG: add_word(&a->words, &a->n_words, &a->words_room, text); return 0;
	case ARGP_KEY_END:
		if (!a->n_sources)
			argp_error(state, "one of -n and -s is needed");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static int read_file(struct source *s)
{
	FILE *in = fopen(s->file, "rb");
	size_t room = D_SCRIPT_MAX + 2;

	s->text = in ? malloc(room) : NULL;
	if (s->text)
		s->len = fread(s->text, 1, room - 1, in);
	if (!s->text || ferror(in)) {
		fprintf(stderr, "dtrace: failed to open %s: %s\n", s->file, strerror(errno));
		return 1;
	}
	fclose(in);
	return 0;
}

static int apply_settings(const struct arguments *a, struct d_compile *c)
{
	for (size_t i = 0; i < a->n_settings; i++) {
		char *key = strdup(a->settings[i]), *value = key ? strchr(key, '=') : NULL;
		int err;

		if (value)
			*value++ = '\0';
		err = key ? d_compile_option(c, key, value) : -ENOMEM;
		if (err)
			fprintf(stderr, "dtrace: failed to set -x %s: there is no such option, or not this value\n", a->settings[i]);
		free(key);
		if (err)
			return 1;
	}
	return 0;
}

/* ---- compile ---- */

/* The line of the error, and a mark under its column. */
static void print_excerpt(const struct d_script *s, const struct d_error *e)
{
	const char *line = s->text;
	size_t len;

	for (unsigned n = 1; n < e->line; n++)
		line = (const char *)memchr(line, '\n', s->text + s->len - line) + 1;
	len = strcspn(line, "\n");
	if (e->column > 200 || len > 200)
		return;
	fprintf(stderr, "%s:%u:%u:\n    ", s->name ? s->name : "-n", e->line, e->column);
	for (size_t i = 0; i < len; i++)
		fputc(line[i] >= ' ' && line[i] < 127 ? line[i] : line[i] == '\t' ? ' ' : '?', stderr);
	fprintf(stderr, "\n    %*s^\n", (int)e->column - 1, "");
}

static int print_error(const struct d_script *s, const struct d_error *e, const struct d_compile *c)
{
	if (s->name)
		fprintf(stderr, "dtrace: failed to compile script %s: ", s->name);
	else
		fprintf(stderr, "dtrace: invalid probe specifier %s: ", s->text);
	if (c->options.errtags)
		fprintf(stderr, "[%s] ", e->tag);
	if (s->name)
		fprintf(stderr, "line %u: ", e->line);
	fprintf(stderr, "%s\n", e->text);
	print_excerpt(s, e);
	return 1;
}

static int no_memory(void)
{
	fprintf(stderr, "dtrace: no memory\n");
	return 1;
}

static void print_notice(const struct d_script *s, unsigned n)
{
	const char *plural = n == 1 ? "" : "s";

	if (s->name)
		fprintf(stderr, "dtrace: script '%s' matched %u probe%s\n", s->name, n, plural);
	else
		fprintf(stderr, "dtrace: description '%.*s' matched %u probe%s\n", (int)strcspn(s->text, "{/;"), s->text, n, plural);
}

static struct d_script script_of(const struct source *s) { return (struct d_script){ s->file, s->text, s->len }; }

/* *n_probes has a number for each script. */
static int compile(const struct arguments *a, struct d_compile *c, unsigned *n_probes)
{
	for (size_t i = 0; i < a->n_sources; i++) {
		const struct d_script s = script_of(&a->sources[i]);
		struct d_error e = { 0 };

		c->macros.script = s.name ? s.name : "dtrace";
		if (d_compile_add(c, &s, s.name ? 0 : D_PARSE_SPECS, &n_probes[i], &e))
			return e.tag ? print_error(&s, &e, c) : no_memory();
	}
	return 0;
}

static int compile_end(const struct arguments *a, struct d_compile *c)
{
	struct d_error e = { 0 };

	if (!d_compile_end(c, &e))
		return 0;
	if (!e.tag)
		return no_memory();
	fprintf(stderr, "dtrace: %s%s%s%s\n", c->options.errtags ? "[" : "", c->options.errtags ? e.tag : "",
		c->options.errtags ? "] " : "", e.text);
	return 1;
}

/* ---- run ---- */

static volatile sig_atomic_t interrupted;

static void on_signal(int signal) { interrupted = signal; }

static int print_reason(const char *reason)
{
	fprintf(stderr, "dtrace: %s\n", reason);
	return 1;
}

/* The program of BEGIN or END; *ret_fd -1: it has no clauses. */
static int load_probe(const struct arguments *a, struct d_compile *c, struct d_session *s, struct d_firing firing, int *ret_fd)
{
	char reason[D_REASON_MAX] = "no memory";
	struct d_error e = { 0 };
	struct d_ir ir = { 0 };
	int err = d_compile_probe(c, firing, &ir, &e);

	*ret_fd = -1;
	if (err == 1)
		return 0;
	if (err) {
		for (size_t i = 0; e.tag && i < a->n_sources; i++)
			if (e.script == a->sources[i].text)
				return print_error(&(struct d_script){ a->sources[i].file, a->sources[i].text, a->sources[i].len }, &e, c);
		return no_memory();
	}
	if (a->show_code) {
		printf("probe %u\n", firing.probe);
		d_ir_print(&ir, stdout);
	}
	if (s && d_session_load(s, &ir, ret_fd, reason))
		err = print_reason(reason);
	d_ir_fini(&ir);
	return err;
}

static const struct d_firing begin_firing = { PROBE_BEGIN, ACTIVITY_BEGIN }, end_firing = { PROBE_END, ACTIVITY_DRAINING };

static void wait_for_end(struct d_session *s)
{
	sigset_t blocked, before;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGINT);
	sigaddset(&blocked, SIGTERM);
	sigprocmask(SIG_BLOCK, &blocked, &before);
	while (!interrupted && s->state->activity != ACTIVITY_DRAINING)
		sigsuspend(&before);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (interrupted == SIGINT)
		fputc('\n', s->consumer->out);
}

static void print_drops(const struct d_session *s)
{
	if (s->state->drops)
		fprintf(stderr, "dtrace: %llu drops\n", (unsigned long long)s->state->drops);
	if (s->state->self_drops)
		fprintf(stderr, "dtrace: %llu dynamic variable drops\n", (unsigned long long)s->state->self_drops);
}

static int run_programs(struct d_session *s, int begin, int end)
{
	char reason[D_REASON_MAX];

	if (begin >= 0 && d_session_fire(s, begin, reason))
		return print_reason(reason);
	d_session_drain(s);
	fflush(s->consumer->out);
	if (s->state->activity == ACTIVITY_BEGIN)
		s->state->activity = ACTIVITY_ACTIVE;
	wait_for_end(s);
	s->state->activity = ACTIVITY_DRAINING;
	if (end >= 0 && d_session_fire(s, end, reason))
		return print_reason(reason);
	d_session_drain(s);
	print_drops(s);
	return s->consumer->exit_status;
}

static int run(const struct arguments *a, struct d_compile *c, const unsigned *n_probes)
{
	struct d_consumer consumer = { .clauses = c->clauses, .n_clauses = c->n_clauses, .quiet = c->options.quiet, .out = stdout,
					.err = stderr };
	struct sigaction act = { .sa_handler = on_signal };
	char reason[D_REASON_MAX];
	struct d_session s;
	int begin = -1, end = -1, status = 1;

	if (d_session_open(&s, &c->program, &consumer, reason))
		return print_reason(reason);
	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	if (!load_probe(a, c, &s, begin_firing, &begin) && !load_probe(a, c, &s, end_firing, &end)) {
		for (size_t i = 0; i < a->n_sources && !c->options.quiet; i++) {
			const struct d_script script = script_of(&a->sources[i]);

			print_notice(&script, n_probes[i]);
		}
		status = run_programs(&s, begin, end);
	}
	if (begin >= 0)
		close(begin);
	if (end >= 0)
		close(end);
	d_session_close(&s);
	return status;
}

/* -e: everything but the kernel. */
static int compile_only(const struct arguments *a, struct d_compile *c)
{
	int fd;

	return load_probe(a, c, NULL, begin_firing, &fd) || load_probe(a, c, NULL, end_firing, &fd);
}

static int dtrace(struct arguments *a, struct d_compile *c)
{
	unsigned *n_probes = calloc(a->n_sources, sizeof(*n_probes));
	int status = !n_probes || d_compile_init(c);

	for (size_t i = 0; !status && i < a->n_sources; i++)
		status = a->sources[i].file ? read_file(&a->sources[i]) : 0;
	c->macros.argument = a->words;
	c->macros.n_arguments = a->n_words;
	c->options.quiet = a->quiet;
	if (!status)
		status = apply_settings(a, c) || compile(a, c, n_probes) || compile_end(a, c);
	if (!status)
		status = a->only_compile ? compile_only(a, c) : run(a, c, n_probes);
	free(n_probes);
	return status;
}

int main(int argc, char **argv)
{
	static const struct argp argp = { options, parse_option, "[ARGUMENT...]", doc, NULL, NULL, NULL };
	struct arguments a = { 0 };
	struct d_compile c = { 0 };
	int status;

	argp_parse(&argp, argc, argv, 0, NULL, &a);
	status = dtrace(&a, &c);
	d_compile_fini(&c);
	for (size_t i = 0; i < a.n_sources; i++)
		if (a.sources[i].file)
			free(a.sources[i].text);
	free(a.sources);
	free(a.words);
	free(a.settings);
	return status;
}
