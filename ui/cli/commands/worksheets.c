/* worksheets: lists, shows, exports, imports and deletes worksheets: arrangements of maps on the page. */
#include "ui/cli/base/command.h"
#include "ui/cli/commands/commands.h"
#include "ui/cli/base/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
	const char *deed, *what, *output;
	int json;
};

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0, "Where export writes to (default standard output)", 0 },
	{ "json", 'j', NULL, 0, "Print the daemon's JSON", 0 },
	{ 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'o': o->output = arg; return 0;
	case 'j': o->json = 1; return 0;
	case ARGP_KEY_ARG:
		if (o->what)
			argp_error(state, "too many arguments");
		*(o->deed ? &o->what : &o->deed) = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	options, parse_option, "[list]\nshow WORKSHEET\nexport WORKSHEET [-o FILE]\nimport FILE\ndelete WORKSHEET",
	"Worksheets: maps of several instrumentations on one time axis, which the page shows and saves.  WORKSHEET is an id or a name.\v"
	"Examples:\n"
	"  heatscope worksheets\n"
	"  heatscope worksheets show cpu\n"
	"  heatscope worksheets export \"Checkout\" -o checkout.json\n"
	"  heatscope worksheets import checkout.json        # - reads standard input\n"
	"  heatscope worksheets delete 3", NULL, NULL, NULL,
};

static int list_worksheets(struct client *c, const struct options *o)
{
	struct table t = { .n_columns = 4 };
	json_t *all, *one;
	char maps[16];
	size_t i;

	if (client_json(c, "GET", "/ca/worksheets", NULL, &all))
		return failed("worksheets", c->reason);
	if (o->json)
		return print_json(all);
	table_add(&t, "ID", "MAPS", "SAVED", "NAME");
	json_array_foreach(all, i, one) {
		snprintf(maps, sizeof(maps), "%lld", (long long)json_integer_value(json_object_get(one, "npanels")));
		table_add(&t, json_text(one, "id"), maps, json_is_true(json_object_get(one, "ready")) ? "ready" : "saved", json_text(one, "name"));
	}
	table_print(&t);
	json_decref(all);
	return 0;
}

/* Finds the worksheet with this id, or the only one with this name. */
static int find_worksheet(struct client *c, const char *what, char ret_id[64])
{
	json_t *all, *one;
	size_t i, n = 0;

	if (client_json(c, "GET", "/ca/worksheets", NULL, &all))
		return failed("worksheets", c->reason);
	json_array_foreach(all, i, one)
		if (!strcmp(json_text(one, "id"), what)) {
			snprintf(ret_id, 64, "%s", what);
			json_decref(all);
			return 0;
		}
	json_array_foreach(all, i, one)
		if (!strcmp(json_text(one, "name"), what) && !n++)
			snprintf(ret_id, 64, "%s", json_text(one, "id"));
	json_decref(all);
	if (n == 1)
		return 0;
	snprintf(c->reason, sizeof(c->reason), n ? "there are %2$zu worksheets \"%1$.100s\": name it by its id; heatscope worksheets lists them"
		 : "there is no worksheet \"%1$.100s\"; heatscope worksheets lists them", what, n);
	return failed("worksheets", c->reason);
}

static int get_worksheet(struct client *c, const char *what, json_t **ret_worksheet)
{
	char id[64], path[96];
	int status = find_worksheet(c, what, id);

	if (status)
		return status;
	snprintf(path, sizeof(path), "/ca/worksheets/%s", id);
	return client_json(c, "GET", path, NULL, ret_worksheet) ? failed("worksheets", c->reason) : 0;
}

static int show_worksheet(struct client *c, const struct options *o)
{
	struct table t = { .n_columns = 5 };
	json_t *worksheet, *panel;
	int status = get_worksheet(c, o->what, &worksheet);
	char metric[96];
	size_t i;

	if (status)
		return status;
	if (o->json)
		return print_json(worksheet);
	table_add(&t, "METRIC", "MEASURE", "SHOWS", "CELLS", "ID");
	json_array_foreach(json_object_get(worksheet, "panels"), i, panel) {
		const json_t *of = json_object_get(panel, "instrumentation");

		client_metric_name(of, metric, sizeof(metric));
		table_add(&t, metric, json_text(panel, "measure"), json_text(panel, "show"), json_text(panel, "weight"), json_text(of, "id"));
	}
	table_print(&t);
	json_decref(worksheet);
	return 0;
}

/* Writes a worksheet in the form that an import on any server accepts: without the parts that belong to this server. */
static int export_worksheet(struct client *c, const struct options *o)
{
	json_t *worksheet;
	int status = get_worksheet(c, o->what, &worksheet);
	FILE *f = stdout;
	char *text;

	if (status)
		return status;
	json_object_del(worksheet, "id");
	json_object_del(worksheet, "uri");
	json_object_del(worksheet, "ready");
	if (o->output)
		f = fopen(o->output, "w");
	text = json_dumps(worksheet, JSON_INDENT(1));
	if (!f || !text || output_put(f, "json", text, strlen(text)) || fputc('\n', f) == EOF || (o->output ? fclose(f) : fflush(f))) {
		snprintf(c->reason, sizeof(c->reason), "%.200s cannot be written: %m", o->output ? o->output : "standard output");
		status = failed("worksheets", c->reason);
	}
	free(text);
	json_decref(worksheet);
	return status;
}

static int import_worksheet(struct client *c, const struct options *o)
{
	json_error_t error;
	json_t *given = strcmp(o->what, "-") ? json_load_file(o->what, JSON_REJECT_DUPLICATES, &error)
					     : json_loadf(stdin, JSON_REJECT_DUPLICATES, &error), *made;
	int err;

	if (!given) {
		snprintf(c->reason, sizeof(c->reason), "%.200s cannot be read as a worksheet: %.160s (line %d)", o->what, error.text, error.line);
		return failed("worksheets", c->reason);
	}
	err = client_json(c, "POST", "/ca/worksheets", given, &made);
	json_decref(given);
	if (err)
		return failed("worksheets", c->reason);
	return print_reply(made, o->json, print_id);
}

static int drop_worksheet(struct client *c, const struct options *o)
{
	char id[64], path[96];
	int status = find_worksheet(c, o->what, id);
	struct reply r;

	if (status)
		return status;
	snprintf(path, sizeof(path), "/ca/worksheets/%s", id);
	if (client_request(c, "DELETE", path, NULL, &r))
		return failed("worksheets", c->reason);
	reply_fini(&r);
	return 0;
}

int run_worksheets(struct client *c, int argc, char **argv)
{
	static const struct { const char *name; int (*run)(struct client *c, const struct options *o); } deeds[] = {
		{ "show", show_worksheet }, { "export", export_worksheet }, { "import", import_worksheet },
		{ "delete", drop_worksheet },
	};
	struct options o = { 0 };

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	if (!o.deed || (!strcmp(o.deed, "list") && !o.what))
		return list_worksheets(c, &o);
	for (size_t i = 0; i < sizeof(deeds) / sizeof(*deeds); i++)
		if (!strcmp(o.deed, deeds[i].name)) {
			if (o.what)
				return deeds[i].run(c, &o);
			snprintf(c->reason, sizeof(c->reason), "%s needs %s", o.deed,
				 deeds[i].run == import_worksheet ? "a file" : "a worksheet: its id or name");
			return failed("worksheets", c->reason);
		}
	return failed("worksheets", "use list, show, export, import or delete; heatscope worksheets --help has "
		"examples");
}
