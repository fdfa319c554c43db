#include "aggregator/http/page.h"
#include "collector/core/refuse.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
	const char *ending, *type;
} types[] = {
	{ ".html", "text/html; charset=utf-8" },
	{ ".js", "text/javascript; charset=utf-8" },
	{ ".css", "text/css; charset=utf-8" },
	{ ".json", "application/json" },
	{ ".map", "application/json" },
	{ ".svg", "image/svg+xml" },
	{ ".png", "image/png" },
	{ ".ico", "image/x-icon" },
	{ ".woff2", "font/woff2" },
	{ ".txt", "text/plain; charset=utf-8" },
};

static const char *type_of(const char *path)
{
	const char *ending = strrchr(path, '.');

	for (size_t i = 0; ending && i < sizeof(types) / sizeof(*types); i++)
		if (!strcmp(ending, types[i].ending))
			return types[i].type;
	return "application/octet-stream";
}

static bool path_allowed(const char *path)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-/";

	return path[0] == '/' && path[strspn(path, letters)] == 0 && !strstr(path, "/.") && !strstr(path, "//");
}

static int file_read(int fd, struct page_file *ret_file)
{
	struct stat st;
	size_t at = 0;
	ssize_t n = 1;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -ENOENT;
	if (st.st_size > PAGE_FILE_MAX)
		return -EFBIG;
	ret_file->data = malloc((size_t)st.st_size + 1);
	if (!ret_file->data)
		return -ENOMEM;
	while (at < (size_t)st.st_size && (n = read(fd, (char *)ret_file->data + at, (size_t)st.st_size - at)) > 0)
		at += (size_t)n;
	if (n < 0) {
		int err = -errno;

		free(ret_file->data);
		return err;
	}
	ret_file->len = at;
	snprintf(ret_file->etag, sizeof(ret_file->etag), "\"%zx-%llx.%lx\"", at, (long long)st.st_mtim.tv_sec,
		 st.st_mtim.tv_nsec);
	return 0;
}

int page_get(const char *directory, const char *path, struct page_file *ret_file)
{
	char name[PATH_MAX];
	struct page_file file = { 0 };
	int fd, err;

	if (!strcmp(path, "/"))
		path = "/index.html";
	if (!directory || !path_allowed(path) ||
	    snprintf(name, sizeof(name), "%s%s", directory, path) >= (int)sizeof(name))
		return -ENOENT;
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return errno == ENOTDIR || errno == ENAMETOOLONG ? -ENOENT : -errno;
	err = file_read(fd, &file);
	close(fd);
	if (err)
		return err;
	file.type = type_of(path);
	*ret_file = file;
	return 0;
}

int page_check(const char *directory, char *reason)
{
	char name[PATH_MAX];

	if (snprintf(name, sizeof(name), "%s/index.html", directory) < (int)sizeof(name) && !access(name, R_OK))
		return 0;
	return refuse_in(-ENOENT, reason, PAGE_REASON_MAX, "the page is not built here: %.300s/index.html", directory);
}

void page_refusal(const char *directory, const char *path, int err, char *reason)
{
	snprintf(reason, PAGE_REASON_MAX, "%s", err == -ENOENT ? "there is no such page" : "the page's file cannot be read");
	if (err == -ENOENT && directory && !strcmp(path, "/"))
		page_check(directory, reason);
}
