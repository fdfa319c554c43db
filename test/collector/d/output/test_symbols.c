#include "collector/d/output/stack_print.h"
#include "test/kit/check.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline, noclone)) int known_function(int n) { return n * 3; }

static __u64 address_of(int (*function)(int)) { return (__u64)(size_t)function; }

TEST(addresses_of_a_process_have_names)
{
	struct d_symbols s = { 0 };
	char text[D_SYMBOL_TEXT];

	assert_string_equal(d_symbols_user(&s, getpid(), address_of(known_function), text), "test_symbols`known_function");
	assert_string_equal(d_symbols_user(&s, getpid(), address_of(known_function) + 2, text), "test_symbols`known_function+0x2");
	assert_string_equal(d_symbols_user(&s, getpid(), 16, text), "0x10");
	assert_non_null(strstr(d_symbols_user(&s, getpid(), (__u64)(size_t)getppid, text), "libc.so.6`"));
	d_symbols_fini(&s);
}

/* A process that was held is known after its end. */
TEST(a_process_that_has_ended_is_known)
{
	struct d_symbols s = { 0 };
	char text[D_SYMBOL_TEXT];
	pid_t pid = fork();
	int status;

	if (!pid) {
		pause();
		_exit(0);
	}
	d_symbols_hold(&s, pid);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_string_equal(d_symbols_user(&s, pid, address_of(known_function), text), "test_symbols`known_function");
	assert_string_equal(d_symbols_user(&s, 0x7fffffff, address_of(known_function), text) + 0, text);
	assert_int_equal(strncmp(text, "0x", 2), 0);
	d_symbols_fini(&s);
}

TEST(a_stack_is_a_line_per_frame_to_the_first_zero)
{
	__u64 words[] = { getpid(), address_of(known_function), 0x10, 0, 0x20 };
	struct d_symbols s = { 0 };
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	d_stack_print(&s, true, words, sizeof(words), out);
	fclose(out);
	assert_string_equal(text, "\n              test_symbols`known_function\n              0x10\n");
	free(text);
	d_symbols_fini(&s);
}

TEST_MAIN()
