#include "collector/probe/recording.h"
#include "collector/core/array.h"
#include "collector/core/frame.h"
#include "collector/core/host_labels.h"
#include "collector/core/metric_json.h"
#include "collector/core/refuse.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define YEAR_2100_NS 4102444800000000000ll

/* --- reading --- */

struct reader {
	struct recording *recording;
	size_t at;			/* offset of the current frame */
	char *reason;
};

static int refuse_recording(struct reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int refuse_recording(struct reader *r, const char *format, ...)
{
	int n = snprintf(r->reason, REASON_MAX, "offset %zu: ", r->at);
	va_list args;

	va_start(args, format);
	vsnprintf(r->reason + n, REASON_MAX - (size_t)n, format, args);
	va_end(args);
	return -EBADMSG;
}

void instrumentation_strip(struct instrumentation *in)
{
	size_t n = 0;

	for (size_t i = 0; i < in->n_fields; i++)
		if (!host_field_is(in->field[i]))
			memmove(in->field[n++], in->field[i], NAME_MAX_LEN);
	in->n_fields = n;
}

/* Finds the latest one with that id. */
static struct recorded *recording_find(struct recording *rec, __u64 id)
{
	for (size_t i = rec->n_insts; i--;)
		if (rec->inst[i].in.id == id)
			return &rec->inst[i];
	return NULL;
}

static int instrumentation_same(const struct instrumentation *a, const struct instrumentation *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* Takes ownership of the metric. */
static int recording_add(struct recording *rec, const struct instrumentation *in, struct metric *m)
{
	struct recorded *known = recording_find(rec, in->id);

	if (known && instrumentation_same(&known->in, in)) {
		metric_json_fini(m);
		return 0;
	}
	if (array_resize(&rec->inst, rec->n_insts + 1, sizeof(*rec->inst)))
		return -ENOMEM;
	rec->inst[rec->n_insts++] = (struct recorded){ .in = *in, .metric = *m };
	return 0;
}

static int read_inst(struct reader *r, const struct frame *frame)
{
	json_t *json = json_loadb((const char *)frame->data, frame->len, 0, NULL);
	struct instrumentation in;
	struct metric m = { 0 };
	char why[REASON_MAX];
	int err;

	memset(&in, 0, sizeof(in));
	if (!json)
		return refuse_recording(r, "the instrumentation is not JSON");
	err = instrumentation_from_json(json_object_get(json, "instrumentation"), &in, why);
	if (!err)
		err = metric_json_read(json_object_get(json, "metric"), &m, why);
	if (!err) {
		instrumentation_strip(&in);
		err = instrumentation_bind(&in, &m, why);
	}
	json_decref(json);
	if (err)
		refuse_recording(r, "%.200s", why);
	else
		err = recording_add(r->recording, &in, &m);
	if (err)
		metric_json_fini(&m);
	return err == -ENOMEM ? err : err ? -EBADMSG : 0;
}

/* Are the times of these slots small enough to be shifted and added without overflow? */
static int time_sane(const struct recorded *of, __s64 slot, __s64 run)
{
	return slot >= 0 && slot <= YEAR_2100_NS / (__s64)of->in.slot_ns - run;
}

/* batch_decode() has checked each byte; this compares the batch with its instrumentation. */
static int check_batch(struct reader *r, const struct recorded *of, const struct batch *b)
{
	if (b->slot_ns != of->in.slot_ns)
		return refuse_recording(r, "a batch has slots of %llu ns, its instrumentation of %llu ns",
			      (unsigned long long)b->slot_ns, (unsigned long long)of->in.slot_ns);
	if (!time_sane(of, b->slot, (__s64)b->run + 1) || (b->loss.n && !time_sane(of, b->loss.first, 0)) ||
	    (b->loss.n && !time_sane(of, b->loss.last, 0)))
		return refuse_recording(r, "a batch has slots before 1970 or after 2100");
	for (size_t i = 0; i < b->n_slices; i++) {
		const struct slice *s = &b->slice[i];

		if (labels_count(&s->key) != (int)of->in.n_fields)
			return refuse_recording(r, "a key has %d labels, its instrumentation %zu fields", labels_count(&s->key),
				      of->in.n_fields);
		if (s->axis >= of->in.n_measures || s->weight > of->in.n_weights)
			return refuse_recording(r, "a slice is of measure %u and weight %u, its instrumentation has %zu and %zu", s->axis,
				      s->weight, of->in.n_measures, of->in.n_weights);
		if (s->weight && s->axis)
			return refuse_recording(r, "a slice is of weight %u by measure %u: weights are by the first", s->weight, s->axis);
		if (!ruler_common(s->ruler, of->in.ruler[s->axis]))
			return refuse_recording(r, "a slice's ruler is not one of its measure");
	}
	return 0;
}

static int keep_batch(struct recorded *of, const struct frame *frame, __s64 slot)
{
	size_t n = of->n_batches;
	struct recorded_batch *more = of->batch;

	if (!(n & (n - 1)))		/* 0, 1, 2, 4, 8 ...: the array is full */
		more = realloc(of->batch, (n ? 2 * n : 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	of->batch = more;
	of->batch[of->n_batches++] = (struct recorded_batch){ frame->data, frame->len, slot };
	if (!n || slot < of->first_slot)
		of->first_slot = slot;
	return 0;
}

static int read_batch(struct reader *r, const struct frame *frame)
{
	struct recorded *of;
	struct batch b;
	int err = batch_decode(frame->data, frame->len, &b);

	if (err == -EBADMSG)
		return refuse_recording(r, "the frame is whole, but it contains no batch");
	if (err)
		return err;
	of = recording_find(r->recording, b.inst);
	if (!of)
		err = refuse_recording(r, "a batch of instrumentation %llu, which was not introduced", (unsigned long long)b.inst);
	if (!err)
		err = check_batch(r, of, &b);
	if (!err)
		err = keep_batch(of, frame, b.slot);
	batch_fini(&b);
	return err;
}

static int read_frame(struct reader *r, const struct frame *frame)
{
	switch (frame->type) {
	case FRAME_INST: return read_inst(r, frame);
	case FRAME_BATCH: return read_batch(r, frame);
	default: return refuse_recording(r, "a recording has no frames of type %d", (int)frame->type);
	}
}

static int read_frames(struct reader *r, size_t len)
{
	const __u8 *data = r->recording->data;
	struct frame frame;
	long n;
	int err = 0;

	for (; r->at < len && !err; r->at += (size_t)n) {
		n = frame_get_last(data + r->at, len - r->at, &frame);
		if (n < 0)
			return refuse_recording(r, "%s", frame_error((int)n));
		if (!n && !r->recording->n_insts)
			return refuse_recording(r, "the recording ends in the middle of its first frame");
		if (!n) {
			r->recording->cut_at = r->at;
			r->recording->cut_len = len - r->at;
			return 0;
		}
		err = read_frame(r, &frame);
	}
	if (!err && !r->recording->n_insts)
		err = refuse_recording(r, "nothing is recorded");
	return err;
}

/* Takes ownership of data. */
static int recording_take(__u8 *data, size_t len, struct recording **ret_recording, char reason[REASON_MAX])
{
	struct recording *rec = calloc(1, sizeof(*rec));
	struct reader r = { .recording = rec, .reason = reason };
	int err;

	snprintf(reason, REASON_MAX, "no memory for the recording");
	if (!rec) {
		free(data);
		return -ENOMEM;
	}
	rec->data = data;
	err = read_frames(&r, len);
	if (err) {
		recording_free(rec);
		return err;
	}
	*ret_recording = rec;
	return 0;
}

int recording_parse(const __u8 *data, size_t len, struct recording **ret_recording, char reason[REASON_MAX])
{
	__u8 *copy = malloc(len + 1);

	if (!copy)
		return refuse_as(-ENOMEM, reason, "no memory for the recording");
	if (len)
		memcpy(copy, data, len);
	return recording_take(copy, len, ret_recording, reason);
}

static const char *read_error(int err)
{
	switch (err) {
	case -EFBIG: return "longer than 256 MiB";
	case -EISDIR: return "is a folder, not a recording";
	default: return strerror(-err);
	}
}

static int read_file(const char *path, struct bytes *out)
{
	FILE *file = fopen(path, "rbe");
	__u8 piece[65536];
	size_t n;
	int err = 0;

	if (!file)
		return -errno;
	while (!err && (n = fread(piece, 1, sizeof(piece), file))) {
		bytes_put(out, piece, n);
		err = out->len > RECORDING_MAX ? -EFBIG : out->err;
	}
	if (!err && ferror(file))
		err = errno == EISDIR ? -EISDIR : -EIO;
	fclose(file);
	return err;
}

int recording_read(const char *path, struct recording **ret_recording, char reason[REASON_MAX])
{
	struct bytes data = { 0 };
	char why[REASON_MAX];
	int err = read_file(path, &data);

	if (err) {
		bytes_fini(&data);
		return refuse_as(err, reason, "%s: %s", path, read_error(err));
	}
	err = recording_take(data.data, data.len, ret_recording, why);
	if (err)
		snprintf(reason, REASON_MAX, "%.90s: %.160s", path, why);
	return err;
}

void recording_free(struct recording *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n_insts; i++) {
		metric_json_fini(&r->inst[i].metric);
		free(r->inst[i].batch);
	}
	free(r->inst);
	free(r->data);
	free(r);
}

/* --- writing --- */

struct recorder {
	FILE *file;
	int err;
};

int recorder_open(const char *path, struct recorder **ret_recorder)
{
	struct recorder *r = calloc(1, sizeof(*r));
	int err;

	if (!r)
		return -ENOMEM;
	r->file = fopen(path, "wbe");
	if (!r->file) {
		err = -errno;
		free(r);
		return err;
	}
	*ret_recorder = r;
	return 0;
}

static int recorder_put(struct recorder *r, enum frame_type type, const void *data, size_t len)
{
	struct bytes frame = { 0 };

	if (r->err)
		return r->err;
	frame_put(&frame, type, data, len);
	if (frame.err)
		r->err = frame.err;
	else if (fwrite(frame.data, 1, frame.len, r->file) != frame.len)
		r->err = errno ? -errno : -EIO;
	bytes_fini(&frame);
	return r->err;
}

int recorder_begin(struct recorder *r, const struct instrumentation *in, const struct metric *m)
{
	json_t *json = json_pack("{s:o, s:o}", "instrumentation", instrumentation_to_json(in), "metric",
				 metric_json_make(m, NULL));
	char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
	int err = text ? recorder_put(r, FRAME_INST, text, strlen(text)) : -ENOMEM;

	free(text);
	json_decref(json);
	return err;
}

int recorder_batch(struct recorder *r, const struct batch *b)
{
	struct bytes payload = { 0 };
	int err;

	batch_encode(b, &payload);
	err = payload.err ? payload.err : recorder_put(r, FRAME_BATCH, payload.data, payload.len);
	bytes_fini(&payload);
	return err;
}

int recorder_flush(struct recorder *r)
{
	if (!r->err && fflush(r->file))
		r->err = errno ? -errno : -EIO;
	return r->err;
}

int recorder_close(struct recorder *r)
{
	int err;

	if (!r)
		return 0;
	err = recorder_flush(r);
	if (fclose(r->file) && !err)
		err = -errno;
	free(r);
	return err;
}
