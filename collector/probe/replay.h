/* replay.h - declares what replay_probe offers in addition to probe.h. */
#ifndef HEATSCOPE_REPLAY_H
#define HEATSCOPE_REPLAY_H

/* Has it handed over the whole recording, for at least one instrumentation? */
int replay_finished(const void *self);

#endif
