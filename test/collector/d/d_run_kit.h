/* d_run_kit.h - compiles a D script in a test, runs it in the kernel, and keeps what it prints.
 *
 *      struct run r;
 *      compile(&r, "syscall:::entry { ... }"), open_attached(&r), ..., d_session_detach(&r.session), close_run(&r)
 *      run(&r, "BEGIN { ... }")        all of it, for BEGIN and END
 *
 * Errors  asserted.  compile(), run(): false: the checker found a division by zero.
 * Memory  close_run() frees all but `text` and `errors`, which are the caller's.
 */
#ifndef HEATSCOPE_D_RUN_KIT_H
#define HEATSCOPE_D_RUN_KIT_H

#include "collector/d/compile.h"
#include "collector/d/session.h"
#include "test/kit/check.h"

#include <stdio.h>
#include <unistd.h>

struct run {
	struct d_compile compile;
	struct d_session session;
	struct d_consumer consumer;
	struct d_aggregates aggregates;
	struct d_symbols symbols;
	char *text, *errors;
	size_t len, errors_len;
};

/* has_metrics: aggregations send their values one by one. */
static inline bool compile_with(struct run *r, const char *text, bool has_metrics)
{
	const struct d_script script = { "x.d", text, strlen(text) };
	struct d_error e = { 0 };
	unsigned n;

	memset(r, 0, sizeof(*r));
	assert_int_equal(d_compile_init(&r->compile), 0);
	if (d_compile_add(&r->compile, &script, 0, &n, &e) || (has_metrics && !d_program_make_metrics(&r->compile.program)) ||
	    d_compile_end(&r->compile, &e)) {
		if (strcmp(e.tag, "D_DIV_ZERO") && !strstr(e.text, "not available in on-cpu"))
			fail_msg("%u:%u: [%s] %s", e.line, e.column, e.tag, e.text);
		d_compile_fini(&r->compile);
		return false;
	}
	return true;
}

static inline bool compile(struct run *r, const char *text) { return compile_with(r, text, false); }

/* Fires BEGIN or END, if it has clauses. */
static inline void fire(struct run *r, __u32 probe, enum d_activity activity)
{
	char reason[D_REASON_MAX] = "";

	r->session.state->activity = activity;
	for (size_t i = 0; i < r->compile.plan.n_groups; i++) {
		struct d_group *g = &r->compile.plan.groups[i];

		if (g->probes[0]->id != probe)
			continue;
		if (d_session_load(&r->session, g, reason))
			print_message("%s\n", reason);
		assert_string_equal(reason, "");
		assert_int_equal(d_session_fire(&r->session, g, reason), 0);
		assert_int_equal(d_session_drain(&r->session), 0);
	}
}

static inline void open_run(struct run *r)
{
	char reason[D_REASON_MAX] = "";

	r->consumer = (struct d_consumer){ .clauses = r->compile.clauses, .n_clauses = r->compile.n_clauses, .probes = &r->compile.probes,
					   .quiet = true, .out = open_memstream(&r->text, &r->len), .err = open_memstream(&r->errors, &r->errors_len),
					   .aggregates = &r->aggregates, .symbols = &r->symbols };
	assert_int_equal(d_aggregates_init(&r->aggregates, &r->compile.program, &r->compile.probes, &r->symbols), 0);
	if (d_session_open(&r->session, &r->compile.program, &r->consumer, reason))
		print_message("%s\n", reason);
	assert_string_equal(reason, "");
}

/* Loads and attaches all programs; they run. */
static inline void open_attached(struct run *r)
{
	char reason[D_REASON_MAX] = "";

	open_run(r);
	for (size_t i = 0; i < r->compile.plan.n_groups; i++)
		if (d_session_load(&r->session, &r->compile.plan.groups[i], reason) || d_session_attach(&r->session, &r->compile.plan.groups[i], reason))
			print_message("%s\n", reason);
	assert_string_equal(reason, "");
	r->session.state->activity = ACTIVITY_ACTIVE;
}

/* The texts are the caller's to free. */
static inline void close_run(struct run *r)
{
	assert_int_equal(r->session.state->drops + r->session.state->self_drops + r->session.state->nesting_drops +
			 r->session.state->aggregation_drops, 0);
	assert_int_equal(d_session_take_all(&r->session, &r->aggregates), 0);
	d_aggregates_print_rest(&r->aggregates, r->consumer.out);
	d_aggregates_fini(&r->aggregates);
	d_symbols_fini(&r->symbols);
	d_session_close(&r->session);
	fclose(r->consumer.out);
	fclose(r->consumer.err);
	d_compile_fini(&r->compile);
}

/* Fires BEGIN, then END.  false: the checker found a division by zero. */
static inline bool run(struct run *r, const char *text)
{
	if (!compile(r, text))
		return false;
	open_run(r);
	fire(r, PROBE_BEGIN, ACTIVITY_BEGIN);
	fire(r, PROBE_END, ACTIVITY_DRAINING);
	close_run(r);
	return true;
}

static inline void check_output(const char *script, const char *out, const char *err)
{
	struct run r;

	assert_true(run(&r, script));
	if (strcmp(r.text, out))
		print_message("%s\n", script);
	assert_string_equal(r.text, out);
	assert_string_equal(r.errors, err);
	free(r.text);
	free(r.errors);
}

/* For main(). */
static inline int check_in_kernel(void)
{
	if (geteuid() || access("/sys/kernel/btf/vmlinux", R_OK)) {
		printf("1..0 # SKIP needs root and BTF\n");
		return 77;
	}
	if (getenv("HEATSCOPE_TEST"))
		cmocka_set_test_filter(getenv("HEATSCOPE_TEST"));
	return check_run(NULL, NULL);
}

#endif
