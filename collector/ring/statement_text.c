#include "collector/ring/statement_text.h"
#include "collector/ring/clean.h"

#include <string.h>

size_t statement_text_write(const struct statement_text *v, char *out)
{
	const struct as_sent *sent = &v->as_sent;
	size_t n = sent->len < STATEMENT_TEXT_MAX ? sent->len : STATEMENT_TEXT_MAX;

	clean_copy(sent->text, n, out, STATEMENT_TEXT_MAX);
	for (size_t i = 0; i < n; i++)		/* a byte or character has its place */
		if (sent->text[i] == '\n' || sent->text[i] == '\t')
			out[i] = sent->text[i];
	if (!sent->whole)
		strcpy(out + n, "…");
	return strlen(out);
}
