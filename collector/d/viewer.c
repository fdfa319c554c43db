#include "collector/d/viewer.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TRIES 50
#define TRY_MS 200
#define ANSWER_MAX 1024
#define KEYS "1024"
#define KEY_NAMES_MAX 512
#define PAGE_URL "http://127.0.0.1:23181"	/* of a heatscoped with its defaults */

/* ---- the program heatscope ---- */

/* The one that was built or installed with us, else that of the PATH.  Returns only if neither can be run. */
static void execute(const char **arguments)
{
	char path[PATH_MAX] = "", file[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (len > 0 && snprintf(file, sizeof(file), "%s/heatscope", dirname(path)) < (int)sizeof(file))
		execv(file, (char **)arguments);
	execvp("heatscope", (char **)arguments);
}

/* Runs it and reads what it prints.  Returns its exit status; 127: it cannot be run. */
static int answer_of(const char **arguments, char *answer)
{
	size_t len = 0;
	ssize_t n;
	int end[2], status;
	pid_t pid;

	if (pipe(end))
		return 127;
	pid = fork();
	if (!pid) {
		dup2(end[1], STDOUT_FILENO);
		dup2(end[1], STDERR_FILENO);
		close(end[0]);
		close(end[1]);
		execute(arguments);
		_exit(127);
	}
	close(end[1]);
	while (pid > 0 && len < ANSWER_MAX - 1 && (n = read(end[0], answer + len, ANSWER_MAX - 1 - len)) > 0)
		len += (size_t)n;
	close(end[0]);
	answer[len] = '\0';
	answer[strcspn(answer, "\n")] = '\0';
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 127;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}

/* ---- create ---- */

/* "execname,probefunc"; "": no keys. */
static void join_keys(const struct metric *m, char *out, size_t room)
{
	size_t len = 0;

	*out = '\0';
	for (size_t i = 0; i < m->n_fields && len < room; i++)
		if (m->field[i].arity == FIELD_DISCRETE)
			len += (size_t)snprintf(out + len, room - len, "%s%s", len ? "," : "", m->field[i].name);
}

/* Whether it may work in a moment: our hello is on its way. */
static bool is_too_early(const char *answer) { return strstr(answer, "not a valid module/stat pair"); }

/* id: ANSWER_MAX bytes; the reason if it failed. */
static int create(const struct d_viewer *v, const struct metric *m, char *id)
{
	char name[3 * NAME_MAX_LEN], keys[KEY_NAMES_MAX];
	const char *arguments[16] = { "heatscope" };
	const struct timespec pause = { .tv_nsec = TRY_MS * 1000000 };
	unsigned n = 1;
	int status = 1;

	snprintf(name, sizeof(name), "%s.%s", m->module, m->stat);
	join_keys(m, keys, sizeof(keys));
	if (v->url) {
		arguments[n++] = "--url";
		arguments[n++] = v->url;
	}
	arguments[n++] = "create";
	arguments[n++] = name;
	arguments[n++] = "--keys";
	arguments[n++] = KEYS;
	arguments[n++] = "--measures";
	arguments[n++] = metric_first_measure(m);
	if (*keys) {
		arguments[n++] = "--by";
		arguments[n++] = keys;
	}
	for (unsigned i = 0; i < TRIES; i++) {
		status = answer_of(arguments, id);
		if (!is_too_early(id))
			break;
		nanosleep(&pause, NULL);
	}
	if (status == 127)
		snprintf(id, ANSWER_MAX, "the program heatscope cannot be run: %s", strerror(ENOENT));
	return status;
}

static const char *page_of(const struct d_viewer *v)
{
	const char *url = v->url ? v->url : getenv("HEATSCOPE_URL");

	return url && !strncmp(url, "http", 4) ? url : PAGE_URL;
}

/* ---- the process ---- */

static void watch(const struct d_viewer *v, const char *id)
{
	const char *with_url[] = { "heatscope", "--url", v->url, "watch", id, NULL }, *without[] = { "heatscope", "watch", id, NULL };

	execute(v->url ? with_url : without);
}

static int view(const struct d_viewer *v, const struct metric *metrics, size_t n)
{
	char id[ANSWER_MAX], first[ANSWER_MAX] = "";

	for (size_t i = 0; i < n; i++) {
		if (create(v, &metrics[i], id)) {
			fprintf(stderr, "dtrace: no heat map of %s.%s: %s\n", metrics[i].module, metrics[i].stat, id);
			return 1;
		}
		fprintf(stderr, "dtrace: heat map of %s.%s: %s/#inst=%s\n", metrics[i].module, metrics[i].stat, page_of(v), id);
		if (!i)
			memcpy(first, id, sizeof(first));
	}
	if (v->shows)
		watch(v, first);
	return v->shows;
}

int d_viewer_start(struct d_viewer *v, const struct metric *metrics, size_t n)
{
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		_exit(view(v, metrics, n));
	}
	v->pid = pid;
	return 0;
}

bool d_viewer_has_ended(struct d_viewer *v)
{
	int status;

	if (!v->pid || waitpid(v->pid, &status, WNOHANG | WUNTRACED) != v->pid)
		return !v->pid && (v->failed || v->shows);
	if (WIFSTOPPED(status)) {		/* Ctrl-Z: the shell does not know that it is stopped */
		kill(v->pid, SIGCONT);
		return false;
	}
	v->pid = 0;
	v->failed = status != 0;
	return !v->pid && (v->failed || v->shows);
}

void d_viewer_stop(struct d_viewer *v)
{
	int status;

	if (!v->pid)
		return;
	kill(v->pid, SIGTERM);
	kill(v->pid, SIGCONT);
	waitpid(v->pid, &status, 0);
	v->pid = 0;
}
