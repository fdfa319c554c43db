#include "collector/d/probe.h"
#include "collector/core/array.h"

#include <fnmatch.h>
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
	*p = (struct d_probes){ 0 };
}

const struct d_probe *d_probes_find(const struct d_probes *p, __u32 id) { return id && id <= p->n ? p->probe[id - 1] : NULL; }

struct d_probe *d_probes_add(struct d_probes *p, const struct d_probe *probe)
{
	struct d_probe *own = d_alloc(p->arena, sizeof(*own));

	if (!own || array_grow(&p->probe, p->n, &p->room, sizeof(struct d_probe *)))
		return NULL;
	*own = *probe;
	for (unsigned i = 0; i < D_FIELDS; i++) {
		own->field[i] = d_alloc_text(p->arena, probe->field[i], strlen(probe->field[i]));
		if (!own->field[i])
			return NULL;
	}
	p->probe[p->n++] = own;
	own->id = p->n;
	return own;
}

/* ---- descriptions ---- */

bool d_description_parse(const char *text, struct d_description *ret)
{
	char *part[D_FIELDS], *next = ret->text;
	unsigned n = 0;

	*ret = (struct d_description){ .field = { "", "", "", "" } };
	if ((size_t)snprintf(ret->text, sizeof(ret->text), "%s", text) >= sizeof(ret->text))
		return false;
	if (*text && strspn(text, "0123456789") == strlen(text))
		ret->id = strtoul(text, NULL, 10);
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

bool d_probe_matches(const struct d_probe *p, const struct d_description *d)
{
	if (d->id)
		return d->id == p->id;
	for (unsigned i = 0; i < D_FIELDS; i++)
		if (!d_glob_matches(d->field[i], p->field[i]))
			return false;
	return true;
}
