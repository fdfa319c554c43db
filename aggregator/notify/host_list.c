#include "aggregator/notify/host_list.h"

#include <string.h>
#include <strings.h>

#define BETWEEN ", "

bool host_list_is_valid(const char *list)
{
	bool valid = list[strspn(list, BETWEEN)];

	for (const char *at = list; *at && valid; at++)
		valid = *at >= ' ' && *at < 0x7f && !strchr("/@?#*\"'", *at);
	return valid;
}

/* People and libcurl may write an IPv6 address in brackets, and a name with a dot at its end: strips both. */
static size_t bare_host(const char **host, size_t len)
{
	if (len > 2 && **host == '[' && (*host)[len - 1] == ']') {
		(*host)++;
		len -= 2;
	}
	return len > 1 && (*host)[len - 1] == '.' ? len - 1 : len;
}

bool host_list_has(const char *list, const char *host)
{
	size_t len = bare_host(&host, strlen(host));

	for (const char *at = list + strspn(list, BETWEEN), *listed; *at; at += strspn(at, BETWEEN)) {
		size_t whole = strcspn(at, BETWEEN), n;

		listed = at;
		n = bare_host(&listed, whole);
		if (n == len && !strncasecmp(listed, host, len))
			return true;
		at += whole;
	}
	return false;
}
