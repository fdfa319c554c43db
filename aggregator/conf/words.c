/* Turns libcyaml's log about a configuration file into one sentence that names the line. */
#include "aggregator/conf/private.h"

#include "collector/core/instrumentation.h"
#include "collector/core/refuse.h"

#include <stdio.h>
#include <string.h>

/* Returns the line of a byte of the file. */
static unsigned line_of_byte(FILE *file, size_t offset)
{
	unsigned line = 1;
	int c;

	rewind(file);
	for (size_t at = 0; at < offset && (c = getc(file)) != EOF; at++)
		line += c == '\n';
	return line;
}

bool conf_load(const char *path, yaml_document_t *doc, struct conf_fault *ret_fault)
{
	FILE *file = fopen(path, "re");
	yaml_parser_t parser;
	bool good = false;

	*ret_fault = (struct conf_fault){ 0 };
	if (file && yaml_parser_initialize(&parser)) {
		yaml_parser_set_input_file(&parser, file);
		good = yaml_parser_load(&parser, doc);
		if (!good && parser.problem) {
			ret_fault->line = parser.error == YAML_READER_ERROR ? line_of_byte(file, parser.problem_offset) :
									      (unsigned)parser.problem_mark.line + 1;
			snprintf(ret_fault->text, sizeof(ret_fault->text), "%s", parser.problem);
		}
		yaml_parser_delete(&parser);
	}
	if (file)
		fclose(file);
	return good;
}

/* --- where a key is: libcyaml names the place before it --- */

struct place {
	unsigned line, column;		/* from 1; 0: unknown */
};

static bool is_before(struct place a, struct place b)
{
	return a.line < b.line || (a.line == b.line && a.column < b.column);
}

/* Returns the line of the first key of this name from there on; 0: none. */
static unsigned line_in(yaml_document_t *doc, const char *key, struct place from)
{
	struct place best = { 0 };

	for (yaml_node_t *n = doc->nodes.start; n < doc->nodes.top; n++) {
		if (n->type != YAML_MAPPING_NODE)
			continue;
		for (yaml_node_pair_t *p = n->data.mapping.pairs.start; p < n->data.mapping.pairs.top; p++) {
			const yaml_node_t *name = yaml_document_get_node(doc, p->key);
			struct place at;

			if (!name || name->type != YAML_SCALAR_NODE || strcmp((const char *)name->data.scalar.value, key))
				continue;
			at = (struct place){ (unsigned)name->start_mark.line + 1, (unsigned)name->start_mark.column + 1 };
			if (!is_before(at, from) && (!best.line || is_before(at, best)))
				best = at;
		}
	}
	return best.line;
}

unsigned conf_line_of(const char *path, const char *key)
{
	struct conf_fault fault;
	yaml_document_t doc;
	unsigned line = 0;

	if (conf_load(path, &doc, &fault)) {
		line = line_in(&doc, key, (struct place){ 0 });
		yaml_document_delete(&doc);
	}
	return line;
}

/* Returns the value of a key of the top mapping. */
static yaml_node_t *value_of(yaml_document_t *doc, const char *key)
{
	yaml_node_t *top = yaml_document_get_root_node(doc);

	if (!top || top->type != YAML_MAPPING_NODE)
		return NULL;
	for (yaml_node_pair_t *p = top->data.mapping.pairs.start; p < top->data.mapping.pairs.top; p++) {
		yaml_node_t *name = yaml_document_get_node(doc, p->key);

		if (name && name->type == YAML_SCALAR_NODE && !strcmp((const char *)name->data.scalar.value, key))
			return yaml_document_get_node(doc, p->value);
	}
	return NULL;
}

void conf_entry_lines(const char *path, const char *key, size_t n, unsigned *ret_line)
{
	struct conf_fault fault;
	yaml_document_t doc;
	yaml_node_t *list;

	memset(ret_line, 0, n * sizeof(*ret_line));
	if (!n || !conf_load(path, &doc, &fault))
		return;
	list = value_of(&doc, key);
	if (list && list->type == YAML_SEQUENCE_NODE)
		for (size_t i = 0; i < n && list->data.sequence.items.start + i < list->data.sequence.items.top; i++)
			ret_line[i] = (unsigned)yaml_document_get_node(&doc, list->data.sequence.items.start[i])->start_mark.line + 1;
	yaml_document_delete(&doc);
}

int conf_check_new(const char *names, size_t distance, size_t n, const unsigned *line, char *reason)
{
	const char *name = names + n * distance;

	for (size_t i = 0; i < n; i++)
		if (!strcmp(names + i * distance, name))
			return refuse(reason, "line %u has one with the name \"%s\" already; give it another `name`", line[i], name);
	return 0;
}

/* --- the messages of libcyaml --- */

/* "in mapping field 'listen' (line: 2, column: 9)", from the innermost outwards. */
struct said_at {
	struct place at, entry;		/* the innermost place; the sequence entry around it */
	char field[CONF_NAME_MAX];	/* "": none */
};

static struct said_at read_backtrace(const char *log)
{
	struct said_at s = { 0 };

	for (const char *line = strstr(log, "\n  in "); line; line = strstr(line + 1, "\n  in ")) {
		const char *where = strstr(line, "(line: ");
		struct place at = { 0 };

		if (!where || sscanf(where, "(line: %u, column: %u)", &at.line, &at.column) != 2)
			continue;
		if (!s.at.line)
			s.at = at;
		if (!s.entry.line && !strncmp(line, "\n  in sequence entry", 20))
			s.entry = at;
		if (!s.field[0])
			sscanf(line, "\n  in mapping field '%63[^'\n]'", s.field);
	}
	return s;
}

static const char *kind_of(const char *word)
{
	static const char *const kinds[][2] = {
		{ "STRING", "a text" }, { "SEQUENCE", "a list" }, { "MAPPING", "keys with values" }, { "SCALAR", "a single value" },
		{ "UINT", "a number" }, { "FLOAT", "a number" }, { "ENUM", "true or false" },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strncmp(word, kinds[i][0], strlen(kinds[i][0])))
			return kinds[i][1];
	return "something else";
}

/* Parses the kind and the value after "Invalid ": "UINT value: 5", with or without quotation marks. */
static void say_invalid(const char *what, const char *field, char *out, size_t room)
{
	const char *value = strstr(what, "value: ");
	int quoted = value && value[7] == '\'', n;

	value = value ? value + 7 + quoted : "";
	n = (int)strlen(value) - (quoted && *value);
	snprintf(out, room, "value \"%.*s\" for \"%s\" is invalid: must be %s", n > 60 ? 60 : n, value, field,
		 strncmp(what, "ENUM", 4) ? "a number" : kind_of(what));
}

static bool skip_prefix(const char *what, const char *with, const char **ret_rest)
{
	*ret_rest = what + strlen(with);
	return !strncmp(what, with, strlen(with));
}

static void say_value(const char *what, const char *field, char *out, size_t room)
{
	const char *rest, *got = strstr(what, "got event: ");
	unsigned n, limit;

	if (skip_prefix(what, "Expecting ", &rest) && got)
		snprintf(out, room, "%s must be %s, not %s", field[0] ? field : "the file", kind_of(rest), kind_of(got + 11));
	else if (skip_prefix(what, "Invalid ", &rest))
		say_invalid(rest, field, out, room);
	else if (skip_prefix(what, "STRING length < ", &rest))
		snprintf(out, room, "%s is empty", field);
	else if (sscanf(what, "STRING length > %u", &limit) == 1)
		snprintf(out, room, "%s is too long: at most %u bytes", field, limit);
	else if (sscanf(what, "Insufficient entries (%u of %u", &n, &limit) == 2)
		snprintf(out, room, "%s has too few entries: %u, not %u", field, n, limit);
	else if (sscanf(what, "Excessive entries (%u", &limit) == 1)
		snprintf(out, room, "%s has too many entries: at most %u", field, limit);
	else if (!what[0] || skip_prefix(what, "Backtrace", &rest))
		snprintf(out, room, "a key must be a single word");
	else
		snprintf(out, room, "%.200s", what);
}

static unsigned say_message(yaml_document_t *doc, const char *log, const char *what, char *out, size_t room)
{
	struct said_at s = read_backtrace(log);
	unsigned line = 0;
	const char *key;

	if (skip_prefix(what, "Unexpected key: ", &key)) {
		line = line_in(doc, key, s.at);
		snprintf(out, room, "unknown key %.100s", key);
	} else if (skip_prefix(what, "Mapping field already seen: ", &key)) {
		line = line_in(doc, key, s.at);
		snprintf(out, room, "the key %.100s is given twice", key);
	} else if (skip_prefix(what, "Missing required mapping field: ", &key)) {
		line = s.entry.line;
		snprintf(out, room, "the key %.100s is missing", key);
	} else {
		say_value(what, s.field, out, room);
	}
	return line ? line : s.at.line ? s.at.line : 1;
}

void conf_explain(const char *path, const char *log, char *reason)
{
	const char *what;
	struct conf_fault fault;
	yaml_document_t doc;
	char first[200];

	if (!skip_prefix(log, "Load: ", &what))
		what = log;
	snprintf(first, sizeof(first), "%.*s", (int)strcspn(what, "\n"), what);
	if (conf_load(path, &doc, &fault)) {
		fault.line = say_message(&doc, log, first, fault.text, sizeof(fault.text));
		yaml_document_delete(&doc);
	} else if (!fault.line) {		/* the file cannot be read a second time */
		snprintf(fault.text, sizeof(fault.text), "%s", first);
	}
	for (char *at = fault.text; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			*at = '?';
	if (fault.line)
		snprintf(reason, CONF_REASON_MAX, "%.200s: line %u: %s", path, fault.line, fault.text);
	else
		snprintf(reason, CONF_REASON_MAX, "%.200s: %s", path, fault.text);
}
