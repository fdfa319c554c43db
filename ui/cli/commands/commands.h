/* commands.h - declares the table of heatscope's commands, and one function run_x() per command.
 *
 * Where   the other files of this folder define the functions.
 * Exit    run_x() returns the exit status: 0, 1 or EXIT_USAGE (base/command.h); it prints its errors on stderr.
 */
#ifndef HEATSCOPE_COMMANDS_H
#define HEATSCOPE_COMMANDS_H

#include "ui/cli/base/client.h"

enum command_group { COMMAND_LOOK, COMMAND_ASK, COMMAND_EXPORT, COMMAND_MANAGE };

struct command {
	const char *name, *summary;
	enum command_group group;
	int (*run)(struct client *c, int argc, char **argv);
};

extern const struct command commands[];	/* by group; ends with a NULL name */

int run_metrics(struct client *c, int argc, char **argv);
int run_create(struct client *c, int argc, char **argv);
int run_clone(struct client *c, int argc, char **argv);
int run_set(struct client *c, int argc, char **argv);
int run_alerts(struct client *c, int argc, char **argv);
int run_annotate(struct client *c, int argc, char **argv);
int run_worksheets(struct client *c, int argc, char **argv);
int run_off(struct client *c, int argc, char **argv);
int run_on(struct client *c, int argc, char **argv);
int run_hosts(struct client *c, int argc, char **argv);
int run_sources(struct client *c, int argc, char **argv);
int run_status(struct client *c, int argc, char **argv);
int run_list(struct client *c, int argc, char **argv);
int run_show(struct client *c, int argc, char **argv);
int run_delete(struct client *c, int argc, char **argv);
int run_raw(struct client *c, int argc, char **argv);
int run_explain(struct client *c, int argc, char **argv);
int run_compare(struct client *c, int argc, char **argv);
int run_slow(struct client *c, int argc, char **argv);
int run_fsslow(struct client *c, int argc, char **argv);
int run_snoop(struct client *c, int argc, char **argv);
int run_composition(struct client *c, int argc, char **argv);
int run_watch(struct client *c, int argc, char **argv);
int run_flame(struct client *c, int argc, char **argv);
int run_render(struct client *c, int argc, char **argv);
int run_report(struct client *c, int argc, char **argv);
int run_chart(struct client *c, int argc, char **argv);
int run_export(struct client *c, int argc, char **argv);
int run_describe(struct client *c, int argc, char **argv);
int run_open(struct client *c, int argc, char **argv);
int run_fslatency(struct client *c, int argc, char **argv);
int run_record(struct client *c, int argc, char **argv);
int run_replay(struct client *c, int argc, char **argv);
int run_doctor(struct client *c, int argc, char **argv);

#endif
