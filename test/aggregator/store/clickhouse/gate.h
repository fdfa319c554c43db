/* gate.h - stands between a store and its ClickHouse server, so that a test can act in the middle of a call.
 *
 *      store --HTTP--> gate --HTTP--> server        act() runs before or after an INSERT into `filed`
 *
 * Thread  act() runs on the gate's thread, while the store waits for its answer.
 */
#ifndef HEATSCOPE_GATE_H
#define HEATSCOPE_GATE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

enum gate_when { GATE_NEVER, GATE_BEFORE, GATE_AFTER };	/* the server gets the INSERT */

struct gate;

/* `url`: of the server, http://HOST:PORT. */
struct gate *gate_open(const char *url);
void gate_close(struct gate *g);
const char *gate_url(const struct gate *g);

/* Calls act() once, at the next INSERT of rows of batches or tiers. */
void gate_act(struct gate *g, enum gate_when when, void (*act)(void *arg), void *arg);
bool gate_acted(const struct gate *g);

/* Returns how many bytes the server has answered so far. */
size_t gate_answered(const struct gate *g);

/* Sends a statement to the server at $CLICKHOUSE_URL, and returns the number that it answers; 0: it answers nothing. */
__u64 gate_ask_server(const char *sql);

#endif
