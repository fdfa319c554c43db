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

static int is_answered(const char *name)
{
	for (unsigned command = 0; command < 256; command++)
		if (mysql_command_name(command) && !strcmp(mysql_command_name(command), name))
			return mysql_command_shape(command) != MYSQL_REPLY_NONE;
	return 0;
}

/* Adds the counts of a channel: of all commands, or of those that the server answers. */
static void add_counts(json_t *counts, json_t *channel, int by_statement, int answered)
{
	char name[64];
	const char *key;
	json_t *n;

	json_object_foreach(json_object_get(channel, by_statement ? "keys" : "commands"), key, n) {
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(key, "/"), key);
		if (answered && !is_answered(name))
			continue;
		json_object_set_new(counts, key, json_integer(json_integer_value(json_object_get(counts, key)) + json_integer_value(n)));
	}
}

struct sent {
	json_t *plain;			/* counts of plain connections, by command, or by command and statement */
	json_int_t hidden;		/* turns of the others: of each the collector knows the last command and statement */
};

static int sent_read(const json_t *load, int by_statement, struct sent *ret)
{
	const char *key;
	json_t *compressed, *n;

	if (!json_is_integer(json_object_get(load, "expected_questions")))
		return -EINVAL;
	*ret = (struct sent){ .plain = json_object() };
	compressed = json_object();
	add_counts(ret->plain, json_object_get(load, "plain"), by_statement, 0);
	json_object_del(ret->plain, by_statement ? "binlog_dump/none" : "binlog_dump");
	add_counts(compressed, json_object_get(load, "compressed"), 0, 1);
	json_object_foreach(compressed, key, n)
		ret->hidden += json_integer_value(n);
	json_decref(compressed);
	ret->hidden += json_integer_value(json_object_get(json_object_get(load, "tls"), "turns"));
	return 0;
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

/* more: at most so many of another connection. */
static int compare_key(const char *name, json_int_t seen, json_int_t sent, json_int_t more, FILE *out)
{
	int same = seen >= sent && seen <= sent + more;

	fprintf(out, "%-32s %12lld %12lld", name, (long long)seen, (long long)sent);
	if (!is_judged(name))
		fprintf(out, "  not judged\n");
	else if (same)
		fprintf(out, "  same\n");
	else
		fprintf(out, "  %+lld\n", (long long)(seen - sent));
	return is_judged(name) && !same;
}

static json_int_t sum_of(const json_t *counts)
{
	json_int_t sum = 0;
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)counts, name, value)
		sum += is_judged(name) ? json_integer_value(value) : 0;
	return sum;
}

int mysql_compare(const json_t *collector, const json_t *load, FILE *out)
{
	json_t *seen = seen_counts(collector), *value;
	int n_different = 0;
	const char *name;
	struct sent sent;

	if (!seen || sent_read(load, has_slash(seen), &sent)) {
		json_decref(seen);
		return -EINVAL;
	}
	fprintf(out, "%-32s %12s %12s\n", "", "collector", "generator");
	json_object_foreach(sent.plain, name, value)
		n_different += compare_key(name, json_integer_value(json_object_get(seen, name)), json_integer_value(value), sent.hidden, out);
	json_object_foreach(seen, name, value)
		if (!json_object_get(sent.plain, name))
			n_different += compare_key(name, json_integer_value(value), 0, sent.hidden, out);
	if (sent.hidden)
		n_different += compare_key("all", sum_of(seen), sum_of(sent.plain) + sent.hidden, 0, out);
	json_decref(seen);
	json_decref(sent.plain);
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
