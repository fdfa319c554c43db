#include "collector/core/log.h"
#include "test/kit/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Runs speak() and copies to out the text that it writes to stderr, which is a pipe meanwhile. */
static void written(void (*speak)(void), char *out, size_t room)
{
	int saved = dup(STDERR_FILENO), ends[2];
	ssize_t n;

	fflush(stderr);
	assert_int_equal(pipe(ends), 0);
	dup2(ends[1], STDERR_FILENO);
	close(ends[1]);
	speak();
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	n = read(ends[0], out, room - 1);
	close(ends[0]);
	out[n < 0 ? 0 : n] = 0;
}

/* Declares stderr the journal's stream; with off > 0, a stream whose inode differs by so much. */
static void set_stream(unsigned off)
{
	char stream[64];
	struct stat st;

	assert_int_equal(fstat(STDERR_FILENO, &st), 0);
	snprintf(stream, sizeof(stream), "%llu:%llu", (unsigned long long)st.st_dev, (unsigned long long)st.st_ino + off);
	setenv("JOURNAL_STREAM", stream, 1);
}

static void say(void)
{
	log_open(NULL, LOG_LEVEL_INFO);
	log_error("e %d", 1);
	log_warning("w");
	log_info("i");
	log_debug("d");
}

static void say_bare(void)
{
	unsetenv("JOURNAL_STREAM");
	say();
}

static void say_to_journal(void)
{
	set_stream(0);
	say();
}

static void say_beside_journal(void)
{
	set_stream(1);
	say();
}

static void say_to_no_stream(void)
{
	setenv("JOURNAL_STREAM", "here", 1);
	say();
}

static void say_evil(void)
{
	set_stream(0);
	log_open(NULL, LOG_LEVEL_DEBUG);
	log_debug("a\n<0>b\033[2J\177");
}

static void to_the_journal_lines_carry_their_priority(void **state)
{
	char out[256];

	written(say_to_journal, out, sizeof(out));
	assert_string_equal(out, "<3>e 1\n<4>w\n<6>i\n");
}

static void say_named(void)
{
	unsetenv("JOURNAL_STREAM");
	log_open("heatscoped", LOG_LEVEL_INFO);
	log_info("source %s closes", "a\nheatscoped: forged");
}

static void a_line_begins_with_the_name_of_the_daemon(void **state)
{
	char out[256];

	written(say_named, out, sizeof(out));
	assert_string_equal(out, "heatscoped: source a\\nheatscoped: forged closes\n");
}

static void say_long(void)
{
	log_open(NULL, LOG_LEVEL_INFO);
	log_info("%04096d", 7);
}

static void a_long_sentence_is_whole(void **state)
{
	char out[8192];

	written(say_long, out, sizeof(out));
	assert_int_equal(strlen(out), 4097);
}

static void without_the_journal_lines_have_no_priority(void **state)
{
	static void (*const cases[])(void) = { say_bare, say_beside_journal, say_to_no_stream };
	char out[256];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		written(cases[i], out, sizeof(out));
		assert_string_equal(out, "e 1\nw\ni\n");
	}
}

static void one_event_is_one_line_whatever_a_peer_sent(void **state)
{
	char out[256];

	written(say_evil, out, sizeof(out));
	assert_string_equal(out, "<7>a\\n<0>b\\u001b[2J\\u007f\n");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(to_the_journal_lines_carry_their_priority),
		cmocka_unit_test(without_the_journal_lines_have_no_priority),
		cmocka_unit_test(a_line_begins_with_the_name_of_the_daemon),
		cmocka_unit_test(a_long_sentence_is_whole),
		cmocka_unit_test(one_event_is_one_line_whatever_a_peer_sent),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	check_seed();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
