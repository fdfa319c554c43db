#include "test/kit/sqlite_kit.h"

#include <sqlite3.h>
#include <stdio.h>
#include <sys/stat.h>

void sqlite_path(const char *dir, char *ret, size_t room)
{
	snprintf(ret, room, "%s/heatscope.db", dir);
}

struct store *sqlite_open(const char *dir)
{
	char path[300], reason[256] = "";
	struct store *s;
	int err;

	sqlite_path(dir, path, sizeof(path));
	err = store_sqlite_open(path, &s, reason, sizeof(reason));
	if (err)
		print_error("# %s (%d)\n", reason, err);
	return err ? NULL : s;
}

/* The file, and its log. */
static __u64 sqlite_bytes(struct fixture *f)
{
	static const char *const suffix[] = { "", "-wal" };
	char path[300], name[310];
	struct stat st;
	__u64 bytes = 0;

	sqlite_path(f->dir, path, sizeof(path));
	for (int i = 0; i < 2; i++) {
		snprintf(name, sizeof(name), "%s%s", path, suffix[i]);
		bytes += stat(name, &st) ? 0 : (__u64)st.st_size;
	}
	return bytes;
}

static void sqlite_shrink_now(struct fixture *f, __u64 limit)
{
	assert_int_equal(f->store->ops->shrink(f->store), 0);
}

const struct store_kind store_kind = {
	.open = sqlite_open, .keeps = true, .bytes = sqlite_bytes, .shrink = sqlite_shrink_now, .at_any_moment = true,
	.times = 1,
};

void sqlite_meddle(struct fixture *f, const char *sql)
{
	char path[300];
	sqlite3 *db;

	sqlite_path(f->dir, path, sizeof(path));
	if (f->store)
		f->store->ops->close(f->store);
	f->store = NULL;
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

__u8 *whole_file(const char *path, size_t *ret_len)
{
	FILE *file = fopen(path, "rb");
	__u8 *data = malloc(1 << 24);

	assert_true(file && data);
	*ret_len = fread(data, 1, 1 << 24, file);
	fclose(file);
	return data;
}

void file_write(const char *path, const void *data, size_t len)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, len, file), len);
	fclose(file);
}
