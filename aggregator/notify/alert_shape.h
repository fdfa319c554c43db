/* alert_shape.h - keeps coarse distributions of windows, and measures how far one lies from the others (see alert.h).
 *
 * Shape   steps of an eighth of an octave: events that move within a step do not change the shape.
 * Pure    no loop, file or clock.  Thread: any, one at a time.
 */
#ifndef HEATSCOPE_ALERT_SHAPE_H
#define HEATSCOPE_ALERT_SHAPE_H

#include "aggregator/notify/alert.h"

struct alert_usual *alert_usual_new(void);	/* NULL: no memory */
void alert_usual_free(struct alert_usual *u);	/* NULL is fine */
void alert_usual_clear(struct alert_usual *u);
size_t alert_usual_n(const struct alert_usual *u);	/* windows learnt, at most ALERT_HOUR */
void alert_usual_learn(struct alert_usual *u, const struct hist *h);	/* drops the oldest */

/* Returns how far it lies from all that was learnt, and how far it may. */
void alert_usual_compare(const struct alert_usual *u, const struct hist *h, double *ret_distance, double *ret_limit);

#endif
