#include "collector/core/user_file.h"

#include "collector/core/refuse.h"
#include "collector/core/secret_file.h"

#include <errno.h>
#include <string.h>

#define FILE_MAX 4095			/* bytes; further lines are not used */

/* Takes the first line of the text apart. */
static int line_take(char *text, const char *path, struct user_file *ret_user, char *reason)
{
	size_t len = strcspn(text, "\r\n");
	char *colon = memchr(text, ':', len);

	if (!colon || colon == text)
		return refuse(reason, "the first line of %.150s is not USER:PASSWORD", path);
	if (len >= USER_FILE_LINE)
		return refuse(reason, "the first line of %.150s is too long: at most %d bytes", path, USER_FILE_LINE - 1);
	memcpy(ret_user->user, text, len);
	ret_user->user[len] = '\0';
	ret_user->user[colon - text] = '\0';
	ret_user->password = ret_user->user + (colon - text) + 1;
	return 0;
}

int user_file_read(const char *path, struct user_file *ret_user, char reason[REASON_MAX])
{
	char text[FILE_MAX + 1];
	size_t len;
	int err = secret_file_read(path, "password", text, FILE_MAX, &len, reason, REASON_MAX);

	if (!err)
		err = line_take(text, path, ret_user, reason);
	explicit_bzero(text, sizeof(text));
	return err;
}
