/* d_kit.h - parses a D script in a test, and compares texts with golden files.
 *
 *      struct d_case c = { .macros = ... };
 *      d_case_parse(&c, "BEGIN { exit(0); }", 0);
 *      ...
 *      d_case_fini(&c);
 */
#ifndef HEATSCOPE_D_KIT_H
#define HEATSCOPE_D_KIT_H

#include "collector/d/check/check.h"
#include "collector/d/tree/parse.h"
#include "test/kit/check.h"

#include <dirent.h>
#include <stdio.h>

struct d_case {
	struct d_script script;
	struct d_arena arena;
	struct d_types types;
	struct d_macros macros;
	struct d_unit unit;
	struct d_program program;
	struct d_error error;
};

static inline int d_case_parse_bytes(struct d_case *c, const char *text, size_t len, unsigned flags)
{
	c->script = (struct d_script){ NULL, text, len };
	c->arena.most = 64u << 20;
	assert_int_equal(d_types_init(&c->types, &c->arena), 0);
	return d_parse(&c->script, flags, &c->types, &c->macros, &c->unit, &c->error);
}

static inline int d_case_parse(struct d_case *c, const char *text, unsigned flags)
{
	return d_case_parse_bytes(c, text, strlen(text), flags);
}

/* Parses and checks. */
static inline int d_case_check(struct d_case *c, const char *text)
{
	int err = d_case_parse(c, text, 0);

	if (err)
		return err;
	d_program_init(&c->program, &c->types);
	return d_check(&c->program, &c->unit, &c->error);
}

static inline void d_case_fini(struct d_case *c) { d_arena_fini(&c->arena); }

/* The tree as text; the caller frees it. */
static inline char *d_case_tree(const struct d_case *c)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	d_tree_print(&c->unit, out);
	fclose(out);
	return text;
}

static inline char *d_kit_read(const char *path)
{
	FILE *in = fopen(path, "rb");
	char *text = calloc(1, 1u << 20);

	assert_non_null(text);
	if (in) {
		size_t len = fread(text, 1, (1u << 20) - 1, in);

		assert_false(ferror(in));
		text[len] = '\0';
		fclose(in);
	}
	return text;
}

/* Fails if the file does not have the text.  HEATSCOPE_GOLDEN=write: writes it, for a person to read before a commit. */
static inline void d_kit_golden(const char *path, const char *text)
{
	const char *mode = getenv("HEATSCOPE_GOLDEN");
	char *expected;

	if (mode && !strcmp(mode, "write")) {
		FILE *out = fopen(path, "wb");

		assert_non_null(out);
		fputs(text, out);
		fclose(out);
	}
	expected = d_kit_read(path);
	if (strcmp(text, expected))
		print_message("%s is not:\n%s", path, text);
	assert_string_equal(text, expected);
	free(expected);
}

/* Calls check(path of the script, its text) for each golden/FOLDER/x.d.  Returns how many there are. */
static inline unsigned d_kit_each(const char *folder, void (*check)(char *path, const char *text))
{
	const char *source = getenv("srcdir");
	char dir[512], path[1024], *text;
	struct dirent *entry;
	unsigned n = 0;
	DIR *d;

	snprintf(dir, sizeof(dir), "%s/test/collector/d/golden/%s", source ? source : ".", folder);
	d = opendir(dir);
	assert_non_null(d);
	while ((entry = readdir(d))) {
		const char *end = strrchr(entry->d_name, '.');

		if (!end || strcmp(end, ".d"))
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
		text = d_kit_read(path);
		check(path, text);
		free(text);
		n++;
	}
	closedir(d);
	return n;
}

#endif
