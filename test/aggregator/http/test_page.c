#include "test/kit/check.h"
#include "aggregator/http/page.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

static char folder[64], path[128];

static const char *at(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void put(const char *name, const char *text)
{
	FILE *f = fopen(at(name), "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int start(void **state)
{
	strcpy(folder, "/tmp/heatscope-test-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	put("index.html", "hello");
	put("app.js", "");
	put(".hidden", "secret");
	mkdir(at("sub"), 0755);
	put("sub/style.css", "a {}");
	return mkfifo(at("pipe"), 0600);
}

static int stop(void **state)
{
	char command[96];

	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

TEST(files_come_with_their_type)
{
	static const struct { const char *path, *type, *text; } cases[] = {
		{ "/", "text/html; charset=utf-8", "hello" },
		{ "/index.html", "text/html; charset=utf-8", "hello" },
		{ "/app.js", "text/javascript; charset=utf-8", "" },
		{ "/sub/style.css", "text/css; charset=utf-8", "a {}" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct page_file f;

		assert_int_equal(page_get(folder, cases[i].path, &f), 0);
		assert_string_equal(f.type, cases[i].type);
		assert_int_equal(f.len, strlen(cases[i].text));
		assert_memory_equal(f.data, cases[i].text, f.len);
		free(f.data);
	}
}

TEST(the_tag_changes_with_the_file)
{
	struct page_file a, b;

	put("changing.txt", "one");
	assert_int_equal(page_get(folder, "/changing.txt", &a), 0);
	put("changing.txt", "three");
	assert_int_equal(page_get(folder, "/changing.txt", &b), 0);
	assert_string_not_equal(a.etag, b.etag);
	free(a.data);
	free(b.data);
}

TEST(refuses_everything_else)
{
	static const char *const paths[] = {
		"", "index.html", "/nothing", "/.hidden", "/../etc/passwd", "/sub/../index.html", "/sub", "/sub/", "//index.html",
		"/pipe", "/index.html/", "/a b", "/a\\b", "/\xff", "/sub/./style.css",
	};
	struct page_file f;

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		if (page_get(folder, paths[i], &f) != -ENOENT)
			fail_msg("%s", paths[i]);
	assert_int_equal(page_get(NULL, "/", &f), -ENOENT);
}

TEST(a_folder_without_a_page_is_named)
{
	char reason[PAGE_REASON_MAX] = "", want[PAGE_REASON_MAX];

	assert_int_equal(page_check(folder, reason), 0);
	assert_string_equal(reason, "");
	snprintf(want, sizeof(want), "the page is not built here: %s/index.html", at("sub"));
	assert_int_equal(page_check(path, reason), -ENOENT);
	assert_string_equal(reason, want);
	page_refusal(path, "/", -ENOENT, reason);
	assert_string_equal(reason, want);
	page_refusal(path, "/none", -ENOENT, reason);
	assert_string_equal(reason, "there is no such page");
	page_refusal(NULL, "/", -ENOENT, reason);
	assert_string_equal(reason, "there is no such page");
	page_refusal(path, "/", -EIO, reason);
	assert_string_equal(reason, "the page's file cannot be read");
}

TEST_MAIN_WITH(start, stop)
