/* host_list.h - searches a list of hosts as people write it: "hooks.example.net, [2001:db8::7], 192.0.2.7".
 *
 * Thread  any.
 */
#ifndef HEATSCOPE_HOST_LIST_H
#define HEATSCOPE_HOST_LIST_H

#include <stdbool.h>

/* Does every entry name a host, without characters that hosts cannot have? */
bool host_list_is_valid(const char *list);

/* Is the host in the list?  Brackets, a dot at the end and the case of letters do not matter. */
bool host_list_has(const char *list, const char *host);

#endif
