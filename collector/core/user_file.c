#include "collector/core/user_file.h"

#include "collector/core/refuse.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int user_file_read(const char *path, struct user_file *ret_user, char reason[REASON_MAX])
{
	struct user_file *u = ret_user;
	FILE *f = fopen(path, "re");
	char *colon = NULL;

	if (!f)
		return refuse_as(-errno, reason, "%.150s cannot be read: %s", path, strerror(errno));
	if (fgets(u->user, sizeof(u->user), f)) {
		u->user[strcspn(u->user, "\r\n")] = 0;
		colon = strchr(u->user, ':');
	}
	fclose(f);
	if (!colon || colon == u->user)
		return refuse(reason, "the first line of %.150s is not USER:PASSWORD", path);
	*colon = 0;
	u->password = colon + 1;
	return 0;
}
