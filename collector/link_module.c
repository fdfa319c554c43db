/* The link by a bus is a module of its own (link_bus.c, bus/), which is loaded only with --bus: libnats and OpenSSL would
 * cost each collector 1.5 MB of memory and 2 ms of its start.  The module calls functions of this program, which exports
 * them for it (Makefile.am). */
#include "collector/core/refuse.h"
#include "collector/link_kind.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MODULE "collector-bus.so"

/* After a build the module is in the folder of the program, after an installation where its libraries are. */
static void find_module(char ret_path[PATH_MAX])
{
	ssize_t len = readlink("/proc/self/exe", ret_path, PATH_MAX - sizeof(MODULE));
	char *slash;

	ret_path[len > 0 ? len : 0] = 0;
	slash = strrchr(ret_path, '/');
	if (slash)
		memcpy(slash + 1, MODULE, sizeof(MODULE));
	if (!slash || access(ret_path, F_OK))
		snprintf(ret_path, PATH_MAX, "%s", PKGLIBDIR "/" MODULE);
}

int link_bus_new(struct uv_loop_s *loop, const struct bus_conf *conf, const char *source, const struct link_ops *ops, void *arg,
		 struct link **ret_link, char reason[REASON_MAX])
{
	char path[PATH_MAX];
	link_bus_maker *make;
	void *module;

	find_module(path);
	if (access(path, F_OK))
		return refuse_as(-ENOENT, reason, "%.150s is missing: install heatscope-collector again, with all its files", path);
	module = dlopen(path, RTLD_NOW);	/* never closed: threads of libnats run in it */
	make = module ? dlsym(module, "link_bus_make") : NULL;
	if (!make)
		return refuse_as(-ENOEXEC, reason, "its module does not load: %.150s; install libnats", dlerror());
	return make(loop, conf, source, ops, arg, ret_link, reason);
}
