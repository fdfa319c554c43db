/* method.h - finds the method of a request by its word; pure, for kernel and tests.  Other words are METHOD_OTHER,
 * so that clients cannot make keys. */
#ifndef HEATSCOPE_HTTP_METHOD_H
#define HEATSCOPE_HTTP_METHOD_H

#include "collector/http/http.h"
#include "collector/http/message.h"

#define METHOD_WORD_MAX 20		/* characters of the longest method, and some */

#define METHOD_WORDS(X)                                                                              \
	X(GET, "GET\0\0\0\0\0") X(HEAD, "HEAD\0\0\0\0") X(POST, "POST\0\0\0\0") X(PUT, "PUT\0\0\0\0\0") \
	X(DELETE, "DELETE\0\0") X(CONNECT, "CONNECT\0") X(OPTIONS, "OPTIONS\0") X(TRACE, "TRACE\0\0\0") \
	X(PATCH, "PATCH\0\0\0") X(PROPFIND, "PROPFIND") X(MKCOL, "MKCOL\0\0\0") X(COPY, "COPY\0\0\0\0") \
	X(MOVE, "MOVE\0\0\0\0") X(LOCK, "LOCK\0\0\0\0") X(UNLOCK, "UNLOCK\0\0") X(REPORT, "REPORT\0\0") \
	X(SEARCH, "SEARCH\0\0") X(PURGE, "PURGE\0\0\0")

/* Returns enum http_method.  word: the word's first 8 characters, the first in the lowest byte; n: its length. */
static inline __u32 method_of_word(__u64 word, __u32 n)
{
	__u32 method = METHOD_OTHER;
#define METHOD_TEST(name, letters) method = word == WORD(letters) ? METHOD_##name : method;
	METHOD_WORDS(METHOD_TEST)
#undef METHOD_TEST
	return n > 8 ? METHOD_OTHER : method;
}

/* Is it A to Z, - or _?  By a bit of a word: the verifier follows both ways of each comparison. */
static inline int method_letter(__u8 byte)
{
	const __u64 low = 1ull << '-', high = 0x3ffffffull << ('A' - 64) | 1ull << ('_' - 64);
	__u64 letters = low ^ ((low ^ high) & -(__u64)(byte >> 6 & 1));

	return letters >> (byte & 63) & ~(byte >> 7) & 1;
}

#endif
