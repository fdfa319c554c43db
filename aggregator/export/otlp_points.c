#include "aggregator/export/otlp_points.h"

#include "aggregator/export/otlp_message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES (64u << 10)
#define RESOURCES_MAX 4

struct block {				/* of memory; all are freed together */
	struct block *next;
	size_t room, used;
	_Alignas(16) char data[];
};

struct otlp_points {
	Otlp__ExportRequest request;
	Otlp__ResourceMetrics *resource[RESOURCES_MAX];
	const char *system[RESOURCES_MAX];	/* db.system.name; NULL: heatscoped's own */
	struct otlp_resource sender;
	__s64 time_ns;
	struct block *blocks;
	Otlp__Metric *metric;		/* the family that is written now */
	Otlp__ScopeMetrics *scope;	/* where it belongs; it is added with its first point */
	size_t n_points;
	int err;
};

/* ---- memory ---- */

/* Zeroed; NULL: no memory, and err is set. */
static void *take(struct otlp_points *p, size_t size)
{
	struct block *b = p->blocks;
	size_t room;

	size = (size + 15) & ~(size_t)15;
	if (!b || b->room - b->used < size) {
		room = size > BLOCK_BYTES ? size : BLOCK_BYTES;
		b = calloc(1, sizeof(*b) + room);
		if (!b) {
			p->err = -ENOMEM;
			return NULL;
		}
		b->room = room;
		b->next = p->blocks;
		p->blocks = b;
	}
	b->used += size;
	return b->data + b->used - size;
}

static char *take_text(struct otlp_points *p, const char *text)
{
	size_t len = strlen(text) + 1;
	char *copy = take(p, len);

	return copy ? memcpy(copy, text, len) : NULL;
}

/* Appends a pointer to an array, which is moved whenever its length is a power of two. */
static void append(struct otlp_points *p, size_t *n, void *array, void *element)
{
	void **old, **grown;

	memcpy(&old, array, sizeof(old));
	if (!(*n & (*n - 1))) {
		grown = take(p, (*n ? 2 * *n : 1) * sizeof(*grown));
		if (!grown)
			return;
		if (*n)
			memcpy(grown, old, *n * sizeof(*grown));
		memcpy(array, &grown, sizeof(grown));
		old = grown;
	}
	old[(*n)++] = element;
}

#define TAKE(p, type, init)                                   \
	({                                                    \
		type *new_ = take(p, sizeof(type));           \
                                                              \
		if (new_)                                     \
			init(new_);                           \
		new_;                                         \
	})

static void add_attribute(struct otlp_points *p, size_t *n, Otlp__KeyValue ***list, const char *key, const char *value)
{
	Otlp__KeyValue *kv = TAKE(p, Otlp__KeyValue, otlp__key_value__init);
	Otlp__AnyValue *any = TAKE(p, Otlp__AnyValue, otlp__any_value__init);

	if (!kv || !any)
		return;
	kv->key = take_text(p, key);
	kv->value = any;
	any->string_value = take_text(p, value);
	append(p, n, list, kv);
}

/* ---- resources ---- */

/* The values of db.system.name that OpenTelemetry defines for our modules; NULL: the module belongs to no database. */
static const char *system_of(const char *module)
{
	static const char *const systems[] = { "mysql", "postgresql", "redis" };

	for (size_t i = 0; module && i < sizeof(systems) / sizeof(*systems); i++)
		if (!strcmp(module, systems[i]))
			return systems[i];
	return NULL;
}

static void fill_resource(struct otlp_points *p, Otlp__Resource *r, const char *system)
{
	char instance[256];

	snprintf(instance, sizeof(instance), "%s%s%s", p->sender.instance, system ? "/" : "", system ? system : "");
	add_attribute(p, &r->n_attributes, &r->attributes, "service.name", "heatscope");
	add_attribute(p, &r->n_attributes, &r->attributes, "service.version", PACKAGE_VERSION);
	add_attribute(p, &r->n_attributes, &r->attributes, "service.instance.id", instance);
	add_attribute(p, &r->n_attributes, &r->attributes, "host.name", p->sender.host);
	if (!system)
		return;
	add_attribute(p, &r->n_attributes, &r->attributes, "db.system.name", system);
	add_attribute(p, &r->n_attributes, &r->attributes, "db.system", system);	/* its former name */
}

static Otlp__ScopeMetrics *scope_new(struct otlp_points *p)
{
	Otlp__ScopeMetrics *s = TAKE(p, Otlp__ScopeMetrics, otlp__scope_metrics__init);
	Otlp__InstrumentationScope *scope = TAKE(p, Otlp__InstrumentationScope, otlp__instrumentation_scope__init);

	if (!s || !scope)
		return NULL;
	scope->name = take_text(p, "heatscope");
	scope->version = take_text(p, PACKAGE_VERSION);
	s->scope = scope;
	return s;
}

/* The resource of a module's metrics; NULL: no memory. */
static Otlp__ScopeMetrics *scope_of(struct otlp_points *p, const char *module)
{
	const char *system = system_of(module);
	Otlp__ResourceMetrics *r;
	size_t i = 0;

	while (i < p->request.n_resource_metrics && p->system[i] != system)
		i++;
	if (i < p->request.n_resource_metrics)
		return p->resource[i]->scope_metrics[0];
	r = TAKE(p, Otlp__ResourceMetrics, otlp__resource_metrics__init);
	if (!r)
		return NULL;
	r->resource = TAKE(p, Otlp__Resource, otlp__resource__init);
	if (r->resource)
		fill_resource(p, r->resource, system);
	append(p, &r->n_scope_metrics, &r->scope_metrics, scope_new(p));
	if (p->err)
		return NULL;
	p->system[i] = system;
	p->resource[p->request.n_resource_metrics++] = r;
	return r->scope_metrics[0];
}

/* ---- metrics ---- */

/* OpenTelemetry writes units by the codes of UCUM. */
static const char *unit_code(const char *unit)
{
	static const struct { const char *unit, *code; } codes[] = {
		{ "seconds", "s" }, { "bytes", "By" }, { "ratio", "1" }, { "per_second", "1/s" }, { "bytes_per_second", "By/s" },
	};

	for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++)
		if (!strcmp(unit, codes[i].unit))
			return codes[i].code;
	return "";
}

static void add_sum(struct otlp_points *p, Otlp__Metric *m)
{
	m->sum = TAKE(p, Otlp__Sum, otlp__sum__init);
	if (!m->sum)
		return;
	m->sum->has_aggregation_temporality = m->sum->has_is_monotonic = true;
	m->sum->aggregation_temporality = OTLP__AGGREGATION_TEMPORALITY__CUMULATIVE;
	m->sum->is_monotonic = true;
}

static void add_histogram(struct otlp_points *p, Otlp__Metric *m)
{
	Otlp__ExponentialHistogram *h = m->exponential_histogram = TAKE(p, Otlp__ExponentialHistogram, otlp__exponential_histogram__init);

	if (!h)
		return;
	h->has_aggregation_temporality = true;
	h->aggregation_temporality = OTLP__AGGREGATION_TEMPORALITY__CUMULATIVE;
}

static void points_family(struct exposition *e, const struct exposition_family *f)
{
	struct otlp_points *p = e->arg;
	Otlp__Metric *m = p->err ? NULL : TAKE(p, Otlp__Metric, otlp__metric__init);

	if (!m)
		return;
	m->name = take_text(p, f->name);
	m->description = take_text(p, f->help);
	m->unit = take_text(p, unit_code(f->unit));
	if (f->type == EXPOSITION_COUNTER)
		add_sum(p, m);
	else if (f->type == EXPOSITION_HISTOGRAM)
		add_histogram(p, m);
	else
		m->gauge = TAKE(p, Otlp__Gauge, otlp__gauge__init);
	p->metric = m;
	p->scope = scope_of(p, f->module);
}

/* A metric is added with its first point. */
static void count_point(struct otlp_points *p, size_t n_points)
{
	p->n_points++;
	if (n_points == 1)
		append(p, &p->scope->n_metrics, &p->scope->metrics, p->metric);
}

static void add_labels(struct otlp_points *p, const struct exposition_series *s, size_t *n, Otlp__KeyValue ***list)
{
	for (size_t i = 0; i < s->n; i++)
		add_attribute(p, n, list, s->name[i], s->value[i]);
}

/* When a series began; never after the points, even if the clock was set back. */
static uint64_t start_of(const struct otlp_points *p, const struct exposition_series *s)
{
	return (uint64_t)(s->since_ns < p->time_ns ? s->since_ns : p->time_ns);
}

static void points_number(struct exposition *e, const struct exposition_series *s, double value)
{
	struct otlp_points *p = e->arg;
	Otlp__NumberDataPoint *d = p->err ? NULL : TAKE(p, Otlp__NumberDataPoint, otlp__number_data_point__init);
	size_t *n;

	if (!d)
		return;
	d->has_time_unix_nano = d->has_as_double = true;
	d->has_start_time_unix_nano = s->since_ns > 0 && p->metric->sum;
	d->start_time_unix_nano = start_of(p, s);
	d->time_unix_nano = (uint64_t)p->time_ns;
	d->as_double = value;
	add_labels(p, s, &d->n_attributes, &d->attributes);
	n = p->metric->sum ? &p->metric->sum->n_data_points : &p->metric->gauge->n_data_points;
	append(p, n, p->metric->sum ? &p->metric->sum->data_points : &p->metric->gauge->data_points, d);
	count_point(p, *n);
}

/* Takes the native buckets from the first to the last that has events. */
static void fill_buckets(struct otlp_points *p, Otlp__Buckets *b, const struct export_histogram *h)
{
	size_t from = 0, to = (size_t)(h->last_bucket - h->first_bucket + 1);

	while (to && !h->native[to - 1])
		to--;
	while (from < to && !h->native[from])
		from++;
	b->has_offset = true;
	b->offset = to ? h->first_bucket + (int)from - 1 : 0;
	b->bucket_counts = to > from ? take(p, (to - from) * sizeof(*b->bucket_counts)) : NULL;
	if (!b->bucket_counts)
		return;
	b->n_bucket_counts = to - from;
	for (size_t i = from; i < to; i++)
		b->bucket_counts[i - from] = h->native[i];
}

static void points_histogram(struct exposition *e, const struct exposition_series *s, const struct export_histogram *h, double divisor,
			     unsigned schema)
{
	struct otlp_points *p = e->arg;
	Otlp__ExponentialHistogram *all = p->err ? NULL : p->metric->exponential_histogram;
	Otlp__ExponentialHistogramDataPoint *d = all ? TAKE(p, Otlp__ExponentialHistogramDataPoint, otlp__exponential_histogram_data_point__init) : NULL;

	if (!d)
		return;
	d->has_start_time_unix_nano = s->since_ns > 0;
	d->start_time_unix_nano = start_of(p, s);
	d->has_time_unix_nano = d->has_count = d->has_sum = d->has_scale = d->has_zero_count = true;
	d->time_unix_nano = (uint64_t)p->time_ns;
	d->count = h->count;
	d->sum = (double)h->sum / divisor;
	d->scale = (int32_t)schema;
	d->positive = TAKE(p, Otlp__Buckets, otlp__buckets__init);
	if (d->positive)
		fill_buckets(p, d->positive, h);
	add_labels(p, s, &d->n_attributes, &d->attributes);
	append(p, &all->n_data_points, &all->data_points, d);
	count_point(p, all->n_data_points);
}

const struct exposition_format otlp_points_format = { points_family, points_number, points_histogram, NULL };

/* ---- deltas ---- */

struct series {				/* a point and the names that identify it */
	const char *metric;
	size_t n;
	Otlp__KeyValue **attribute;
	const Otlp__NumberDataPoint *number;
	const Otlp__ExponentialHistogramDataPoint *histogram;
};

static int series_compare(const void *a, const void *b)
{
	const struct series *x = a, *y = b;
	int order = strcmp(x->metric, y->metric);

	for (size_t i = 0; !order && i < x->n && i < y->n; i++) {
		order = strcmp(x->attribute[i]->key, y->attribute[i]->key);
		if (!order)
			order = strcmp(x->attribute[i]->value->string_value, y->attribute[i]->value->string_value);
	}
	return order ? order : (x->n > y->n) - (x->n < y->n);
}

static size_t list_metric(const Otlp__Metric *m, struct series *list)
{
	const Otlp__ExponentialHistogram *h = m->exponential_histogram;
	size_t n = 0;

	for (size_t i = 0; h && i < h->n_data_points; i++, n++)
		list[n] = (struct series){ m->name, h->data_points[i]->n_attributes, h->data_points[i]->attributes, NULL, h->data_points[i] };
	for (size_t i = 0; m->sum && i < m->sum->n_data_points; i++, n++)
		list[n] = (struct series){ m->name, m->sum->data_points[i]->n_attributes, m->sum->data_points[i]->attributes,
					   m->sum->data_points[i], NULL };
	return n;
}

/* All points of counters, sorted. */
static size_t list_points(const struct otlp_points *p, struct series *list)
{
	size_t n = 0;

	for (size_t r = 0; r < p->request.n_resource_metrics; r++) {
		const Otlp__ScopeMetrics *s = p->resource[r]->scope_metrics[0];

		for (size_t i = 0; i < s->n_metrics; i++)
			n += list_metric(s->metrics[i], list + n);
	}
	qsort(list, n, sizeof(*list), series_compare);
	return n;
}

struct earlier {
	const struct otlp_points *points;	/* NULL: none */
	struct series *list;
	size_t n;
};

static const struct series *earlier_find(const struct earlier *e, const struct series *s)
{
	return e->n ? bsearch(s, e->list, e->n, sizeof(*e->list), series_compare) : NULL;
}

/* A series that was not there before, or that began again since, is new: it has what came since its beginning, or since the
 * earlier message, if it began before that. */
static uint64_t delta_start(const struct earlier *e, uint64_t start)
{
	return e->points && start < (uint64_t)e->points->time_ns ? (uint64_t)e->points->time_ns : start;
}

static void subtract_number(const struct earlier *e, const char *metric, Otlp__NumberDataPoint *d)
{
	const struct series *s = earlier_find(e, &(struct series){ metric, d->n_attributes, d->attributes, NULL, NULL });
	const Otlp__NumberDataPoint *before = s ? s->number : NULL;

	if (before && before->start_time_unix_nano == d->start_time_unix_nano && before->as_double <= d->as_double)
		d->as_double -= before->as_double;
	d->start_time_unix_nano = delta_start(e, d->start_time_unix_nano);
}

static void subtract_buckets(Otlp__Buckets *b, const Otlp__Buckets *before)
{
	size_t from = 0, to = b->n_bucket_counts;

	for (size_t i = 0; i < before->n_bucket_counts; i++) {
		long at = before->offset - b->offset + (long)i;

		if (at >= 0 && (size_t)at < to)
			b->bucket_counts[at] -= before->bucket_counts[i];
	}
	while (to && !b->bucket_counts[to - 1])
		to--;
	while (from < to && !b->bucket_counts[from])
		from++;
	b->bucket_counts += from;
	b->offset += (int)from;
	b->n_bucket_counts = to - from;
}

static void subtract_histogram(const struct earlier *e, const char *metric, Otlp__ExponentialHistogramDataPoint *d)
{
	const struct series *s = earlier_find(e, &(struct series){ metric, d->n_attributes, d->attributes, NULL, NULL });
	const Otlp__ExponentialHistogramDataPoint *before = s ? s->histogram : NULL;

	if (before && before->start_time_unix_nano == d->start_time_unix_nano && before->count <= d->count) {
		d->count -= before->count;
		d->sum -= before->sum;
		subtract_buckets(d->positive, before->positive);
	}
	d->start_time_unix_nano = delta_start(e, d->start_time_unix_nano);
}

/* Points without events are left out.  Returns how many are left. */
static size_t subtract_metric(const struct earlier *e, Otlp__Metric *m)
{
	Otlp__ExponentialHistogram *h = m->exponential_histogram;
	size_t n = 0;

	if (m->gauge)
		return m->gauge->n_data_points;
	if (m->sum) {
		m->sum->aggregation_temporality = OTLP__AGGREGATION_TEMPORALITY__DELTA;
		for (size_t i = 0; i < m->sum->n_data_points; i++) {
			subtract_number(e, m->name, m->sum->data_points[i]);
			if (m->sum->data_points[i]->as_double > 0)
				m->sum->data_points[n++] = m->sum->data_points[i];
		}
		m->sum->n_data_points = n;
		return n;
	}
	h->aggregation_temporality = OTLP__AGGREGATION_TEMPORALITY__DELTA;
	for (size_t i = 0; i < h->n_data_points; i++) {
		subtract_histogram(e, m->name, h->data_points[i]);
		if (h->data_points[i]->count)
			h->data_points[n++] = h->data_points[i];
	}
	h->n_data_points = n;
	return n;
}

static void subtract_scope(struct otlp_points *p, const struct earlier *e, Otlp__ScopeMetrics *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_metrics; i++) {
		size_t n_points = subtract_metric(e, s->metrics[i]);

		p->n_points += n_points;
		if (n_points)
			s->metrics[n++] = s->metrics[i];
	}
	s->n_metrics = n;
}

int otlp_points_subtract(struct otlp_points *p, const struct otlp_points *before)
{
	struct earlier e = { .points = before };

	if (before && before->n_points) {
		e.list = calloc(before->n_points, sizeof(*e.list));
		if (!e.list)
			return -ENOMEM;
		e.n = list_points(before, e.list);
	}
	p->n_points = 0;
	for (size_t r = 0; r < p->request.n_resource_metrics; r++)
		subtract_scope(p, &e, p->resource[r]->scope_metrics[0]);
	free(e.list);
	return 0;
}

/* ---- the message ---- */

void otlp_points_protobuf(const struct otlp_points *p, struct bytes *out)
{
	size_t len = otlp__export_request__get_packed_size(&p->request);
	__u8 *data = malloc(len + 1);

	if (!data) {
		out->err = -ENOMEM;
		return;
	}
	otlp__export_request__pack(&p->request, data);
	bytes_put(out, data, len);
	free(data);
}

void otlp_points_json(const struct otlp_points *p, struct bytes *out) { otlp_json_write(&p->request, out); }

int otlp_points_error(const struct otlp_points *p) { return p->err; }
size_t otlp_points_count(const struct otlp_points *p) { return p->n_points; }

int otlp_points_new(const struct otlp_resource *resource, __s64 time_ns, struct otlp_points **ret_points)
{
	struct otlp_points *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	otlp__export_request__init(&p->request);
	p->request.resource_metrics = p->resource;
	p->time_ns = time_ns;
	p->sender.host = take_text(p, resource->host);
	p->sender.instance = take_text(p, resource->instance);
	if (p->err) {
		otlp_points_free(p);
		return -ENOMEM;
	}
	*ret_points = p;
	return 0;
}

void otlp_points_free(struct otlp_points *p)
{
	while (p && p->blocks) {
		struct block *b = p->blocks;

		p->blocks = b->next;
		free(b);
	}
	free(p);
}
