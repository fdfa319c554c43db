#include "aggregator/ingest/bus_assembly.h"

#include "collector/core/array.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void bus_assembly_fini(struct bus_assembly *a)
{
	for (size_t i = 0; a->part && i < a->n_parts; i++)
		free(a->part[i].data);
	for (size_t i = 0; i < a->n_acks; i++)
		free(a->ack[i]);
	free(a->ack);
	free(a->part);
	free(a->id);
	bytes_fini(&a->data);
	free(a);
}

static void unlink_at(struct bus_assemblies *all, struct bus_assembly **at)
{
	struct bus_assembly *a = *at;

	*at = a->next;
	all->n_bytes -= a->n_bytes;
}

struct bus_assembly *bus_assemblies_expired(struct bus_assemblies *all, __u64 now_ms)
{
	for (struct bus_assembly **at = &all->first, *a; (a = *at); at = &a->next)
		if (now_ms - a->at_ms > ASSEMBLY_MS) {
			unlink_at(all, at);
			return a;
		}
	return NULL;
}

void bus_assemblies_fini(struct bus_assemblies *all)
{
	struct bus_assembly *a;

	while ((a = all->first)) {
		unlink_at(all, &all->first);
		bus_assembly_fini(a);
	}
}

static struct bus_assembly *assembly_new(const char *source, const char *id, size_t id_len, size_t n_parts, __u64 now_ms)
{
	struct bus_assembly *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	snprintf(a->source, sizeof(a->source), "%s", source);
	a->n_parts = n_parts;
	a->at_ms = now_ms;
	a->id = strndup(id, id_len);
	a->part = calloc(n_parts, sizeof(*a->part));
	if (a->id && a->part)
		return a;
	bus_assembly_fini(a);
	return NULL;
}

static int keep_ack(struct bus_assembly *a, const char *subject)
{
	char *ack = strdup(subject);

	if (!ack || array_grow(&a->ack, a->n_acks, &a->acks_room, sizeof(*a->ack))) {
		free(ack);
		return -ENOMEM;
	}
	a->ack[a->n_acks++] = ack;
	return 0;
}

/* Keeps a part.  Of one that came before, only the subject: it may be another message of the same content. */
static int keep_part(struct bus_assembly *a, size_t i, const struct bus_part *part)
{
	__u8 *data;

	if (!a->part[i].data) {
		data = malloc(part->len + 1);
		if (!data)
			return -ENOMEM;
		memcpy(data, part->data, part->len);
		a->part[i] = (struct assembly_part){ data, part->len };
		a->n_bytes += part->len;
		a->n_here++;
	}
	if (!a->oldest_ns || part->stored_ns < a->oldest_ns)
		a->oldest_ns = part->stored_ns;
	return keep_ack(a, part->ack);
}

static int make_whole(struct bus_assembly *a)
{
	for (size_t i = 0; i < a->n_parts; i++)
		bytes_put(&a->data, a->part[i].data, a->part[i].len);
	return a->data.err;
}

/* Reads "I/N", and the id's length without its "/I"; "" and no header are 1/1. */
static int part_read(const struct bus_part *part, size_t *ret_i, size_t *ret_n, size_t *ret_id_len)
{
	unsigned i = 1, n = 1;
	const char *last = part->id ? strrchr(part->id, '/') : NULL;
	char end;

	if (part->part && (sscanf(part->part, "%5u/%5u%c", &i, &n, &end) != 2 || !last))
		return -EINVAL;
	if (!i || i > n || n > ASSEMBLY_PARTS_MAX)
		return -EINVAL;
	*ret_i = i - 1;
	*ret_n = n;
	*ret_id_len = last ? (size_t)(last - part->id) : 0;
	return 0;
}

/* Returns where the assembly is linked; *place NULL: there is none yet. */
static struct bus_assembly **assembly_place(struct bus_assemblies *all, const char *source, const struct bus_part *part, size_t id_len)
{
	struct bus_assembly **at = &all->first;

	while (*at && (!part->part || strcmp((*at)->source, source) || strlen((*at)->id) != id_len ||
		       strncmp((*at)->id, part->id, id_len)))
		at = &(*at)->next;
	return at;
}

int bus_assemblies_add(struct bus_assemblies *all, const char *source, const struct bus_part *part, __u64 now_ms,
		       struct bus_assembly **ret_whole)
{
	struct bus_assembly **at, *a;
	size_t i, n, id_len, before;
	int err = part_read(part, &i, &n, &id_len);

	if (err)
		return err;
	at = assembly_place(all, source, part, id_len);
	if (*at && (*at)->n_parts != n)
		return -EINVAL;
	if (n > 1 && all->n_bytes + part->len > ASSEMBLY_BYTES)
		return -ENOMEM;
	if (!*at)
		*at = assembly_new(source, part->id ? part->id : "", id_len, n, now_ms);
	a = *at;
	if (!a)
		return -ENOMEM;
	before = a->n_bytes;
	err = keep_part(a, i, part);
	all->n_bytes += a->n_bytes - before;
	if (a->n_here && a->n_here < n)
		return err;
	unlink_at(all, at);
	if (!err)
		err = make_whole(a);
	if (err) {
		bus_assembly_fini(a);
		return err;
	}
	*ret_whole = a;
	return 1;
}
