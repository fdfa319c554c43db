/* describe.h - a picture in words and tables, on standard output. */
#ifndef HEATSCOPE_DESCRIBE_H
#define HEATSCOPE_DESCRIBE_H

#include "aggregator/value/picture_data.h"

void describe_print(const struct picture_data *p);

/* The same of a report as JSON.  -EINVAL and why in `reason` (PARAMS_REASON_MAX bytes): it is none; -ENOMEM. */
int describe_reply(const char *data, size_t len, char *reason);

#endif
