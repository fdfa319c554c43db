#include "collector/segment.h"

#include "collector/core/file_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

void segment_init(struct segment *g)
{
	*g = (struct segment){ .fd = -1 };
}

int segment_open(struct segment *g, const char *path)
{
	struct stat st;
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600), err;

	if (fd < 0)
		return -errno;
	err = file_lock(fd);
	if (!err && fstat(fd, &st) < 0)
		err = -errno;
	if (!err && !S_ISREG(st.st_mode))
		err = -EINVAL;
	if (err) {
		close(fd);
		return err;
	}
	*g = (struct segment){ .fd = fd, .file_len = (__u64)st.st_size };
	return 0;
}

static int file_write(int fd, const __u8 *data, size_t len, __u64 at)
{
	while (len) {
		ssize_t n = pwrite(fd, data, len, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		data += n;
		len -= (size_t)n;
		at += (__u64)n;
	}
	return 0;
}

static int file_read(int fd, __u64 at, size_t len, struct bytes *out)
{
	__u8 piece[16384];

	while (len) {
		ssize_t n = pread(fd, piece, len < sizeof(piece) ? len : sizeof(piece), (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EBADMSG;
		bytes_put(out, piece, (size_t)n);
		len -= (size_t)n;
		at += (__u64)n;
	}
	return out->err;
}

void segment_close(struct segment *g)
{
	if (g->fd >= 0) {
		if (g->tail.len && file_write(g->fd, g->tail.data, g->tail.len, g->file_len))
			segment_cut(g, g->file_len);
		file_unlock(g->fd);
		close(g->fd);
	}
	bytes_fini(&g->tail);
	g->fd = -1;
}

__u64 segment_len(const struct segment *g)
{
	return g->file_len + g->tail.len;
}

int segment_fits(const struct segment *g, __u64 more, __u64 limit)
{
	int in_memory = g->fd < 0 || g->tail.len;

	return segment_len(g) + more <= limit && (!in_memory || g->tail.len + more <= SEGMENT_MEMORY);
}

int segment_append(struct segment *g, const struct bytes *data)
{
	size_t len = g->tail.len;
	int err;

	if (g->fd >= 0 && !g->tail.len) {
		g->file_err = file_write(g->fd, data->data, data->len, g->file_len);
		if (!g->file_err) {
			g->file_len += data->len;
			return 0;
		}
		segment_cut(g, g->file_len);
	}
	bytes_put(&g->tail, data->data, data->len);
	err = g->tail.err;
	if (err)
		g->tail.len = len;
	g->tail.err = 0;
	return err;
}

void segment_cut(struct segment *g, __u64 len)
{
	bytes_fini(&g->tail);
	g->file_len = len;
	if (g->fd >= 0 && ftruncate(g->fd, (off_t)len) < 0)
		g->file_err = -errno;	/* the rest of the file is overwritten, or cut at the next start */
}

static int segment_read(const struct segment *g, __u64 at, size_t len, struct bytes *out)
{
	if (at > segment_len(g) || len > segment_len(g) - at)
		return -EBADMSG;
	if (at < g->file_len)		/* a frame never crosses the border between file and tail */
		return len > g->file_len - at ? -EBADMSG : file_read(g->fd, at, len, out);
	bytes_put(out, g->tail.data + (at - g->file_len), len);
	return out->err;
}

long segment_frame(const struct segment *g, __u64 at, struct bytes *buffer, struct frame *ret_frame)
{
	struct cursor head = { .len = FRAME_HEAD, .at = 8 };
	long len;
	int err;

	bytes_clear(buffer);
	err = segment_read(g, at, FRAME_HEAD, buffer);
	if (err)
		return err;
	len = frame_get(buffer->data, buffer->len, ret_frame);
	if (len)
		return len;
	head.data = buffer->data;
	err = segment_read(g, at + FRAME_HEAD, cursor_get_int(&head, 4), buffer);
	if (err)
		return err;
	len = frame_get(buffer->data, buffer->len, ret_frame);
	return len ? len : -EBADMSG;
}
