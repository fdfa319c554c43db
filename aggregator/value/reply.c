#include "aggregator/value/reply.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Writes "MySQL queries by command, statement where latency > 10 ms". */
void reply_title(struct value *v, const struct catalog_inst *ci)
{
	size_t at = (size_t)snprintf(v->title, sizeof(v->title), "%s", ci->metric->label);

	for (size_t i = 0; i < v->in.n_fields && at < sizeof(v->title); i++)
		at += (size_t)snprintf(v->title + at, sizeof(v->title) - at, "%s%s", i ? ", " : " by ", v->in.field[i]);
	if (ci->in.predicate.n_nodes && at < sizeof(v->title))
		at += (size_t)snprintf(v->title + at, sizeof(v->title) - at, " where ");
	if (at < sizeof(v->title))
		predicate_title(&ci->in.predicate, ci->metric, v->title + at, sizeof(v->title) - at);
	snprintf(v->unit, sizeof(v->unit), "%s", ci->metric->unit);
}

const char *reply_measure(const struct value *v, int axis)
{
	return v->in.measure[axis];
}

const char *reply_measure_title(const char *measure)
{
	return !strcmp(measure, "cputime") ? "time on the CPU" : !strcmp(measure, "offcpu") ? "time off the CPU" : measure;
}

const char *reply_type(enum value_format format)
{
	switch (format) {
	case FORMAT_PDF: return "application/pdf";
	case FORMAT_SVG: return "image/svg+xml";
	case FORMAT_HTML: return "text/html; charset=utf-8";
	case FORMAT_CSV: return "text/csv; charset=utf-8; header=present";
	case FORMAT_JSON: return "application/json";
	default: return "image/png";
	}
}

/* A percentage is exact enough in the first bucket, too. */
static void put_least(struct bytes *out, __u64 ruler)
{
	__u64 least = ruler_first(ruler, 1);

	if (ruler_unit(ruler) != UNIT_PERCENT && least > 1)
		writer_name_number(out, "least", least);
}

void reply_begin(struct value *v, struct bytes *out)
{
	writer_raw(out, "{");
	payload_head(out, &v->head);
	writer_name_text(out, "measure", reply_measure(v, v->fold_axis[0]));
	writer_name_text(out, "unit", query_unit(&v->in, v->fold_axis[0]));
	put_least(out, v->in.ruler[v->fold_axis[0]]);
	if (v->weight)
		writer_name_text(out, "weight", v->in.weight[v->weight - 1]);
}

void reply_edges(const struct value *v, struct bytes *out, __u64 first, __u64 last)
{
	writer_name_number(out, "ymin", first);
	writer_name(out, "ymax");
	if (last == ~0ull)
		writer_raw(out, "null");
	else
		writer_number(out, last + 1);
	writer_name_number(out, "requested_ymin", (__u64)v->p.ymin);
	writer_name(out, "requested_ymax");
	if (v->p.has_ymax)
		writer_number(out, (__u64)v->p.ymax);
	else
		writer_raw(out, "null");
}

void reply_losses(struct bytes *out, const struct grid *g)
{
	writer_name_number(out, "lost", g->all.lost);
	if (g->column[0].marks & GRID_SAMPLED)
		writer_name_number(out, "sampled", g->column[0].every);
}

int reply_honesty(struct bytes *out, struct fold *f, bool *ret_dropped)
{
	struct grid *g = fold_grid(f);

	if (!g)
		return -ENOMEM;
	reply_losses(out, g);
	*ret_dropped = g->column[0].marks & GRID_DROPPED;
	grid_free(g);
	return 0;
}

int reply_end(struct value *v, struct bytes *out)
{
	writer_raw(out, "}\n");
	v->type = "application/json";
	v->data = writer_take(out, &v->len);
	return v->data ? 0 : -ENOMEM;
}

void reply_fail(struct value *v, int err)
{
	bool busy = err == -ESHUTDOWN || err == -ENOMEM || err == -EAGAIN;
	bool refused = err == -EINVAL || err == -E2BIG;

	if (err == -E2BIG && !*v->reason)
		snprintf(v->reason, sizeof(v->reason), "the layers have too many cells: select fewer keys, a shorter time or fewer columns");
	v->status = refused ? 409 : busy ? 503 : 500;
	v->code = refused ? "ECA_INVAL" : busy ? "ECA_NORESOURCE" : "ECA_IO";
	if (!*v->reason)
		snprintf(v->reason, sizeof(v->reason), "%s", err == -ESHUTDOWN ? "shutting down" : err == -EAGAIN ? STORE_AWAY : strerror(-err));
}
