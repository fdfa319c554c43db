#include "text.h"
#include "slice.h"

#include <bpf/bpf.h>
#include <stdio.h>

void text_label(int texts_fd, __u64 code, char *out)
{
	struct text text;

	if (bpf_map_lookup_elem(texts_fd, &code, &text)) {
		snprintf(out, LABEL_MAX + 1, "#%016llx", (unsigned long long)code);
		return;
	}
	if (!text.text[0] && text.text[1])
		text.text[0] = '@';		/* an abstract Unix name */
	snprintf(out, LABEL_MAX + 1, "%.*s", (int)sizeof(text.text), text.text);
}
