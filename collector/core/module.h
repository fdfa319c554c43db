/* module.h - loads a part of a program at run time: one that few users need, with libraries that only this part needs.
 *
 *      program --module_load()--> FILE.so --a symbol--> its functions;   the module calls functions that the program exports
 *
 * Place   after a build the file is in the folder of the program, after an installation in the folder of its libraries.
 * Once    it is never unloaded: threads of its libraries run in it.
 */
#ifndef HEATSCOPE_MODULE_H
#define HEATSCOPE_MODULE_H

#include "collector/core/metric.h"

struct module {
	const char *file, *symbol;	/* "x.so"; the symbol that the program needs of it */
	const char *package;		/* that has the file */
	const char *library;		/* that the module needs, and the program does not */
};

/* Gives the address of the symbol.  -ENOENT: the file is missing; -ENOEXEC: it does not load, such as without its library. */
int module_load(const struct module *m, void **ret_symbol, char reason[REASON_MAX]);

#endif
