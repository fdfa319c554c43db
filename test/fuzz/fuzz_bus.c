/* fuzz_bus - takes any bytes as a subject, and as messages of a bus: lines "SOURCE ID PART DATA", "-" for none.  A source's
 * name must come back from its token; parts that wait must be counted. */
#include "aggregator/ingest/bus_assembly.h"
#include "collector/bus/subjects.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(int holds)
{
	if (!holds)
		abort();
}

static void check_subject(const char *text)
{
	char source[SOURCE_MAX], token[TOKEN_MAX], back[SOURCE_MAX];

	if (source_of_subject(text, source))
		return;
	source_token(source, token);
	must(strstr(text, token) != NULL);
	must(!source_of_token(token, strlen(token), back) && !strcmp(source, back));
}

static void check_message(struct bus_assemblies *all, char *line, uint64_t now_ms)
{
	char *save, *source = strtok_r(line, " ", &save), *id = strtok_r(NULL, " ", &save), *part = strtok_r(NULL, " ", &save);
	char name[SOURCE_MAX];
	struct bus_part p = { id && *id != '-' ? id : NULL, part && *part != '-' ? part : NULL, "ack", now_ms, (const uint8_t *)save, 0 };
	struct bus_assembly *whole;

	if (!part)
		return;
	p.len = save ? strlen(save) : 0;
	snprintf(name, sizeof(name), "%s", source);
	if (bus_assemblies_add(all, name, &p, now_ms, &whole) != 1)
		return;
	must(whole->n_here == whole->n_parts && whole->data.len == whole->n_bytes);
	bus_assembly_fini(whole);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bus_assemblies all = { 0 };
	struct bus_assembly *expired;
	char *text = malloc(size + 1), *save, *line;
	uint64_t now_ms = 0;
	size_t n = 0;

	memcpy(text, data, size);
	text[size] = 0;
	check_subject(text);
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		check_message(&all, line, now_ms += 500);
		while ((expired = bus_assemblies_expired(&all, now_ms)))
			bus_assembly_fini(expired);
	}
	for (const struct bus_assembly *a = all.first; a; a = a->next)
		n += a->n_bytes;
	must(n == all.n_bytes);
	bus_assemblies_fini(&all);
	must(!all.n_bytes);
	free(text);
	return 0;
}
