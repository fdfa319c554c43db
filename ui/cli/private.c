#include "private.h"

#include "client.h"
#include "../../collector/show.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The folder this program lies in. */
static void own_folder(char *out, size_t room)
{
	ssize_t n = readlink("/proc/self/exe", out, room - 1);
	char *slash;

	out[n > 0 ? n : 0] = 0;
	slash = strrchr(out, '/');
	if (slash)
		*slash = 0;
}

static void program_exec(const char *const *argv)
{
	char folder[4096], path[4352];

	own_folder(folder, sizeof(folder));
	snprintf(path, sizeof(path), "%s/%s", folder, argv[0]);
	execv(path, (char *const *)argv);
	snprintf(path, sizeof(path), "%s/%s", SBINDIR, argv[0]);
	execv(path, (char *const *)argv);
	execvp(argv[0], (char *const *)argv);
	show_print(stderr, "heatscope: %s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

/* However this command ends, what it started ends with it; the check is for a command that ended before the request. */
static void die_with(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(1);
}

/* It is in a group of its own: Ctrl-C at the terminal is for this command, which still asks what it started. */
int program_start(const char *const *argv, int quiet, pid_t *ret_pid)
{
	pid_t parent = getpid(), pid = fork();

	if (pid < 0)
		return -errno;
	if (!pid) {
		int null = quiet ? open("/dev/null", O_WRONLY) : -1;

		setpgid(0, 0);
		die_with(parent);
		if (null >= 0)
			dup2(null, STDERR_FILENO);
		program_exec(argv);
	}
	setpgid(pid, pid);		/* whoever of the two is first */
	*ret_pid = pid;
	return 0;
}

int program_wait(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -EIO;
}

/* Until it answers, at most 10 s; -EIO when it exited instead. */
static int wait_until_ready(struct private *p)
{
	const struct timespec nap = { .tv_nsec = 20000000 };
	struct client c = { .url = p->url };
	struct reply r;

	for (int i = 0; i < 500; i++) {
		if (!client_request(&c, "GET", "/ca", NULL, &r)) {
			reply_fini(&r);
			return 0;
		}
		if (waitpid(p->pid, NULL, WNOHANG) == p->pid) {
			p->pid = 0;
			return -EIO;
		}
		nanosleep(&nap, NULL);
	}
	return -ETIMEDOUT;
}

static struct private *volatile own;	/* whose folder a signal removes */

/* Only what a signal handler may call. */
static void remove_folder(struct private *p)
{
	unlink(p->url + strlen("unix:"));
	unlink(p->ingest);
	rmdir(p->folder);
}

/* heatscoped itself gets its signal by the end of this program. */
static void on_end(int signal)
{
	if (own)
		remove_folder(own);
	raise(signal);			/* now with its usual effect */
}

/* Signals for which the command has a plan of its own stay with it. */
static void clean_at_signals(struct private *p)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	const struct sigaction end = { .sa_handler = on_end, .sa_flags = SA_RESETHAND };
	struct sigaction was;

	own = p;
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		if (!sigaction(signals[i], NULL, &was) && was.sa_handler == SIG_DFL)
			sigaction(signals[i], &end, NULL);
}

int private_start(struct private *p, int keep)
{
	const char *argv[] = { "heatscoped", "--listen", p->url, "--socket", p->ingest, "--database", "memory",
			       keep ? "--keep" : NULL, NULL };
	int err;

	memset(p, 0, sizeof(*p));
	snprintf(p->folder, sizeof(p->folder), "%.30s/heatscope-XXXXXX", getenv("TMPDIR") ?: "/tmp");
	if (!mkdtemp(p->folder)) {
		err = -errno;
		snprintf(p->reason, sizeof(p->reason), "%s: %s", p->folder, strerror(errno));
		p->folder[0] = 0;
		return err;
	}
	snprintf(p->url, sizeof(p->url), "unix:%s/http", p->folder);
	snprintf(p->ingest, sizeof(p->ingest), "%s/ingest", p->folder);
	clean_at_signals(p);
	err = program_start(argv, 1, &p->pid);
	if (!err)
		err = wait_until_ready(p);
	if (err) {
		snprintf(p->reason, sizeof(p->reason), "a private heatscoped did not start: %s", strerror(-err));
		private_stop(p);
	}
	return err;
}

void private_stop(struct private *p)
{
	if (p->pid > 0) {
		kill(p->pid, SIGTERM);
		program_wait(p->pid);
		p->pid = 0;
	}
	own = NULL;
	if (p->folder[0])
		remove_folder(p);
	p->folder[0] = 0;
}
