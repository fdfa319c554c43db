/* backends.h - finds for each PostgreSQL server where the memory of its backends has texts and names.
 *
 *      /proc/PID/exe -> backend.h -> the executable's places -- /proc/PID/auxv, mem --> the places in its processes
 *
 * Forks   A backend is a fork of the process that listens, so the places of that one are those of all.
 */
#ifndef HEATSCOPE_POSTGRESQL_BACKENDS_H
#define HEATSCOPE_POSTGRESQL_BACKENDS_H

#include "collector/server/layouts.h"

extern const struct layout_kind backend_layouts;	/* for the map `backends` of memory.bpf.h */

#endif
