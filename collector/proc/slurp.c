#include "collector/proc/slurp.h"
#include "collector/proc/scan.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int slurp(int dir, const char *path, struct bytes *out)
{
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC), err = 0;
	char piece[16384];
	ssize_t n;

	if (fd < 0)
		return -errno;
	bytes_clear(out);
	do {
		n = read(fd, piece, sizeof(piece));
		if (n < 0)
			err = -errno;
		else
			bytes_put(out, piece, (size_t)n);
		if (out->len > SLURP_MAX)
			err = -EFBIG;
	} while (n > 0 && !err);
	close(fd);
	return err ? err : out->err;
}

int slurp_number(int dir, const char *path, struct bytes *scratch, __u64 *ret)
{
	int err = slurp(dir, path, scratch);
	struct scan text = scan_of(scratch->data, scratch->len), line, word;

	if (err)
		return err;
	if (!scan_line(&text, &line) || !scan_word(&line, &word))
		return -EBADMSG;
	if (scan_is(&word, "max"))
		*ret = ~0ull;
	else if (!scan_digits(&word, ret))
		return -EBADMSG;
	return 0;
}
