#include "collector/core/module.h"

#include "collector/core/refuse.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void find_file(const char *file, char ret_path[PATH_MAX])
{
	ssize_t len = readlink("/proc/self/exe", ret_path, PATH_MAX - 1);
	char *slash;

	ret_path[len > 0 ? len : 0] = 0;
	slash = strrchr(ret_path, '/');
	if (slash)
		snprintf(slash + 1, (size_t)(ret_path + PATH_MAX - slash - 1), "%s", file);
	if (!slash || access(ret_path, F_OK))
		snprintf(ret_path, PATH_MAX, "%s/%s", PKGLIBDIR, file);
}

/* The linker's words often begin with the path. */
static int refuse_load(const struct module *m, const char *path, const char *why, char *reason)
{
	size_t len = strlen(path);
	bool is_library = strstr(why, m->library) || strstr(why, "cannot open shared object file");

	if (!strncmp(why, path, len) && !strncmp(why + len, ": ", 2))
		why += len + 2;
	return refuse_as(-ENOEXEC, reason, "%.70s does not load: %.120s; install %s%s", path, why,
			 is_library ? m->library : m->package, is_library ? "" : " again, with all its files");
}

int module_load(const struct module *m, void **ret_symbol, char reason[REASON_MAX])
{
	char path[PATH_MAX];
	void *module, *symbol;

	find_file(m->file, path);
	if (access(path, F_OK))
		return refuse_as(-ENOENT, reason, "%.150s is missing: install %s again, with all its files", path, m->package);
	module = dlopen(path, RTLD_NOW);
	symbol = module ? dlsym(module, m->symbol) : NULL;
	if (!symbol)
		return refuse_load(m, path, dlerror(), reason);
	*ret_symbol = symbol;
	return 0;
}
