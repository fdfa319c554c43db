/* bus_assembly.h - puts the parts of a message together.  A message longer than the server allows comes as several.
 *
 *      "ID/1" "1/3", "ID/2" "2/3", "ID/3" "3/3"  --bus_assemblies_add()-->  one message, with three to acknowledge
 *
 * Limits  parts that wait for others keep at most ASSEMBLY_BYTES in all; after ASSEMBLY_MS they are taken out.  They were
 *         not acknowledged, so they come again, unless the caller gives them up.
 * Memory  texts and data are copied.
 */
#ifndef HEATSCOPE_BUS_ASSEMBLY_H
#define HEATSCOPE_BUS_ASSEMBLY_H

#include "collector/core/batch.h"

#define ASSEMBLY_BYTES (64u << 20)
#define ASSEMBLY_MS 10000
#define ASSEMBLY_PARTS_MAX 8192	/* a message of 16 MB, by 2 KB each */

struct bus_part {			/* one message as it came */
	const char *id, *part;		/* the headers; NULL: it has none */
	const char *ack;		/* the subject that acknowledges it */
	__u64 stored_ns;		/* when the server got it, wall clock */
	const __u8 *data;
	size_t len;
};

struct bus_assembly {
	struct bus_assembly *next;
	char source[SOURCE_MAX];
	char *id;			/* without the number of the part */
	size_t n_parts, n_here, n_bytes;
	__u64 at_ms;			/* when its first part came */
	__u64 oldest_ns;		/* stored_ns of its oldest part */
	char **ack;			/* of all parts, also of those that came several times */
	size_t n_acks, acks_room;
	struct bytes data;		/* of the whole message, once it is whole */
	struct assembly_part { __u8 *data; size_t len; } *part;
};

struct bus_assemblies {
	struct bus_assembly *first;
	size_t n_bytes;
};

/* Returns 1: *ret_whole is whole, and the caller's, who ends it by bus_assembly_fini(); 0: parts are missing; -EINVAL:
 * the header cannot be read; -ENOMEM: no memory, or the limit: the part was not taken. */
int bus_assemblies_add(struct bus_assemblies *all, const char *source, const struct bus_part *part, __u64 now_ms,
		       struct bus_assembly **ret_whole);
/* Takes out one assembly that has waited too long; the caller ends it.  NULL: none has. */
struct bus_assembly *bus_assemblies_expired(struct bus_assemblies *all, __u64 now_ms);
void bus_assemblies_fini(struct bus_assemblies *all);
void bus_assembly_fini(struct bus_assembly *a);

#endif
