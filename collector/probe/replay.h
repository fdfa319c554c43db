/* replay.h - what replay_probe can say beyond probe.h. */
#ifndef HEATSCOPE_REPLAY_H
#define HEATSCOPE_REPLAY_H

/* Has it handed over all that is recorded, for at least one instrumentation? */
int replay_finished(const void *self);

#endif
