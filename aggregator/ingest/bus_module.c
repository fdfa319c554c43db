/* The program's side.  libnats would cost each heatscoped memory and time at its start, also those without a bus. */
#include "aggregator/ingest/bus_module.h"

#include "collector/core/module.h"

int bus_module_load(const struct bus_functions **ret_functions, char reason[REASON_MAX])
{
	static const struct module module = { "heatscoped-bus.so", "bus_functions", "heatscope", "libnats" };
	void *functions;
	int err = module_load(&module, &functions, reason);

	if (!err)
		*ret_functions = functions;
	return err;
}
