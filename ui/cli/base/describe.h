/* describe.h - prints the data of a picture as sentences and tables. */
#ifndef HEATSCOPE_DESCRIBE_H
#define HEATSCOPE_DESCRIBE_H

#include "aggregator/payload/picture_data.h"

void describe_print(const struct picture_data *p);

/* The same for a report as JSON.  -EINVAL with a sentence in `reason` (PARAMS_REASON_MAX bytes): no report; -ENOMEM. */
int describe_reply(const char *data, size_t len, char *reason);

#endif
