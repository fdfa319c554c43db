#include "collector/d/target.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

int d_target_grab(struct d_target *t, pid_t pid)
{
	int fd = syscall(SYS_pidfd_open, pid, 0);

	if (fd < 0)
		return -errno;
	*t = (struct d_target){ .pid = pid, .fd = fd };
	return 0;
}

/* ---- a command ---- */

#define WORDS_MAX 256

/* Runs in the child; words are separated by blanks. */
static void execute(const char *command)
{
	char *words[WORDS_MAX + 1], *text = strdup(command);
	unsigned n = 0;

	for (char *word = strtok(text, " \t"); word && n < WORDS_MAX; word = strtok(NULL, " \t"))
		words[n++] = word;
	words[n] = NULL;
	if (!n || ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		_exit(126);
	execvp(words[0], words);
	_exit(127);
}

/* The address where the program begins after its libraries are mapped; 0: unknown. */
static unsigned long entry_of(pid_t pid)
{
	Elf64_auxv_t aux;
	unsigned long entry = 0;
	char path[64];
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%d/auxv", pid);
	in = fopen(path, "rb");
	while (in && !entry && fread(&aux, sizeof(aux), 1, in) == 1)
		if (aux.a_type == AT_ENTRY)
			entry = aux.a_un.a_val;
	if (in)
		fclose(in);
	return entry;
}

/* Runs the child to an address, by a breakpoint there that is removed again. */
#ifdef __x86_64__
static int run_to(pid_t pid, unsigned long address)
{
	struct user_regs_struct regs;
	long word;
	int status;

	errno = 0;
	word = ptrace(PTRACE_PEEKTEXT, pid, address, NULL);
	if (errno || ptrace(PTRACE_POKETEXT, pid, address, (word & ~0xffl) | 0xcc) || ptrace(PTRACE_CONT, pid, NULL, NULL) ||
	    waitpid(pid, &status, 0) != pid)
		return -errno;
	if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP)
		return -ESRCH;
	if (ptrace(PTRACE_POKETEXT, pid, address, word) || ptrace(PTRACE_GETREGS, pid, NULL, &regs))
		return -errno;
	regs.rip = address;
	return ptrace(PTRACE_SETREGS, pid, NULL, &regs) ? -errno : 0;
}
#else
static int run_to(pid_t pid, unsigned long address)
{
	(void)pid;
	(void)address;
	return -ENOTSUP;		/* only x86-64 so far */
}
#endif

int d_target_start(struct d_target *t, const char *command)
{
	pid_t pid = fork();
	unsigned long entry;
	int status, err = 0;

	if (!pid)
		execute(command);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -errno;
	if (!WIFSTOPPED(status))
		return WIFEXITED(status) && WEXITSTATUS(status) == 127 ? -ENOENT : -ECHILD;
	ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_EXITKILL);	/* if we end before it begins */
	entry = entry_of(pid);
	if (entry)
		err = run_to(pid, entry);
	if (err) {
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		return err;
	}
	*t = (struct d_target){ .pid = pid, .fd = -1, .is_child = true, .waits = true };
	return 0;
}

void d_target_go(struct d_target *t)
{
	if (t->waits)
		ptrace(PTRACE_DETACH, t->pid, NULL, NULL);
	t->waits = false;
}

bool d_target_has_ended(struct d_target *t)
{
	struct pollfd ended = { .fd = t->fd, .events = POLLIN };
	int status;

	if (!t->pid)
		return false;
	if (!t->is_child)
		return poll(&ended, 1, 0) > 0;
	if (waitpid(t->pid, &status, WNOHANG) != t->pid)
		return false;
	t->is_child = false;
	return true;
}

void d_target_fini(struct d_target *t)
{
	int status;

	if (t->waits) {
		kill(t->pid, SIGKILL);
		waitpid(t->pid, &status, 0);
	}
	if (t->pid && t->fd >= 0)
		close(t->fd);
	*t = (struct d_target){ .fd = -1 };
}
