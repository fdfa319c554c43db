#include "aggregator/value/picture.h"
#include "aggregator/value/layers.h"
#include "aggregator/value/reply.h"
#include "render/draw/chart.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>

size_t picture_columns(const struct value *v)
{
	return chart_columns((unsigned)v->p.width);
}

/* On a linear axis the upper octaves are tall. */
void picture_query(const struct value *v, struct query *q)
{
	q->row_bits = v->p.yscale == AXIS_LOG ? 3 : RULER_BITS_MAX;
	value_layers_narrow(v, q);
}

bool value_attaches(const struct value *v)
{
	return v->p.format == FORMAT_PNG && v->p.data;
}

void picture_subtitle(const struct value *v, const char *what, char *out, size_t room)
{
	size_t at = (size_t)snprintf(out, room, "%s", what), n = v->p.exclude || v->p.isolate ? v->p.n_select : 0;

	for (size_t i = 0; i < n && i < 4 && at < room; i++)
		at += (size_t)snprintf(out + at, room - at, "%s%s",
				       i ? ", " : v->p.exclude ? "; without " : "; only ", v->p.select[i]);
	if (n > 4 && at < room)
		snprintf(out + at, room - at, " and %zu more", v->p.n_select - 4);
}

/* Writes "db1, Linux 6.1.0 x86_64". */
static const char *put_host(char *out, size_t room)
{
	struct utsname u;

	if (uname(&u))
		return NULL;
	snprintf(out, room, "%.64s, %.15s %.60s %.15s", u.nodename, u.sysname, u.release, u.machine);
	return out;
}

void picture_fill_data(const struct value *v, const char *picture, const char *subtitle, struct picture_texts *texts, struct picture_data *ret_data)
{
	*ret_data = (struct picture_data){
		.picture = picture, .title = v->title, .subtitle = subtitle, .sentence = texts->sentence, .made_ns = v->now_ns,
		.made_by = "heatscope " PACKAGE_VERSION, .made_on = put_host(texts->host, sizeof(texts->host)),
		.author = v->p.author && *v->p.author ? v->p.author : NULL, .instrumentation = v->about, .drawn = v->p, .n_maps = v->n_folds,
	};
	ret_data->zone = v->zone;
	for (size_t i = 0; i < v->n_folds; i++) {
		const char *measure = reply_measure(v, v->fold_axis[i]);

		ret_data->map[i] = (struct picture_data_map){ .measure = measure, .title = reply_measure_title(measure), .grid = v->grid[i], .drawn = true };
	}
	sentence_summary(v->grid[0], &ret_data->zone, texts->sentence, SENTENCE_MAX);
}

int picture_take(struct value *v, struct picture_data *p)
{
	__u8 *bytes = NULL;
	size_t len = 0;
	int err;

	picture_data_join(p);
	err = p->drawn.format == FORMAT_CSV ? picture_data_csv(p, CSV_KEYS, (char **)&bytes, &len) : picture_data_draw(p, &bytes, &len);
	if (err == -EINVAL)
		snprintf(v->reason, sizeof(v->reason), "a picture of this width, height, ymin and ymax cannot be drawn");
	if (!err && value_attaches(v))
		err = picture_data_attach(p, &bytes, &len);
	if (err) {
		free(bytes);
		return err;
	}
	v->type = reply_type(v->p.format);
	v->data = bytes;
	v->len = len;
	return 0;
}

int picture_attach(struct value *v, __u8 **png, size_t *len)
{
	struct picture_texts texts;
	struct picture_data p;

	if (!value_attaches(v))
		return 0;
	picture_fill_data(v, "image", reply_measure_title(reply_measure(v, v->fold_axis[0])), &texts, &p);
	p.drawn.width = p.drawn.height = 0;	/* a figure of bare cells has its own size */
	return picture_data_attach(&p, png, len);
}
