/* host_labels.h - holds the labels of a host, such as role=db, and answers for the fields that all its events share.
 *
 *      --label role=db --host_labels_add()--> struct host_labels --JSON, in HELLO--> aggregator
 *      field "hostname" -> the source's name      field "label.role" -> "db"; "none": the host lacks the label
 *
 * Names   1 to 25 letters, digits and _; the first one is a letter or _.
 * Values  1 to 63 bytes of UTF-8 without blanks, control characters, / and , : keys and addresses contain them.
 * Shape   at most HOST_LABELS_MAX labels, by name.
 * Errors  -EINVAL with one sentence in `reason` (REASON_MAX bytes); after it nothing has changed.
 * Memory  a plain value that may be copied.  Thread: any.
 */
#ifndef HEATSCOPE_HOST_LABELS_H
#define HEATSCOPE_HOST_LABELS_H

#include "collector/core/metric.h"
#include <jansson.h>

#define HOSTNAME_FIELD "hostname"
#define HOST_LABEL_FIELD "label."	/* before a label's name: a field */
#define HOST_LABELS_MAX 16
#define HOST_LABEL_NAME (NAME_MAX_LEN - 6)	/* bytes of a name, including NUL */
#define HOST_LABEL_VALUE 64		/* bytes of a value, including NUL */
#define HOST_LABEL_NONE "none"		/* of a host that lacks the label */

struct host_labels {
	size_t n;
	struct host_label {
		char name[HOST_LABEL_NAME], value[HOST_LABEL_VALUE];
	} label[HOST_LABELS_MAX];
};

/* Adds "role=db", or several with commas between: "role=db,zone=a".  Refuses a name twice. */
int host_labels_add(struct host_labels *h, const char *text, char *reason);

json_t *host_labels_to_json(const struct host_labels *h);	/* {"role": "db"}; NULL: no memory */
int host_labels_from_json(const json_t *json, struct host_labels *ret, char *reason);	/* NULL is no labels */

/* Is it a field that all events of a host share: hostname, or label. and a valid name?  Collectors leave such fields
 * out of their keys, and the aggregator fills them in. */
int host_field_is(const char *field);

/* Returns the value of such a field.  labels NULL: the host has no labels. */
const char *host_field_value(const char *field, const char *hostname, const struct host_labels *labels);

#endif
