#include "collector/d/preprocess.h"
#include "collector/d/text/error.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* A file without a name that has the text. */
static int file_of(const char *text, size_t n)
{
	int fd = memfd_create("script", MFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	for (size_t done = 0; done < n;) {
		ssize_t more = write(fd, text + done, n - done);

		if (more <= 0) {
			close(fd);
			return -EIO;
		}
		done += (size_t)more;
	}
	lseek(fd, 0, SEEK_SET);
	return fd;
}

static int start(const char *const *command, int in, int out, pid_t *ret_pid)
{
	posix_spawn_file_actions_t actions;
	int err;

	if (posix_spawn_file_actions_init(&actions))
		return -ENOMEM;
	err = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO) ?: posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO) ?:
	      posix_spawnp(ret_pid, command[0], &actions, NULL, (char *const *)command, environ);
	posix_spawn_file_actions_destroy(&actions);
	return -err;
}

/* Reads to the end.  out: D_SCRIPT_MAX + 2 bytes; it ends by NUL. */
static int read_all(int fd, char *out, size_t *ret_n)
{
	size_t n = 0;
	ssize_t more;

	while ((more = read(fd, out + n, D_SCRIPT_MAX + 1 - n)) > 0)
		n += (size_t)more;
	out[n] = '\0';
	*ret_n = n;
	return more < 0 ? -errno : n > D_SCRIPT_MAX ? -E2BIG : 0;
}

static int run(const char *const *command, int in, char *out, size_t *ret_n)
{
	int ends[2], status, err;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	err = start(command, in, ends[1], &pid);
	close(ends[1]);
	if (!err) {
		err = read_all(ends[0], out, ret_n);
		close(ends[0]);		/* one that writes on ends by SIGPIPE */
		if (waitpid(pid, &status, 0) != pid || (!err && status))
			return -EINVAL;
		return err;
	}
	close(ends[0]);
	return err;
}

int d_preprocess(const char *const *command, char **text, size_t *n)
{
	char *out = malloc(D_SCRIPT_MAX + 2);
	int in, err;

	if (!out)
		return -ENOMEM;
	if (*n > 1 && !memcmp(*text, "#!", 2))
		memset(*text, ' ', strcspn(*text, "\n"));
	in = file_of(*text, *n);
	err = in < 0 ? in : run(command, in, out, n);
	if (in >= 0)
		close(in);
	if (err) {
		free(out);
		return err;
	}
	free(*text);
	*text = out;
	return 0;
}
