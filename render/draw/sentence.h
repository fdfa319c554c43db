/* sentence.h - describes a map in one sentence, for its footer and for people who cannot see it. */
#ifndef HEATSCOPE_SENTENCE_H
#define HEATSCOPE_SENTENCE_H

#include "render/grid/grid.h"
#include "render/grid/zone.h"

#define SENTENCE_MAX 384

/* Writes "2026-11-21 14:00:00 to 15:00:00 UTC: 1,234 queries, 0 lost" */
void sentence_summary(const struct grid *g, const struct zone *zone, char *out, size_t room);

/* Writes "2 sources, 94.9 % of the slots reported; 3 of 60 columns not observed": grid_observed().  Rounded down, so
 * that 100 % means all. */
void sentence_coverage(const struct grid *g, char *out, size_t room);

#endif
