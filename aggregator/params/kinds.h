/* kinds.h - lists the parameters of each kind of value, with their ranges and their defaults.
 *
 * Shape   params_specs[] has a line for each parameter, or several if kinds differ: for a kind, the first line with its
 *         name and kind counts.  params_kinds[] has a line for each kind.
 * Thread  any: it is constant.
 */
#ifndef HEATSCOPE_PARAMS_KINDS_H
#define HEATSCOPE_PARAMS_KINDS_H

#include "aggregator/params/params.h"

enum param_type { PARAM_INTEGER, PARAM_SECONDS, PARAM_SHARE, PARAM_CHOICE, PARAM_TEXT, PARAM_SWITCH, PARAM_KEYS, PARAM_HUES, PARAM_FORMAT,
		  PARAM_OTHERS };	/* OTHERS: accepted, but not read here: VALUE_SIDE reads it */

struct spec {
	const char *name;
	enum param_type type;
	unsigned of;			/* bit 1 << kind: this kind of value has it */
	size_t at;			/* its place in struct params */
	size_t has;			/* place of its `has_` flag; 0: none */
	__s64 min, max;			/* INTEGER; SECONDS in seconds; SHARE in millionths */
	const char *choices;		/* CHOICE: separated by spaces; the result is the index */
};

#define PARAMS_SPECS_MAX 96
extern const struct spec params_specs[];
extern const size_t params_n_specs;

struct params_kind {
	struct {			/* the defaults */
		__s64 duration_s, timeout_ms, width, height, ncols, row_bits, top;
		int transfer, palette;
		enum value_format format;
	} usual;
	__s64 width_min, height_min;	/* 0: the parameter's own.  A height of 0 means as high as necessary */
	const char *exclude_alone;	/* error text for exclude without selected keys; NULL: it is allowed */
	bool isolate_selected;		/* isolate needs selected keys */

	/* Returns the name of a required parameter that is not given; NULL: all are given. */
	const char *(*missing)(const struct params *p);

	/* Returns what is wrong with several parameters together; NULL: nothing.  Either function may be NULL. */
	const char *(*check)(const struct params *p);
};

extern const struct params_kind params_kinds[VALUE_KINDS];

#endif
