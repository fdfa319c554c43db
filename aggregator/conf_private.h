/* conf_private.h - what conf.c (the file) and conf_always.c (its instrumentations) share. */
#ifndef HEATSCOPE_CONF_PRIVATE_H
#define HEATSCOPE_CONF_PRIVATE_H

#include "conf.h"

/* What a file says of an instrumentation that always exists; NULL: nothing about that. */
struct said_inst {
	char *name, *module, *stat, *predicate;
	char **decomposition, **measures;
	unsigned n_decomposition, n_measures, n_tiers;
	double *granularity;
	unsigned *retention, *tiers, *ruler_bits, *keys;
};

/* 0, or -EINVAL with the reason, which names the line. */
int conf_take_always(const struct said_inst *said, unsigned n, const char *path, struct conf *conf, char *reason);

#endif
