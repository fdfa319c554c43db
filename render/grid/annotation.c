#include "render/grid/annotation.h"
#include <stdlib.h>
#include <string.h>

void annotation_list_free(struct annotation_list *a)
{
	free(a);
}

struct annotation_list *annotation_list_copy(const struct annotation_list *a)
{
	size_t size = a ? sizeof(*a) + a->n * sizeof(*a->item) : 0;
	struct annotation_list *copy = a ? malloc(size) : NULL;

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
