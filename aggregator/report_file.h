/* report_file.h - a report as a file of a folder: whole or not there, and the old ones gone.
 *
 *      bytes --> FOLDER/nightly-queries-20261122T060000+0100.pdf; of nightly-queries-*.pdf the newest `keep` stay
 *
 * Whole   written beside, synced, renamed.  The folder is made if only it is missing; mode 0750, files 0640.
 * Names   what is no letter, digit, dot, dash or underscore becomes a dash.
 * Thread  any; it blocks.
 */
#ifndef HEATSCOPE_REPORT_FILE_H
#define HEATSCOPE_REPORT_FILE_H

#include <linux/types.h>
#include <stddef.h>

#define REPORT_FILE_REASON 256

struct report_file {
	const char *folder, *report, *instrumentation, *format;
	__s64 due_s;
	unsigned keep;			/* 0: all */
};

/* reason: REPORT_FILE_REASON bytes, with the path and what is wrong. */
int report_file_write(const struct report_file *f, const void *data, size_t len, char *reason);

#endif
