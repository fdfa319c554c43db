/* backend.h - finds where the memory of a PostgreSQL backend has its statement, user and database.
 *
 *      MyBEEntry --text--> st_activity_raw, the text          MyProcPort --user, database--> names, which a 00 ends
 *
 * Truth   No debug information is needed: the server exports these variables for its extensions.  The offsets in the
 *         structures depend on its version, so its own functions show them. pgstat_report_activity() empties the text,
 *         and pgstat_get_backend_current_activity() reads it. write_csvlog() (since version 15) logs user and database,
 *         one after the other.  Tried with Debian's 15, 17 and 18.
 * Checked Whenever the kernel side reads a text, it compares the entry's process number with the backend's own.
 * Text    The server cuts it at track_activity_query_size, 1 kB by default.
 * Trust   none: any user may have made the file.
 * Both    the functions that decode are pure; fuzzed by fuzz_postgresql_backend.
 */
#ifndef HEATSCOPE_POSTGRESQL_BACKEND_H
#define HEATSCOPE_POSTGRESQL_BACKEND_H

#include <linux/types.h>

struct postgresql_backend {
	/* Addresses of variables: in the file, then in the processes of a server, which are all forks of one. */
	__u64 entry;			/* MyBEEntry */
	__u64 port;			/* MyProcPort */
	__u64 pid;			/* MyProcPid, 32 bits */
	__u64 tracks;			/* pgstat_track_activities, a byte: 0 if it writes no texts */
	__u64 plain_strings;		/* standard_conforming_strings, a byte */
	__u64 text_room;		/* pgstat_track_activity_query_size, 32 bits */

	__u32 text;			/* in the entry: a pointer to the text */
	__u32 user, database;		/* in the port: pointers to the names; 0: not known */
	__u32 text_max;			/* bytes of a text, of a running server; a text of that length may be cut */
	__u32 pad;
};

/* Of the entry, in all versions. */
#define BACKEND_PID 4			/* 32 bits */
#define BACKEND_BEGUN 32		/* when the statement of the text began */

/* Finds the places.  fd: of the executable.  -ENOTSUP: a place that every text needs is not found; reason (REASON_MAX
 * bytes) says which.  ret_program_entry: where the file says that the program begins. */
int postgresql_backend_find(int fd, struct postgresql_backend *ret, __u64 *ret_program_entry, char *reason);

/* Returns the place of the text, by the n bytes of pgstat_report_activity(); 0: they do not show it. */
__u32 backend_text_place(const __u8 *code, __u64 n);

/* Do these bytes load from that place of a structure? */
int backend_loads(const __u8 *code, __u64 n, __u32 place);

/* Finds the places of user and database, by the n bytes of write_csvlog().  address: where it begins; port: address of
 * MyProcPort.  -EINVAL: the bytes do not show them. */
int backend_name_places(const __u8 *code, __u64 n, __u64 address, __u64 port, __u32 *ret_user, __u32 *ret_database);

#endif
