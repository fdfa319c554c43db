#include "collector/core/log.h"
#include "collector/core/show.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *log_name;
static enum log_level log_most = LOG_LEVEL_INFO;
static int log_prefixed;

/* Does systemd's journal read our stderr?  The variable names the journal's stream (systemd.exec(5)); a process in
 * between may have given us another stderr, and then we still have the variable. */
static int journal_reads(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long device, inode;
	struct stat st;

	return stream && sscanf(stream, "%llu:%llu", &device, &inode) == 2 && !fstat(STDERR_FILENO, &st) &&
	       st.st_dev == device && st.st_ino == inode;
}

void log_open(const char *name, enum log_level most)
{
	log_name = name;
	log_most = most;
	log_prefixed = journal_reads();
}

void log_line(enum log_level level, const char *format, ...)
{
	char priority[8] = "", *text;
	va_list args;
	int len;

	if (level > log_most)
		return;
	va_start(args, format);
	len = vasprintf(&text, format, args);
	va_end(args);
	if (len < 0)
		return;
	if (log_prefixed)
		snprintf(priority, sizeof(priority), "<%d>", (int)level);
	show_print(stderr, "%s%s%s%s\n", priority, log_name ? log_name : "", log_name ? ": " : "", text);
	free(text);
}
