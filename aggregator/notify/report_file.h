/* report_file.h - writes a report to a file in a folder, and removes old reports from it.
 *
 *      bytes --> FOLDER/nightly-queries-20261122T060000+0100.pdf; of nightly-queries-*.pdf the newest `keep` stay
 *
 * Whole   It writes a temporary file, syncs and renames it.  It makes the folder if its parent exists.
 * Mode    The group may read: a file has mode 0640, a new folder 0750.  Our umask, which is for the database, does not
 *         count.  The group is ours, or that of a folder with the set-group-ID bit.
 * Names   a character other than letter, digit, dot, dash or underscore becomes a dash, so two stems may be the same.
 * Old     The names say which are old.  The new file always stays, even if the clock was set back.
 * Thread  any; it blocks.
 */
#ifndef HEATSCOPE_REPORT_FILE_H
#define HEATSCOPE_REPORT_FILE_H

#include <linux/types.h>
#include <stddef.h>

#define REPORT_FILE_REASON 256
#define REPORT_FILE_STEM 200

struct report_file {
	const char *folder, *report, *instrumentation, *format;
	__s64 due_s;
	unsigned keep;			/* 0: all */
};

/* Makes "nightly-queries-": the names of its files begin with it. */
void report_file_stem(const char *report, const char *instrumentation, char out[REPORT_FILE_STEM]);

/* Returns 0 if it could write there now.  It makes nothing. */
int report_file_check(const char *folder, char *reason);

/* reason: REPORT_FILE_REASON bytes, with the path and the problem. */
int report_file_write(const struct report_file *f, const void *data, size_t len, char *reason);

#endif
