#include "test/tools/mysql_compare.h"

#include "test/tools/mysql_packet.h"

#include <errno.h>
#include <string.h>

/* {key: count} of whatever form it came in; a new reference, or NULL. */
static json_t *seen_counts(const json_t *collector)
{
	json_t *list = json_object_get(collector, "keys"), *row, *counts;
	json_t *value = json_object_get(collector, "value");
	size_t i;

	if (json_is_object(value))
		return json_incref(value);
	if (!json_is_array(list))
		return json_is_object(collector) ? json_incref((json_t *)collector) : NULL;
	counts = json_object();
	json_array_foreach(list, i, row)
		json_object_set(counts, json_string_value(json_object_get(row, "key")), json_object_get(row, "count"));
	return counts;
}

#define LOGIN_TURNS 3			/* of TLS 1.3: hello, finished, login */

/* Commands of a channel that the server answers. */
static json_int_t answered(const json_t *load, const char *channel)
{
	json_t *commands = json_object_get(json_object_get(load, channel), "commands");
	json_int_t n = 0;

	for (unsigned command = 0; command < 256; command++)
		if (mysql_command_name(command) && mysql_command_shape(command) != MYSQL_REPLY_NONE)
			n += json_integer_value(json_object_get(commands, mysql_command_name(command)));
	return n;
}

static void put_turns(json_t *counts, const char *name, json_int_t n, int by_statement)
{
	char key[32];

	snprintf(key, sizeof(key), "%s%s", name, by_statement ? "/none" : "");
	if (n)
		json_object_set_new(counts, key, json_integer(n));
}

static json_t *plain_counts(const json_t *load)
{
	json_t *counts = json_object(), *n;

	for (unsigned command = 0; command < 256; command++) {
		n = mysql_command_name(command) ? json_object_get(load, mysql_command_name(command)) : NULL;
		if (n)
			json_object_set(counts, mysql_command_name(command), n);
	}
	return counts;
}

/* The counts that a collector should have for the load, by command, or by command and statement. */
static json_t *sent_counts(const json_t *load, int by_statement)
{
	json_t *tls = json_object_get(load, "tls");
	json_int_t turns = json_integer_value(json_object_get(tls, "turns")) +
			   LOGIN_TURNS * json_integer_value(json_object_get(tls, "connections"));
	json_t *counts;

	if (!json_is_integer(json_object_get(load, "expected_questions")))
		return NULL;
	counts = by_statement ? json_copy(json_object_get(load, "keys")) : plain_counts(load);
	put_turns(counts, "compressed", answered(load, "compressed"), by_statement);
	put_turns(counts, "encrypted", turns, by_statement);
	json_object_del(counts, by_statement ? "binlog_dump/none" : "binlog_dump");
	return counts;
}

static int has_slash(const json_t *counts)
{
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)counts, name, value)
		if (strchr(name, '/'))
			return 1;
	return 0;
}

static int is_judged(const char *name)
{
	return strncmp(name, "opaque", 6) != 0;
}

static int compare_key(const char *name, json_int_t seen, json_int_t sent, FILE *out)
{
	fprintf(out, "%-32s %12lld %12lld", name, (long long)seen, (long long)sent);
	if (!is_judged(name))
		fprintf(out, "  not judged\n");
	else if (seen == sent)
		fprintf(out, "  same\n");
	else
		fprintf(out, "  %+lld\n", (long long)(seen - sent));
	return is_judged(name) && seen != sent;
}

int mysql_compare(const json_t *collector, const json_t *load, FILE *out)
{
	json_t *seen = seen_counts(collector), *sent = seen ? sent_counts(load, has_slash(seen)) : NULL, *value;
	int n_different = 0;
	const char *name;

	if (!seen || !sent) {
		json_decref(seen);
		return -EINVAL;
	}
	fprintf(out, "%-32s %12s %12s\n", "", "collector", "generator");
	json_object_foreach(sent, name, value)
		n_different += compare_key(name, json_integer_value(json_object_get(seen, name)),
					   json_integer_value(value), out);
	json_object_foreach(seen, name, value)
		if (!json_object_get(sent, name))
			n_different += compare_key(name, json_integer_value(value), 0, out);
	json_decref(seen);
	json_decref(sent);
	return n_different;
}

int mysql_compare_files(const char *collector_path, const char *load_path, FILE *out)
{
	json_error_t error;
	json_t *collector = json_load_file(collector_path, 0, &error), *load = NULL;
	int n = -EINVAL;

	if (collector)
		load = json_load_file(load_path, 0, &error);
	if (!load)
		fprintf(stderr, "%s: %s\n", collector ? load_path : collector_path, error.text);
	else
		n = mysql_compare(collector, load, out);
	if (load && n < 0)
		fprintf(stderr, "%s, %s: not a collector's and a load's counts\n", collector_path, load_path);
	json_decref(collector);
	json_decref(load);
	return n;
}
