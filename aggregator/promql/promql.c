#include "aggregator/promql/promql.h"

#include "aggregator/base/clock.h"
#include "aggregator/base/services.h"
#include "aggregator/base/writer.h"
#include "aggregator/promql/listing.h"
#include "aggregator/promql/parse.h"
#include "aggregator/promql/result.h"
#include "aggregator/store/store_queue.h"
#include "collector/core/refuse.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The Prometheus whose interface this is: clients look at the version to know which paths there are. */
#define SPOKEN_VERSION "2.42.0"

struct leaf {				/* rate() or increase() */
	const struct expression *e, *sum;	/* sum: the expression of which it is the argument; NULL */
	struct series_source *sources;
};

#define WARNINGS_MAX 6

struct promql_job {
	struct promql *p;
	struct http_request *request;
	struct waiter waiter;		/* its turn in the queue for a place */
	struct making_job making;
	struct listing *listing;	/* a list; NULL: an expression */
	struct expression *e;
	struct query_range range;
	bool is_instant;
	struct leaf leaf[PARSE_LEAVES_MAX];
	size_t n_leaves;
	char warning[WARNINGS_MAX][160];
	size_t n_warnings;
	struct bytes out;
	int err;
	char reason[REASON_MAX];	/* of an error */
};

#define CLASS ADMISSION_MEDIUM

static void job_free(struct promql_job *job)
{
	for (size_t i = 0; i < job->n_leaves; i++)
		sources_free(job->leaf[i].sources);
	expression_free(job->e);
	listing_free(job->listing);
	bytes_fini(&job->out);
	free(job);
}

/* ---- replies ---- */

static void reply_bytes(struct http_request *r, unsigned status, struct bytes *out)
{
	size_t len;
	char *text = writer_take(out, &len);

	if (text)
		http_reply(r, status, "application/json", text, len, NULL);
	else
		http_busy(r, 1, "out of memory");
}

static void reply_error(struct http_request *r, unsigned status, const char *type, const char *message)
{
	struct bytes out = { 0 };

	result_error(&out, type, message);
	reply_bytes(r, status, &out);
}

/* An error before anything was read. */
static void refuse_request(struct http_request *r, int err, const char *reason)
{
	if (err == -EINVAL)
		reply_error(r, 400, "bad_data", reason);
	else if (err == -E2BIG)
		reply_error(r, 422, "execution", "the selectors choose more names of series than a query may read: name the metric");
	else if (err == -EPROTONOSUPPORT)
		reply_error(r, 415, "bad_data", reason);
	else
		reply_error(r, 503, "unavailable", "out of memory");
}

static void reply_job(struct promql_job *job)
{
	struct http_request *r = job->request;

	if (!job->err)
		reply_bytes(r, 200, &job->out);
	else if (job->err == -EINVAL)
		reply_error(r, 422, "execution", job->reason);
	else if (job->err == -E2BIG || job->err == -EFBIG)
		reply_error(r, 422, "execution", "the query needs too much memory: choose fewer series, a shorter time or a longer step");
	else if (job->err == -ESHUTDOWN)
		reply_error(r, 503, "unavailable", "shutting down");
	else if (job->err == -ENOMEM)
		reply_error(r, 503, "unavailable", "out of memory");
	else
		reply_error(r, 500, "internal", *job->reason ? job->reason : strerror(-job->err));
}

static void job_end(struct promql_job *job)
{
	struct admission *admission = &job->p->services->admission;

	reply_job(job);
	job_free(job);
	admission_leave(admission, CLASS);
}

/* ---- warnings ---- */

static __attribute__((format(printf, 2, 3))) void warn(struct promql_job *job, const char *format, ...)
{
	va_list args;

	if (job->n_warnings == WARNINGS_MAX)
		return;
	va_start(args, format);
	vsnprintf(job->warning[job->n_warnings], sizeof(*job->warning), format, args);
	va_end(args);
	for (size_t i = 0; i < job->n_warnings; i++)
		if (!strcmp(job->warning[i], job->warning[job->n_warnings]))
			return;
	job->n_warnings++;
}

static void warn_of(struct promql_job *job, const struct series_source *s)
{
	static const char *const words[TIERS] = { "slot", "minute", "hour" };

	if (!s->plan.is_exact)
		warn(job, "%s is read per %s: windows begin and end with it", s->instrumentation, words[s->plan.tier]);
	if (window_fold_others(s->fold))
		warn(job, "%zu keys of %s are in the series \"other\": they are more than its limit, %zu", window_fold_others(s->fold),
		     s->instrumentation, s->source.keys_max);
	if (window_fold_lost(s->fold))
		warn(job, "collectors lost %llu events of %s in this time: no series has them", (unsigned long long)window_fold_lost(s->fold),
		     s->instrumentation);
	if (window_fold_damaged(s->fold))
		warn(job, "data of %s are damaged in this time: see heatscoped's log", s->instrumentation);
}

/* ---- reading, evaluating ---- */

static int read_leaves(struct promql_job *job, struct store *store)
{
	int err = 0;

	for (struct leaf *leaf = job->leaf; leaf < job->leaf + job->n_leaves && !err; leaf++)
		for (struct series_source *s = leaf->sources; s && !err; s = s->next)
			err = series_source_read(s, leaf->e, leaf->sum, &job->range, store);
	return err;
}

/* On the store's worker. */
static int on_store(void *arg, struct store *store)
{
	struct promql_job *job = arg;
	int err = job->listing ? listing_read(job->listing, store) : read_leaves(job, store);

	if (err && *store->reason)
		snprintf(job->reason, sizeof(job->reason), "%s", store->reason);
	return err;
}

static int fill_leaf(void *arg, const struct expression *e, struct matrix *out)
{
	struct promql_job *job = arg;
	const struct leaf *leaf = job->leaf;
	int err = 0;

	while (leaf->e != e)
		leaf++;
	for (struct series_source *s = leaf->sources; s && !err; s = s->next) {
		err = window_fold_finish(s->fold, e->kind == EXPRESSION_RATE, out);
		warn_of(job, s);
	}
	if (!err && !leaf->sum && matrix_has_twins(out))
		err = refuse(job->reason, "several series of the selector at character %zu have equal labels: name the metric", e->at + 1);
	return err;
}

static int evaluate(struct promql_job *job)
{
	const struct evaluation of = { job->range.n_points, fill_leaf, job, job->reason };
	const struct result_points points = { job->range.start_ns, job->range.step_ns, job->is_instant };
	const char *warnings[WARNINGS_MAX];
	struct outcome o;
	int err = expression_evaluate(&of, job->e, &o);

	if (err)
		return err;
	for (size_t i = 0; i < job->n_warnings; i++)
		warnings[i] = job->warning[i];
	job->out.most = RESULT_BYTES_MAX;
	result_begin(&job->out);
	result_data(&job->out, &o, job->range.n_points, &points);
	result_end(&job->out, warnings, job->n_warnings);
	outcome_fini(&o);
	return job->out.err;
}

static struct promql_job *job_of_making(struct making_job *m) { return (struct promql_job *)((char *)m - offsetof(struct promql_job, making)); }
static struct promql_job *job_of_waiter(struct waiter *t) { return (struct promql_job *)((char *)t - offsetof(struct promql_job, waiter)); }

/* On a worker. */
static void on_make(struct making_job *m)
{
	struct promql_job *job = job_of_making(m);

	if (!job->err)
		job->err = job->listing ? listing_write(job->listing, &job->out) : evaluate(job);
}

static void on_made(struct making_job *m) { job_end(job_of_making(m)); }

static void on_read(void *arg, int err)
{
	struct promql_job *job = arg;

	job->err = err;
	making_add(job->p->services->making, job->p->services->loop, &job->making);
}

/* ---- waiting for a place ---- */

static void job_run(struct promql_job *job)
{
	bool needs_store = job->listing ? listing_needs_store(job->listing) : job->n_leaves;

	job->making = (struct making_job){ .class = CLASS, .make = on_make, .made = on_made };
	job->err = needs_store ? store_queue_submit(job->p->services->store_queue, on_store, on_read, job) : 0;
	if (job->err)
		job_end(job);
	else if (!needs_store)
		making_add(job->p->services->making, job->p->services->loop, &job->making);
}

static bool waiter_wanted(struct waiter *t) { return !http_is_gone(job_of_waiter(t)->request); }
static void waiter_start(struct waiter *t) { job_run(job_of_waiter(t)); }

static void waiter_drop(struct waiter *t)
{
	http_drop(job_of_waiter(t)->request);
	job_free(job_of_waiter(t));
}

static void job_begin(struct promql_job *job)
{
	struct admission *admission = &job->p->services->admission;

	job->waiter = (struct waiter){ .wanted = waiter_wanted, .start = waiter_start, .drop = waiter_drop };
	if (admission_take(admission, CLASS)) {
		job_run(job);
	} else if (admission_wait(admission, CLASS, &job->waiter)) {
		http_busy(job->request, 5, "too many queries are asked for at a time; try again in a few seconds");
		job_free(job);
	}
}

/* ---- expressions ---- */

static int find_leaves(struct promql_job *job, const struct expression *e, const struct expression *parent, size_t *n_left)
{
	int err = 0;

	for (int i = 0; i < 2 && !err; i++)
		if (e->child[i])
			err = find_leaves(job, e->child[i], e, n_left);
	if (!err && expression_is_leaf(e)) {
		struct leaf *leaf = &job->leaf[job->n_leaves++];

		*leaf = (struct leaf){ e, parent && parent->kind == EXPRESSION_SUM ? parent : NULL, NULL };
		err = sources_find(job->p->services->catalog, job->p->export, &e->selector, now_ns(), n_left, &leaf->sources);
	}
	return err;
}

static int read_query(struct promql_job *job, const struct input *in)
{
	const char *text = query_param(in, "query");
	size_t n_left = SOURCES_MAX;
	int err = text ? 0 : refuse(job->reason, "invalid parameter \"query\": it is missing");

	if (!err)
		err = job->is_instant ? query_time_read(in, now_ns(), &job->range, job->reason) : query_range_read(in, &job->range, job->reason);
	if (!err)
		err = expression_parse(text, &job->e, job->reason);
	return err ? err : find_leaves(job, job->e, NULL, &n_left);
}

/* ---- lists ---- */

static int read_selectors(const struct input *in, struct selector *selector, size_t *ret_n, char *reason)
{
	size_t n = 0;
	int err = 0;

	for (size_t i = 0; i < in->n && !err; i++) {
		if (strcmp(in->param[i].name, "match[]"))
			continue;
		err = n == LISTING_SELECTORS_MAX ? refuse(reason, "there are more than %d selectors in match[]", LISTING_SELECTORS_MAX)
						 : selector_parse(in->param[i].value, &selector[n], reason);
		n += !err;
	}
	for (size_t i = 0; err && i < n; i++)
		selector_fini(&selector[i]);
	*ret_n = n;
	return err;
}

static int read_list(struct promql_job *job, const struct input *in, enum listing_kind kind, const char *label)
{
	struct selector selector[LISTING_SELECTORS_MAX] = { 0 };
	const char *limit = query_param(in, "limit");
	size_t n = 0;
	int err = query_span_read(in, now_ns(), &job->range, job->reason);

	if (!err)
		err = read_selectors(in, selector, &n, job->reason);
	if (!err && kind == LISTING_SERIES && !n)
		err = refuse(job->reason, "no match[] parameter provided");
	return err ? err : listing_new(job->p->services->catalog, job->p->export, kind, label, selector, n, &job->range,
				       limit ? strtoul(limit, NULL, 10) : 0, &job->listing);
}

/* ---- what needs no series ---- */

static void put_metadata(struct bytes *out, const struct member *m)
{
	char help[MEMBER_HELP_MAX];

	member_help(m, help);
	writer_open(out, m->prometheus, "[{");
	writer_name_text(out, "type", m->weight ? "counter" : "histogram");
	writer_name_text(out, "help", help);
	writer_name_text(out, "unit", "");
	writer_raw(out, "}]");
}

/* Is this the first instrumentation that has the family? */
static bool is_first(struct promql *p, const struct member *m)
{
	struct member other;

	for (const struct exported *x = export_first(p->export); x && x != m->x; x = x->next) {
		const struct catalog_inst *ci = catalog_find(p->services->catalog, x->inst);

		for (unsigned at = 0; ci && member_at(x, ci, at, &other); at++)
			if (!member_is_left_out(&other) && !strcmp(other.prometheus, m->prometheus))
				return false;
	}
	return true;
}

static void get_metadata(struct promql *p, struct http_request *r, const struct input *in)
{
	const char *metric = query_param(in, "metric");
	struct bytes out = { 0 };
	struct member m;

	result_begin(&out);
	writer_raw(&out, "{");
	for (const struct exported *x = export_first(p->export); x; x = x->next) {
		const struct catalog_inst *ci = catalog_find(p->services->catalog, x->inst);

		for (unsigned at = 0; ci && member_at(x, ci, at, &m); at++)
			if (!member_is_left_out(&m) && (!metric || !*metric || !strcmp(metric, m.prometheus)) && is_first(p, &m))
				put_metadata(&out, &m);
	}
	writer_raw(&out, "}");
	result_end(&out, NULL, 0);
	reply_bytes(r, 200, &out);
}

static void get_buildinfo(struct http_request *r)
{
	struct bytes out = { 0 };

	result_begin(&out);
	writer_raw(&out, "{");
	writer_name_text(&out, "version", SPOKEN_VERSION);
	writer_name_text(&out, "revision", "heatscoped " PACKAGE_VERSION);
	writer_raw(&out, ",\"branch\":\"\",\"buildUser\":\"\",\"buildDate\":\"\",\"goVersion\":\"\"}");
	result_end(&out, NULL, 0);
	reply_bytes(r, 200, &out);
}

/* ---- paths ---- */

/* label/NAME/values */
static bool label_of(const char *path, char name[256])
{
	const char *end = strncmp(path, "label/", 6) ? NULL : strchr(path + 6, '/');

	if (!end || end == path + 6 || strcmp(end, "/values") || end - (path + 6) >= 256)
		return false;
	snprintf(name, 256, "%.*s", (int)(end - (path + 6)), path + 6);
	return true;
}

static void start(struct promql *p, struct http_request *r, const char *path, const struct input *in)
{
	struct promql_job *job = calloc(1, sizeof(*job));
	char label[256];
	int err = -ENOMEM;

	if (job) {
		*job = (struct promql_job){ .p = p, .request = r, .is_instant = !strcmp(path, "query") };
		if (job->is_instant || !strcmp(path, "query_range"))
			err = read_query(job, in);
		else
			err = read_list(job, in, !strcmp(path, "series") ? LISTING_SERIES : !strcmp(path, "labels") ? LISTING_NAMES : LISTING_VALUES,
					label_of(path, label) ? label : NULL);
	}
	if (!err) {
		job_begin(job);
		return;
	}
	refuse_request(r, err, job ? job->reason : "");
	if (job)
		job_free(job);
}

static bool is_started(const char *path)
{
	char label[256];

	return !strcmp(path, "query") || !strcmp(path, "query_range") || !strcmp(path, "series") || !strcmp(path, "labels") || label_of(path, label);
}

void promql_handle(struct promql *p, struct http_request *r)
{
	const char *path = http_path(r) + strlen(PROMQL_PATH);
	struct raw_input raw = { .type = http_header(r, "Content-Type") };
	char reason[REASON_MAX] = "", message[REASON_MAX];
	struct input in;
	int err;

	raw.query = http_params(r, &raw.n_query);
	raw.body = http_body(r, &raw.body_len);
	if (strcmp(http_method(r), "GET") && strcmp(http_method(r), "POST")) {
		reply_error(r, 405, "bad_data", "there are only GET and POST here");
		return;
	}
	err = input_read(&raw, &in, reason);
	if (err) {
		refuse_request(r, err, reason);
		return;
	}
	if (is_started(path)) {
		start(p, r, path, &in);
	} else if (!strcmp(path, "metadata")) {
		get_metadata(p, r, &in);
	} else if (!strcmp(path, "status/buildinfo")) {
		get_buildinfo(r);
	} else {
		snprintf(message, sizeof(message), "\"%.64s\" is not supported: heatscoped has query, query_range, series, labels, label/NAME/values, "
			 "metadata and status/buildinfo", path);
		reply_error(r, 404, "not_found", message);
	}
	input_fini(&in);
}
