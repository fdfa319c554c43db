/* fuzz_mysql_thd - reads any bytes as the executable of a process named mariadbd, and as the code of a function. */
#include "collector/mysql/accessor.h"
#include "collector/core/instrumentation.h"
#include "collector/mysql/thd.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(int holds)
{
	if (!holds)
		abort();
}

static void function(const uint8_t *data, size_t len)
{
	struct accessor a, again;
	__s32 thread;

	if (!accessor_decode_thread(data, len, &thread))
		must(thread < 0);
	if (!accessor_decode_inner(data, len, &a))
		must(a.kind == ACCESSOR_PAIR && a.n == 1);
	if (accessor_decode(data, len, &a))
		return;
	must(a.n >= 1 && a.n <= ACCESSOR_STEPS);
	must(a.kind == ACCESSOR_TEST ? a.n == 1 && a.mask <= UINT32_MAX : a.kind == ACCESSOR_EQUAL ? a.mask < 128 : !a.mask);
	must(a.at[0] < 1u << 20 && a.at[1] < 1u << 20);
	/* Bytes after its return do not matter. */
	for (size_t n = 0; n < len; n++)
		if (!accessor_decode(data, n, &again))
			must(!memcmp(&a, &again, sizeof(a)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static int fd = -1;
	char reason[REASON_MAX] = "";
	struct mysql_thd thd;

	function(data, len < 64 ? len : 64);
	if (fd < 0)
		fd = memfd_create("server", MFD_CLOEXEC);
	must(fd >= 0 && !ftruncate(fd, 0) && pwrite(fd, data, len, 0) == (ssize_t)len);
	must(!mysql_thd_find(fd, &thd, reason) == !reason[0]);
	return 0;
}
