/* link_kind.h - what the kinds of links give: each has a struct that begins with a struct link. */
#ifndef HEATSCOPE_LINK_KIND_H
#define HEATSCOPE_LINK_KIND_H

#include "collector/link.h"

#define LINK_DELAY_FIRST_MS 100
#define LINK_DELAY_MOST_MS 5000

struct link_kind {
	void (*close)(struct link *l);
	int (*send_json)(struct link *l, enum frame_type type, const json_t *json);
	int (*send_batch)(struct link *l, const struct bytes *frame);
	int (*flush)(struct link *l);			/* NULL: nothing ever waits */
	bool (*is_ready)(const struct link *l);		/* NULL: always */
};

struct link {
	const struct link_kind *kind;
	struct link_ops ops;
	void *arg;
};

/* link_bus_new() calls link_bus_make(), which is in the module. */
typedef int link_bus_maker(struct uv_loop_s *loop, const struct bus_conf *conf, const char *source, const struct link_ops *ops,
			   void *arg, struct link **ret_link, char reason[REASON_MAX]);
link_bus_maker link_bus_make;

/* Reads a WANT; the caller drops *ret_want.  Returns NULL, or why it cannot be used: a constant text. */
const char *link_read_want(const void *data, size_t len, json_t **ret_want);

#endif
