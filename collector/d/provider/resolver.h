/* resolver.h - finds the functions that resolvers have chosen in a process: of strlen() that for this processor.
 *
 *      the file's relocations of kind IRELATIVE: { place, address of the resolver }
 *      the place in the process' memory: the address of the function that the resolver returned
 *
 * Limits  x86-64; resolvers that the file itself uses.
 * Errors  d_resolvers_load(): -errno; -EBADMSG: no such file.  d_resolvers_find(): -ENOENT: not known.
 * Memory  d_resolvers_fini() frees.
 */
#ifndef HEATSCOPE_PROVIDER_RESOLVER_H
#define HEATSCOPE_PROVIDER_RESOLVER_H

#include "collector/d/provider/module.h"
#include "collector/trace/program_file.h"

struct d_relocation {
	__u64 place, resolver;		/* addresses of the file */
};

struct d_resolvers {
	struct d_relocation *relocations;
	size_t n, room;
	int memory;			/* of the process; -1 */
	__u64 bias;			/* address in the process less that in the file */
};

int d_resolvers_load(struct d_resolvers *r, const struct d_module *m, const struct program_file *p, int fd);
void d_resolvers_fini(struct d_resolvers *r);

/* Finds the file's own address of the function that this resolver has chosen. */
int d_resolvers_find(const struct d_resolvers *r, __u64 resolver, __u64 *ret_address);

#endif
