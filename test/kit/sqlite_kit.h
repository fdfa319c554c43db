/* sqlite_kit.h - opens a SQLite store (`store_kind`), and reads and changes its file from outside.
 *
 *      store_add(f->store, ...); sqlite_meddle(f, "UPDATE chunk SET ..."); f->store = sqlite_open(f->dir); ...
 *
 * Errors  fail the test.  Only sqlite_open() returns NULL, with the reason.
 */
#ifndef HEATSCOPE_SQLITE_KIT_H
#define HEATSCOPE_SQLITE_KIT_H

#include "test/kit/store_fixture.h"
#include "test/kit/store_kit.h"

/* Of batches that make minutes and hours, and leave some slots. */
static const struct kit_shape sqlite_shape = {
	.n_sources = 2, .n_keys = 3, .n_axes = 2, .n_slices = 6, .first = 1020, .last = 1239,
};

void sqlite_path(const char *dir, char *ret, size_t room);	/* the store's file */
struct store *sqlite_open(const char *dir);

/* Closes the store and runs SQL on its file, as no program should. */
void sqlite_meddle(struct fixture *f, const char *sql);

/* Reads a whole file, below 16 MiB; the caller frees it. */
__u8 *whole_file(const char *path, size_t *ret_len);
void file_write(const char *path, const void *data, size_t len);

#endif
