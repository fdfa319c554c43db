/* disk_label.h - the names of disks, of their operations, and why these were asked for.
 *
 * Shape   out is LABEL_MAX + 1 bytes (slice.h).  A disk that is gone is "major:minor".
 */
#ifndef HEATSCOPE_DISK_LABEL_H
#define HEATSCOPE_DISK_LABEL_H

#include <linux/types.h>

void disk_label_disk(__u64 code, char *out);
void disk_label_optype(__u64 code, char *out);
void disk_label_flags(__u64 code, char *out);

#endif
