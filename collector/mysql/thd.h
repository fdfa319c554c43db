/* thd.h - where a MariaDB server's THD, its object of a connection, has what it works at and for whom.
 *
 *      the server's executable -> mysql_thd_find() -> struct mysql_thd, and where log_slow_statement(THD*) is probed
 *
 * Truth   no debug information: the server's own accessors (thd_user_name() ...), which it exports for its plugins and
 *         which are one or two instructions, tell the places (accessor.h).
 * Time    reads the executable's tables; program_file.h says how long.
 * Text    of log_slow_statement(), called at the end of every statement, whether it is slow or not.
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
#define SQL_MODE_STRICT 0x600000u	/* what thd_is_strict_mode() asks for */

/* fd: of the executable, which may be anybody's.  ret_entry: in the file.  -ENOTSUP: it cannot be; reason (REASON_MAX bytes) says why. */
int mysql_thd_find(int fd, struct mysql_thd *ret, __u64 *ret_entry, char *reason);

#endif
