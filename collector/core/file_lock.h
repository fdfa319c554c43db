/* file_lock.h - locks a file against a second process of ours.
 *
 *      file_lock(fd) -> ... -> file_unlock(fd), close(fd)
 *
 * Held    flock(2) belongs to the open file.  Iterators over all files (iter/task_file: ours find sockets by it) hold each file for
 *         a moment, also one whose process was killed: so file_lock() tries for 100 ms, and file_unlock() does not rely on close().
 * Thread  any.
 */
#ifndef HEATSCOPE_FILE_LOCK_H
#define HEATSCOPE_FILE_LOCK_H

#include <errno.h>
#include <sys/file.h>
#include <time.h>

/* -EBUSY: another process has the lock; another -errno. */
static inline int file_lock(int fd)
{
	const struct timespec pause = { .tv_nsec = 10000000 };

	for (int i = 0; flock(fd, LOCK_EX | LOCK_NB); i++) {
		if (errno != EWOULDBLOCK)
			return -errno;
		if (i == 10)
			return -EBUSY;
		nanosleep(&pause, NULL);
	}
	return 0;
}

static inline void file_unlock(int fd)
{
	flock(fd, LOCK_UN);
}

#endif
