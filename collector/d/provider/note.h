/* note.h - reads the static probes of a program file: the notes of SystemTap's sys/sdt.h in .note.stapsdt.
 *
 *      note: name length, description length, 3, "stapsdt", then
 *            address | address of .stapsdt.base | address of the semaphore | provider | name | arguments
 *
 * Trust   none: any user may have made the file.
 * Errors  -ENOENT: it has none; -EBADMSG, -EFBIG: it is not such a file; -errno.
 */
#ifndef HEATSCOPE_PROVIDER_NOTE_H
#define HEATSCOPE_PROVIDER_NOTE_H

#include <linux/types.h>

struct d_note {
	const char *provider, *name, *arguments;
	__u64 address, semaphore;	/* as the file's program headers have them; semaphore 0: none */
};

/* Texts live until `each` returns.  If it returns another number than 0, the list ends, and that is returned. */
int d_notes_each(int fd, int (*each)(void *context, const struct d_note *n), void *context);

#endif
