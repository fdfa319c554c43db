/* conf_private.h - what conf.c (the file), conf_always.c (its instrumentations) and conf_words.c (what is
 * wrong with it) share. */
#ifndef HEATSCOPE_CONF_PRIVATE_H
#define HEATSCOPE_CONF_PRIVATE_H

#include "conf.h"

#include <yaml.h>

/* What a file says of an instrumentation that always exists; NULL: nothing about that. */
struct said_inst {
	char *name, *module, *stat, *predicate;
	char **decomposition, **measures, **weights;
	unsigned n_decomposition, n_measures, n_weights, n_tiers;
	double *granularity;
	unsigned *retention, *tiers, *ruler_bits, *keys, *exemplars;
};

struct conf_fault {
	unsigned line;			/* 0: none */
	char text[256];
};

/* The file as libyaml reads it, for the lines, which libcyaml does not keep.  false: the fault of its syntax. */
bool conf_load(const char *path, yaml_document_t *doc, struct conf_fault *ret_fault);
unsigned conf_line_of(const char *path, const char *key);	/* 0: not there */

/* The sentence "FILE: line 1: unknown key lissten" from libcyaml's log, whose lines end in \n. */
void conf_explain(const char *path, const char *log, char *reason);

/* 0, or -EINVAL with the reason, which names the line. */
int conf_take_always(const struct said_inst *said, unsigned n, const char *path, struct conf *conf, char *reason);

#endif
