#include "ui/cli/base/file.h"

#include "collector/core/batch.h"
#include "collector/core/frame.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* --- reading --- */

static int map_file(const char *path, const __u8 **ret_data, size_t *ret_len, char *reason)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	int err = 0;

	if (fd < 0 || fstat(fd, &st)) {
		err = -errno;
		snprintf(reason, 256, "%.200s: %s", path, strerror(errno));
	} else if (S_ISDIR(st.st_mode)) {
		err = -EISDIR;
		snprintf(reason, 256, "%.200s: is a folder, not a recording", path);
	} else if (!S_ISREG(st.st_mode) || !st.st_size) {
		err = -EINVAL;
		snprintf(reason, 256, "%.200s: not a recording: %s", path, S_ISREG(st.st_mode) ? "empty" : "not a file");
	} else {
		*ret_len = (size_t)st.st_size;
		*ret_data = mmap(NULL, *ret_len, PROT_READ, MAP_PRIVATE, fd, 0);
		err = *ret_data == MAP_FAILED ? -errno : 0;
	}
	if (fd >= 0)
		close(fd);
	return err;
}

/* {"instrumentation": {...}} as the API's request: fields and the first measure are the decomposition. */
static json_t *request_of(const struct frame *f)
{
	json_t *json = json_loadb((const char *)f->data, f->len, 0, NULL), *request = NULL;
	const json_t *inst = json_object_get(json, "instrumentation"), *measures = json_object_get(inst, "measures");

	if (json_array_size(measures)) {
		json_t *by = json_copy(json_object_get(inst, "fields"));

		request = json_copy((json_t *)inst);
		json_array_append(by, json_array_get(measures, 0));
		json_object_set_new(request, "decomposition", by);
		json_object_del(request, "fields");
		json_object_del(request, "id");
		json_object_del(request, "tiers");	/* they go with the retention, which is another one here */
		json_object_set_new(request, "retention-time", json_integer(31536000));
	}
	json_decref(json);
	return request;
}

static void extend_time(struct file_info *info, const struct batch *b)
{
	long long from = (long long)(b->slot * (__s64)b->slot_ns / 1000000000);
	long long to = (long long)(((b->slot + (b->run ?: 1)) * (__s64)b->slot_ns + 999999999) / 1000000000);

	if (!info->to_s || from < info->from_s)
		info->from_s = from;
	if (to > info->to_s)
		info->to_s = to;
}

static int read_frame(struct file_info *info, const struct frame *f)
{
	struct batch b;
	int err;

	if (f->type == FRAME_INST && !info->request) {
		info->request = request_of(f);
		return info->request ? 0 : -EBADMSG;
	}
	if (f->type != FRAME_BATCH)
		return 0;
	err = batch_decode(f->data, f->len, &b);
	if (!err) {
		extend_time(info, &b);
		batch_fini(&b);
	}
	return err;
}

int file_read(const char *path, struct file_info *ret_info, char reason[256])
{
	struct file_info info = { 0 };
	const __u8 *data = NULL;
	size_t len = 0, at = 0;
	struct frame f;
	long n = 1;
	int err = map_file(path, &data, &len, reason);

	if (err)
		return err;
	while (!err && at < len) {
		n = frame_get_last(data + at, len - at, &f);
		if (!n)
			break;
		err = n < 0 ? (int)n : read_frame(&info, &f);
		if (!err)
			at += (size_t)n;
	}
	if (!n)
		snprintf(info.cut, sizeof(info.cut), "%.100s: offset %zu: the recording ends in the middle of a frame: it is read as far as "
			 "it is whole, without its last %zu bytes", path, at, len - at);
	if (err)
		snprintf(reason, 256, "%.100s: offset %zu: %s", path, at, frame_error(err));
	else if (!n && (!info.request || !info.to_s))
		err = -EBADMSG, snprintf(reason, 256, "%.100s: offset %zu: the recording ends in the middle of a frame, and %s comes before it",
					 path, at, info.request ? "no batch" : "no instrumentation");
	else if (!info.request || !info.to_s)
		err = -EINVAL, snprintf(reason, 256, "%.150s: a recording without %s", path, info.request ? "data" : "an instrumentation");
	munmap((void *)data, len);
	if (err)
		json_decref(info.request);
	else
		*ret_info = info;
	return err;
}

/* --- serving --- */

/* The catalogue lists a metric once the replaying collector has said hello. */
static int create_when_known(struct client *c, const json_t *request, char ret_id[32])
{
	const struct timespec nap = { .tv_nsec = 10000000 };
	json_t *made;
	int err = -ETIMEDOUT;

	for (int i = 0; i < 1000; i++) {
		err = client_json(c, "POST", "/ca/instrumentations", request, &made);
		if (!err) {
			snprintf(ret_id, 32, "%s", json_string_value(json_object_get(made, "id")));
			json_decref(made);
			return 0;
		}
		nanosleep(&nap, NULL);
	}
	return err;
}

/* At the last second, so that it is within the pictures. */
static int note_cut(struct client *c, const struct file_info *info, const char *id)
{
	json_t *body = json_pack("{s:s, s:s, s:I}", "instrumentation", id, "text", "the recording was cut: later events are missing",
				 "time", (json_int_t)(info->to_s - 1)), *made = NULL;
	int err = body ? client_json(c, "POST", "/ca/annotations", body, &made) : -ENOMEM;

	json_decref(body);
	json_decref(made);
	return err;
}

/* Starts the replay, asks for what is recorded, and waits for its end. */
static int replay_file(const char *path, const struct file_info *info, struct private *p, int errors, char ret_id[32],
		       char reason[256])
{
	struct client c = { .url = p->url };
	const char *argv[] = { "heatscope-collector", "--replay", path, "--once", "--spool", "", "--socket", p->ingest, NULL };
	char said[120];
	pid_t pid = 0;
	int err = program_start(argv, errors, &pid);

	if (!err)
		err = create_when_known(&c, info->request, ret_id);
	if (err)
		snprintf(reason, 256, "%.250s", *c.reason ? c.reason : strerror(-err));
	if (!err && program_wait(pid)) {
		err = -EIO;
		errors_last(errors, said, sizeof(said));
		snprintf(reason, 256, "%.100s: the replay failed%s%s", path, *said ? ": " : "", said);
	}
	if (!err && *info->cut && (err = note_cut(&c, info, ret_id)))
		snprintf(reason, 256, "%.250s", *c.reason ? c.reason : strerror(-err));
	return err;
}

int file_serve(const char *path, const struct file_info *info, struct private *p, char ret_id[32], char reason[256])
{
	int err = private_start(p, 1), errors;

	if (err) {
		snprintf(reason, 256, "%s", p->reason);
		return err;
	}
	errors = errors_open();
	err = replay_file(path, info, p, errors, ret_id, reason);
	close(errors);
	return err;
}
