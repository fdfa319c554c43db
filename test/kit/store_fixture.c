#include "test/kit/store_fixture.h"

#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

int store_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	const char *tmp = getenv("TMPDIR");

	assert_non_null(f);
	snprintf(f->dir, sizeof(f->dir), "%s/heatscope-store-XXXXXX", tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(f->dir));
	f->store = store_kind.open(f->dir);
	assert_non_null(f->store);
	*state = f;
	return 0;
}

static void remove_dir(const char *path)
{
	DIR *dir = opendir(path);
	char name[512];

	for (struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir)) {
		snprintf(name, sizeof(name), "%s/%s", path, e->d_name);
		unlink(name);
	}
	if (dir)
		closedir(dir);
	rmdir(path);
}

int store_teardown(void **state)
{
	struct fixture *f = *state;

	if (f->store)
		f->store->ops->close(f->store);
	remove_dir(f->dir);
	free(f);
	return 0;
}

/* For a store that does not keep anything: nothing. */
void store_reopen(struct fixture *f)
{
	if (!store_kind.keeps)
		return;
	f->store->ops->close(f->store);
	f->store = store_kind.open(f->dir);
	assert_non_null(f->store);
}

size_t store_add(struct store *s, const struct batch *batch, size_t n)
{
	bool *is_new = calloc(n + 1, sizeof(*is_new));
	size_t n_new = 0;

	assert_non_null(is_new);
	assert_int_equal(s->ops->add(s, batch, n, is_new), 0);
	for (size_t i = 0; i < n; i++)
		n_new += is_new[i];
	free(is_new);
	return n_new;
}
