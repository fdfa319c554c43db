/* bus.h - connects to a NATS server, and exchanges messages with it, on the loop's thread.
 *
 *      loop:    bus_new -> connected() ... message() ... lost() -> (waits) -> connected() ...
 *      threads: one that connects; those of libnats, which read.  They queue events and wake the loop.
 *
 * Again   the bus connects again 100 ms, 200 ms ... 5 s after it failed or lost a connection, each time with up to as
 *         much again at random, so that a fleet does not connect at once.  Each connection is a new one: the caller
 *         subscribes in connected().  A connection of 5 s makes the delay short again.
 * Blocks  libnats sends from the caller's thread: bus_publish() copies to a buffer of libnats.  If the buffer is full it writes to the socket, for at most
 *         WRITE_MS (1 s).  bus_close() waits up to 0.5 s for the last bytes to leave; it returns before a running attempt to
 *         connect has ended, and closed() is called after that.  After a loss, ending the old connection may wait for its
 *         threads.
 * Memory  arguments of the callbacks are valid during the call only.
 * Thread  the loop's, except prepare(), and thread_begins(), which run on the thread that connects.
 * Source  libnats 3.4; its adapter for libuv is not used: calls of JetStream on the loop's thread wait for themselves.
 */
#ifndef HEATSCOPE_BUS_H
#define HEATSCOPE_BUS_H

#include "collector/core/metric.h"

#include <stdbool.h>
#include <stdint.h>

#define BUS_SERVERS_MAX 16		/* addresses of one configuration */

struct uv_loop_s;
struct __natsConnection;
struct bus;				/* its fields are in bus.c */
struct bus_message;

struct bus_conf {
	const char *url;		/* nats://HOST:PORT or tls://HOST:PORT; several with commas */
	const char *credentials;	/* file with a user's JWT and seed; NULL or "": none */
	const char *user_file;		/* file with the line USER:PASSWORD; NULL or "": none */
	const char *ca;			/* PEM file of the authorities that are trusted; NULL or "": the system's */
	const char *certificate, *key;	/* PEM files of the client; NULL or "": none */
	const char *name;		/* of this client, in the server's lists and logs */
	void (*thread_begins)(void);	/* called first on each thread that connects; NULL: nothing to do */
};

struct bus_ops {
	/* Called for a new connection before connected(): may call libnats and wait.  -errno with a reason: the
	 * connection is given up.  May be NULL. */
	int (*prepare)(void *arg, struct __natsConnection *nc, char reason[REASON_MAX]);
	void (*connected)(void *arg);
	void (*message)(void *arg, const struct bus_message *m);
	void (*lost)(void *arg, const char *why);	/* after connected(), or, with each new reason, instead of it */
	void (*closed)(void *arg);			/* after bus_close(): the bus is freed */
};

struct bus_message {
	const char *subject, *reply;	/* reply: "" if there is none */
	const uint8_t *data;
	size_t len;
	int status;			/* of NATS itself, such as 404 and 503; 0: a message of a client */
	void *private;
};

/* Returns a header's value; NULL: it has no such header. */
const char *bus_header(const struct bus_message *m, const char *name);

/* Is this text of a configuration given?  NULL and "" are not. */
static inline bool bus_text_is_set(const char *text)
{
	return text && *text;
}

/* Checks the texts of a configuration.  -EINVAL: the reason says which one and why. */
int bus_conf_check(const struct bus_conf *conf, char reason[REASON_MAX]);

/* Starts connecting.  Copies the configuration.  -EINVAL with a reason, -ENOMEM. */
int bus_new(struct uv_loop_s *loop, const struct bus_conf *conf, const struct bus_ops *ops, void *arg,
	    struct bus **ret_bus, char reason[REASON_MAX]);
void bus_close(struct bus *b);		/* calls closed() later, from the loop */

/* Drops the connection and connects again after a delay; calls lost() from the loop. */
void bus_restart(struct bus *b, const char *why);

size_t bus_payload_max(const struct bus *b);	/* the server's limit for headers and data of a message; 0: not connected */

/* -ENOTCONN: not connected; -EMSGSIZE, -ENOMEM, -EIO (the connection breaks). */
int bus_subscribe(struct bus *b, const char *subject);

struct bus_outgoing {
	const char *subject, *reply;	/* reply: NULL: none */
	const void *data;
	size_t len;
	struct bus_text { const char *name, *value; } header[5];	/* up to the first without a name */
};
int bus_publish(struct bus *b, const struct bus_outgoing *m);

/* Returns the text of this thread's last error of libnats; status: a natsStatus, whose text it is if libnats has no other. */
const char *bus_error_text(int status);

#endif
