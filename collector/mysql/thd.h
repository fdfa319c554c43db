/* thd.h - finds where a MariaDB server's THD, its object of a connection, keeps the statement, the user and the
 * database.
 *
 *      the server's executable -> mysql_thd_find() -> struct mysql_thd, and where log_slow_statement(THD*) is probed
 *
 * Truth   No debug information is needed: the server's own accessors (thd_user_name() ...) show the places
 *         (accessor.h). The server exports them for its plugins, and they are one or two instructions long.
 * Time    It reads the executable's tables; program_file.h says how long that takes.
 * Text    of log_slow_statement(), which the server calls at the end of every statement, slow or not.
 */
#ifndef HEATSCOPE_MYSQL_THD_H
#define HEATSCOPE_MYSQL_THD_H

#include <linux/types.h>

struct mysql_thd {			/* bytes from the THD's begin */
	__u32 user, user_name;		/* a pointer; from what it points at, one to the name, which a 00 ends */
	__u32 database;			/* {pointer, length} */
	__u32 query;			/* {pointer, length} */
	__u32 charset;			/* a pointer to the client's character set, which begins with its number */
	__u32 sql_mode;			/* 64 bits */
};

#define SQL_MODE_NO_BACKSLASH_ESCAPES (1u << 20)
#define SQL_MODE_ANSI_QUOTES 4u
#define SQL_MODE_STRICT 0x600000u	/* the bits that thd_is_strict_mode() tests */

/* fd: of the executable, which may come from any user.  ret_entry: in the file.  -ENOTSUP: it cannot be probed;
 * reason (REASON_MAX bytes) says why. */
int mysql_thd_find(int fd, struct mysql_thd *ret, __u64 *ret_entry, char *reason);

#endif
