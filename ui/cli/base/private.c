#include "ui/cli/base/private.h"

#include "ui/cli/base/client.h"
#include "collector/core/show.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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
	show_print(stderr, "heatscope: %s: %s (looked for it in %s, %s and $PATH)\n", argv[0], strerror(errno), folder, SBINDIR);
	_exit(127);
}

/* The child ends when this command ends, in whatever way; the check is for a command that ended before the request. */
static void die_with(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(1);
}

/* The child has its own process group: Ctrl-C at the terminal is for this command, which still sends requests to the
 * child. */
int program_start(const char *const *argv, int error_fd, pid_t *ret_pid)
{
	pid_t parent = getpid(), pid = fork();

	if (pid < 0)
		return -errno;
	if (!pid) {
		setpgid(0, 0);
		die_with(parent);
		if (error_fd >= 0)
			dup2(error_fd, STDERR_FILENO);
		program_exec(argv);
	}
	setpgid(pid, pid);		/* in the parent, too, as either process may run first */
	*ret_pid = pid;
	return 0;
}

int program_is_quiet(void)
{
	const char *verbose = getenv("HEATSCOPE_VERBOSE");

	return !verbose || !*verbose;
}

int program_wait(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -EIO;
}

bool program_has_ended(pid_t pid)
{
	siginfo_t info = { .si_pid = 0 };

	return !waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid;
}

int errors_open(void)
{
	return memfd_create("errors", MFD_CLOEXEC);
}

/* The start of the last line of text, which loses its end. */
static char *last_line(char *text)
{
	size_t len = strlen(text);
	char *start;

	while (len && text[len - 1] == '\n')
		text[--len] = 0;
	start = strrchr(text, '\n');
	return start ? start + 1 : text;
}

void errors_last(int fd, char *ret_line, size_t room)
{
	char text[1024], *line;
	off_t size = lseek(fd, 0, SEEK_END);
	ssize_t n = pread(fd, text, sizeof(text) - 1, size < (off_t)sizeof(text) ? 0 : size - (off_t)sizeof(text) + 1);

	text[n > 0 ? n : 0] = 0;
	line = last_line(text);
	if (!strncmp(line, "heatscope", strlen("heatscope")) && strstr(line, ": "))
		line = strstr(line, ": ") + 2;
	snprintf(ret_line, room, "%s", line);
}

/* Waits until it answers, at most 10 s; -EIO if it exited. */
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

/* Calls only functions that a signal handler may call. */
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

/* Leaves signals alone that the command already handles. */
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

/* Prefers heatscoped's own message: it names the file and the reason. */
static void put_reason(struct private *p, int err, int errors)
{
	char said[200] = "";

	if (err == -EIO)		/* it exited */
		errors_last(errors, said, sizeof(said));
	if (!*said)
		snprintf(said, sizeof(said), "%s", err == -EIO ? "it ended without saying why" : strerror(-err));
	snprintf(p->reason, sizeof(p->reason), "a private heatscoped did not start: %s", said);
}

/* The path of a socket in it must be shorter than 108 bytes, and is quoted in reasons. */
static const char *temporary_folder(void)
{
	const char *given = getenv("TMPDIR");

	return given && *given == '/' && strlen(given) <= 40 ? given : "/tmp";
}

int private_start(struct private *p, int keep)
{
	const char *argv[] = { "heatscoped", "--no-config", "--listen", p->url, "--socket", p->ingest, "--database", "memory",
			       keep ? "--keep" : NULL, NULL };
	int err, errors;

	memset(p, 0, sizeof(*p));
	snprintf(p->folder, sizeof(p->folder), "%s/heatscope-XXXXXX", temporary_folder());
	if (!mkdtemp(p->folder)) {
		err = -errno;
		snprintf(p->reason, sizeof(p->reason), "%s: %s", p->folder, strerror(errno));
		p->folder[0] = 0;
		return err;
	}
	snprintf(p->url, sizeof(p->url), "unix:%s/http", p->folder);
	snprintf(p->ingest, sizeof(p->ingest), "%s/ingest", p->folder);
	clean_at_signals(p);
	errors = errors_open();
	err = program_start(argv, errors, &p->pid);
	if (!err)
		err = wait_until_ready(p);
	if (err) {
		put_reason(p, err, errors);
		private_stop(p);
	}
	close(errors);
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
