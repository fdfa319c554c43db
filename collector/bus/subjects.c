#include "collector/bus/subjects.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define BATCH_PREFIX "heatscope.batch."
#define HELLO_PREFIX "$KV." BUS_HELLOS "."
#define SOURCE_PREFIX "$KV." BUS_SOURCES "."
#define REPLY_PREFIX "heatscope.reply."

static int is_plain(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

void source_token(const char *source, char ret_token[TOKEN_MAX])
{
	static const char digits[] = "0123456789ABCDEF";
	char *at = ret_token;

	for (const unsigned char *c = (const unsigned char *)source; *c && at < ret_token + TOKEN_MAX - 3; c++) {
		if (is_plain(*c)) {
			*at++ = (char)*c;
			continue;
		}
		*at++ = '=';
		*at++ = digits[*c >> 4];
		*at++ = digits[*c & 15];
	}
	*at = 0;
}

static int digit_of(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Reads one byte of a source's name; returns how many bytes it takes in the token, 0: it is not one. */
static size_t byte_of_token(const char *token, size_t len, unsigned char *ret)
{
	int high, low;

	if (is_plain((unsigned char)*token)) {
		*ret = (unsigned char)*token;
		return 1;
	}
	if (*token != '=' || len < 3)
		return 0;
	high = digit_of(token[1]);
	low = digit_of(token[2]);
	if (high < 0 || low < 0)
		return 0;
	*ret = (unsigned char)(high << 4 | low);
	return *ret && !is_plain(*ret) ? 3 : 0;		/* each name has one token only */
}

int source_of_token(const char *token, size_t len, char ret_source[SOURCE_MAX])
{
	char source[SOURCE_MAX];
	unsigned char c = 0;
	size_t n = 0, step;

	for (size_t at = 0; at < len; at += step) {
		step = byte_of_token(token + at, len - at, &c);
		if (!step || n == SOURCE_MAX - 1)
			return -EINVAL;
		source[n++] = (char)c;
	}
	if (!n)
		return -EINVAL;
	source[n] = 0;
	memcpy(ret_source, source, n + 1);
	return 0;
}

unsigned source_partition(const char *source)
{
	__u64 hash = HASH_SEED;

	for (const unsigned char *c = (const unsigned char *)source; *c; c++)
		hash = hash_byte(hash, *c);
	return (unsigned)(hash % BUS_PARTITIONS);
}

void subject_batch(const char *source, char ret_subject[SUBJECT_MAX])
{
	char token[TOKEN_MAX];

	source_token(source, token);
	snprintf(ret_subject, SUBJECT_MAX, BATCH_PREFIX "%u.%s", source_partition(source), token);
}

void subject_hello(const char *source, char ret_subject[SUBJECT_MAX])
{
	char token[TOKEN_MAX];

	source_token(source, token);
	snprintf(ret_subject, SUBJECT_MAX, HELLO_PREFIX "%s", token);
}

void subject_source(const char *source, char ret_subject[SUBJECT_MAX])
{
	char token[TOKEN_MAX];

	source_token(source, token);
	snprintf(ret_subject, SUBJECT_MAX, SOURCE_PREFIX "%s", token);
}

void subject_reply(const char *source, const char *last, char ret_subject[SUBJECT_MAX])
{
	char token[TOKEN_MAX];

	source_token(source, token);
	snprintf(ret_subject, SUBJECT_MAX, REPLY_PREFIX "%s.%s", token, last);
}

/* Returns the token after `prefix` and `skip` further tokens; NULL: the subject is another one. */
static const char *token_after(const char *subject, const char *prefix, int skip)
{
	if (strncmp(subject, prefix, strlen(prefix)))
		return NULL;
	subject += strlen(prefix);
	while (subject && skip-- > 0) {
		subject = strchr(subject, '.');
		subject = subject ? subject + 1 : NULL;
	}
	return subject;
}

int source_of_subject(const char *subject, char ret_source[SOURCE_MAX])
{
	const char *token = token_after(subject, BATCH_PREFIX, 1);
	size_t len;

	if (!token)
		token = token_after(subject, SOURCE_PREFIX, 0);
	if (!token)
		token = token_after(subject, HELLO_PREFIX, 0);
	if (token)
		return source_of_token(token, strlen(token), ret_source);
	token = token_after(subject, REPLY_PREFIX, 0);
	len = token ? strcspn(token, ".") : 0;
	return len && token[len] ? source_of_token(token, len, ret_source) : -EINVAL;
}
