#include "collector/d/compile.h"
#include "collector/d/output/consume.h"
#include "collector/d/tree/probe.h"
#include "test/kit/check.h"

#include <stdio.h>

struct consume_case {
	struct d_compile compile;
	struct d_consumer consumer;
	char *text, *errors;
	size_t len, errors_len;
};

static void begin(struct consume_case *c, const char *text, bool quiet)
{
	const struct d_script script = { "x.d", text, strlen(text) };
	struct d_error e = { 0 };
	unsigned n;

	memset(c, 0, sizeof(*c));
	assert_int_equal(d_compile_init(&c->compile), 0);
	assert_int_equal(d_compile_add(&c->compile, &script, 0, &n, &e), 0);
	assert_int_equal(d_compile_end(&c->compile, &e), 0);
	c->consumer = (struct d_consumer){ .clauses = c->compile.clauses, .n_clauses = c->compile.n_clauses, .probes = &c->compile.probes,
					   .quiet = quiet, .out = open_memstream(&c->text, &c->len), .err = open_memstream(&c->errors, &c->errors_len) };
}

static void consume(struct consume_case *c, const struct d_record *header, __u64 a, __u64 b)
{
	__u64 words[sizeof(*header) / sizeof(__u64) + 2];

	memcpy(words, header, sizeof(*header));
	words[sizeof(*header) / sizeof(__u64)] = a;
	words[sizeof(*header) / sizeof(__u64) + 1] = b;
	d_consume(&c->consumer, (const struct d_record *)words);
}

static void end(struct consume_case *c, const char *expected)
{
	fclose(c->consumer.out);
	fclose(c->consumer.err);
	assert_string_equal(c->text, expected);
	free(c->text);
	free(c->errors);
	d_compile_fini(&c->compile);
}

TEST(records_have_dtraces_columns)
{
	struct consume_case c;

	begin(&c, "BEGIN { printf(\"hello %d\\n\", pid); trace(pid); }", false);
	consume(&c, &(struct d_record){ .probe = 1, .cpu = 3, .ran = 3 }, 42, -7);
	consume(&c, &(struct d_record){ .probe = 1, .cpu = 12, .ran = 2 }, 42, 5);
	end(&c, "CPU     ID                    FUNCTION:NAME\n"
		"  3      1                           :BEGIN hello 42\n         -7\n"
		" 12      1                           :BEGIN           5\n");
}

TEST(quiet_prints_only_the_actions)
{
	struct consume_case c;

	begin(&c, "BEGIN { trace(pid); trace(\"text\"); exit(pid); }", true);
	consume(&c, &(struct d_record){ .probe = 1, .ran = 7 }, 42, 3);
	assert_int_equal(c.consumer.exit_status, 3);
	end(&c, "42text");
}

TEST(trace_pads_by_the_type)
{
	struct consume_case c;

	begin(&c, "BEGIN { trace((char)pid); trace((uint64_t)pid); } BEGIN { trace((short)pid); trace((long)pid); } "
		  "BEGIN { trace((unsigned)pid); trace(\"abc\"); }", false);
	c.consumer.has_header = true;
	consume(&c, &(struct d_record){ .clause = 0, .probe = 2, .ran = 3 }, 0x1ff, -1);
	consume(&c, &(struct d_record){ .clause = 1, .probe = 2, .ran = 3 }, 0x1fffe, -1);
	consume(&c, &(struct d_record){ .clause = 2, .probe = 2, .ran = 3 }, -1, 0);
	end(&c, "  0      2                             :END   -1 18446744073709551615\n"
		"  0      2                             :END     -2                  -1\n"
		"  0      2                             :END  4294967295  abc                              \n");
}

TEST(flow_is_indented_by_thread)
{
	static const struct d_probe added[] = {
		{ .context = CONTEXT_FUNCTION_ENTRY, .field = { "pid1", "a", "outer", "entry" } }, { .context = CONTEXT_FUNCTION_ENTRY, .field = { "pid1", "a", "inner", "entry" } },
		{ .context = CONTEXT_FUNCTION_RETURN, .field = { "pid1", "a", "inner", "return" } }, { .context = CONTEXT_FUNCTION_RETURN, .field = { "pid1", "a", "outer", "return" } },
		{ .context = CONTEXT_SYSCALL_ENTRY, .field = { "syscall", "vmlinux", "read", "entry" } },
	};
	struct consume_case c;

	begin(&c, "BEGIN { trace(pid); }", false);
	c.consumer.flow = true;
	for (unsigned i = 0; i < 5; i++)
		assert_non_null(d_probes_add(&c.compile.probes, &added[i]));
	consume(&c, &(struct d_record){ .probe = 4, .thread = 7 }, 0, 0);
	consume(&c, &(struct d_record){ .probe = 5, .thread = 7 }, 0, 0);
	consume(&c, &(struct d_record){ .probe = 8, .thread = 8 }, 0, 0);
	consume(&c, &(struct d_record){ .probe = 1, .thread = 7, .ran = 1 }, 5, 0);
	consume(&c, &(struct d_record){ .probe = 6, .thread = 7 }, 0, 0);
	consume(&c, &(struct d_record){ .probe = 7, .thread = 7 }, 0, 0);
	d_consumer_fini(&c.consumer);
	end(&c, "CPU FUNCTION                                 \n"
		"  0  -> outer                                 \n"
		"  0    -> inner                               \n"
		"  0  => read                                  \n"
		"  0      | :BEGIN                                       5\n"
		"  0    <- inner                               \n"
		"  0  <- outer                                 \n");
}

TEST(a_fault_is_a_line_of_its_own)
{
	struct consume_case c;

	begin(&c, "BEGIN { trace(1 / pid); }", false);
	consume(&c, &(struct d_record){ .probe = 1, .fault = FAULT_DIVIDE }, 0, 0);
	fflush(c.consumer.err);
	assert_string_equal(c.errors, "dtrace: error in dt_clause_0 for probe ID 1 (dtrace:::BEGIN): divide-by-zero\n");
	consume(&c, &(struct d_record){ .clause = 99, .probe = 1 }, 0, 0);
	end(&c, "");
}

TEST_MAIN()
