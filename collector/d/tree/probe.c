#include "collector/d/tree/probe.h"
#include "collector/core/array.h"

#include <fnmatch.h>
#include <stdint.h>
#include <stdio.h>

int d_probes_init(struct d_probes *p, struct d_arena *arena)
{
	static const char *const names[] = { "BEGIN", "END", "ERROR" };

	*p = (struct d_probes){ .arena = arena };
	for (unsigned i = 0; i < 3; i++)
		if (!d_probes_add(p, &(struct d_probe){ .context = CONTEXT_DTRACE, .field = { "dtrace", "", "", names[i] } }))
			return -ENOMEM;
	return 0;
}

void d_probes_fini(struct d_probes *p)
{
	free(p->probe);
	free(p->index);
	*p = (struct d_probes){ 0 };
}

const struct d_probe *d_probes_find(const struct d_probes *p, __u32 id) { return id && id <= p->n ? p->probe[id - 1] : NULL; }

static size_t hash(const char *const *field)
{
	__u64 h = 14695981039346656037u;

	for (unsigned i = 0; i < D_FIELDS; i++)
		for (const char *at = field[i];; at++) {
			h = (h ^ (__u8)*at) * 1099511628211u;
			if (!*at)
				break;
		}
	return h ^ h >> 32;
}

/* Functions of the same name may be at several places of a file. */
static bool is_same(const struct d_probe *p, const struct d_probe *q)
{
	if (p->detail != q->detail || p->context != q->context)
		return false;
	for (unsigned i = D_FIELDS; i--;)
		if (strcmp(p->field[i], q->field[i]))
			return false;
	return true;
}

/* The place in the index that has this probe, or a free one. */
static size_t *index_place(const struct d_probes *p, const struct d_probe *probe)
{
	for (size_t at = hash(probe->field);; at++) {
		size_t *found = &p->index[at & (p->index_len - 1)];

		if (!*found || is_same(p->probe[*found - 1], probe))
			return found;
	}
}

static int index_grow(struct d_probes *p)
{
	size_t len = p->index_len ? 2 * p->index_len : 64, *index;

	if (2 * (p->n + 1) <= p->index_len)
		return 0;
	index = calloc(len, sizeof(*index));
	if (!index)
		return -ENOMEM;
	free(p->index);
	p->index = index;
	p->index_len = len;
	for (size_t i = 0; i < p->n; i++)
		*index_place(p, p->probe[i]) = i + 1;
	return 0;
}

struct d_probe *d_probes_add(struct d_probes *p, const struct d_probe *probe)
{
	struct d_probe *own;
	size_t *at;

	if (index_grow(p) || array_grow(&p->probe, p->n, &p->room, sizeof(struct d_probe *)))
		return NULL;
	at = index_place(p, probe);
	if (*at)
		return p->probe[*at - 1];
	own = d_alloc(p->arena, sizeof(*own));
	if (!own)
		return NULL;
	*own = *probe;
	for (unsigned i = 0; i < D_FIELDS; i++) {
		own->field[i] = d_alloc_text(p->arena, probe->field[i], strlen(probe->field[i]));
		if (!own->field[i])
			return NULL;
	}
	p->probe[p->n++] = own;
	own->id = p->n;
	*at = p->n;
	return own;
}

/* ---- descriptions ---- */

bool d_description_parse(const char *text, struct d_description *ret)
{
	char *part[D_FIELDS], *next = ret->text;
	unsigned long id;
	unsigned n = 0;

	*ret = (struct d_description){ .field = { "", "", "", "" } };
	if ((size_t)snprintf(ret->text, sizeof(ret->text), "%s", text) >= sizeof(ret->text))
		return false;
	if (*text && strspn(text, "0123456789") == strlen(text)) {
		id = strtoul(text, NULL, 10);
		ret->id = id < UINT32_MAX ? id : UINT32_MAX;		/* which no probe has */
	}
	for (; next; n++) {
		char *colon = strchr(next, ':');

		if (n == D_FIELDS)
			return false;
		part[n] = next;
		next = colon ? colon + 1 : NULL;
		if (colon)
			*colon = '\0';
	}
	for (unsigned i = 0; i < n; i++)
		ret->field[D_FIELDS - n + i] = part[i];
	return true;
}

bool d_glob_matches(const char *glob, const char *text) { return !*glob || !fnmatch(glob, text, 0); }

/* A name that goes on after this beginning with its version: libc.so.6, libc-2.31.so. */
static bool is_version_of(const char *module, const char *name, size_t len)
{
	return len && !strncmp(module, name, len) && (module[len] == '.' || module[len] == '-');
}

bool d_module_matches(const char *glob, const char *module, bool is_main)
{
	const char *version = strrchr(glob, '.');

	if (d_glob_matches(glob, module) || (is_main && !strcmp(glob, "a.out")) || is_version_of(module, glob, strlen(glob)))
		return true;
	return version && strspn(version + 1, "0123456789") == strlen(version + 1) && is_version_of(module, glob, version - glob);
}

bool d_probe_matches(const struct d_probe *p, const struct d_description *d)
{
	if (d->id)
		return d->id == p->id;
	for (unsigned i = 0; i < D_FIELDS; i++)
		if (i == FIELD_MODULE && p->file ? !d_module_matches(d->field[i], p->field[i], p->is_main)
						 : !d_glob_matches(d->field[i], p->field[i]))
			return false;
	return true;
}
