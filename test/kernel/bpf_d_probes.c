/* bpf_d_probes - D programs at probes: aggregations, scopes, predicates, timers, system calls, functions, stacks, the scheduler.
 *
 * HEATSCOPE_TEST runs one test.
 * Needs root and BTF; skipped (77) without. */
#include "test/collector/d/d_run_kit.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ---- aggregations ---- */

#define N_VALUES 30

/* DTrace's formulas, computed value by value. */
struct statistics {
	__s64 sum, min, max, avg, stddev;
	unsigned quantize[127], linear[12], log[37 + 37 + 1];
};

static int quantize_bucket(__s64 v)
{
	int log = 0;

	for (__u64 size = v < 0 ? -(__u64)v : (__u64)v; size > 1; size >>= 1)
		log++;
	return !v ? 63 : v > 0 ? 64 + log : log > 62 ? 0 : 62 - log;
}

/* llquantize(v, 10, 0, 3, 10): 0, 1 ... 9, 10, 20 ... 9000, 10000; index 37 is 0. */
static int log_bucket(__s64 v)
{
	__u64 size = v < 0 ? -(__u64)v : (__u64)v, from = 1;
	int cell = 0;

	for (int order = 0; size && order < 4; order++, from *= 10)
		if (size < 10 * from)
			return 37 + (v < 0 ? -1 : 1) * (cell + (int)(size / from));
		else
			cell += 9;
	return 37 + (size ? (v < 0 ? -37 : 37) : 0);
}

static void measure(const __s64 *v, struct statistics *s)
{
	long double mean = 0, squares = 0;
	__int128 sum = 0, square = 0, difference;

	*s = (struct statistics){ .min = INT64_MAX, .max = INT64_MIN };
	for (unsigned i = 0; i < N_VALUES; i++) {
		sum += v[i];
		square += (__int128)v[i] * v[i];
		s->min = v[i] < s->min ? v[i] : s->min;
		s->max = v[i] > s->max ? v[i] : s->max;
		s->quantize[quantize_bucket(v[i])]++;
		s->linear[v[i] < -50 ? 0 : v[i] >= 50 ? 11 : (v[i] + 50) / 10 + 1]++;
		s->log[log_bucket(v[i])]++;
	}
	s->sum = (__s64)sum;
	s->avg = s->sum / N_VALUES;
	difference = square / N_VALUES - (__int128)s->avg * s->avg;
	mean = (long double)difference;
	squares = sqrtl(mean);
	s->stddev = (__s64)squares;
}

static char *values_script(__s64 *v)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	for (unsigned i = 0; i < N_VALUES; i++) {
		v[i] = check_below(3) ? (__s64)check_below(240) - 120 : (__s64)(check_value() >> 4) * (check_below(2) ? 1 : -1);
		if (!check_below(30))
			v[i] = check_below(2) ? 1ll << check_below(58) : -(1ll << check_below(58));
		fprintf(out, "BEGIN { v = %lldll; @a = sum(v); @b = min(v); @c = max(v); @d = avg(v); @e = stddev(v); @f = quantize(v); "
			"@g = lquantize(v, -50, 50, 10); @h = llquantize(v, 10, 0, 3, 10); @i = count(); }\n", (long long)v[i]);
	}
	fputs("END { printa(\"%@d \", @a); printa(\"%@d \", @b); printa(\"%@d \", @c); printa(\"%@d \", @d); printa(\"%@d \", @e); printa(\"%@d\", @i); }", out);
	fclose(out);
	return text;
}

/* The counts of a printed table, added to 0 in the buckets that its labels name. */
static void check_table(const char *text, const __s64 *labels, const unsigned *counts, unsigned n)
{
	unsigned seen = 0, all = 0;

	for (unsigned i = 0; i < n; i++)
		all += counts[i];
	for (const char *line = strchr(text, '\n'); line && seen < all; line = strchr(line + 1, '\n')) {
		const char *bar = strchr(line + 1, '|');
		long long label, count;
		char *at = NULL;

		if (!bar || sscanf(bar + 41, "%lld", &count) != 1)
			continue;
		label = strtoll(line + 1 + strspn(line + 1, " <>="), &at, 10);
		for (unsigned i = 0; i < n; i++)
			if (labels[i] == label + (memchr(line, '<', 18) && labels[0] != -10000 ? -1 : 0)) {
				if ((unsigned)count != counts[i])
					print_message("%lld: %lld, not %u\n", label, count, counts[i]);
				assert_int_equal(count, counts[i]);
				seen += count;
			}
	}
	assert_int_equal(seen, all);
}

static void check_tables(const char *text, const struct statistics *s)
{
	__s64 quantize[127], linear[12], log[75];
	const char *table = strstr(text, "value");

	for (int i = 0; i < 127; i++)
		quantize[i] = i < 63 ? -(1ll << (62 - i)) : i == 63 ? 0 : 1ll << (i - 64);
	for (int i = 0; i < 12; i++)
		linear[i] = i ? -60 + 10 * i : -51;
	for (int i = 0; i <= 37; i++) {
		__s64 power = 1;

		for (int order = 0; order < (i - 1) / 9; order++)
			power *= 10;
		log[37 + i] = i ? power * (1 + (i - 1) % 9) : 0;
		log[37 - i] = -log[37 + i];
	}
	check_table(table, quantize, s->quantize, 127);
	table = strstr(table + 5, "value");
	check_table(table, linear, s->linear, 12);
	check_table(strstr(table + 5, "value"), log, s->log, 75);
}

TEST(aggregations_are_what_the_formulas_say)
{
	for (unsigned round = 0; round < 40; round++) {
		char *script, expected[256];
		__s64 v[N_VALUES];
		struct statistics s;
		struct run r;

		script = values_script(v);
		measure(v, &s);
		assert_true(run(&r, script));
		snprintf(expected, sizeof(expected), "%lld %lld %lld %lld %lld %d\n", (long long)s.sum, (long long)s.min, (long long)s.max,
			 (long long)s.avg, (long long)s.stddev, N_VALUES);
		r.text[strlen(expected)] = '\0';
		assert_string_equal(r.text, expected);
		r.text[strlen(expected)] = ' ';
		check_tables(r.text, &s);
		free(r.text);
		free(r.errors);
		free(script);
	}
}

TEST(rows_have_their_keys)
{
	check_output("BEGIN { @[\"a\", 1] = count(); @[\"a\", 2] = count(); @[\"a\", 1] = count(); x = \"a longer text than that\"; @[x, -1] = count(); }"
		     "END { printa(\"%s %d %@d;\", @); }", "a 2 1;a longer text than that -1 1;a 1 2;", "");
}

/* Each printa() takes an interval; what was taken is not counted again. */
TEST(intervals_add_up)
{
	check_output("BEGIN { @ = sum(1); printa(\"%@d \", @); clear(@); printa(\"%@d \", @); } END { @ = sum(100); printa(\"%@d \", @); "
		     "normalize(@, 50); printa(\"%@d \", @); denormalize(@); trunc(@); printa(\"%@d \", @); }", "1 0 100 2 ", "");
}

/* ---- clauses ---- */

TEST(variables_live_as_long_as_their_scope)
{
	check_output("BEGIN { g = 1; self->s = 2; this->t = 3; } BEGIN { printf(\"%d %d %d\", g, self->s, this->t); }"
		     "END { printf(\" %d %d %d\", g, self->s, this->t); }", "1 2 3 1 2 0", "");
}

TEST(predicates_choose_clauses)
{
	check_output("BEGIN { x = 5; } BEGIN /x == 5/ { trace(1); } BEGIN /x != 5/ { trace(2); } BEGIN /x > 4 && x < 6 || 0/ { trace(3); }",
		     "13", "");
}

TEST(branches_choose_actions)
{
	check_output("BEGIN { x = 1; if (x) { trace(1); } else { trace(2); } if (!x) { trace(3); } else if (x > 0) { trace(4); } "
		     "x ? trace(5) : trace(6); trace(7); }", "1457", "");
}

/* Found by the random expressions: the folded ?: made an int of the cast. */
TEST(a_cast_that_a_constant_chooses_still_cuts)
{
	check_output("BEGIN { x = 300; trace(1 ? (char)x : 1L); trace((0 ? 1 : (uchar_t)x) == 44); }", "441", "");
}

TEST(a_fault_ends_its_clause_only)
{
	check_output("BEGIN { x = 0; } BEGIN { y = 1; trace(1); z = 1 / x; y = 2; } BEGIN /1 % x/ { trace(2); } BEGIN { trace(y); }", "1",
		     "dtrace: error in dt_clause_1 for probe ID 1 (dtrace:::BEGIN): divide-by-zero\n"
		     "dtrace: error in dt_clause_2 for probe ID 1 (dtrace:::BEGIN): divide-by-zero\n");
}

TEST(error_clauses_run_after_a_fault)
{
	check_output("ERROR { printf(\"[%d %d %d %x %s]\", arg1, arg2, arg4, arg5, probename); n++; } ERROR /arg4 == 4/ { trace(1 / (pid - pid)); }"
		     "BEGIN { x = 0; this->t = 5; } BEGIN { y = 1 / x; } BEGIN { trace(n); trace(copyinstr(7)); } BEGIN { trace(n); } ERROR { trace(this->t); }",
		     "[4 0 4 0 ERROR]5[5 0 1 7 ERROR]52",
		     "dtrace: error in dt_clause_3 for probe ID 1 (dtrace:::BEGIN): divide-by-zero\n"
		     "dtrace: error in dt_clause_4 for probe ID 1 (dtrace:::BEGIN): invalid address (0x7)\n");
}

TEST(exit_ends_the_later_clauses_and_has_a_status)
{
	struct run r;

	assert_true(run(&r, "BEGIN { trace(1); exit(7); trace(2); } BEGIN { trace(3); } END { trace(4); }"));
	assert_string_equal(r.text, "124");
	assert_int_equal(r.consumer.exit_status, 7);
	free(r.text);
	free(r.errors);
}

TEST(elements_of_arrays_are_found_by_their_whole_key)
{
	check_output("BEGIN { a[\"x\", 1] = 5; a[\"x\", 2] = 6; a[\"xy\", 1] = 7; a[\"x\", 1]++; b[1] = \"one\"; b[-1] = strjoin(b[1], b[2]); }"
		     "BEGIN { printf(\"%d %d %d %d %s %s.\", a[\"x\", 1], a[\"x\", 2], a[\"xy\", 1], a[\"y\", 1], b[-1], b[2]); }", "6 6 7 0 one .", "");
}

TEST(a_zero_frees_a_variable)
{
	check_output("int d[int, string]; BEGIN { d[1, \"a\"] = 3; self->s = \"text\"; b[7] = \"b\"; } BEGIN { d[1, \"a\"] = 0; self->s = 0; b[7] = 0; }"
		     "BEGIN { printf(\"%d [%s] [%s]\", d[1, \"a\"], self->s, b[7]); }", "0 [] []", "");
}

TEST(a_translator_puts_the_argument_into_its_members)
{
	check_output("struct out { int twice; string text; }; translator struct out <int n> { twice = n * 2; text = strjoin(\"n\", lltostr(n)); };"
		     "BEGIN { x = 20; printf(\"%d %s\", xlate <struct out> (x + 1).twice, xlate <struct out *> (x)->text); }", "42 n20", "");
}

TEST(inlines_may_be_strings)
{
	check_output("inline string A = \"abc\"; inline string B = strjoin(A, \"d\"); BEGIN { printf(\"%s %d\", B, A == \"abc\"); }", "abcd 1", "");
}

TEST(memory_that_cannot_be_read_is_a_fault)
{
	check_output("BEGIN { trace(copyinstr(1)); } BEGIN /stringof(1) == \"\"/ { trace(1); } BEGIN { trace(*(int *)16); } BEGIN { trace(2); }", "12",
		     "dtrace: error in dt_clause_0 for probe ID 1 (dtrace:::BEGIN): invalid address (0x1)\n"
		     "dtrace: error in dt_clause_2 for probe ID 1 (dtrace:::BEGIN): invalid address (0x10)\n");
}

TEST(texts_of_the_process_and_the_probe)
{
	static const char hello[] = "hello from memory";
	char script[256], expected[128], name[17] = "";
	FILE *in = fopen("/proc/self/comm", "r");

	assert_int_equal(fscanf(in, "%16[^\n]", name), 1);
	fclose(in);
	snprintf(script, sizeof(script), "BEGIN { printf(\"%%s %%s %%s %%s %%s\", copyinstr(%lluull), copyinstr(%lluull, 5), execname, probeprov, probename); }",
		 (unsigned long long)(size_t)hello, (unsigned long long)(size_t)hello);
	snprintf(expected, sizeof(expected), "%s hello %s dtrace BEGIN", hello, name);
	check_output(script, expected, "");
}

/* Attaches, does something known, detaches; the aggregations are printed. */
static void check_probes(const char *script, void (*work)(void), const char *out)
{
	struct run r;

	assert_true(compile(&r, script));
	open_attached(&r);
	work();
	d_session_detach(&r.session);
	d_session_drain(&r.session);
	close_run(&r);
	if (strcmp(r.text, out))
		print_message("%s\n%s", script, r.errors);
	assert_string_equal(r.text, out);
	free(r.text);
	free(r.errors);
}

static void do_calls(void)
{
	int fds[2];
	char byte = 'x';

	assert_int_equal(pipe(fds), 0);
	for (unsigned i = 0; i < 1000; i++) {
		assert_int_equal(write(fds[1], &byte, 1), 1);
		assert_int_equal(read(fds[0], &byte, 1), 1);
	}
	assert_int_equal(read(-1, &byte, 1), -1);
	close(fds[0]);
	close(fds[1]);
}

TEST(every_system_call_is_counted_once)
{
	char script[1024];

	snprintf(script, sizeof(script),
		 "syscall::read:entry, syscall::write:entry, syscall::close:return /pid == %d/ { @[probefunc, probename] = count(); }"
		 "syscall::write:entry /pid == %d && arg2 == 1/ { @ones = count(); }"
		 "syscall::read:return /pid == %d && probefunc == \"read\"/ { @results[arg1, errno] = count(); }", getpid(), getpid(), getpid());
	check_probes(script, do_calls,
		     "\n  close                                               return                                                            2\n"
		     "  write                                               entry                                                          1000\n"
		     "  read                                                entry                                                          1001\n"
		     "             1000\n"
		     "               -9        9                1\n"
		     "                1        0             1000\n");
}

enum { N_WRITERS = 3, N_WRITES = 40000 };

static void *write_often(void *context)
{
	char bytes[64] = "";
	int fd = *(int *)context;

	for (unsigned i = 0; i < N_WRITES; i++)
		if (write(fd, bytes, 1 + i % 64) < 0)
			abort();
	return NULL;
}

/* While threads write, their counts are taken again and again: the intervals add up to every event, in every function. */
TEST(no_event_is_lost_or_twice_while_intervals_are_taken)
{
	char script[512], expected[256];
	pthread_t writers[N_WRITERS];
	int fd = open("/dev/null", O_WRONLY);
	unsigned n_intervals = 0;
	struct run r;

	snprintf(script, sizeof(script), "syscall::write:entry /pid == %d && arg0 == %d/ { @n = count(); @sum[tid] = sum(arg2); @max = max(arg2); @min = min(arg2);"
		 "@ = lquantize(arg2, 1, 65, 64); }", getpid(), fd);
	assert_true(compile(&r, script));
	open_attached(&r);
	for (unsigned i = 0; i < N_WRITERS; i++)
		assert_int_equal(pthread_create(&writers[i], NULL, write_often, &fd), 0);
	for (; n_intervals < 8; n_intervals++)
		assert_int_equal(d_session_take_all(&r.session, &r.aggregates), 0);
	for (unsigned i = 0; i < N_WRITERS; i++)
		pthread_join(writers[i], NULL);
	close(fd);
	d_session_detach(&r.session);
	assert_int_equal(d_session_take_all(&r.session, &r.aggregates), 0);
	assert_int_equal(r.aggregates.totals[1].n_rows, N_WRITERS);
	for (unsigned i = 0; i < N_WRITERS; i++)
		assert_int_equal(r.aggregates.totals[1].rows[i]->word[0], N_WRITES / 64 * (64 * 65 / 2));
	d_totals_trunc(&r.aggregates.totals[1], &r.aggregates.sort, 0);
	close_run(&r);
	snprintf(expected, sizeof(expected), "\n %16d\n %16d\n %16d\n", N_WRITERS * N_WRITES, 64, 1);
	assert_int_equal(strncmp(r.text, expected, strlen(expected)), 0);
	snprintf(expected, sizeof(expected), "               1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ %d   \n", N_WRITERS * N_WRITES);
	assert_non_null(strstr(r.text, expected));
	free(r.text);
	free(r.errors);
}

/* More keys than a map has elements: those of maps that fill up are taken while it runs. */
TEST(an_aggregation_has_more_keys_than_its_map)
{
	enum { N = 200000 };
	char script[256];
	struct run r;

	snprintf(script, sizeof(script), "syscall::lseek:entry /pid == %d/ { @[arg1] = count(); }", getpid());
	assert_true(compile(&r, script));
	open_attached(&r);
	for (unsigned i = 0; i < N; i++) {
		lseek(-1, i, SEEK_SET);
		if (i % 1000 == 0)
			assert_int_equal(d_session_take_full(&r.session, &r.aggregates), 0);
	}
	d_session_detach(&r.session);
	assert_int_equal(d_session_take_all(&r.session, &r.aggregates), 0);
	assert_int_equal(r.aggregates.totals[0].n_rows, N);
	d_totals_trunc(&r.aggregates.totals[0], &r.aggregates.sort, 0);
	close_run(&r);
	free(r.text);
	free(r.errors);
}

/* ---- metrics ---- */

static void seek_random(void)
{
	srand(7);
	for (unsigned i = 0; i < 5000; i++)
		lseek(-1, (off_t)((__u64)rand() << (rand() % 33)) * (rand() % 5 ? 1 : -1) / (rand() % 1000 ? 1 : 1ull << 40), SEEK_SET);
}

static char *text_of_seeks(bool has_metrics)
{
	char script[512];
	struct run r;

	snprintf(script, sizeof(script), "syscall::lseek:entry /pid == %d/ { @q[arg0, probefunc] = quantize((long)arg1); @l = lquantize((long)arg1, -100, 100000, 777);"
		 "@g[arg1 & 3] = llquantize((long)arg1, 10, 2, 12, 20); @n = count(); }", getpid());
	assert_true(compile_with(&r, script, has_metrics));
	open_attached(&r);
	seek_random();
	d_session_detach(&r.session);
	d_session_drain(&r.session);
	close_run(&r);
	assert_string_equal(r.errors, "");
	free(r.errors);
	return r.text;
}

TEST(values_one_by_one_make_the_same_tables_as_counts_in_the_kernel)
{
	char *counted = text_of_seeks(false), *sent = text_of_seeks(true);

	assert_non_null(strstr(counted, "5000\n"));
	assert_string_equal(counted, sent);
	free(counted);
	free(sent);
}

static void sleep_second(void) { usleep(1050000); }

TEST(timers_fire_at_their_rate)
{
	check_probes("profile-100 { n[cpu]++; } tick-100ms { i++; } tick-100ms /i == 9 && n[0] > 10/ { printf(\"nine\"); }", sleep_second, "nine");
}

#ifdef __x86_64__
/* Number 20 is getpid for 32-bit calls, and writev for others. */
static void do_compat_calls(void)
{
	for (unsigned i = 0; i < 100; i++) {
		long number = 20;

		__asm__ volatile("int $0x80" : "+a"(number) : : "memory", "r8", "r9", "r10", "r11");
		syscall(SYS_getuid);
	}
}

TEST(calls_of_32_bits_are_no_others)
{
	char script[512];

	snprintf(script, sizeof(script), "syscall::getuid:entry, syscall::writev:entry /pid == %d/ { @[probefunc] = count(); }"
		 "syscall::getuid:return, syscall::writev:return /pid == %d/ { @r[probefunc] = count(); }", getpid(), getpid());
	check_probes(script, do_compat_calls,
		     "\n  getuid                                                          100\n  getuid                                                          100\n");
}
#endif

static volatile long sink;

__attribute__((noinline, noclone)) long probed_function(long a, const char *name, long c, long d, long e, long f, long seventh)
{
	sink += a + c + d + e + f + seventh + name[0];
	return a * 3;
}

static void call_function(void)
{
	for (long i = 0; i < 1000; i++)
		sink += probed_function(i % 4, "a name", 3, 4, 5, 6, 7);
}

/* this-> lives through all clauses of one firing; self-> from entry to return. */
TEST(functions_have_arguments_and_results)
{
	char script[1024];

	snprintf(script, sizeof(script),
		 "pid%d:a.out:probed_function:entry { self->a = arg0; @[copyinstr(arg1), arg2, arg6] = count(); }"
		 "pid%d::probed_f*:return { this->kind = arg1 == 3 * self->a ? \"right\" : \"wrong\"; self->a = 0; }"
		 "pid%d::probed_function:return { @kinds[this->kind, probefunc, probename] = count(); @sum = sum(arg1); @q = lquantize(arg1, 0, 12, 3); }",
		 getpid(), getpid(), getpid());
	check_probes(script, call_function,
		     "\n  a name                                                            3                7             1000\n"
		     "  right                                               probed_function                                     return                                                         1000\n"
		     "             4500\n\n"
		     "           value  ------------- Distribution ------------- count    \n"
		     "             < 0 |                                         0        \n"
		     "               0 |@@@@@@@@@@                               250      \n"
		     "               3 |@@@@@@@@@@                               250      \n"
		     "               6 |@@@@@@@@@@                               250      \n"
		     "               9 |@@@@@@@@@@                               250      \n"
		     "           >= 12 |                                         0        \n\n");
}

static const char *volatile counted_text = "a text of known length";

static void call_strlen(void)
{
	size_t (*volatile length)(const char *) = strlen;

	for (unsigned i = 0; i < 500; i++)
		sink += (long)length(counted_text);
}

/* strlen() is one of several functions, which the C library chooses when it begins. */
TEST(functions_that_are_chosen_at_run_time_are_found)
{
	char script[256];

	snprintf(script, sizeof(script), "pid%d:libc:strlen:entry /arg0 == %lluull/ { @[probefunc] = count(); }", getpid(),
		 (unsigned long long)(size_t)counted_text);
	check_probes(script, call_strlen, "\n  strlen                                                          500\n");
}

static void compute(void)
{
	struct timespec t, end;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	while ((t.tv_sec - end.tv_sec) * 1000000000ll + t.tv_nsec - end.tv_nsec < 50000000);
}

__attribute__((noinline, noclone)) long probed_sleep(long i)
{
	usleep(100000);
	compute();
	return sink += i;
}

static void call_sleep(void) { sink += probed_sleep(1); }

/* 50 ms of computing and at least 100 ms of sleep; the processor's time of the process is the ground truth. */
TEST(vtimestamp_counts_only_the_time_on_a_cpu)
{
	char script[1024];

	snprintf(script, sizeof(script),
		 "pid%d:a.out:probed_sleep:entry { self->t = timestamp; self->v = vtimestamp; }"
		 "pid%d:a.out:probed_sleep:return { this->on = (vtimestamp - self->v) / 1000000; this->all = (timestamp - self->t) / 1000000;"
		 " printf(\"%%d %%d\", this->on >= 49 && this->on < 99, this->all >= 149); }", getpid(), getpid());
	check_probes(script, call_sleep, "1 1");
}

/* The function, called in a known way, is on the stack with its callers. */
TEST(stacks_are_keys_with_their_functions)
{
	char script[512];
	struct run r;

	snprintf(script, sizeof(script), "pid%d:a.out:probed_function:entry { @[ustack(3)] = count(); } syscall::getppid:entry /pid == %d/ { @k[stack()] = count(); }",
		 getpid(), getpid());
	assert_true(compile(&r, script));
	open_attached(&r);
	call_function();
	for (unsigned i = 0; i < 7; i++)
		getppid();
	d_session_detach(&r.session);
	close_run(&r);
	if (!strstr(r.text, "\n              bpf_d_probes`probed_function") || !strstr(r.text, "             1000\n"))
		print_message("%s\n", r.text);
	assert_non_null(strstr(r.text, "\n              bpf_d_probes`probed_function"));
	assert_non_null(strstr(r.text, "             1000\n"));
	assert_non_null(strstr(r.text, "vmlinux`do_syscall_64"));
	assert_non_null(strstr(r.text, "                7\n"));
	free(r.text);
	free(r.errors);
}

/* on-cpu has the process' stack of off-cpu.  From glibc 2.41 on the function that calls the kernel has no symbol. */
TEST(on_cpu_has_the_stack_of_off_cpu)
{
	char script[512];
	struct run r;

	snprintf(script, sizeof(script), "sched:::off-cpu /pid == %d/ { self->t = timestamp; } sched:::on-cpu /self->t/ { @[ustack(12)] = count(); self->t = 0; }",
		 getpid());
	assert_true(compile(&r, script));
	open_attached(&r);
	for (unsigned i = 0; i < 20; i++)
		usleep(1000);
	d_session_detach(&r.session);
	close_run(&r);
	if (!strstr(r.text, "`clock_nanosleep") && !strstr(r.text, "`usleep") && !strstr(r.text, "libc.so.6`0x"))
		fail_msg("%s", r.text);
	free(r.text);
	free(r.errors);
}

static long switches(void)
{
	char line[256];
	long sum = 0, n;
	FILE *in = fopen("/proc/self/status", "r");

	while (fgets(line, sizeof(line), in))
		if (sscanf(line, "voluntary_ctxt_switches: %ld", &n) == 1 || sscanf(line, "nonvoluntary_ctxt_switches: %ld", &n) == 1)
			sum += n;
	fclose(in);
	return sum;
}

static long n_switches;

static void sleep_often(void)
{
	n_switches = switches();
	for (unsigned i = 0; i < 50; i++)
		usleep(2000);
	n_switches = switches() - n_switches;
}

/* As often as the kernel's own counters say, and off the CPU for at least the time of the sleeps.  self-> is the thread's that
 * gets the CPU. */
TEST(a_thread_leaves_and_gets_the_cpu)
{
	char script[1024];
	long off, on, unseen;
	struct run r;
	int slept;

	snprintf(script, sizeof(script),
		 "sched:::off-cpu /pid == %d/ { self->t = timestamp; @n = count(); @names[execname == \"bpf_d_probes\", tid == %d] = count(); }"
		 "sched:::on-cpu /self->t/ { off += timestamp - self->t; @m = count(); @p[pid, tid, execname] = count(); self->t = 0; }"
		 "END { printa(\"%%@d \", @n); printa(\"%%@d \", @m); printf(\"%%d\\n\", off >= 100000000); trunc(@names); trunc(@p); }", getpid(), getpid());
	assert_true(compile(&r, script));
	open_attached(&r);
	sleep_often();
	r.session.state->activity = ACTIVITY_BEGIN;
	d_session_detach(&r.session);
	fire(&r, PROBE_END, ACTIVITY_DRAINING);
	unseen = (long)d_unseen_switches(r.session.state);
	close_run(&r);
	assert_int_equal(sscanf(r.text, "%ld %ld %d", &off, &on, &slept), 3);
	if (off < n_switches - unseen || off > n_switches + 7 || labs(off - on) > unseen)
		print_message("%ld off, %ld on, %ld switches, %ld not shown by the kernel\n", off, on, n_switches, unseen);
	/* the counters are read a little inside of the time that is traced, and reading may be preempted */
	assert_in_range(off, n_switches - unseen, n_switches + 7);
	assert_in_range(labs(off - on), 0, unseen);
	assert_int_equal(slept, 1);
	free(r.text);
	free(r.errors);
}

TEST(built_ins_are_this_process)
{
	char script[512], out[64];

	snprintf(script, sizeof(script), "BEGIN { t = timestamp; printf(\"%%d %%d %%d %%d %%d %%d %%d\", pid == %d, tid == %d, uid == %u, gid == %u, "
		 "t == timestamp, walltimestamp / 1000000000 - %lld < 5, id); }", getpid(), getpid(), getuid(), getgid(), (long long)time(NULL));
	snprintf(out, sizeof(out), "1 1 1 1 1 1 1");
	check_output(script, out, "");
}

TEST(many_values_at_once_are_on_the_stack)
{
	char script[2048] = "BEGIN { x = 1; trace(", expected[16];

	for (unsigned i = 0; i < 40; i++)
		strcat(script, "x + (");
	strcat(script, "x");
	for (unsigned i = 0; i < 40; i++)
		strcat(script, ")");
	strcat(script, "); }");
	snprintf(expected, sizeof(expected), "%d", 41);
	check_output(script, expected, "");
}

int main(void) { return check_in_kernel(); }
