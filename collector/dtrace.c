/* heatscope-dtrace compiles D scripts to BPF, runs them, and prints as dtrace(1) does. */
#include "collector/collector.h"
#include "collector/core/array.h"
#include "collector/core/log.h"
#include "collector/core/source_name.h"
#include "collector/core/standard_output.h"
#include "collector/d/compile.h"
#include "collector/d/heatmap.h"
#include "collector/d/preprocess.h"
#include "collector/d/run.h"
#include "collector/d/tree/parse.h"
#include "collector/d/viewer.h"
#include "collector/trace/wall.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXIT_USAGE 2
#define SOCKET_PATH "/run/heatscope/ingest.sock"

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
	"  System calls by program, for 5 seconds:\n"
	"    heatscope-dtrace -n 'syscall:::entry { @[execname, probefunc] = count(); } tick-5s { exit(0); }'\n"
	"  Latency of a function:\n"
	"    heatscope-dtrace -p PID -n 'pid$target::work:entry { self->t = timestamp; }' \\\n"
	"      -n 'pid$target::work:return /self->t/ { @ = quantize(timestamp - self->t); self->t = 0; }'\n"
	"  The same, as a live heat map in the terminal and on the page of heatscoped:\n"
	"    heatscope-dtrace --heatmap -p PID -s latency.d\n"
	"\n"
	"So far: the probes BEGIN, END, profile, tick, syscall, pid and those in programs (USDT); printf(), trace(), exit(), aggregations; integers,\n"
	"strings, pointers, associative arrays, translators. See heatscope-dtrace(8).\n"
	"Exit status: that of exit(), 1 failure, 2 usage.";

enum { OPT_HEATMAP = 256, OPT_PAGE, OPT_SOCKET, OPT_SOURCE };

static const struct argp_option options[] = {
	{ NULL, 'n', "PROGRAM", 0, "Run this text; it may be given several times, also with -s", 1 },
	{ NULL, 's', "FILE", 0, "Run this file", 1 },
	{ NULL, 'P', "PROGRAM", 0, "Like -n, of which the first word is a provider", 1 },
	{ NULL, 'm', "PROGRAM", 0, "Like -n, of which the first word is a module", 1 },
	{ NULL, 'f', "PROGRAM", 0, "Like -n, of which the first word is a function", 1 },
	{ NULL, 'i', "PROGRAM", 0, "Like -n, of which the first word is the number of a probe, as -l prints it", 1 },
	{ NULL, 'o', "FILE", 0, "Append the output to this file", 1 },
	{ NULL, 'F', NULL, 0, "Indent entries and returns", 1 },
	{ NULL, 'w', NULL, 0, "Run the script even if it costs more than half of all CPUs", 1 },
	{ NULL, 'p', "PID", 0, "$target is this process; end when it does", 1 },
	{ NULL, 'c', "COMMAND", 0, "Start this command as $target; end when it does", 1 },
	{ NULL, 'Z', NULL, 0, "Descriptions may match no probe", 1 },
	{ NULL, 'q', NULL, 0, "Print only what the script prints", 1 },
	{ NULL, 'e', NULL, 0, "Compile, then exit", 1 },
	{ NULL, 'x', "OPTION[=VALUE]", 0, "Set an option: quiet, errtags, defaultargs, cpushare=PERCENT ..., see heatscope-dtrace(8)", 1 },
	{ NULL, 'l', NULL, 0, "List the probes that the descriptions match, or all that are known without one", 1 },
	{ NULL, 'S', NULL, 0, "Print the intermediate code of each probe", 1 },
	{ NULL, 'V', NULL, 0, "Print the version of D", 1 },
	{ NULL, 'C', NULL, 0, "Run each script through the C preprocessor", 1 },
	{ NULL, 'D', "NAME[=VALUE]", 0, "With -C: define a macro", 1 },
	{ NULL, 'U', "NAME", 0, "With -C: undefine a macro", 1 },
	{ NULL, 'I', "DIRECTORY", 0, "With -C: look there for files of #include", 1 },
	{ NULL, 'v', NULL, 0, "Print what the probes in programs cost", 1 },
	{ "heatmap", OPT_HEATMAP, NULL, 0, "The values of each aggregation but count() are a live heat map: that of the first quantize() "
		"in this terminal, all on the page of heatscoped; q ends the script", 2 },
	{ "page", OPT_PAGE, NULL, 0, "Likewise, only on the page: print its address", 2 },
	{ "socket", OPT_SOCKET, "PATH", 0, "heatscoped's Unix socket for data (default " SOCKET_PATH ")", 2 },
	{ "source", OPT_SOURCE, "NAME", 0, "Our name at heatscoped (default: the host's, a colon, the first map's)", 2 },
	{ "url", 'u', "URL", 0, "heatscoped's address (default: as of heatscope)", 2 },
	{ 0 },
};

struct source {
	const char *file;		/* NULL: -n */
	char *text;
	size_t len;
	bool is_ours;			/* free the text */
};

struct arguments {
	struct source *sources;
	size_t n_sources, sources_room;
	const char **words;		/* $1 ... */
	size_t n_words, words_room;
	const char **settings;		/* of -x */
	size_t n_settings, settings_room;
	const char **preprocessor;	/* its command, ended by NULL when all options are known */
	size_t n_preprocessor, preprocessor_room;
	const char *command;		/* -c */
	const char *output;		/* -o */
	pid_t pid;			/* -p */
	bool quiet, only_compile, show_code, zero_probes, lists, flow, preprocesses, verbose;
	bool heatmap, page, unguarded;
	const char *socket_path, *source, *url;		/* of heatscoped */
};

/* ---- arguments ---- */

static void add_source(struct arguments *a, const char *file, const char *text)
{
	if (array_grow(&a->sources, a->n_sources, &a->sources_room, sizeof(*a->sources)))
		exit(EXIT_FAILURE);
	a->sources[a->n_sources++] = (struct source){ file, (char *)text, text ? strlen(text) : 0, file != NULL };
}

/* A description lacks fields on its right, which are empty. */
static void add_described(struct arguments *a, const char *text, const char *rest)
{
	size_t head = strcspn(text, " \t\n/{"), room = strlen(text) + strlen(rest) + 1;
	char *whole = malloc(room);

	if (!whole)
		exit(EXIT_FAILURE);
	snprintf(whole, room, "%.*s%s%s", (int)head, text, rest, text + head);
	add_source(a, NULL, whole);
	a->sources[a->n_sources - 1].is_ours = true;
}

static void add_word(const char ***list, size_t *n, size_t *room, const char *word)
{
	if (array_grow(list, *n, room, sizeof(**list)))
		exit(EXIT_FAILURE);
	(*list)[(*n)++] = word;
}

/* An option of the preprocessor and its value, two words. */
static void add_macro(struct arguments *a, const char *option, const char *value)
{
	add_word(&a->preprocessor, &a->n_preprocessor, &a->preprocessor_room, option);
	add_word(&a->preprocessor, &a->n_preprocessor, &a->preprocessor_room, value);
}

/* heatscoped refuses any other name, however often it is sent. */
static void take_source(struct arguments *a, const char *text, struct argp_state *state)
{
	char reason[REASON_MAX];

	if (source_name_check(text, reason))
		argp_error(state, "--source: %s", reason);
	a->source = text;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case 'n': add_source(a, NULL, text); return 0;
	case 's': add_source(a, text, NULL); return 0;
	case 'P': add_described(a, text, ":::"); return 0;
	case 'm': add_described(a, text, "::"); return 0;
	case 'f': add_described(a, text, ":"); return 0;
	case 'i': add_described(a, text, ""); return 0;
	case 'o': a->output = text; return 0;
	case 'F': a->flow = true; return 0;
	case 'w': a->unguarded = true; return 0;
	case 'q': a->quiet = true; return 0;
	case 'c': a->command = text; return 0;
	case 'p':
		a->pid = (pid_t)strtoul(text, NULL, 10);
		if (a->pid <= 0)
			argp_error(state, "-p takes the number of a process, not %s", text);
		return 0;
	case 'Z': a->zero_probes = true; return 0;
	case 'e': a->only_compile = true; return 0;
	case 'l': a->lists = true; return 0;
	case 'S': a->show_code = true; return 0;
	case 'v': a->verbose = true; return 0;
	case OPT_HEATMAP: a->heatmap = true; return 0;
	case OPT_PAGE: a->page = true; return 0;
	case OPT_SOCKET: a->socket_path = text; return 0;
	case OPT_SOURCE: take_source(a, text, state); return 0;
	case 'u': a->url = text; return 0;
	case 'C': a->preprocesses = true; return 0;
	case 'D': add_macro(a, "-D", text); return 0;
	case 'U': add_macro(a, "-U", text); return 0;
	case 'I': add_macro(a, "-I", text); return 0;
	case 'x': add_word(&a->settings, &a->n_settings, &a->settings_room, text); return 0;
	case 'V':
		printf("dtrace: Heatscope D 2.0 (heatscope %s)\n", PACKAGE_VERSION);
		exit(EXIT_SUCCESS);
	case ARGP_KEY_ARG: add_word(&a->words, &a->n_words, &a->words_room, text); return 0;
	case ARGP_KEY_END:
		if (!a->n_sources && a->lists)
			add_source(a, NULL, ":::");
		if (!a->n_sources)
			argp_error(state, "one of -n, -P, -m, -f, -i and -s is needed");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static int no_memory(void)
{
	fprintf(stderr, "dtrace: no memory\n");
	return 1;
}

static int read_file(struct source *s)
{
	FILE *in = fopen(s->file, "rb");
	size_t room = D_SCRIPT_MAX + 2;
	bool ok;

	s->text = in ? malloc(room) : NULL;
	if (s->text) {
		s->len = fread(s->text, 1, room - 1, in);
		s->text[s->len] = '\0';
	}
	ok = s->text && !ferror(in);
	if (!ok)
		fprintf(stderr, "dtrace: failed to open %s: %s\n", s->file, strerror(errno));
	if (in)
		fclose(in);
	return ok ? 0 : 1;
}

static int preprocess(const struct arguments *a, struct source *s)
{
	char *text = s->is_ours ? s->text : strndup(s->text, s->len);
	int err;

	if (!text)
		return no_memory();
	s->text = text;
	s->is_ours = true;
	err = d_preprocess(a->preprocessor, &s->text, &s->len);
	if (!err && !s->file && s->len && s->text[s->len - 1] == '\n')
		s->text[--s->len] = '\0';
	if (!err)
		return 0;
	if (err == -EINVAL)
		fprintf(stderr, "dtrace: failed to compile script %s: Preprocessor failed to process input program\n", s->file ? s->file : "-n");
	else if (err == -ENOENT)
		fprintf(stderr, "dtrace: failed to execute %s: there is no such program; the package cpp has it\n", a->preprocessor[0]);
	else
		fprintf(stderr, "dtrace: failed to execute %s: %s\n", a->preprocessor[0], strerror(-err));
	return 1;
}

static int read_sources(const struct arguments *a)
{
	for (size_t i = 0; i < a->n_sources; i++)
		if ((a->sources[i].file && read_file(&a->sources[i])) || (a->preprocesses && preprocess(a, &a->sources[i])))
			return 1;
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
			fprintf(stderr, "dtrace: failed to set -x %s: %s\n", a->settings[i], key ? d_compile_option_failure(key) : "no memory");
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
	const char *line = s->text + (e->at < s->len ? e->at : s->len) - (e->column - 1);
	size_t len = strcspn(line, "\n");

	if (e->column > 200 || len > 200)
		return;
	fprintf(stderr, "%s:%u:%u:\n    ", *e->file ? e->file : s->name ? s->name : "-n", e->line, e->column);
	for (size_t i = 0; i < len; i++)
		fputc(line[i] >= ' ' && line[i] < 127 ? line[i] : line[i] == '\t' ? ' ' : '?', stderr);
	fprintf(stderr, "\n    %*s^\n", (int)e->column - 1, "");
}

/* A program of -n after the lines that the preprocessor adds. */
static const char *without_marks(const char *text)
{
	while (*text == '#')
		text += strcspn(text, "\n") + (strchr(text, '\n') != NULL);
	return text;
}

static int print_error(const struct d_script *s, const struct d_error *e, const struct d_compile *c)
{
	if (s->name)
		fprintf(stderr, "dtrace: failed to compile script %s: ", s->name);
	else
		fprintf(stderr, "dtrace: invalid probe specifier %s: ", without_marks(s->text));
	if (c->options.errtags)
		fprintf(stderr, "[%s] ", e->tag);
	if (s->name)
		fprintf(stderr, "line %u: ", e->line);
	fprintf(stderr, "%s\n", e->text);
	print_excerpt(s, e);
	return 1;
}

/* DTrace refuses it, and we take it. */
static void print_warning(const struct d_script *s, const struct d_error *e, const struct d_compile *c)
{
	fprintf(stderr, "dtrace: warning: %s%s%s", c->options.errtags ? "[" : "", c->options.errtags ? e->tag : "", c->options.errtags ? "] " : "");
	if (s->name)
		fprintf(stderr, "script %s, line %u: ", s->name, e->line);
	fprintf(stderr, "%s\n", e->text);
}

static void print_notice(const struct d_script *s, unsigned n)
{
	const char *plural = n == 1 ? "" : "s", *text = without_marks(s->text);

	if (s->name)
		fprintf(stderr, "dtrace: script '%s' matched %u probe%s\n", s->name, n, plural);
	else
		fprintf(stderr, "dtrace: description '%.*s' matched %u probe%s\n", (int)strcspn(text, "{/;"), text, n, plural);
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
		if (c->program.warning.tag)
			print_warning(&s, &c->program.warning, c);
		c->program.warning = (struct d_error){ 0 };
	}
	return 0;
}

static const struct d_script *script_with(const struct arguments *a, const struct d_error *e, struct d_script *script)
{
	for (size_t i = 0; i < a->n_sources; i++) {
		*script = script_of(&a->sources[i]);
		if (script->text == e->script)
			return script;
	}
	return NULL;
}

static int compile_end(const struct arguments *a, struct d_compile *c)
{
	struct d_error e = { 0 };
	struct d_script script;

	if ((a->heatmap || a->page) && !d_program_make_metrics(&c->program)) {
		fprintf(stderr, "dtrace: no aggregation can be a heat map: it needs a value, as in quantize(), no increment, and at most "
			"%d keys, none of them a stack\n", KEY_FIELDS_MAX);
		return 1;
	}
	if (!d_compile_end(c, &e))
		return 0;
	if (!e.tag)
		return no_memory();
	if (script_with(a, &e, &script))
		return print_error(&script, &e, c);
	fprintf(stderr, "dtrace: %s%s%s%s\n", c->options.errtags ? "[" : "", c->options.errtags ? e.tag : "",
		c->options.errtags ? "] " : "", e.text);
	return 1;
}

/* ---- run ---- */

static void print_code(const struct d_plan *plan)
{
	for (size_t i = 0; i < plan->n_groups; i++) {
		const struct d_group *g = &plan->groups[i];

		if (!g->ir.n)		/* ERROR's clauses are in the others */
			continue;
		printf("probe %u%s\n", g->probes[0]->id, g->n_probes > 1 ? " and others" : "");
		d_ir_print(&g->ir, stdout);
	}
}

static int take_target(const struct arguments *a, struct d_target *t)
{
	int err = a->command ? d_target_start(t, a->command) : a->pid ? d_target_grab(t, a->pid) : 0;

	if (err && a->command)
		fprintf(stderr, "dtrace: failed to execute %s: %s\n", a->command, strerror(-err));
	else if (err)
		fprintf(stderr, "dtrace: failed to grab process %d: %s\n", a->pid, strerror(-err));
	return err ? 1 : 0;
}

/* The probes of all clauses, by id. */
static int list_probes(const struct d_compile *c)
{
	printf("%5s %10s %17s %33s %s\n", "ID", "PROVIDER", "MODULE", "FUNCTION", "NAME");
	for (size_t i = 0; i < c->probes.n; i++) {
		const struct d_probe *p = c->probes.probe[i];

		if (d_plan_has(&c->plan, p))
			printf("%5u %10s %17s %33s %s\n", p->id, p->field[FIELD_PROVIDER], p->field[FIELD_MODULE], p->field[FIELD_FUNCTION],
			       p->field[FIELD_NAME]);
	}
	return 0;
}

#define NAMES_SHOWN 10

static void print_stepped(const struct d_compile *c, size_t n)
{
	size_t shown = 0;

	fprintf(stderr, "dtrace: %zu probe%s in programs cost%s some 10 to 20 us each time: the kernel executes the first instruction in a copy:\n", n,
		n == 1 ? "" : "s", n == 1 ? "s" : "");
	for (size_t i = 0; i < c->probes.n && shown < NAMES_SHOWN; i++) {
		const struct d_probe *p = c->probes.probe[i];

		if (!p->is_stepped || !d_plan_has(&c->plan, p))
			continue;
		fprintf(stderr, "    %s:%s:%s:%s\n", p->field[FIELD_PROVIDER], p->field[FIELD_MODULE], p->field[FIELD_FUNCTION], p->field[FIELD_NAME]);
		shown++;
	}
	if (n > shown)
		fprintf(stderr, "    and %zu more\n", n - shown);
}

/* Of functions and static probes, which cost by far the most, and by the instruction: as measured on a virtual machine. */
static void print_costs(const struct d_compile *c)
{
	size_t n = 0, n_stepped = 0;

	for (size_t i = 0; i < c->probes.n; i++) {
		const struct d_probe *p = c->probes.probe[i];

		if ((p->context == CONTEXT_FUNCTION_ENTRY || p->context == CONTEXT_FUNCTION_RETURN || p->context == CONTEXT_STATIC) &&
		    d_plan_has(&c->plan, p)) {
			n += !p->is_stepped;
			n_stepped += p->is_stepped;
		}
	}
	if (n)
		fprintf(stderr, "dtrace: %zu probe%s in programs cost%s about 1 us each time\n", n, n == 1 ? "" : "s", n == 1 ? "s" : "");
	if (n_stepped)
		print_stepped(c, n_stepped);
}

/* ---- heat maps ---- */

/* The name of the script's file, without its folder and ".d". */
static void script_name(const struct arguments *a, char *out, size_t room)
{
	const char *file = a->sources[0].file ? a->sources[0].file : "script", *slash = strrchr(file, '/');

	snprintf(out, room, "%s", slash ? slash + 1 : file);
	if (strlen(out) > 2 && !strcmp(out + strlen(out) - 2, ".d"))
		out[strlen(out) - 2] = '\0';
}

static void make_source_name(const struct arguments *a, const struct d_heatmap *h, char *out)
{
	char host[SOURCE_MAX] = "";

	gethostname(host, sizeof(host) - 1);
	if (a->source)
		snprintf(out, SOURCE_MAX, "%s", a->source);
	else
		snprintf(out, SOURCE_MAX, "%.*s:%s", SOURCE_MAX - NAME_MAX_LEN - 2, host, h->metrics[0].stat);
}

/* Runs the script from the collector's loop, which sends its slots to heatscoped. */
static int run_in_collector(const struct arguments *a, struct d_heatmap *h)
{
	static const struct probe *const probes[] = { &dtrace_probe };
	char source[SOURCE_MAX], reason[REASON_MAX];
	const struct collector_conf conf = {
		.socket_path = a->socket_path ? a->socket_path : SOCKET_PATH, .version = PACKAGE_VERSION, .spool_limit = 64u << 20, .once = 1,
		.probe = { .source = source, .incarnation = (__u64)clock_ns(CLOCK_REALTIME), .script = h }, .probes = probes, .n_probes = 1,
	};
	int err;

	make_source_name(a, h, source);
	if (source_name_check(source, reason)) {		/* the host's name breaks the rule */
		fprintf(stderr, "dtrace: cannot take this host's name: %s; give --source\n", reason);
		return 1;
	}
	log_open(NULL, LOG_LEVEL_ERROR);
	err = d_viewer_start(h->viewer, h->metrics, h->n_metrics) ?: collector_run(&conf);
	d_viewer_stop(h->viewer);
	if (err)
		fprintf(stderr, "dtrace: no heat map: %s\n", strerror(-err));
	return err || h->viewer->failed || h->failed ? 1 : 0;
}

/* The map has the terminal until the script ends; then comes what the script has printed. */
static void print_kept(FILE *kept, FILE *out)
{
	char text[4096];
	size_t n;

	rewind(kept);
	while ((n = fread(text, 1, sizeof(text), kept)) > 0)
		fwrite(text, 1, n, out);
	fflush(out);
	fclose(kept);
}

static int run_with_heatmap(const struct arguments *a, struct d_run *r)
{
	struct d_viewer viewer = { .url = a->url, .shows = a->heatmap && isatty(STDOUT_FILENO) };
	FILE *out = viewer.shows ? tmpfile() : NULL, *err = viewer.shows ? tmpfile() : NULL;
	struct d_heatmap h;
	char name[NAME_MAX_LEN];
	int status;

	script_name(a, name, sizeof(name));
	if (d_heatmap_init(&h, r, name) || (viewer.shows && (!out || !err))) {
		d_heatmap_fini(&h);
		return no_memory();
	}
	if (viewer.shows) {
		r->consumer->out = out;
		r->consumer->err = err;
	}
	h.viewer = &viewer;
	status = run_in_collector(a, &h);
	if (h.has_begun) {
		int exit_status = d_run_report(r);

		status = status ? status : exit_status;
	}
	if (viewer.shows) {
		print_kept(out, stdout);
		print_kept(err, stderr);
	}
	d_heatmap_fini(&h);
	return status;
}

static int run(const struct arguments *a, struct d_compile *c, const unsigned *n_probes, struct d_target *target)
{
	struct d_symbols symbols = { 0 };
	struct d_aggregates aggregates;
	struct d_consumer consumer = { .clauses = c->clauses, .n_clauses = c->n_clauses, .probes = &c->probes, .quiet = c->options.quiet,
					.flow = c->options.flow, .out = stdout, .err = stderr, .aggregates = &aggregates, .symbols = &symbols };
	struct d_run r = { .compile = c, .consumer = &consumer, .target = target, .is_unguarded = a->unguarded };
	int status;

	if (d_aggregates_init(&aggregates, &c->program, &c->probes, &symbols))
		return no_memory();
	aggregates.sort = c->options.sort;
	if (target->pid)
		d_symbols_hold(&symbols, target->pid);
	status = d_run_load(&r);
	for (size_t i = 0; !status && i < a->n_sources && !c->options.quiet; i++) {
		const struct d_script script = script_of(&a->sources[i]);

		print_notice(&script, n_probes[i]);
	}
	if (!status && c->unseen[0] && !c->options.quiet)
		fprintf(stderr, "dtrace: %s\n", c->unseen);
	if (!status)
		status = a->heatmap || a->page ? run_with_heatmap(a, &r) : d_run(&r);
	d_run_close(&r);
	d_aggregates_fini(&aggregates);
	d_consumer_fini(&consumer);
	d_symbols_fini(&symbols);
	return status;
}

static int dtrace(struct arguments *a, struct d_compile *c)
{
	unsigned *n_probes = calloc(a->n_sources, sizeof(*n_probes));
	struct d_target target = { .fd = -1 };
	int status = !n_probes || d_compile_init(c);

	if (!status)
		status = read_sources(a);
	c->macros.argument = a->words;
	c->macros.n_arguments = a->n_words;
	c->options.quiet = a->quiet;
	c->options.flow = a->flow;
	c->options.zero_probes = a->zero_probes;
	if (!status && a->output && !freopen(a->output, "a", stdout)) {
		fprintf(stderr, "dtrace: failed to open %s: %s\n", a->output, strerror(errno));
		status = 1;
	}
	if (!status)
		status = take_target(a, &target);
	c->macros.target = target.pid;
	if (!status)
		status = apply_settings(a, c) || compile(a, c, n_probes) || compile_end(a, c);
	if (!status && a->show_code)
		print_code(&c->plan);
	if (!status && a->verbose)
		print_costs(c);
	if (!status && a->lists)
		status = list_probes(c);
	else if (!status && !a->only_compile)
		status = run(a, c, n_probes, &target);
	d_target_fini(&target);
	free(n_probes);
	return status;
}

/* Scripts ask for these macros by #ifdef. */
static const char *const preprocessor[] = { "cpp", "-D__SUNW_D=1", "-D__SUNW_D_VERSION=0x02000000" };

int main(int argc, char **argv)
{
	static const struct argp argp = { options, parse_option, "[ARGUMENT...]", doc, NULL, NULL, NULL };
	struct arguments a = { 0 };
	struct d_compile c = { 0 };
	int status;

	standard_output_guard("heatscope-dtrace");
	for (size_t i = 0; i < sizeof(preprocessor) / sizeof(*preprocessor); i++)
		add_word(&a.preprocessor, &a.n_preprocessor, &a.preprocessor_room, preprocessor[i]);
	argp_parse(&argp, argc, argv, 0, NULL, &a);
	add_macro(&a, "-", NULL);
	status = dtrace(&a, &c);
	d_compile_fini(&c);
	for (size_t i = 0; i < a.n_sources; i++)
		if (a.sources[i].is_ours)
			free(a.sources[i].text);
	free(a.sources);
	free(a.words);
	free(a.settings);
	free(a.preprocessor);
	return status;
}
