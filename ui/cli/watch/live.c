#include "ui/cli/watch/live.h"

#include "ui/cli/watch/display.h"
#include "ui/cli/watch/kitty.h"
#include "ui/cli/terminal/terminal.h"

#include <errno.h>
#include <signal.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#define ESCAPE_MS 50			/* what follows ESC in a key comes with it, also over slow lines */
#define IDLE_MS 500
#define ANSWER_MS 1000			/* a terminal answers within, also over slow lines; so long a lone Esc waits, too: it may begin an answer */

struct live {
	struct session *session;
	struct display display;
	enum graphics_wish wish;
	struct answer answer, coming;	/* in force; those that come in */
	unsigned n_asked;		/* times that all answers are still to come */
	long long answers_until_ms;	/* not waited for longer; 0: nothing is asked */
	unsigned char keys[256];
	size_t n_keys;
	int signals;			/* a signalfd */
	int ended_by;			/* a signal */
	bool leaving;			/* keys are dropped */
	bool suspended;			/* is to be */
	bool ended;
	int err;
};

static long long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ll + now.tv_nsec / 1000000;
}

/* --- the terminal, as it is ----------------------------------------------------------------------- */

static struct graphics graphics_now(const struct live *w, const struct terminal_size *t)
{
	return graphics_of(w->wish, &w->answer, t->cell_width, t->cell_height);
}

/* Its size and pictures, and a screen for it. */
static int fit_screen(struct live *w)
{
	struct terminal_size t = terminal_size();
	struct graphics g = graphics_now(w, &t);
	long n_cols = t.n_cols < SCREEN_SIDE_MAX ? t.n_cols : SCREEN_SIDE_MAX;
	long n_lines = t.n_lines < LAYOUT_LINES_MAX ? t.n_lines : LAYOUT_LINES_MAX;
	struct layout l = layout_of(n_cols, n_lines, w->session->look);

	terminal_leave_with(g.kind == GRAPHICS_KITTY ? KITTY_FORGET_ALL : "");
	session_resize(w->session, &l, g.kind == GRAPHICS_NONE ? l.n_pixels : l.map_lines * (long)g.cell_height);
	return display_resize(&w->display, n_cols, n_lines, g);
}

/* Asks the terminal which pictures it can show; its earlier answer is used until the new one arrives. */
static int ask_terminal(struct live *w)
{
	if (!graphics_asks(w->wish, w->session->look, (const char *(*)(const char *))getenv))
		return 0;
	w->n_asked++;
	w->answers_until_ms = now_ms() + ANSWER_MS;
	return terminal_write(ANSWER_ASK, strlen(ANSWER_ASK));
}

static bool awaits_answer(const struct live *w) { return now_ms() < w->answers_until_ms; }

/* All answers of one time have come, perhaps late: a size may have changed while they came, and they were asked for again. */
static int hear_answers(struct live *w)
{
	struct terminal_size t = terminal_size();

	if (w->n_asked <= 1)
		w->answers_until_ms = 0;
	w->n_asked -= w->n_asked > 0;
	w->answer = w->coming;
	w->coming = (struct answer){ .ended = false };
	return graphics_same(graphics_now(w, &t), w->display.graphics) ? 0 : fit_screen(w);
}

/* No earlier answer is outstanding: leaving the terminal waits for it. */
static int enter_terminal(struct live *w)
{
	w->n_asked = 0;
	w->coming = (struct answer){ .ended = false };
	return terminal_enter() ?: ask_terminal(w) ?: fit_screen(w);
}

static int draw_frame(struct live *w)
{
	struct frame f = session_frame(w->session);
	struct bytes out = { 0 };
	int err;

	display_update(&w->display, &out, &f);
	err = out.err ?: terminal_write(out.data, out.len);
	bytes_fini(&out);
	w->session->changed = false;
	return err;
}

/* --- keys and answers ------------------------------------------------------------------------------ */

static void press_key(struct live *w, int key)
{
	unsigned effect = w->leaving ? 0 : session_press(w->session, key);

	if (effect & VIEW_QUIT)
		w->ended = true;
	w->suspended |= (effect & VIEW_SUSPEND) != 0;
	if (key == KEY_REDRAW)
		display_forget(&w->display);
}

/* An answer or a key; 0: its end is still to come. */
static size_t take_input(struct live *w, const unsigned char *data, size_t len, bool whole)
{
	bool more;
	size_t n = answer_read(data, len, whole, &w->coming, &more);
	int key;

	if (n && w->coming.ended)
		w->err = hear_answers(w);
	if (n || (more && !whole))
		return n;
	n = key_read(data, len, whole, &key);
	if (n)
		press_key(w, key);
	return n;
}

/* whole: what is there is all there will be. */
static void take_all(struct live *w, bool whole)
{
	size_t at = 0, n;

	while (at < w->n_keys && (w->leaving || !w->ended) && (n = take_input(w, w->keys + at, w->n_keys - at, whole)))
		at += n;
	memmove(w->keys, w->keys + at, w->n_keys - at);
	w->n_keys -= at;
}

static void read_keys(struct live *w)
{
	ssize_t n = read(STDIN_FILENO, w->keys + w->n_keys, sizeof(w->keys) - w->n_keys);

	if (!n || (n < 0 && errno != EINTR && errno != EAGAIN)) {
		w->ended = true;		/* readable, but nothing there: the terminal is gone */
		w->answers_until_ms = 0;
	}
	w->n_keys += n > 0 ? (size_t)n : 0;
	take_all(w, w->n_keys == sizeof(w->keys));
}

/* Outstanding answers must not arrive as input of the shell. */
static void leave_terminal(struct live *w)
{
	w->leaving = true;
	while (awaits_answer(w) && poll(&(struct pollfd){ STDIN_FILENO, POLLIN, 0 }, 1, ANSWER_MS) > 0)
		read_keys(w);
	w->leaving = false;
	w->n_keys = 0;
	terminal_leave();
}

/* Suspends the program as Ctrl-Z does elsewhere, but restores the terminal first. */
static void suspend_watch(struct live *w)
{
	w->suspended = false;
	leave_terminal(w);
	raise(SIGSTOP);
	w->err = enter_terminal(w);
}

/* --- signals ---------------------------------------------------------------------------------------- */

static void read_signals(struct live *w)
{
	struct signalfd_siginfo info;

	while (read(w->signals, &info, sizeof(info)) == sizeof(info))
		switch (info.ssi_signo) {
		case SIGWINCH: w->err = fit_screen(w) ?: ask_terminal(w); break;
		case SIGTSTP: w->suspended = true; break;
		default:
			w->ended = true;
			w->ended_by = (int)info.ssi_signo;
		}
}

static void run_turn(struct live *w)
{
	struct curl_waitfd fd[] = { { STDIN_FILENO, CURL_WAIT_POLLIN, 0 }, { w->signals, CURL_WAIT_POLLIN, 0 } };

	session_wait(w->session, now_ms(), fd, 2, w->n_keys ? ESCAPE_MS : IDLE_MS);
	if (fd[0].revents)
		read_keys(w);
	else if (w->n_keys && !awaits_answer(w))
		take_all(w, true);
	if (fd[1].revents)			/* after the keys: being suspended drops what is typed */
		read_signals(w);
	if (w->suspended && !w->ended)
		suspend_watch(w);
	if (w->session->changed && !w->ended && !w->err)
		w->err = draw_frame(w);
	w->ended |= w->session->ended;
}

/* Signals that end it, and those of the terminal, are read from a descriptor. */
static int take_signals(sigset_t *ret_before)
{
	static const int signals[] = { SIGWINCH, SIGTSTP, SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaddset(&set, signals[i]);
	sigprocmask(SIG_BLOCK, &set, ret_before);
	return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

int live_run(struct client *c, double duration_s, enum graphics_wish wish, struct session *s)
{
	struct live w = { .session = s, .wish = wish };
	sigset_t before;

	w.signals = take_signals(&before);
	w.err = session_init(s, c) ?: enter_terminal(&w);
	s->view.column_s = view_column_s(duration_s, s->subject.slot_s, s->n_cols ?: LAYOUT_COLS_MIN);
	while (!w.err && !w.ended)
		run_turn(&w);
	leave_terminal(&w);
	close(w.signals);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (w.ended_by)
		raise(w.ended_by);		/* who started it sees by what it ended */
	snprintf(c->reason, sizeof(c->reason), "%s", s->ended ? s->why : strerror(-w.err));
	display_fini(&w.display);
	session_fini(s);
	return s->ended ? -ENOENT : w.err;
}
