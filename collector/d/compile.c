#include "collector/d/compile.h"
#include "collector/d/guard.h"
#include "collector/d/output/consume.h"
#include "collector/d/tree/parse.h"
#include "collector/d/provider/provider.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MEMORY_MAX (64u << 20)		/* bytes of trees and types */

int d_compile_init(struct d_compile *c)
{
	*c = (struct d_compile){ .arena = { .most = MEMORY_MAX }, .options.cpu_percent = D_GUARD_PERCENT };
	d_program_init(&c->program, &c->types);
	return d_types_init(&c->types, &c->arena) || d_probes_init(&c->probes, &c->arena) ? -ENOMEM : 0;
}

void d_compile_fini(struct d_compile *c)
{
	free(c->clauses);
	d_plan_fini(&c->plan);
	d_probes_fini(&c->probes);
	d_arena_fini(&c->arena);
}

/* ---- options ---- */

/* Options whose value changes no result here: sizes of buffers, which have a fixed size, rates, and others.  A value that
 * DTrace refuses is refused all the same. */
enum value_kind { VALUE_SIZE, VALUE_RATE, VALUE_WORD };

static const struct {
	const char *key;
	enum value_kind kind;
	const char *words[3];		/* of VALUE_WORD */
} without_effect[] = {
	{ "aggrate", VALUE_RATE, { NULL } }, { "aggsize", VALUE_SIZE, { NULL } }, { "bufpolicy", VALUE_WORD, { "fill", "ring", "switch" } },
	{ "bufresize", VALUE_WORD, { "auto", "manual" } }, { "bufsize", VALUE_SIZE, { NULL } }, { "cleanrate", VALUE_RATE, { NULL } },
	{ "dynvarsize", VALUE_SIZE, { NULL } }, { "nspec", VALUE_SIZE, { NULL } }, { "specsize", VALUE_SIZE, { NULL } }, { "statusrate", VALUE_RATE, { NULL } },
	{ "switchrate", VALUE_RATE, { NULL } },
};

static bool has_word(const char *const *words, size_t n, const char *word)
{
	for (size_t i = 0; i < n && words[i]; i++)
		if (!strcasecmp(words[i], word))
			return true;
	return false;
}

/* 4096, 0x1000, 4m; 10hz, 100MS, 1s.  A number may have no unit. */
static bool is_number(const char *value, enum value_kind kind)
{
	static const char *const sizes[] = { "", "k", "m", "g", "t" };
	static const char *const rates[] = { "", "ns", "nsec", "us", "usec", "ms", "msec", "s", "sec", "m", "min", "h", "hour", "d", "day",
					     "hz" };
	char *unit;

	if (!isdigit((unsigned char)*value))
		return false;
	errno = 0;
	strtoull(value, &unit, 0);
	if (errno)
		return false;
	return kind == VALUE_SIZE ? has_word(sizes, sizeof(sizes) / sizeof(*sizes), unit) :
				    has_word(rates, sizeof(rates) / sizeof(*rates), unit);
}

static bool is_one_of(const char *const words[3], const char *value)
{
	for (size_t i = 0; i < 3 && words[i]; i++)
		if (!strcmp(words[i], value))
			return true;
	return false;
}

static bool is_value(const char *value, enum value_kind kind, const char *const words[3])
{
	return kind == VALUE_WORD ? is_one_of(words, value) : is_number(value, kind);
}

static int set_percent(unsigned *percent, const char *value)
{
	char *end;
	unsigned long n = value ? strtoul(value, &end, 10) : 0;

	if (!value || *end || n < 1 || n > 100)
		return -EINVAL;
	*percent = (unsigned)n;
	return 0;
}

int d_compile_option(struct d_compile *c, const char *key, const char *value)
{
	if (!strcmp(key, "quiet"))
		return d_flag_set(&c->options.quiet, value);
	if (!strcmp(key, "flowindent"))
		return d_flag_set(&c->options.flow, value);
	if (!strcmp(key, "cpushare"))
		return set_percent(&c->options.cpu_percent, value);
	if (!strcmp(key, "zdefs"))
		return d_flag_set(&c->options.zero_probes, value);
	if (!strcmp(key, "errtags"))
		return d_flag_set(&c->options.errtags, value);
	if (!d_sort_option(&c->options.sort, key, value))
		return 0;
	if (!strcmp(key, "defaultargs"))
		return d_flag_set(&c->macros.default_arguments, value);
	for (size_t i = 0; i < sizeof(without_effect) / sizeof(*without_effect); i++)
		if (!strcmp(key, without_effect[i].key))
			return value && is_value(value, without_effect[i].kind, without_effect[i].words) ? 0 : -EINVAL;
	return -EINVAL;
}

const char *d_compile_option_failure(const char *key)
{
	static const char *const later[] = { "aggpercpu", "amin", "core", "cpp", "ctypes", "debug", "define", "destructive", "disasm", "dtypes",
					     "evaltime", "grabanon", "incdir", "iregs", "jstackframes", "jstackstrsize", "libdir", "linkmode",
					     "lockmem", "nolibs", "pgmax", "quietresize", "rawbytes", "scratchsize", "stackframes", "stackindent",
					     "stdc", "strsize", "temporal", "tree", "undef", "unodefs", "uresolve", "ustackframes", "verbose",
					     "version" };

	for (size_t i = 0; i < sizeof(later) / sizeof(*later); i++)
		if (!strcmp(key, later[i]))
			return "it is not available yet";
	return "there is no such option, or not this value";
}

/* ---- probes ---- */

/* unseen: which processes could not be looked into, or empty; also a provider's reason to refuse. */
static int add_probes(struct d_compile *c, const struct d_unit *u, const struct d_spec *s, const struct d_description *d,
		      char *unseen, struct d_error *error)
{
	*unseen = '\0';
	for (size_t i = 0; d_provider_at(i); i++) {
		int err = d_provider_at(i)->add(&c->probes, d, unseen);

		if (err == -EINVAL)
			return d_fail(error, &u->script, s->at, "D_PDESC_INVAL", "%s", unseen);
		if (err)
			return err;
	}
	return 0;
}

static bool is_provider(const char *name)
{
	bool known = !strcmp(name, "dtrace") || !strncmp(name, "pid", 3);

	for (size_t i = 0; d_provider_at(i); i++)
		known |= !strcmp(name, d_provider_at(i)->name);
	return known;
}

/* Providers and probes of other systems that scripts name. */
static const char *why_unmatched(const struct d_description *d)
{
	static const char *const later[] = { "cpc", "fbt", "fpuinfo", "io", "ip", "lockstat", "mib", "nfsv3", "nfsv4", "perf", "plockstat", "proc",
					     "rawfbt", "rawtp", "sdt", "sysinfo", "tcp", "udp", "vfs", "vminfo" };
	const char *provider = d->field[FIELD_PROVIDER];

	if (!strcmp(provider, "sched"))
		return ": of the provider sched, off-cpu and on-cpu are available";
	for (size_t i = 0; i < sizeof(later) / sizeof(*later); i++)
		if (!strcmp(provider, later[i]))
			return ": this provider is not available yet";
	return "";
}

/* The fields that a description lacks are those on the left: syscall::entry wants a module called syscall. */
static int fail_unmatched(const struct d_unit *u, const struct d_spec *s, const struct d_description *d, const char *unseen,
			  struct d_error *error)
{
	for (unsigned i = 1; i < D_FIELDS; i++)
		if (!*d->field[i - 1] && is_provider(d->field[i]))
			return d_fail(error, &u->script, s->at, "D_PDESC_ZERO", "probe description %s does not match any probes: a description "
				      "has four fields, as in %s:::NAME", s->text, d->field[i]);
	return d_fail(error, &u->script, s->at, "D_PDESC_ZERO", "probe description %s does not match any probes%s%s", s->text,
		      *unseen ? ": " : why_unmatched(d), unseen);
}

static int plan_probe(struct d_compile *c, const struct d_unit *u, struct d_clause *clause, const struct d_spec *s,
		      const struct d_probe *probe, struct d_error *error)
{
	int err;

	err = d_plan_add(&c->plan, clause, probe);
	if (err == -E2BIG)
		return d_fail(error, &u->script, s->at, "D_UNKNOWN", "more than %u clauses for probes of one kind", D_MASK_CLAUSES);
	return err;
}

/* Adds to *n how many probes a description matches. */
static int match_spec(struct d_compile *c, const struct d_unit *u, struct d_clause *clause, const struct d_spec *s, unsigned *n,
		      struct d_error *error)
{
	struct d_description d;
	char unseen[D_PROVIDER_REASON_MAX];
	unsigned before = *n;
	int err;

	if (!d_description_parse(s->text, &d))
		return d_fail(error, &u->script, s->at, "D_PDESC_INVAL", "invalid probe description \"%s\": more than four fields", s->text);
	err = add_probes(c, u, s, &d, unseen, error);
	for (size_t i = 0; !err && i < c->probes.n; i++) {
		if (!d_probe_matches(c->probes.probe[i], &d))
			continue;
		++*n;
		err = plan_probe(c, u, clause, s, c->probes.probe[i], error);
	}
	if (unseen[0])
		memcpy(c->unseen, unseen, sizeof(c->unseen));
	return err || *n > before || c->options.zero_probes ? err : fail_unmatched(u, s, &d, unseen, error);
}

static int match_clauses(struct d_compile *c, const struct d_unit *u, unsigned *ret_n, struct d_error *error)
{
	int err = 0;

	*ret_n = 0;
	for (struct d_clause *clause = c->program.clauses; clause; clause = clause->next)
		for (const struct d_spec *s = clause->item->specs; !err && clause->unit == u && s; s = s->next)
			err = match_spec(c, u, clause, s, ret_n, error);
	return err;
}

/* ---- scripts ---- */

static int apply_pragmas(struct d_compile *c, const struct d_unit *u, struct d_error *error)
{
	for (const struct d_pragma *p = u->pragmas; p; p = p->next)
		if (d_compile_option(c, p->key, p->value))
			return d_fail(error, &u->script, p->at, "D_PRAGMA_OPTSET", "failed to set option '%s': %s", p->key,
				      d_compile_option_failure(p->key));
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

static bool is_user_stack(const struct d_node *n)
{
	__u32 room;

	return d_stack_of(n, &room) == STACK_USER;
}

/* Memory for the stacks that off-cpu saves, if a clause of on-cpu wants them. */
static void reserve_stack(struct d_compile *c)
{
	__u32 *memory = &c->program.memory[SCOPE_SELF];
	bool saves = false, wants = false;

	for (size_t i = 0; i < c->plan.n_groups; i++) {
		const struct d_group *g = &c->plan.groups[i];

		saves |= g->context == CONTEXT_OFF_CPU;
		for (size_t k = 0; g->context == CONTEXT_ON_CPU && k < g->n_clauses; k++)
			wants |= d_node_has(g->clauses[k]->item->statements, is_user_stack);
	}
	if (!saves || !wants)
		return;
	*memory = (*memory + 15) / 8 * 8;		/* 0 is no place */
	c->program.saved_stack = *memory;
	*memory += D_SAVED_STACK_LEN;
}

static bool is_errors(const struct d_group *g) { return g->context == CONTEXT_DTRACE && g->probes[0]->id == PROBE_ERROR; }

int d_compile_end(struct d_compile *c, struct d_error *error)
{
	const struct d_group *errors = NULL;
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
	reserve_stack(c);
	for (size_t i = 0; i < c->plan.n_groups; i++)
		if (is_errors(&c->plan.groups[i]))
			errors = &c->plan.groups[i];
	for (size_t i = 0; i < c->plan.n_groups; i++) {
		int err = &c->plan.groups[i] == errors ? 0 : d_lower(&c->program, &c->plan.groups[i], errors, error);

		if (err)
			return err;
	}
	return 0;
}
