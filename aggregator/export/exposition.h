/* exposition.h - writes metrics in a format: Prometheus' text (version 0.0.4), Prometheus' protobuf with native histograms, or
 * data points of OpenTelemetry (otlp_points.h).
 *
 *      exposition_begin(), then for each name exposition_family(), exposition_number() or _histogram() ..., exposition_end()
 *
 * Names   are written as OpenTelemetry's: words with dots between, without unit.  For Prometheus the dots become underscores, and
 *         the unit and _total (of counters) are appended: so Prometheus itself names what it gets by OTLP.
 * Shape   a histogram has classic buckets in both formats of Prometheus, and native ones in protobuf.
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

struct exposition_family {		/* what the series of a name have in common */
	enum exposition_type type;
	const char *name, *unit, *help;	/* "heatscope.mysql.queries.latency", "seconds" ("": none) */
	const char *module;		/* of the instrumentations; NULL: heatscoped's own */
};

struct exposition_series {
	size_t n;			/* labels */
	const char *name[KEY_FIELDS_MAX + 2], *value[KEY_FIELDS_MAX + 2];
	__s64 since_ns;			/* wall clock: since when its counter counts; 0: not known */
};

#define EXPOSITION_EDGES_MAX 66		/* of classic buckets: one for each bit of a value, and two */

struct exposition;

/* divisor: of a value (buckets_unit()). */
struct exposition_format {
	void (*family)(struct exposition *e, const struct exposition_family *f);
	void (*number)(struct exposition *e, const struct exposition_series *s, double value);
	void (*histogram)(struct exposition *e, const struct exposition_series *s, const struct export_histogram *h, double divisor,
			  unsigned schema);
	void (*end)(struct exposition *e);		/* of a family; may be NULL */
};
extern const struct exposition_format exposition_text, exposition_protobuf;

struct exposition {
	const struct exposition_format *format;
	void *arg;			/* of the format */
	struct bytes out, family;	/* of protobuf: the family that is written now, whose length comes before it */
	bool is_in_family;
	char name[EXPOSITION_NAME_MAX];	/* Prometheus' name of the family */
	enum exposition_type type;
	struct {			/* labels le="..." of the last text histogram, which the next one has, too */
		__u64 ruler;
		double divisor;
		char text[EXPOSITION_EDGES_MAX][40];
	} edges;
};

void exposition_begin(struct exposition *e, const struct exposition_format *format, void *arg);
void exposition_family(struct exposition *e, const struct exposition_family *f);
void exposition_number(struct exposition *e, const struct exposition_series *s, double value);
void exposition_histogram(struct exposition *e, const struct exposition_series *s, const struct export_histogram *h, double divisor,
			  unsigned schema);
/* The text or bytes, to be freed; NULL: no memory. */
void *exposition_end(struct exposition *e, size_t *ret_len);

/* A byte that is not UTF-8 becomes a question mark: Prometheus refuses a reply that has one. */
void exposition_make_valid(char *text);

/* The highest value of a classic bucket, in Prometheus' unit. */
double exposition_edge(const struct export_histogram *h, __u32 cell, double divisor);

/* Writes a number as Prometheus does: with 15 digits if they say it, else with up to 17.  Returns text. */
const char *exposition_number_text(double value, char text[32]);

/* Prometheus' name of a family. */
void exposition_prometheus_name(const struct exposition_family *f, char out[EXPOSITION_NAME_MAX]);

#endif
