#include "aggregator/promql/result.h"

#include "aggregator/base/writer.h"
#include "aggregator/export/buckets.h"
#include "aggregator/export/exposition.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Texts that come again and again: of numbers, and of the edges of buckets. */
#define MEMOS 4096
#define EDGES 8192			/* of buckets -EDGES/2 ... */

struct memo {
	double value;
	char text[28];
	__u8 len;
};

struct writing {
	struct bytes *out;
	struct memo *memo;		/* MEMOS; NULL: no memory, which only makes it slower */
	int schema;
	char (*edge)[32];		/* EDGES of this schema; "": not written yet */
};

/* A number as a text. */
static void put_number(struct writing *w, double value)
{
	struct memo *m = NULL;
	__u64 bits;
	char text[32];

	memcpy(&bits, &value, sizeof(bits));
	if (w->memo)
		m = &w->memo[(bits * 0x9e3779b97f4a7c15ull) >> 52];
	if (m && m->len && m->value == value) {
		bytes_put(w->out, m->text, m->len);
		return;
	}
	if (value == floor(value) && fabs(value) < 1e15)
		snprintf(text, sizeof(text), "%lld", (long long)value);
	else
		exposition_number_text(value, text);
	writer_raw(w->out, "\"");
	writer_raw(w->out, text);
	writer_raw(w->out, "\"");
	if (m && strlen(text) + 2 <= sizeof(m->text)) {
		m->value = value;
		m->len = (__u8)snprintf(m->text, sizeof(m->text), "\"%s\"", text);
	}
}

static void put_time(struct bytes *out, __s64 ns) { writer_seconds(out, ns / 1000000 * 1000000); }

void result_labels(struct bytes *out, const struct series_labels *labels)
{
	writer_raw(out, "{");
	for (size_t i = 0; i < labels->n; i++)
		writer_name_text(out, labels->label[i].name, labels->label[i].value);
	writer_raw(out, "}");
}

static void put_edge(struct writing *w, int index, int schema)
{
	int at = index + EDGES / 2;
	char text[32];

	if (!w->edge || at < 0 || at >= EDGES) {
		writer_raw(w->out, exposition_number_text(buckets_edge(index, schema), text));
		return;
	}
	if (w->schema != schema) {
		memset(w->edge, 0, EDGES * sizeof(*w->edge));
		w->schema = schema;
	}
	if (!w->edge[at][0])
		exposition_number_text(buckets_edge(index, schema), w->edge[at]);
	writer_raw(w->out, w->edge[at]);
}

static void put_histogram(struct writing *w, const struct series_histogram *h, int schema)
{
	bool is_there = false;

	writer_raw(w->out, "{\"count\":");
	put_number(w, h->count);
	writer_raw(w->out, ",\"sum\":");
	put_number(w, h->sum);
	for (__u32 i = 0; i < h->n; i++) {
		if (h->bucket[i] == 0)
			continue;
		writer_raw(w->out, is_there ? ",[0,\"" : ",\"buckets\":[[0,\"");
		is_there = true;
		put_edge(w, h->first + (int)i - 1, schema);
		writer_raw(w->out, "\",\"");
		put_edge(w, h->first + (int)i, schema);
		writer_raw(w->out, "\",");
		put_number(w, h->bucket[i]);
		writer_raw(w->out, "]");
	}
	writer_raw(w->out, is_there ? "]}" : "}");
}

static void put_point(struct writing *w, const struct series *s, size_t i, __s64 ns)
{
	writer_raw(w->out, "[");
	put_time(w->out, ns);
	writer_raw(w->out, ",");
	if (s->value)
		put_number(w, s->value[i]);
	else
		put_histogram(w, &s->histogram[i], s->schema);
	writer_raw(w->out, "]");
}

static void put_series(struct writing *w, const struct series *s, size_t n_points, const struct result_points *p)
{
	const char *name = s->value ? p->is_instant ? "value" : "values" : p->is_instant ? "histogram" : "histograms";
	bool is_there = false;

	for (size_t i = 0; i < n_points; i++) {
		if (!s->is[i])
			continue;
		if (!is_there) {
			writer_open(w->out, NULL, "{");
			writer_name(w->out, "metric");
			result_labels(w->out, &s->labels);
			writer_name(w->out, name);
			writer_raw(w->out, p->is_instant ? "" : "[");
		} else {
			writer_raw(w->out, ",");
		}
		is_there = true;
		put_point(w, s, i, p->start_ns + (__s64)i * p->step_ns);
	}
	if (is_there)
		writer_raw(w->out, p->is_instant ? "}" : "]}");
}

/* A number at all points, as a series without labels. */
static void put_constant(struct writing *w, double number, size_t n_points, const struct result_points *p)
{
	writer_raw(w->out, "{\"metric\":{},\"values\":[");
	for (size_t i = 0; i < n_points; i++) {
		writer_raw(w->out, i ? ",[" : "[");
		put_time(w->out, p->start_ns + (__s64)i * p->step_ns);
		writer_raw(w->out, ",");
		put_number(w, number);
		writer_raw(w->out, "]");
	}
	writer_raw(w->out, "]}");
}

void result_data(struct bytes *out, const struct outcome *o, size_t n_points, const struct result_points *points)
{
	struct writing w = { out, calloc(MEMOS, sizeof(struct memo)), -1, calloc(EDGES, 32) };

	writer_raw(out, "{\"resultType\":");
	writer_text(out, !points->is_instant ? "matrix" : o->is_number ? "scalar" : "vector");
	writer_raw(out, ",\"result\":[");
	if (o->is_number && points->is_instant) {
		put_time(out, points->start_ns);
		writer_raw(out, ",");
		put_number(&w, o->number);
	} else if (o->is_number) {
		put_constant(&w, o->number, n_points, points);
	} else {
		for (size_t i = 0; i < o->matrix.n; i++)
			put_series(&w, &o->matrix.series[i], n_points, points);
	}
	writer_raw(out, "]}");
	free(w.memo);
	free(w.edge);
}

void result_begin(struct bytes *out) { writer_raw(out, "{\"status\":\"success\",\"data\":"); }

void result_end(struct bytes *out, const char *const *warning, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!i)
			writer_open(out, "warnings", "[");
		else
			writer_raw(out, ",");
		writer_text(out, warning[i]);
	}
	writer_raw(out, n ? "]}\n" : "}\n");
}

void result_error(struct bytes *out, const char *type, const char *message)
{
	writer_raw(out, "{\"status\":\"error\"");
	writer_name_text(out, "errorType", type);
	writer_name_text(out, "error", message);
	writer_raw(out, "}\n");
}
