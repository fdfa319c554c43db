/* The link by a bus is a module of its own (link_bus.c, bus/), which is loaded only with --bus: libnats and OpenSSL would
 * cost each collector 1.5 MB of memory and 2 ms of its start.  The module calls functions of this program, which exports
 * them for it (Makefile.am). */
#include "collector/core/module.h"
#include "collector/link_kind.h"

int link_bus_new(struct uv_loop_s *loop, const struct bus_conf *conf, const char *source, const struct link_ops *ops, void *arg,
		 struct link **ret_link, char reason[REASON_MAX])
{
	static const struct module module = { "collector-bus.so", "link_bus_make", "heatscope-collector", "libnats" };
	void *make;
	int err = module_load(&module, &make, reason);

	return err ? err : ((link_bus_maker *)make)(loop, conf, source, ops, arg, ret_link, reason);
}
