#include "ui/cli/base/output.h"

#include "collector/core/show.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const formats[] = { "png", "pdf", "svg", "html", "csv", "json" };
#define N_FORMATS (sizeof(formats) / sizeof(*formats))

const char *output_format(const char *file)
{
	const char *slash = file ? strrchr(file, '/') : NULL, *name = slash ? slash + 1 : file;
	const char *dot = name ? strrchr(name, '.') : NULL;

	for (size_t i = 0; i < N_FORMATS && dot; i++)
		if (!strcasecmp(dot + 1, formats[i]))
			return formats[i];
	return dot ? NULL : "png";
}

int output_known(const char *format)
{
	for (size_t i = 0; i < N_FORMATS; i++)
		if (!strcmp(format, formats[i]))
			return 1;
	return 0;
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
