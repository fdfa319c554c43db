/* exposition.h - writes metrics in a format of Prometheus: text (version 0.0.4), or protobuf with native histograms.
 *
 *      exposition_begin(), then for each name exposition_family(), exposition_number() or _histogram() ..., exposition_end()
 *
 * Shape   a histogram has classic buckets in both formats, and native ones in protobuf.
 * Source  Prometheus, "Exposition formats"; metrics.proto.
 * Errors  no memory: exposition_end() returns NULL.
 * Memory  names and labels are borrowed during a call.
 * Thread  one.
 */
#ifndef HEATSCOPE_EXPORT_EXPOSITION_H
#define HEATSCOPE_EXPORT_EXPOSITION_H

#include "aggregator/export/export.h"
#include "collector/core/bytes.h"

#define EXPOSITION_TEXT_TYPE "text/plain; version=0.0.4; charset=utf-8"
#define EXPOSITION_PROTOBUF_TYPE "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited"
#define EXPOSITION_NAME_MAX 160

enum exposition_type { EXPOSITION_COUNTER, EXPOSITION_GAUGE, EXPOSITION_HISTOGRAM };

struct exposition_labels {
	size_t n;
	const char *name[KEY_FIELDS_MAX + 2], *value[KEY_FIELDS_MAX + 2];
};

#define EXPOSITION_EDGES_MAX 66		/* of classic buckets: one for each bit of a value, and two */

struct exposition {
	bool is_protobuf;
	struct bytes out, family;	/* of protobuf: the family that is written now, whose length comes before it */
	char name[EXPOSITION_NAME_MAX];
	enum exposition_type type;
	struct {			/* labels le="..." of the last text histogram, which the next one has, too */
		__u64 ruler;
		double divisor;
		char text[EXPOSITION_EDGES_MAX][40];
	} edges;
};

void exposition_begin(struct exposition *e, bool is_protobuf);
void exposition_family(struct exposition *e, enum exposition_type type, const char *name, const char *help);
void exposition_number(struct exposition *e, const struct exposition_labels *labels, double value);
/* divisor: of a value (buckets_unit()). */
void exposition_histogram(struct exposition *e, const struct exposition_labels *labels, const struct export_histogram *h, double divisor,
			  unsigned schema);
/* The text or bytes, to be freed; NULL: no memory. */
void *exposition_end(struct exposition *e, size_t *ret_len);

/* The highest value of a classic bucket, in Prometheus' unit. */
double exposition_edge(const struct export_histogram *h, __u32 cell, double divisor);

/* exposition_protobuf.c */
void exposition_protobuf_family(struct exposition *e, const char *help);
void exposition_protobuf_number(struct exposition *e, const struct exposition_labels *labels, double value);
void exposition_protobuf_histogram(struct exposition *e, const struct exposition_labels *labels, const struct export_histogram *h,
				   double divisor, unsigned schema);
void exposition_protobuf_end(struct exposition *e);		/* of a family */

#endif
