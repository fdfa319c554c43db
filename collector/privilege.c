#include "collector/privilege.h"
#include "collector/core/instrumentation.h"

#include <cap-ng.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

/* Are all sets of this thread empty?  (The bounding set does not matter: it gives nothing to a process that cannot gain
 * capabilities.) */
static int is_bare(const char *thread)
{
	static const char *const sets[] = { "CapInh:", "CapPrm:", "CapEff:", "CapAmb:" };
	unsigned long long caps;
	char path[64], line[256];
	size_t n_bare = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%.20s/status", thread);
	f = fopen(path, "re");
	if (!f)
		return errno == ENOENT;			/* the thread has ended */
	while (fgets(line, sizeof(line), f))
		for (size_t i = 0; i < sizeof(sets) / sizeof(*sets); i++)
			if (!strncmp(line, sets[i], 7) && sscanf(line + 7, "%llx", &caps) == 1)
				n_bare += !caps;
	fclose(f);
	return n_bare == sizeof(sets) / sizeof(*sets);
}

static int all_bare(void)
{
	DIR *threads = opendir("/proc/self/task");
	struct dirent *d;
	int bare = threads != NULL;

	while (bare && (d = readdir(threads)))
		if (isdigit((unsigned char)d->d_name[0]))
			bare = is_bare(d->d_name);
	if (threads)
		closedir(threads);
	return bare;
}

int privilege_drop(char *reason)
{
	int err = 0;

	capng_clear(CAPNG_SELECT_ALL);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		err = -errno;
	else if (capng_apply(CAPNG_SELECT_CAPS | CAPNG_SELECT_AMBIENT))
		err = -EPERM;
	else if (!all_bare())
		err = -EBUSY;
	if (err == -EBUSY)
		snprintf(reason, REASON_MAX, "the capabilities were not dropped in all threads, or /proc/self cannot be read");
	else if (err)
		snprintf(reason, REASON_MAX, "the capabilities cannot be dropped: %s", strerror(-err));
	return err;
}

void privilege_drop_thread(void)
{
	capng_clear(CAPNG_SELECT_ALL);
	capng_apply(CAPNG_SELECT_CAPS | CAPNG_SELECT_AMBIENT);
}
