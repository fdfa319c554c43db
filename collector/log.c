#include "log.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static enum log_level log_most = LOG_LEVEL_INFO;
static int log_bare;

void log_open(enum log_level most)
{
	log_most = most;
	log_bare = isatty(STDERR_FILENO);
}

void log_line(enum log_level level, const char *format, ...)
{
	char line[1024];
	va_list args;

	if (level > log_most)
		return;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	for (char *at = line; *at; at++)	/* one event, one line, whatever a peer sent us */
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			*at = '?';
	if (log_bare)
		fprintf(stderr, "%s\n", line);
	else
		fprintf(stderr, "<%d>%s\n", (int)level, line);
}
