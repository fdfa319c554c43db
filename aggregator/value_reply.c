#include "value_reply.h"

#include <errno.h>

const char *reply_measure(const struct value *v, int axis)
{
	return v->in.measure[axis];
}

void reply_begin(struct value *v, struct bytes *out)
{
	writer_raw(out, "{");
	payload_head(out, &v->head);
	writer_name_text(out, "measure", reply_measure(v, v->fold_axis[0]));
	writer_name_text(out, "unit", query_unit(&v->in, v->fold_axis[0]));
}

int reply_end(struct value *v, struct bytes *out)
{
	writer_raw(out, "}\n");
	v->type = "application/json";
	v->data = writer_take(out, &v->len);
	return v->data ? 0 : -ENOMEM;
}
