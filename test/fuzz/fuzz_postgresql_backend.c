/* fuzz_postgresql_backend - reads any bytes as the executable of a process named postgres, and as the code of its
 * functions. */
#include "collector/postgresql/backend.h"
#include "collector/core/metric.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(int holds)
{
	if (!holds)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static int fd = -1;
	char reason[REASON_MAX] = "";
	struct postgresql_backend backend;
	__u32 place = backend_text_place(data, len), user, database;
	__u64 entry;

	must(place < 4096 && place % 8 == 0 && (!place || backend_loads(data, len, place)));
	if (!backend_name_places(data, len, 0, 64, &user, &database))
		must(user == database + 8 && user < 4096);
	if (fd < 0)
		fd = memfd_create("server", MFD_CLOEXEC);
	must(fd >= 0 && !ftruncate(fd, 0) && pwrite(fd, data, len, 0) == (ssize_t)len);
	must(!postgresql_backend_find(fd, &backend, &entry, reason) == !reason[0]);
	return 0;
}
