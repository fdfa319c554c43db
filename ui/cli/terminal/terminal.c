#include "ui/cli/terminal/terminal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

/* The alternate screen, no cursor, no wrapping at the right edge: a character in the last column stays there. */
#define ENTER "\x1b[?1049h\x1b[?25l\x1b[?7l"
/* Ends an image or a title that is not complete, and a frame: a program may crash while it writes them. */
#define BREAK_OFF "\x1b\\" TERMINAL_FRAME_END
#define LEAVE "\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l"

static struct termios was;
static volatile sig_atomic_t entered;
static const char *volatile before_leaving = "";

static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };

/* A write that fails is no reason to leave out the next: the terminal may take that one. */
static void leave_write(const char *bytes, int *err)
{
	if (write(STDOUT_FILENO, bytes, strlen(bytes)) < 0)
		*err = *err ?: errno;
}

/* Calls only functions that a signal handler may call; then the signal has its usual effect. */
static void on_crash(int signal)
{
	int err = 0;

	if (entered)
		leave_write(BREAK_OFF, &err);
	terminal_leave();
	raise(signal);
}

static void leave_at_crashes(void)
{
	const struct sigaction leave = { .sa_handler = on_crash, .sa_flags = SA_RESETHAND | SA_NODEFER };

	for (size_t i = 0; i < sizeof(crashes) / sizeof(*crashes); i++)
		sigaction(crashes[i], &leave, NULL);
}

int terminal_enter(void)
{
	struct termios raw;

	if (tcgetattr(STDIN_FILENO, &was) || !isatty(STDOUT_FILENO))
		return -errno;
	leave_at_crashes();
	raw = was;
	cfmakeraw(&raw);
	raw.c_cc[VMIN] = 0;
	raw.c_cc[VTIME] = 0;
	if (tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw))
		return -errno;
	entered = 1;
	return terminal_write(ENTER, strlen(ENTER));
}

void terminal_leave(void)
{
	int err = errno;

	if (!entered)
		return;
	entered = 0;
	leave_write(before_leaving, &err);
	leave_write(LEAVE, &err);
	tcsetattr(STDIN_FILENO, TCSANOW, &was);
	errno = err;
}

void terminal_leave_with(const char *bytes) { before_leaving = bytes; }

struct terminal_size terminal_size(void)
{
	struct winsize size = { 0 };
	struct terminal_size s;

	ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
	s.n_cols = size.ws_col ?: 80;
	s.n_lines = size.ws_row ?: 24;
	s.cell_width = size.ws_xpixel / (unsigned)s.n_cols;
	s.cell_height = size.ws_ypixel / (unsigned)s.n_lines;
	return s;
}

int terminal_write(const void *data, size_t len)
{
	const char *at = data;

	while (len) {
		ssize_t n = write(STDOUT_FILENO, at, len);

		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return -errno;
		if (n < 0)
			poll(&(struct pollfd){ STDOUT_FILENO, POLLOUT, 0 }, 1, 1000);
		at += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
	return 0;
}
