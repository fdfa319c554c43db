/* bus_kit.h - takes the place of bus.c: keeps the messages that a module publishes.  The test gives it what comes.
 *
 *      module --bus_publish()--> said[]          the test --bus_ops of bus_new(), or the module's own function--> module
 */
#ifndef HEATSCOPE_BUS_KIT_H
#define HEATSCOPE_BUS_KIT_H

#include "collector/bus/bus.h"
#include "collector/bus/subjects.h"

#include <stdio.h>
#include <string.h>

#define SAID_MAX 64

struct said {
	char subject[SUBJECT_MAX], reply[SUBJECT_MAX + 40], data[4096];
	char header[5][2][300];		/* name, value */
	size_t len;
};

static struct said said[SAID_MAX];
static size_t n_said, n_restarts, payload_max = 1u << 20;
static int publish_err;
static struct bus_ops bus_ops_given;	/* by bus_new() */
static void *bus_arg_given;
static struct bus *const some_bus = (struct bus *)&said;	/* never read */

int bus_new(struct uv_loop_s *loop, const struct bus_conf *conf, const struct bus_ops *ops, void *arg, struct bus **ret_bus,
	    char reason[REASON_MAX])
{
	bus_ops_given = *ops;
	bus_arg_given = arg;
	*ret_bus = some_bus;
	return 0;
}

void bus_close(struct bus *b) { bus_ops_given.closed(bus_arg_given); }
int bus_subscribe(struct bus *b, const char *subject) { return 0; }
size_t bus_payload_max(const struct bus *b) { return payload_max; }
void bus_restart(struct bus *b, const char *why) { n_restarts++; }

int bus_publish(struct bus *b, const struct bus_outgoing *m)
{
	struct said *s = &said[n_said++ % SAID_MAX];

	*s = (struct said){ .len = m->len };
	snprintf(s->subject, sizeof(s->subject), "%s", m->subject);
	snprintf(s->reply, sizeof(s->reply), "%s", m->reply ? m->reply : "");
	for (int i = 0; i < 5 && m->header[i].name; i++) {
		snprintf(s->header[i][0], sizeof(s->header[i][0]), "%s", m->header[i].name);
		snprintf(s->header[i][1], sizeof(s->header[i][1]), "%s", m->header[i].value);
	}
	if (m->len && m->len < sizeof(s->data))
		memcpy(s->data, m->data, m->len);
	return publish_err;
}

/* private: a pair of name and value; NULL: it has no header. */
const char *bus_header(const struct bus_message *m, const char *name)
{
	const char *const *pair = m->private;

	return pair && !strcmp(pair[0], name) ? pair[1] : NULL;
}

/* The newest message on that subject; NULL: there is none. */
static inline const struct said *last_said(const char *subject)
{
	for (size_t i = n_said; i-- > 0 && n_said - i <= SAID_MAX;)
		if (!strcmp(said[i % SAID_MAX].subject, subject))
			return &said[i % SAID_MAX];
	return NULL;
}

/* "": it has no such header. */
static inline const char *said_header(const struct said *s, const char *name)
{
	for (int i = 0; i < 5; i++)
		if (!strcmp(s->header[i][0], name))
			return s->header[i][1];
	return "";
}

static inline size_t count_said(const char *subject)
{
	size_t n = 0;

	for (size_t i = n_said > SAID_MAX ? n_said - SAID_MAX : 0; i < n_said; i++)
		n += !strcmp(said[i % SAID_MAX].subject, subject);
	return n;
}

#endif
