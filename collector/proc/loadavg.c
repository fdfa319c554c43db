#include "collector/proc/loadavg.h"
#include "collector/proc/meter.h"
#include "collector/proc/scan.h"
#include "collector/proc/slurp.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

static const struct field fields[] = {
	{ "hostname", "host", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "load", "load average in hundredths", "hundredths", FIELD_NUMERIC, UNIT_NONE, 0, 30 },
};

static const struct metric loadavg_metric = {
	"cpu", "loadavg1", "CPU load average", "hosts", fields, sizeof(fields) / sizeof(*fields), SCOPE_POINT, NULL, NULL, NULL
};

int loadavg_parse(const void *text, size_t len, __u64 *ret_hundredths)
{
	struct scan all = scan_of(text, len), line, whole, fraction;
	__u64 ones, hundredths;

	if (!scan_line(&all, &line) || !scan_until(&line, ".", &whole) || !scan_digits(&whole, &ones) ||
	    !scan_word(&line, &fraction) || scan_len(&fraction) != 2 || !scan_digits(&fraction, &hundredths) ||
	    ones > 1000000000)
		return -EBADMSG;
	*ret_hundredths = 100 * ones + hundredths;
	return 0;
}

static int loadavg_start(void **ret_self, char *reason)
{
	*ret_self = calloc(1, sizeof(struct bytes));
	if (!*ret_self)
		snprintf(reason, REASON_MAX, "no memory");
	return *ret_self ? 0 : -ENOMEM;
}

static void loadavg_stop(void *self)
{
	bytes_fini(self);
	free(self);
}

static int loadavg_read(void *self, const struct meter_request *request, const struct meter_out *out)
{
	struct bytes *text = self;
	struct event e = { 0 };
	int err = slurp(AT_FDCWD, "/proc/loadavg", text);

	if (!err)
		err = loadavg_parse(text->data, text->len, &e.measure[0]);
	if (!err)
		out->event(out->arg, &e, 0);
	return err;
}

const struct meter loadavg_meter = {
	.metric = &loadavg_metric,
	.start = loadavg_start,
	.stop = loadavg_stop,
	.read = loadavg_read,
};
