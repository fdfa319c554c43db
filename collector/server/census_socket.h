/* census_socket.h - describes a listening socket of a server, as census.bpf.c writes it. */
#ifndef HEATSCOPE_CENSUS_SOCKET_H
#define HEATSCOPE_CENSUS_SOCKET_H

#include <linux/types.h>

#define CENSUS_NAMES 4			/* names of server processes, 16 bytes each */
#define CENSUS_PATH 128

struct census_socket {
	__u32 pid;			/* in the first PID namespace, as the event programs see it */
	__u16 family, port;		/* AF_UNIX: port 0 */
	__u8 address[16];		/* AF_INET uses the first 4 bytes */
	__u32 path_len;			/* of a Unix socket; an abstract one begins with NUL */
	char path[CENSUS_PATH];
};

#endif
