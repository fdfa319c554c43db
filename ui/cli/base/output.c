#include "ui/cli/base/output.h"

#include "collector/core/show.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const known[] = { "png", "pdf", "svg", "html", "csv", "json" };
#define N_FORMATS (sizeof(known) / sizeof(*known))

/* Returns the format of these `len` bytes, "png" ...; NULL: there is no such format. */
static const char *format_named(const char *text, size_t len)
{
	for (size_t i = 0; i < N_FORMATS; i++)
		if (!strncasecmp(text, known[i], len) && !known[i][len])
			return known[i];
	return NULL;
}

/* The ending of the file's name, after the dot; NULL: it has none. */
static const char *ending_of(const char *file)
{
	const char *slash = file ? strrchr(file, '/') : NULL, *name = slash ? slash + 1 : file;
	const char *dot = name ? strrchr(name, '.') : NULL;

	return dot ? dot + 1 : NULL;
}

bool output_has(const char *formats, const char *format)
{
	size_t len;

	for (const char *at = formats; *at; at += len, at += strspn(at, ", ")) {
		len = strcspn(at, ", ");
		if (strlen(format) == len && !strncmp(at, format, len))
			return format_named(format, len);	/* "or" is not one */
	}
	return false;
}

const char *output_format(const char *formats, const char *file)
{
	const char *ending = ending_of(file), *format;

	if (!ending)
		return format_named(formats, strcspn(formats, ", "));
	format = format_named(ending, strlen(ending));
	return format && output_has(formats, format) ? format : NULL;
}

bool output_is_other(const char *formats, const char *file)
{
	const char *ending = ending_of(file);

	return ending && format_named(ending, strlen(ending)) && !output_format(formats, file);
}

const char *output_endings(const char *formats, char out[OUTPUT_ENDINGS_MAX])
{
	size_t n = 0;

	for (const char *at = formats; *at && n + 2 < OUTPUT_ENDINGS_MAX; at++) {
		if ((at == formats || at[-1] == ' ') && strncmp(at, "or ", 3))
			out[n++] = '.';
		out[n++] = *at;
	}
	out[n] = '\0';
	return out;
}

int output_put(FILE *f, const char *format, const void *data, size_t len)
{
	if (isatty(fileno(f)))
		show_lines(f, data, len, !strcmp(format, "csv"));
	else
		fwrite(data, 1, len, f);
	return ferror(f) ? -EIO : 0;
}

int output_write(const char *file, const char *format, const void *data, size_t len, char reason[256])
{
	int to_stdout = !file || !strcmp(file, "-");
	FILE *f = to_stdout ? stdout : fopen(file, "wb");
	int err = !f || output_put(f, format, data, len) || fflush(f) ? -errno : 0;

	if (f && !to_stdout && fclose(f) && !err)
		err = -errno;
	if (err)
		snprintf(reason, 256, "%.200s: %s", to_stdout ? "standard output" : file, strerror(-err));
	return err;
}
