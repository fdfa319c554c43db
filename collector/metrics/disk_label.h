/* disk_label.h - names the operations of a disk and their flags.
 *
 * Thread  any; constant.
 */
#ifndef HEATSCOPE_DISK_LABEL_H
#define HEATSCOPE_DISK_LABEL_H

#include "collector/core/field_codes.h"

extern const struct field_codes disk_optype_codes, disk_flags_codes;

#endif
