#include "collector/core/secret_file.h"

#include "collector/core/refuse.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int check_owner(int fd, const char *path, const char *what, char *reason, size_t room)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return refuse_in(-EINVAL, reason, room, "%.200s is not a file", path);
	if (st.st_mode & 077)
		return refuse_in(-EPERM, reason, room, "%.200s has mode %03o, so other users can read the %s: chmod "
			"600 it", path, st.st_mode & 0777, what);
	if (st.st_uid && st.st_uid != geteuid())
		return refuse_in(-EPERM, reason, room, "%.200s belongs to another user (%u), who can change the %s",
			path, st.st_uid, what);
	return 0;
}

static int read_all(int fd, char *text, size_t most, size_t *ret_len)
{
	size_t len = 0;
	ssize_t n;

	while ((n = read(fd, text + len, most + 1 - len)) > 0)
		len += (size_t)n;
	if (n < 0)
		return -errno;
	if (len > most)
		return -E2BIG;
	text[len] = '\0';
	*ret_len = len;
	return 0;
}

/* text: NULL to only check the file. */
static int file_take(const char *path, const char *what, char *text, size_t most, size_t *ret_len, char *reason, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), err = fd < 0 ? -errno : 0;

	reason[0] = 0;
	if (!err)
		err = check_owner(fd, path, what, reason, room);
	if (!err && text)
		err = read_all(fd, text, most, ret_len);
	if (fd >= 0)
		close(fd);
	if (err == -E2BIG)
		snprintf(reason, room, "%.200s is too large: at most %zu bytes", path, most);
	else if (err && !reason[0])
		snprintf(reason, room, "the %s cannot be read from %.200s: %s", what, path, strerror(-err));
	return err;
}

int secret_file_check(const char *path, const char *what, char *reason, size_t room)
{
	return file_take(path, what, NULL, 0, NULL, reason, room);
}

int secret_file_read(const char *path, const char *what, char *text, size_t most, size_t *ret_len, char *reason, size_t room)
{
	int err = file_take(path, what, text, most, ret_len, reason, room);

	if (err)
		explicit_bzero(text, most + 1);
	return err;
}
