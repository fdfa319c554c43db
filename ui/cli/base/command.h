/* command.h - helps all commands with arguments, output, and requests for one instrumentation.
 *
 * Output  a command prints all text for people with show_print(), tables too, because labels come from outside.  JSON
 *         and CSV keep every byte, unless standard output is a terminal.
 * Exit    0 done, 1 refused or failed (one sentence on stderr), 2 wrong usage.
 *
 * The table of commands is in commands/commands.h.
 */
#ifndef HEATSCOPE_COMMAND_H
#define HEATSCOPE_COMMAND_H

#include "ui/cli/base/client.h"
#include "collector/core/show.h"

#include <argp.h>

enum { EXIT_USAGE = 2 };

/* Is the rest of an argp parser for a command with one argument.  If that is missing or empty, prints the usage and
 * exits. */
error_t take_one(int key, char *arg, struct argp_state *state, const char **ret_arg);

/* Returns an option's value, a whole number from 1 on; exits if it is not one. */
long take_number(struct argp_state *state, const char *name, const char *text);

/* Prints the limits of a reply's numbers: losses, sampling, dropped data, a cap on keys. */
void print_notes(const json_t *reply);

/* Returns "no events in this time", or that nothing was observed. */
const char *no_events_text(const json_t *reply);

/* Prints the reason on stderr; returns 1, so that a command can return its result. */
int failed(const char *command, const char *reason);

/* Prints JSON in the daemon's order, and a newline; flags: json_dumps()'s. */
void put_json(const json_t *json, size_t flags);

/* Prints json indented and frees it; returns 0. */
int print_json(json_t *json);

/* Prints it by print(), or, with as_json, as print_json() does, and frees it; returns 0. */
int print_reply(json_t *json, int as_json, void (*print)(const json_t *json));

/* Prints the "id" of what was made. */
void print_id(const json_t *made);

/* Ends the program with status 2 if the file's name does not end in .png, .pdf or .svg. */
void figure_check(const char *file, const struct argp_state *state);

/* Requests a picture of an instrumentation, such as "/value/compare", in the format that the file's name ends with, which
 * figure_check() has accepted, and writes it.  Returns the command's exit status. */
int save_picture(struct client *c, const char *command, const char *id, const char *value, const char *file, struct query_string *p);

/* Writes "812 ns", "1.25 ms", "3.4 s": three digits. */
const char *time_text(double ns, char out[32]);
const char *value_text(double value, const char *unit, char out[32]);	/* in a unit of the daemon's: "ns", "%" */

/* The same for a percentile of values that are not distinguished below `least`: "< 1.02 us". */
const char *percentile_text(double value, double least, const char *unit, char out[32]);

/* Writes "a, b, c" for an array of texts. */
const char *list_text(const json_t *array, char *out, size_t room);

/* Returns an array of the texts in "a,b,c", which the caller frees with json_decref(). */
json_t *names_of(const char *list);

/* Rows of texts, aligned in columns; the first row is the heading. */
#define TABLE_COLUMNS 12
struct table {
	size_t n_rows, n_columns;
	char *(*cell)[TABLE_COLUMNS];
	int right[TABLE_COLUMNS];	/* 1: numbers, aligned right */
};
void table_add(struct table *t, ...);	/* n_columns texts */
void table_print(struct table *t);	/* and frees it */
void table_drop(struct table *t);	/* frees it unprinted */

/* Writes the labels of a source, as a reply has it: "role=db zone=a".  Returns out. */
const char *source_labels(const json_t *source, char *out, size_t room);

/* Returns the dot in "MODULE.STAT"; NULL if the text has another form. */
const char *metric_dot(const char *metric);

/* Writes the path of one instrumentation: "/ca/instrumentations/ID" + rest; ID is any text that is not empty. */
const char *inst_path(const char *id, const char *rest, char out[512]);

/* Requests that path with these parameters; results as of client_json(). */
int inst_get(struct client *c, const char *id, const char *rest, const struct query_string *p, json_t **ret_reply);

/* Returns the reason why a request for an instrumentation failed: the client's, or that there is no instrumentation
 * with this id. */
const char *inst_reason(struct client *c, int err, const char *id);

#endif
