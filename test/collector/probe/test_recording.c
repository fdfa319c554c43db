#include "collector/probe/recording.h"
#include "collector/core/frame.h"
#include "test/kit/sample_kit.h"

#include <errno.h>

#define N 5

static void put_inst(struct bytes *out, const char *json)
{
	frame_put(out, FRAME_INST, json, strlen(json));
}

static void put_batch(struct bytes *out, const struct batch *b)
{
	struct bytes payload = { 0 };

	batch_encode(b, &payload);
	frame_put(out, FRAME_BATCH, payload.data, payload.len);
	bytes_fini(&payload);
}

/* Writes N batches of instrumentation 3 with the recorder. */
static const char *record(void)
{
	const char *path = sample_path("recording");
	struct instrumentation in = sample_inst(3);
	struct recorder *r;
	struct sample m;

	assert_int_equal(recorder_open(path, &r), 0);
	assert_int_equal(recorder_begin(r, &in, &sample_metric), 0);
	for (__s64 slot = 0; slot < N; slot++) {
		sample_init(&m, 3, 1700000000 + slot, (__u32)slot);
		assert_int_equal(recorder_batch(r, &m.batch), 0);
		sample_fini(&m);
	}
	assert_int_equal(recorder_close(r), 0);
	return path;
}

static size_t slurp(const char *path, __u8 *out, size_t room)
{
	FILE *file = fopen(path, "rb");
	size_t n;

	assert_non_null(file);
	n = fread(out, 1, room, file);
	fclose(file);
	assert_true(n < room);
	return n;
}

TEST(a_recording_is_read_back)
{
	struct instrumentation in = sample_inst(3);
	struct recording *r = NULL;
	char reason[REASON_MAX] = "";

	assert_int_equal(recording_read(record(), &r, reason), 0);
	assert_int_equal(r->n_insts, 1);
	assert_memory_equal(&r->inst[0].in, &in, sizeof(in));
	assert_int_equal(r->inst[0].n_batches, N);
	assert_int_equal(r->inst[0].first_slot, 1700000000);
	assert_int_equal(r->inst[0].metric.n_fields, sample_metric.n_fields);
	for (size_t i = 0; i < sample_metric.n_fields; i++) {
		assert_string_equal(r->inst[0].metric.field[i].name, sample_fields[i].name);
		assert_string_equal(r->inst[0].metric.field[i].label, sample_fields[i].label);
		assert_int_equal(r->inst[0].metric.field[i].arity, sample_fields[i].arity);
		assert_int_equal(r->inst[0].metric.field[i].unit, sample_fields[i].unit);
		assert_int_equal(r->inst[0].metric.field[i].high, sample_fields[i].high);
	}
	recording_free(r);
}

TEST(hostname_is_left_to_the_aggregator)
{
	struct instrumentation in = sample_inst(1);

	strcpy(in.field[2], in.field[1]);
	strcpy(in.field[1], "hostname");
	in.n_fields = 3;
	instrumentation_strip(&in);
	assert_int_equal(in.n_fields, 2);
	assert_string_equal(in.field[0], "command");
	assert_string_equal(in.field[1], "statement");
}

TEST(an_id_used_again_is_another_instrumentation)
{
	const char *path = sample_path("recording");
	struct instrumentation in = sample_inst(3);
	struct recording *r = NULL;
	struct recorder *w;
	struct sample m;
	char reason[REASON_MAX] = "";

	assert_int_equal(recorder_open(path, &w), 0);
	for (int i = 0; i < 3; i++) {		/* the second time the same, the third time with fewer bits */
		in.ruler_bits = i < 2 ? 5 : 3;
		assert_int_equal(recorder_begin(w, &in, &sample_metric), 0);
		sample_init(&m, 3, 100 + i, (__u32)i);
		recorder_batch(w, &m.batch);
		sample_fini(&m);
	}
	assert_int_equal(recorder_close(w), 0);
	if (recording_read(path, &r, reason))
		fail_msg("%s", reason);
	assert_int_equal(r->n_insts, 2);
	assert_int_equal(r->inst[0].n_batches, 2);
	assert_int_equal(r->inst[1].n_batches, 1);
	recording_free(r);
}

TEST(a_recording_cut_anywhere_is_read_as_far_as_it_is_whole)
{
	static __u8 data[65536];
	size_t len = slurp(record(), data, sizeof(data)), next = 0, last = 0, n_whole = 0, n_batches;
	struct recording *r = NULL;
	struct frame f;
	char reason[REASON_MAX];

	for (size_t cut = 0; cut <= len; cut++) {
		int err = recording_parse(data, cut, &r, reason);

		if (cut == next && cut < len) {	/* between two frames */
			last = next;
			next += (size_t)frame_get(data + next, len - next, &f);
		} else if (cut == next) {
			last = next;
		}
		n_whole += cut && cut == last;
		if (!n_whole) {
			assert_int_equal(err, -EBADMSG);
			assert_memory_equal(reason, "offset 0: ", 10);
			continue;
		}
		if (err)
			fail_msg("cut to %zu bytes: %s", cut, reason);
		n_batches = 0;
		for (size_t i = 0; i < r->n_insts; i++)
			n_batches += r->inst[i].n_batches;
		assert_int_equal(n_batches, n_whole - 1);	/* the first frame is the instrumentation */
		assert_int_equal(r->cut_len, cut - last);
		assert_int_equal(r->cut_at, cut == last ? 0 : last);
		recording_free(r);
	}
	assert_int_equal(n_whole, N + 1);
}

TEST(a_flipped_bit_is_found)
{
	static __u8 data[65536];
	size_t len = slurp(record(), data, sizeof(data)), next = 0, last = 0;
	struct recording *r = NULL;
	char reason[REASON_MAX];
	struct frame f;

	while (next < len) {
		last = next;
		next += (size_t)frame_get(data + next, len - next, &f);
	}
	for (size_t i = 0; i < len; i++)
		for (int bit = 0; bit < 8; bit++) {
			data[i] ^= (__u8)(1 << bit);
			if (!recording_parse(data, len, &r, reason)) {
				if (i < last + 8 || i >= last + 12 || r->cut_at != last)	/* a longer last frame looks cut */
					fail_msg("byte %zu, bit %d", i, bit);
				recording_free(r);
			} else {
				assert_memory_equal(reason, "offset ", 7);
			}
			data[i] ^= (__u8)(1 << bit);
		}
}

static const char inst_json[] =
	"{\"instrumentation\":{\"id\":3,\"module\":\"mysql\",\"stat\":\"queries\",\"fields\":[\"command\",\"statement\"],"
	"\"measures\":[\"latency\",\"cputime\"],\"weights\":[\"latency\"]},"
	"\"metric\":{\"module\":\"mysql\",\"stat\":\"queries\",\"label\":\"queries\",\"unit\":\"queries\",\"fields\":["
	"{\"name\":\"command\",\"label\":\"command\",\"type\":\"string\",\"arity\":\"discrete\"},"
	"{\"name\":\"statement\",\"label\":\"statement\",\"type\":\"string\",\"arity\":\"discrete\"},"
	"{\"name\":\"latency\",\"label\":\"latency\",\"type\":\"time\",\"arity\":\"numeric\",\"unit\":\"ns\",\"low\":10,\"high\":39},"
	"{\"name\":\"cputime\",\"label\":\"cpu\",\"type\":\"time\",\"arity\":\"numeric\",\"unit\":\"ns\",\"low\":10,\"high\":39}]}}";

static void assert_refused(const struct bytes *data, const char *why)
{
	struct recording *r = NULL;
	char reason[REASON_MAX] = "";

	assert_int_equal(recording_parse(data->data, data->len, &r, reason), -EBADMSG);
	if (!strstr(reason, why))
		fail_msg("\"%s\" does not say \"%s\"", reason, why);
}

TEST(refuses_batches_that_are_not_of_their_instrumentation)
{
	static const struct { const char *why; int what; } cases[] = {
		{ "not introduced", 0 }, { "slots of", 1 }, { "labels", 2 }, { "measure", 3 }, { "ruler", 4 },
		{ "2100", 5 }, { "2100", 6 }, { "no batch", 7 }, { "by the first", 8 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bytes data = { 0 };
		struct sample m;

		put_inst(&data, inst_json);
		sample_init(&m, 3, 1700000000, 0);
		switch (cases[i].what) {
		case 0: m.batch.inst = 4; break;
		case 1: m.batch.slot_ns = 500000000; break;
		case 2: m.slice[0].key = (struct labels){ (const __u8 *)"\1a", 2 }; break;
		case 3: m.slice[0].axis = 2; break;
		case 4: m.slice[0].ruler = RULER(UNIT_BYTES, 5, 10, 39); break;
		case 5: m.batch.slot = 5000000000; break;
		case 6: m.batch.loss = (struct loss){ 1, 1, -5, 3 }; break;
		case 8: m.slice[0].axis = m.slice[0].weight = 1; break;
		}
		if (cases[i].what == 7)
			frame_put(&data, FRAME_BATCH, "rubbish", 7);
		else
			put_batch(&data, &m.batch);
		sample_fini(&m);
		assert_refused(&data, cases[i].why);
		bytes_fini(&data);
	}
}

TEST(refuses_json_that_is_not_an_instrumentation)
{
	static const struct { const char *json, *why; } cases[] = {
		{ "not json", "not JSON" },
		{ "{}", "must be a JSON object" },
		{ "{\"instrumentation\":{\"module\":\"a\",\"stat\":\"b\"}}", "metric" },
		{ "{\"instrumentation\":{\"module\":\"a\",\"stat\":\"b\",\"measures\":[\"x\"]},\"metric\":{\"module\":\"a\","
		  "\"stat\":\"b\",\"label\":\"l\",\"unit\":\"u\",\"fields\":[]}}", "not a measure" },
		{ "{\"instrumentation\":{\"module\":\"a\",\"stat\":\"b\"},\"metric\":{\"module\":\"a\","
		  "\"stat\":\"b\",\"label\":\"l\",\"unit\":\"u\",\"fields\":[{\"name\":\"x\",\"label\":\"x\",\"type\":\"time\","
		  "\"arity\":\"numeric\",\"unit\":\"ns\",\"low\":9,\"high\":99}]}}", "low and high" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bytes data = { 0 };

		put_inst(&data, cases[i].json);
		assert_refused(&data, cases[i].why);
		bytes_fini(&data);
	}
}

TEST(refuses_other_frames_and_files)
{
	struct bytes data = { 0 };
	struct recording *r = NULL;
	char reason[REASON_MAX];

	frame_put(&data, FRAME_HELLO, "{}", 2);
	assert_refused(&data, "no frames of type 1");
	bytes_fini(&data);
	assert_int_equal(recording_read("/nonexistent/file", &r, reason), -ENOENT);
	assert_non_null(strstr(reason, "/nonexistent/file: "));
	assert_int_equal(recording_read("/tmp", &r, reason), -EISDIR);
	assert_non_null(strstr(reason, "/tmp: is a folder, not a recording"));
	assert_int_equal(recording_read("/dev/null", &r, reason), -EBADMSG);
	assert_non_null(strstr(reason, "nothing is recorded"));
	assert_int_equal(recording_read("/dev/zero", &r, reason), -EFBIG);
}

TEST(a_recorder_reports_failed_writes)
{
	struct instrumentation in = sample_inst(3);
	struct recorder *w;

	assert_int_equal(recorder_open("/nonexistent/file", &w), -ENOENT);
	assert_int_equal(recorder_open("/dev/full", &w), 0);
	recorder_begin(w, &in, &sample_metric);
	assert_int_equal(recorder_close(w), -ENOSPC);
}

static int clean(void **state)
{
	static const char *const name[] = { "recording" };

	sample_clean(name, 1);
	return 0;
}

TEST_MAIN_WITH(NULL, clean)
