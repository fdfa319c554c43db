#include "collector/trace/address.h"
#include "collector/core/field_codes.h"
#include "collector/core/slice.h"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <stdio.h>
#include <string.h>

void address_label(int addresses_fd, __u64 code, char *out)
{
	struct address a;
	__u32 v4 = htonl((__u32)code);

	if (code == ADDRESS_NONE)
		snprintf(out, LABEL_MAX + 1, "none");
	else if (!(code & ADDRESS_V6))
		inet_ntop(AF_INET, &v4, out, LABEL_MAX + 1);
	else if (!bpf_map_lookup_elem(addresses_fd, &code, &a))
		inet_ntop(AF_INET6, &a, out, LABEL_MAX + 1);
	else
		codes_hash_label(code, out);
}

int address_codes(const char *text, __u64 *ret_code, size_t max)
{
	struct address a;
	__u64 code;

	if (!strcmp(text, "none"))
		code = ADDRESS_NONE;
	else if (inet_pton(AF_INET, text, a.byte) == 1)
		code = address_code_v4(a.byte);
	else if (inet_pton(AF_INET6, text, a.byte) == 1)
		code = address_code(&a);
	else if (!codes_hash_find(text, &code) || !(code & ADDRESS_V6))
		return 0;
	return codes_one(code, ret_code, max);
}
