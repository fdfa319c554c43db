/* file.h - lists what a recording contains, and replays it into a private heatscoped.
 *
 * Cut     file_serve() adds a note to the pictures where the recording was cut.
 * Errors  0 or -errno with a sentence in `reason`: the file, the offset, what is wrong.
 */
#ifndef HEATSCOPE_FILE_H
#define HEATSCOPE_FILE_H

#include "ui/cli/base/client.h"
#include "ui/cli/base/private.h"

struct file_info {
	json_t *request;		/* the body to create its instrumentation with; json_decref() it */
	long long from_s, to_s;		/* half-open, in Unix seconds */
	char cut[256];			/* a sentence if the recording ends in the middle of a frame, which is left out; else "" */
};

int file_read(const char *path, struct file_info *ret_info, char reason[256]);

/* Replays it into a private heatscoped and returns the id of the instrumentation there.
 * The caller stops the private heatscoped afterwards, also after an error. */
int file_serve(const char *path, const struct file_info *info, struct private *p, char ret_id[32], char reason[256]);

#endif
