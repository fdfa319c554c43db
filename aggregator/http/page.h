/* page.h - reads the page's files: it turns the path of a request into the bytes of a file in one folder.
 *
 * Safety  A path has only A-Z a-z 0-9 . _ - and /, and no part of it begins with a dot.  So no client reaches a hidden
 *         file, or one outside the folder.  "/" is /index.html.
 * Memory  page_get() fills page_file, whose data the caller frees with free().
 * Thread  any; page_get() blocks while it reads the file (they are small).
 */
#ifndef HEATSCOPE_PAGE_H
#define HEATSCOPE_PAGE_H

#include <stddef.h>

#define PAGE_FILE_MAX (8u << 20)
#define PAGE_REASON_MAX 400

struct page_file {
	void *data;
	size_t len;
	const char *type;		/* Content-Type */
	char etag[48];			/* quoted; made of size and time of change */
};

/* Reads a file.  -ENOENT: no such file (or a forbidden one); -EFBIG; other -errno. */
int page_get(const char *directory, const char *path, struct page_file *ret_file);

/* Returns 0, or -ENOENT with a sentence if the directory contains no page that we can read.  reason: PAGE_REASON_MAX
 * bytes. */
int page_check(const char *directory, char *reason);
void page_refusal(const char *directory, const char *path, int err, char *reason);	/* says why page_get() failed */

#endif
