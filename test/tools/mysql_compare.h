/* mysql_compare.h - compares a collector's counts with a load generator's.
 *
 *      {"query": 12, ...} or {"query/select": 9, ...}      one kind of keys per file
 *      {"value": {...}}, {"keys": [{"key", "count"}, ...]}  as /ca gives them
 *
 * Keys    every key of either side is compared.  "compressed" counts the commands that have a reply: on a compressed
 *         connection only turns of request and reply can be seen.  "encrypted" counts the turns of TLS connections,
 *         with 3 for each handshake and login (TLS 1.3).  "opaque" is shown and not compared.  binlog_dump makes no
 *         event, so it is left out.
 */
#ifndef HEATSCOPE_MYSQL_COMPARE_H
#define HEATSCOPE_MYSQL_COMPARE_H

#include <jansson.h>
#include <stdio.h>

/* Writes a line per key to `out`, `same` or the difference; returns how many differ.
 * -EINVAL: one of the two is no such JSON. */
int mysql_compare(const json_t *collector, const json_t *load, FILE *out);

/* The same for files; -EINVAL, with a line on stderr, if one cannot be read. */
int mysql_compare_files(const char *collector_path, const char *load_path, FILE *out);

#endif
