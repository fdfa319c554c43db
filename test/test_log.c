#include "collector/log.h"
#include "check.h"

#include <stdio.h>
#include <unistd.h>

/* What is written to stderr meanwhile, a pipe and no terminal, goes to out. */
static void written(void (*say)(void), char *out, size_t room)
{
	int saved = dup(STDERR_FILENO), ends[2];
	ssize_t n;

	fflush(stderr);
	assert_int_equal(pipe(ends), 0);
	dup2(ends[1], STDERR_FILENO);
	close(ends[1]);
	say();
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	n = read(ends[0], out, room - 1);
	close(ends[0]);
	out[n < 0 ? 0 : n] = 0;
}

static void say_four(void)
{
	log_open(LOG_LEVEL_INFO);
	log_error("e %d", 1);
	log_warning("w");
	log_info("i");
	log_debug("d");
}

static void say_evil(void)
{
	log_open(LOG_LEVEL_DEBUG);
	log_debug("a\n<0>b\033[2J\177");
}

static void lines_carry_their_priority_and_level(void **state)
{
	char out[256];

	written(say_four, out, sizeof(out));
	assert_string_equal(out, "<3>e 1\n<4>w\n<6>i\n");
}

static void one_event_is_one_line_whatever_a_peer_sent(void **state)
{
	char out[256];

	written(say_evil, out, sizeof(out));
	assert_string_equal(out, "<7>a?<0>b?[2J?\n");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_carry_their_priority_and_level),
		cmocka_unit_test(one_event_is_one_line_whatever_a_peer_sent),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	check_seed();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
