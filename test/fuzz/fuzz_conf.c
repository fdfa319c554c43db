/* fuzz_conf - reads any bytes as the daemon's configuration file. */
#include "aggregator/conf/conf.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static int fd = -1;
	static struct conf conf;
	char path[64], reason[CONF_REASON_MAX];

	if (fd < 0)
		fd = memfd_create("heatscoped.yaml", 0);
	if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, data, len, 0) != (ssize_t)len)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	conf_init(&conf);
	if (!conf_read(&conf, path, reason) && !conf.cube_slots)
		abort();
	return 0;
}
