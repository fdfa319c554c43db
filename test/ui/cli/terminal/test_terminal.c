/* test_terminal - however a program ends, its terminal is as it was before. */
#include "test/kit/check.h"
#include "test/kit/child_fork.h"
#include "ui/cli/terminal/terminal.h"

#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <utmp.h>

#define ENTERED "\x1b[?1049h\x1b[?25l\x1b[?7l"
#define LEFT "its images\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l"
#define BROKEN_OFF "\x1b\\\x1b[?2026l"

/* In the child: its terminal is taken over, gets these bytes, and the program ends by this signal; 0: in good order. */
static void end_by(int slave, const char *bytes, int number)
{
	if (login_tty(slave))
		_exit(1);
	terminal_leave_with("its images");
	if (terminal_enter() || terminal_write(bytes, strlen(bytes)))
		_exit(2);
	if (number)
		raise(number);
	terminal_leave();
	_exit(0);
}

/* Gives a terminal to a program that ends in this way, and returns all that the terminal got. */
static void take(const char *bytes, int number, char *out, size_t room, int *ret_status)
{
	struct termios before, after;
	int master, slave;
	size_t n = 0;
	pid_t pid;

	assert_int_equal(openpty(&master, &slave, NULL, NULL, NULL), 0);
	assert_int_equal(tcgetattr(slave, &before), 0);
	pid = child_fork();
	assert_true(pid >= 0);
	if (!pid)
		end_by(slave, bytes, number);
	assert_int_equal(waitpid(pid, ret_status, 0), pid);
	while (n < room - 1 && poll(&(struct pollfd){ master, POLLIN, 0 }, 1, 100) > 0) {
		ssize_t got = read(master, out + n, room - 1 - n);

		assert_true(got > 0);
		n += (size_t)got;
	}
	out[n] = 0;
	assert_int_equal(tcgetattr(slave, &after), 0);
	assert_int_equal(after.c_lflag, before.c_lflag);
	assert_int_equal(after.c_oflag, before.c_oflag);
	close(master);
	close(slave);
}

TEST(an_end_in_good_order_restores_it)
{
	char out[256];
	int status;

	take("frame", 0, out, sizeof(out), &status);
	assert_int_equal(status, 0);
	assert_string_equal(out, ENTERED "frame" LEFT);
}

/* A terminal takes what follows an unfinished image or title for its rest, and shows nothing of an unfinished frame. */
TEST(a_crash_breaks_off_what_was_begun)
{
	static const char *const begun[] = { "", "\x1b[?2026h", "\x1b[?2026h\x1b_Gi=1,a=T,m=1;iVBORw0KGgo", "\x1b]2;a tit", "\x1bPq\"1;1;10;20#0" };
	static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };

	for (size_t i = 0; i < sizeof(begun) / sizeof(*begun); i++) {
		char out[256], want[256];
		int status;

		take(begun[i], crashes[i], out, sizeof(out), &status);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == crashes[i]);
		snprintf(want, sizeof(want), ENTERED "%s" BROKEN_OFF LEFT, begun[i]);
		assert_string_equal(out, want);
	}
}

TEST_MAIN()
