/* net_label.h - names directions and protocols.
 *
 * A protocol without a name is "IP protocol N" or "ethertype 0xXXXX".
 * Thread  any; constant.
 */
#ifndef HEATSCOPE_NET_LABEL_H
#define HEATSCOPE_NET_LABEL_H

#include "collector/core/field_codes.h"

extern const struct field_codes net_direction_codes, net_protocol_codes;

#endif
