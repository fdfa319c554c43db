#include "aggregator/notify/report_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define STAMP "YYYYmmddTHHMMSS+zzzz"
#define NAME (REPORT_FILE_STEM + 40)

static void clean_name(char *name)
{
	for (; *name; name++)
		if (!(*name >= 'a' && *name <= 'z') && !(*name >= 'A' && *name <= 'Z') && !(*name >= '0' && *name <= '9') && !strchr("._-", *name))
			*name = '-';
}

void report_file_stem(const char *report, const char *instrumentation, char out[REPORT_FILE_STEM])
{
	snprintf(out, REPORT_FILE_STEM, "%.80s-%.80s-", report, instrumentation);
	clean_name(out);
}

static void make_names(const struct report_file *f, char stem[REPORT_FILE_STEM], char name[NAME])
{
	time_t t = (time_t)f->due_s;
	char stamp[sizeof(STAMP) + 8] = "";
	struct tm tm;

	report_file_stem(f->report, f->instrumentation, stem);
	if (localtime_r(&t, &tm))
		strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%S%z", &tm);
	snprintf(name, NAME, "%s%s.%s", stem, stamp, f->format);
}

static int say_error(char *reason, const char *what, const char *path)
{
	int err = -errno;

	snprintf(reason, REPORT_FILE_REASON, "%s %.150s: %s", what, path, strerror(-err));
	return err;
}

static int write_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno != EINTR)
			return -1;
		data += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
	return fsync(fd);
}

/* Writes a temporary file, then renames it. */
static int write_whole(int folder, const struct report_file *f, const char *name, const void *data, size_t len, char *reason)
{
	char temporary[NAME + 8];
	int fd, bad;

	snprintf(temporary, sizeof(temporary), ".%s.new", name);
	fd = openat(folder, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return say_error(reason, "no file can be made in", f->folder);
	bad = fchmod(fd, 0640) ?: write_all(fd, data, len);
	if (bad)
		say_error(reason, "a file cannot be written in", f->folder);
	if (close(fd) && !bad)
		bad = say_error(reason, "a file cannot be written in", f->folder);
	if (!bad && renameat(folder, temporary, folder, name))
		bad = say_error(reason, "a file cannot be renamed in", f->folder);
	if (bad)
		unlinkat(folder, temporary, 0);
	return bad ? -EIO : 0;
}

/* ---- the old ones ---- */

/* Is it STEM, a time stamp, .FORMAT: one of ours? */
static int is_ours(const char *name, const char *stem, const char *format)
{
	size_t n = strlen(stem), whole = n + strlen(STAMP) + 1 + strlen(format);
	const char *stamp = name + n;

	return strlen(name) == whole && !strncmp(name, stem, n) && strspn(stamp, "0123456789") == 8 && stamp[8] == 'T' &&
	       strspn(stamp + 9, "0123456789") == 6 && strchr("+-", stamp[15]) && stamp[20] == '.' && !strcmp(stamp + 21, format);
}

/* name: the file that was just written. */
static int drop_old(const struct report_file *f, const char *stem, const char *name, char *reason)
{
	struct dirent **list;
	int n = scandir(f->folder, &list, NULL, alphasort), left = 1, err = 0;
	char path[PATH_MAX + 256];

	if (n < 0)
		return say_error(reason, "old files cannot be looked for in", f->folder);
	for (int i = 0; i < n; i++)
		left += is_ours(list[i]->d_name, stem, f->format) && strcmp(list[i]->d_name, name);
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s", f->folder, list[i]->d_name);
		if (left > (int)f->keep && is_ours(list[i]->d_name, stem, f->format) && strcmp(list[i]->d_name, name)) {
			left--;
			if (unlink(path) && errno != ENOENT)
				err = say_error(reason, "an old file cannot be removed:", path);
		}
		free(list[i]);
	}
	free(list);
	return err;
}

/* Sets the mode for the group regardless of the umask; a set-group-ID bit is inherited from the parent. */
static int open_to_group(int fd)
{
	struct stat st;

	return fstat(fd, &st) ?: fchmod(fd, 0750 | (st.st_mode & S_ISGID));
}

/* Returns a file descriptor, or -errno. */
static int open_folder(const char *path, char *reason)
{
	bool is_new = !mkdir(path, 0700);
	int fd = is_new || errno == EEXIST ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1, err = 0;

	if (fd < 0)
		return say_error(reason, "there is no folder", path);
	if (is_new && open_to_group(fd))
		err = say_error(reason, "the mode cannot be set of the new folder", path);
	if (err) {
		close(fd);
		rmdir(path);
	}
	return err ?: fd;
}

int report_file_check(const char *folder, char *reason)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char copy[PATH_MAX];
	const char *parent;

	if (fd >= 0) {
		close(fd);
		return access(folder, W_OK | X_OK) ? say_error(reason, "no file can be made in", folder) : 0;
	}
	if (errno != ENOENT)
		return say_error(reason, "there is no folder", folder);
	snprintf(copy, sizeof(copy), "%s", folder);
	parent = dirname(copy);				/* also of "/var/reports/" */
	return access(parent, W_OK | X_OK) ? say_error(reason, "the folder cannot be made:", folder) : 0;
}

int report_file_write(const struct report_file *f, const void *data, size_t len, char *reason)
{
	char stem[REPORT_FILE_STEM], name[NAME];
	int folder = open_folder(f->folder, reason), err;

	if (folder < 0)
		return folder;
	make_names(f, stem, name);
	err = write_whole(folder, f, name, data, len, reason);
	close(folder);
	return err || !f->keep ? err : drop_old(f, stem, name, reason);
}
