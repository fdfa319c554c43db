/* user_file.h - reads a user and a password from a file: its first line is USER:PASSWORD.
 *
 * Errors  as secret_file.h, or -EINVAL: no such line; the reason is one sentence without the password.
 * Memory  a plain value.  Thread: any.
 */
#ifndef HEATSCOPE_USER_FILE_H
#define HEATSCOPE_USER_FILE_H

#include "collector/core/metric.h"

#define USER_FILE_LINE 512		/* bytes of the line, including NUL */

struct user_file {
	char user[USER_FILE_LINE];
	const char *password;		/* in `user`, after its NUL */
};

int user_file_read(const char *path, struct user_file *ret_user, char reason[REASON_MAX]);

#endif
