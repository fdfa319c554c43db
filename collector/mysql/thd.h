/* thd.h - finds where a MariaDB or MySQL server keeps the statement of a connection in its memory, with its command,
 * user, database, character set, SQL mode and result.
 *
 *      the server's executable -> mysql_thd_find() -> struct mysql_thd
 *
 * THD     is the server's object of a connection.  The result says where a THD has all of this, and how a thread finds
 *         its THD.
 * Truth   No debug information is needed: functions that the server exports for its plugins (thd_user_name() ...) show
 *         the places, as they are a few instructions long (accessor.h).  doc/servers.md names the servers
 *         that were tried.
 * Time    It reads the executable's tables; program_file.h says how long that takes.
 */
#ifndef HEATSCOPE_MYSQL_THD_H
#define HEATSCOPE_MYSQL_THD_H

#include <linux/types.h>

struct mysql_thd {			/* bytes from the THD's begin */
	__s32 thread;			/* the pointer to the THD, in bytes from the thread pointer */
	__u32 user, user_name;		/* a pointer; from what it points at, one to the name, which a 00 ends; user 0:
					 * not known */
	__u32 database;			/* {pointer, length}; 0: not known */
	__u32 query;			/* {pointer, length} */
	__u32 command;			/* 32 bits: the command that runs; 0: not known */
	__u32 charset;			/* a pointer to the client's character set, which begins with its number:
					 * 32 bits */
	__u32 sql_mode;			/* 64 bits: SQL_MODE_* */
	__u32 area;			/* a pointer to the statement's diagnostics; 0: not known.  One of the next two
					 * is known, 32 bits in the diagnostics: */
	__u32 area_error;		/* MariaDB: the error's number, or 0; 0: not known */
	__u32 area_state;		/* MySQL: AREA_*; 0: not known */
};

#define SQL_MODE_NO_BACKSLASH_ESCAPES (1u << 20)
#define SQL_MODE_ANSI_QUOTES 4u
#define SQL_MODE_STRICT 0x600000u	/* the bits that thd_is_strict_mode() tests */

#define AREA_OK 1u			/* how a statement has ended */
#define AREA_EOF 2u
#define AREA_ERROR 3u

/* Finds the places.  fd: of the executable, which may come from any user.  -ENOTSUP: a place that every statement needs
 * is not found; reason (REASON_MAX bytes) says which. */
int mysql_thd_find(int fd, struct mysql_thd *ret, char *reason);

#endif
