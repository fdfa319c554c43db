#include "render/grid/annotation.h"
#include <stdlib.h>
#include <string.h>

void annotations_free(struct annotations *a)
{
	free(a);
}

struct annotations *annotations_copy(const struct annotations *a)
{
	size_t size = a ? sizeof(*a) + a->n * sizeof(*a->item) : 0;
	struct annotations *copy = a ? malloc(size) : NULL;

	if (copy)
		memcpy(copy, a, size);
	return copy;
}

int annotation_touches(const struct annotation *a, __s64 from_ns, __s64 to_ns)
{
	return a->from_ns < to_ns && (a->to_ns > from_ns || a->from_ns >= from_ns);
}

const char *annotation_kind_name(enum annotation_kind kind)
{
	return kind == ANNOTATION_ALERT ? "alert" : "note";
}
