#include "collector/d/compile.h"
#include "collector/d/parse.h"
#include "collector/d/probe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY_MAX (64u << 20)		/* bytes of trees and types */

int d_compile_init(struct d_compile *c)
{
	*c = (struct d_compile){ .arena = { .most = MEMORY_MAX } };
	d_program_init(&c->program, &c->types);
	return d_types_init(&c->types, &c->arena);
}

void d_compile_fini(struct d_compile *c)
{
	free(c->clauses);
	d_arena_fini(&c->arena);
}

/* ---- options ---- */

/* Options whose value changes no result here: sizes of buffers, which have a fixed size, and rates. */
static const char *const without_effect[] = {
	"aggrate", "aggsize", "bufpolicy", "bufresize", "bufsize", "cleanrate", "dynvarsize", "nspec", "specsize", "statusrate",
	"switchrate",
};

static int set_flag(bool *flag, const char *value)
{
	if (value && strcmp(value, "0") && strcmp(value, "1") && strcmp(value, "true") && strcmp(value, "false"))
		return -EINVAL;
	*flag = !value || !strcmp(value, "1") || !strcmp(value, "true");
	return 0;
}

int d_compile_option(struct d_compile *c, const char *key, const char *value)
{
	if (!strcmp(key, "quiet"))
		return set_flag(&c->options.quiet, value);
	if (!strcmp(key, "errtags"))
		return set_flag(&c->options.errtags, value);
	if (!strcmp(key, "defaultargs"))
		return set_flag(&c->macros.default_arguments, value);
	for (size_t i = 0; i < sizeof(without_effect) / sizeof(*without_effect); i++)
		if (!strcmp(key, without_effect[i]))
			return value ? 0 : -EINVAL;
	return -EINVAL;
}

/* ---- probes ---- */

static int match_spec(const struct d_unit *u, const struct d_spec *s, unsigned *n, struct d_error *error)
{
	unsigned before = *n;

	if (!d_probe_is_description(s->text))
		return d_fail(error, &u->script, s->at, "D_PDESC_INVAL", "invalid probe description \"%s\": more than four fields", s->text);
	for (unsigned i = 0; d_probe_at(i); i++) {
		if (!d_probe_matches(d_probe_at(i), s->text))
			continue;
		if (d_probe_at(i)->id == PROBE_ERROR)
			return d_fail(error, &u->script, s->at, "D_UNKNOWN", "the ERROR probe is not available yet");
		++*n;
	}
	if (*n == before)
		return d_fail(error, &u->script, s->at, "D_PDESC_ZERO", "probe description %s does not match any probes", s->text);
	return 0;
}

static int match_clauses(struct d_compile *c, const struct d_unit *u, unsigned *ret_n, struct d_error *error)
{
	int err = 0;

	*ret_n = 0;
	for (const struct d_clause *clause = c->program.clauses; clause; clause = clause->next)
		for (const struct d_spec *s = clause->item->specs; !err && clause->unit == u && s; s = s->next)
			err = match_spec(u, s, ret_n, error);
	return err;
}

static bool clause_matches(const struct d_clause *clause, __u32 probe)
{
	for (const struct d_spec *s = clause->item->specs; s; s = s->next)
		for (unsigned i = 0; d_probe_at(i); i++)
			if (d_probe_at(i)->id == probe && d_probe_matches(d_probe_at(i), s->text))
				return true;
	return false;
}

/* ---- scripts ---- */

static int apply_pragmas(struct d_compile *c, const struct d_unit *u, struct d_error *error)
{
	for (const struct d_pragma *p = u->pragmas; p; p = p->next)
		if (d_compile_option(c, p->key, p->value))
			return d_fail(error, &u->script, p->at, "D_PRAGMA_OPTSET", "failed to set option '%s': there is no such option, "
				      "or not this value", p->key);
	return 0;
}

int d_compile_add(struct d_compile *c, const struct d_script *s, unsigned flags, unsigned *ret_n_probes, struct d_error *error)
{
	struct d_unit *u = d_alloc(&c->arena, sizeof(*u));
	int err = u ? d_parse(s, flags, &c->types, &c->macros, u, error) : -ENOMEM;

	if (!err)
		err = apply_pragmas(c, u, error);
	if (!err && !u->items)
		err = d_fail(error, s, 0, "D_EMPTY", "empty D program translation unit");
	if (!err)
		err = d_check(&c->program, u, error);
	return err ? err : match_clauses(c, u, ret_n_probes, error);
}

int d_compile_end(struct d_compile *c, struct d_error *error)
{
	static const struct d_script nowhere = { NULL, "", 0 };
	size_t n = 0;

	for (unsigned i = 0; i < c->macros.n_arguments && i < 64 && !c->macros.default_arguments; i++)
		if (!(c->macros.used >> i & 1))
			return d_fail(error, &nowhere, 0, "D_MACRO_UNUSED", "extraneous argument '%s' ($%u is not referenced)",
				      c->macros.argument[i], i + 1);
	c->clauses = calloc(c->program.n_clauses + 1, sizeof(struct d_clause *));
	if (!c->clauses)
		return -ENOMEM;
	for (struct d_clause *clause = c->program.clauses; clause; clause = clause->next)
		c->clauses[n++] = clause;
	c->n_clauses = n;
	return 0;
}

int d_compile_probe(struct d_compile *c, struct d_firing firing, struct d_ir *ret_ir, struct d_error *error)
{
	struct d_clause **matching = calloc(c->n_clauses + 1, sizeof(struct d_clause *));
	size_t n = 0;
	int err;

	if (!matching)
		return -ENOMEM;
	for (__u32 i = 0; i < c->n_clauses; i++)
		if (clause_matches(c->clauses[i], firing.probe))
			matching[n++] = c->clauses[i];
	err = n ? d_lower(&c->program, matching, n, firing, ret_ir, error) : 1;
	free(matching);
	return err;
}
