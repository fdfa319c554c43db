#include "watch_live.h"

#include "watch_terminal.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#define ESCAPE_MS 50			/* what follows ESC in a key comes with it, also over slow lines */
#define IDLE_MS 500

struct live {
	struct session *session;
	struct screen shown, next;	/* what the terminal has, and will have */
	bool known;			/* `shown` is what it has */
	unsigned char keys[256];
	size_t n_keys;
	int signals;			/* a signalfd */
	int ended_by;			/* a signal */
	bool ended;
	int err;
};

static long long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ll + now.tv_nsec / 1000000;
}

/* The terminal's size, and a screen for it. */
static int fit(struct live *w)
{
	struct layout l;
	long n_cols, n_lines;

	terminal_size(&n_cols, &n_lines);
	n_cols = n_cols < SCREEN_SIDE_MAX ? n_cols : SCREEN_SIDE_MAX;
	n_lines = n_lines < LAYOUT_LINES_MAX ? n_lines : LAYOUT_LINES_MAX;
	screen_fini(&w->shown);
	screen_fini(&w->next);
	w->known = false;
	l = layout_of(n_cols, n_lines, w->session->look);
	session_resize(w->session, &l);
	return screen_init(&w->shown, n_cols, n_lines) ?: screen_init(&w->next, n_cols, n_lines);
}

static int draw(struct live *w)
{
	struct frame f = session_frame(w->session);
	struct bytes out = { 0 };
	struct screen swap;
	int err;

	frame_draw(&f, &w->next);
	screen_update(&out, w->session->look, w->known ? &w->shown : NULL, &w->next);
	err = out.err ?: terminal_write(out.data, out.len);
	bytes_fini(&out);
	swap = w->shown;
	w->shown = w->next;
	w->next = swap;
	w->known = true;
	w->session->changed = false;
	return err;
}

/* As Ctrl-Z does elsewhere, but the terminal is given back first. */
static void suspend(struct live *w)
{
	terminal_leave();
	raise(SIGSTOP);
	w->err = terminal_enter();
	if (!w->err)
		w->err = fit(w);
}

static void press(struct live *w, int key)
{
	unsigned effect = session_press(w->session, key);

	if (effect & VIEW_QUIT)
		w->ended = true;
	if (effect & VIEW_SUSPEND)
		suspend(w);
	if (key == KEY_REDRAW)
		w->known = false;
}

/* whole: what is there is all there will be. */
static void press_all(struct live *w, bool whole)
{
	size_t at = 0, n;
	int key;

	while (at < w->n_keys && !w->ended && (n = key_read(w->keys + at, w->n_keys - at, whole, &key))) {
		press(w, key);
		at += n;
	}
	memmove(w->keys, w->keys + at, w->n_keys - at);
	w->n_keys -= at;
}

static void read_keys(struct live *w)
{
	ssize_t n = read(STDIN_FILENO, w->keys + w->n_keys, sizeof(w->keys) - w->n_keys);

	if (!n || (n < 0 && errno != EINTR && errno != EAGAIN))
		w->ended = true;		/* readable, but nothing there: the terminal is gone */
	w->n_keys += n > 0 ? (size_t)n : 0;
	press_all(w, w->n_keys == sizeof(w->keys));
}

static void read_signals(struct live *w)
{
	struct signalfd_siginfo info;

	while (read(w->signals, &info, sizeof(info)) == sizeof(info))
		switch (info.ssi_signo) {
		case SIGWINCH:
			w->err = fit(w);
			break;
		case SIGTSTP:
			suspend(w);
			break;
		default:
			w->ended = true;
			w->ended_by = (int)info.ssi_signo;
		}
}

static void turn(struct live *w)
{
	struct curl_waitfd fd[] = { { STDIN_FILENO, CURL_WAIT_POLLIN, 0 }, { w->signals, CURL_WAIT_POLLIN, 0 } };

	session_wait(w->session, now_ms(), fd, 2, w->n_keys ? ESCAPE_MS : IDLE_MS);
	if (fd[0].revents)
		read_keys(w);
	else if (w->n_keys)
		press_all(w, true);
	if (fd[1].revents)			/* after the keys: being suspended drops what is typed */
		read_signals(w);
	if (w->session->changed && !w->ended && !w->err)
		w->err = draw(w);
	w->ended |= w->session->ended;
}

/* Those that end it, and those of the terminal, come as data. */
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

int live_run(struct client *c, double duration_s, struct session *s)
{
	struct live w = { .session = s };
	sigset_t before;

	w.signals = take_signals(&before);
	w.err = session_init(s, c) ?: terminal_enter() ?: fit(&w);
	s->view.column_s = view_column_s(duration_s, s->subject.slot_s, s->n_cols ?: LAYOUT_COLS_MIN);
	while (!w.err && !w.ended)
		turn(&w);
	terminal_leave();
	close(w.signals);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (w.ended_by)
		raise(w.ended_by);		/* who started it sees by what it ended */
	snprintf(c->reason, sizeof(c->reason), "%s", s->ended ? s->why : strerror(-w.err));
	screen_fini(&w.shown);
	screen_fini(&w.next);
	session_fini(s);
	return s->ended ? -ENOENT : w.err;
}
