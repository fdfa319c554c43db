/* fuzz_http_params - reads any query string, split at & and =, as every kind of value, and the interval that
 * follows. */
#include "aggregator/params/params.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PARAMS 16

static size_t split(char *text, struct http_param param[PARAMS])
{
	size_t n = 0;

	for (char *part = strtok(text, "&\n"); part && n < PARAMS; part = strtok(NULL, "&\n")) {
		char *value = strchr(part, '=');

		if (value)
			*value++ = 0;
		param[n++] = (struct http_param){ part, value ? value : "" };
	}
	return n;
}

/* Accepted parameters must keep the promises of their header. */
static void check(const struct params *p, const struct interval_ns *asked, const struct interval_ns *rounded)
{
	if (p->width < 10 || p->width > 4000 || p->height > 4000 || p->ncols < 1 || p->ncols > 4000 || p->row_bits > 7 ||
	    p->nbuckets < 1 || p->nbuckets > 1000 || p->isolate + p->exclude + p->decompose_all > 1)
		abort();
	if (p->n_points < 1 || p->n_points > 3600 || p->timeout_ms < 0 || p->timeout_ms > 5000)
		abort();
	if (asked && (asked->from >= asked->to || rounded->from > asked->from || rounded->from < 0 ||
		      rounded->to - rounded->from < asked->to - asked->from ||
		      (p->n_points > 1 && p->n_points > 3600000000000ll / (rounded->to - rounded->from))))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct instrumentation in = { .granularity_ns = 5000000000ull, .slot_ns = 1000000000, .retention_s = 3600 };
	char *text = malloc(size + 1), reason[PARAMS_REASON_MAX];
	struct http_param param[PARAMS];
	struct interval_ns asked, rounded;
	size_t n;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = 0;
	n = split(text, param);
	for (int kind = VALUE_RAW; kind < VALUE_KINDS; kind++) {
		struct params p;

		if (params_read((enum value_kind_id)kind, param, n, &p, reason))
			continue;
		if (params_interval(&p, &in, 1700000000000000000ll, &asked, &rounded, reason))
			check(&p, NULL, NULL);
		else
			check(&p, &asked, &rounded);
		params_fini(&p);
	}
	free(text);
	return 0;
}
