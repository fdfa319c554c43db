/* fuzz_promql - parses any text as an expression and as a selector: it is read or refused with its place, and its text is read as
 * the same expression. */
#include "aggregator/promql/parse.h"
#include "collector/core/metric.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(int holds)
{
	if (!holds)
		abort();
}

static char *printed(const struct expression *e)
{
	struct bytes out = { 0 };

	expression_print(e, &out);
	bytes_put(&out, "", 1);
	must(!out.err);
	return (char *)out.data;
}

/* Escapes make a text longer, so what is too long to be read again is no error. */
static void check_text(const struct expression *e)
{
	char reason[REASON_MAX] = "", *text = printed(e), *again;
	struct expression *back;

	if (strlen(text) <= PARSE_TEXT_MAX) {
		must(!expression_parse(text, &back, reason));
		again = printed(back);
		must(!strcmp(text, again));
		free(again);
		expression_free(back);
	}
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *text = malloc(len + 1), reason[REASON_MAX] = "";
	struct series_labels none = { 0 };
	struct expression *e;
	struct selector s;

	if (!text)
		return 0;
	memcpy(text, data, len);
	text[len] = 0;
	if (!expression_parse(text, &e, reason)) {
		check_text(e);
		expression_free(e);
	} else {
		must(strchr(reason, ':') != NULL);
	}
	if (!selector_parse(text, &s, reason)) {
		must(!selector_accepts(&s, &none, NULL));		/* it is narrow */
		selector_fini(&s);
	}
	free(text);
	return 0;
}
