#include "log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static enum log_level log_most = LOG_LEVEL_INFO;
static int log_prefixed;

/* Whether systemd's journal reads our stderr: it names the stream (systemd.exec(5)), and who was given another
 * stderr by a process in between still has the variable. */
static int journal_reads(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long device, inode;
	struct stat st;

	return stream && sscanf(stream, "%llu:%llu", &device, &inode) == 2 && !fstat(STDERR_FILENO, &st) &&
	       st.st_dev == device && st.st_ino == inode;
}

void log_open(enum log_level most)
{
	log_most = most;
	log_prefixed = journal_reads();
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
	if (log_prefixed)
		fprintf(stderr, "<%d>%s\n", (int)level, line);
	else
		fprintf(stderr, "%s\n", line);
}
