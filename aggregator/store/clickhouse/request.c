#include "aggregator/store/clickhouse/clickhouse.h"

#include "collector/core/refuse.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONNECT_MS 5000l
#define REQUEST_MS 120000l
#define ERROR_MAX 2000			/* bytes of ClickHouse's text that are kept */
#define ROW_MAX (256u << 20)		/* bytes of one row */

struct answer {
	struct clickhouse *q;
	struct bytes rest;		/* the begin of a row; of an error its text */
	bool is_error;
	long status;
	row_take take;			/* NULL: rows are not expected */
	void *arg;
	int err;			/* of take() */
};

/* --- writing a statement --- */

static void put_format(struct bytes *out, const char *format, va_list args)
{
	char text[4096];
	int len = vsnprintf(text, sizeof(text), format, args);

	if ((len < 0 || len >= (int)sizeof(text)) && !out->err)
		out->err = -E2BIG;
	else
		bytes_put(out, text, (size_t)len);
}

void sql_begin(struct clickhouse *q, const char *format, ...)
{
	va_list args;

	bytes_clear(&q->sql);
	va_start(args, format);
	put_format(&q->sql, format, args);
	va_end(args);
}

void sql_put(struct clickhouse *q, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put_format(&q->sql, format, args);
	va_end(args);
}

void sql_put_text(struct clickhouse *q, const void *text, size_t len)
{
	const __u8 *at = text;
	char escaped[8];

	bytes_put(&q->sql, "'", 1);
	for (size_t i = 0; i < len; i++) {
		bool plain = at[i] >= ' ' && at[i] < 0x7f && at[i] != '\'' && at[i] != '\\';

		snprintf(escaped, sizeof(escaped), plain ? "%c" : "\\x%02X", at[i]);
		bytes_put(&q->sql, escaped, plain ? 1 : 4);
	}
	bytes_put(&q->sql, "'", 1);
}

/* --- errors --- */

/* Returns what an error of this number means.  Numbers are ClickHouse's, the same in all versions. */
static int error_of(int code)
{
	switch (code) {
	case 159: case 160: case 173: case 201: case 202: case 203: case 209: case 210: case 236: case 241: case 242:
	case 252: case 279: case 319: case 394: case 425: case 999:
		return -EAGAIN;		/* a time-out, too many queries or parts, no memory, it stops, a table is read-only */
	case 243:
		return -ENOSPC;
	case 192: case 193: case 194: case 195: case 497: case 516:
		return -EACCES;
	case 33: case 40: case 226: case 228: case 246: case 271:
		return -EBADMSG;	/* a file is cut or missing, a checksum or size is wrong */
	default:
		return -EIO;
	}
}

/* Finds the sentence in "Code: 62, e.displayText() = DB::Exception: Syntax error ..., e.what() = DB::Exception", or
 * "Code: 62. DB::Exception: Syntax error ... (SYNTAX_ERROR) (version ...)". */
static const char *error_sentence(char *text)
{
	static const char *const tails[] = { ", e.what() =", " (version ", "\n" };
	char *at = strstr(text, "DB::Exception: "), *end;

	at = at ? at + strlen("DB::Exception: ") : text;
	for (size_t i = 0; i < sizeof(tails) / sizeof(*tails); i++)
		if ((end = strstr(at, tails[i])))
			*end = 0;
	for (end = at; *end; end++)
		if ((unsigned char)*end < ' ' || *end == 0x7f)
			*end = '?';
	return at;
}

static int refuse_answer(struct clickhouse *q, struct answer *a)
{
	int code = 0, err;

	bytes_put(&a->rest, "", 1);
	if (!a->rest.data || a->rest.err)
		return -ENOMEM;
	sscanf((const char *)a->rest.data, "Code: %d", &code);
	err = code ? error_of(code) : a->status / 100 == 5 || a->status == 429 ? -EAGAIN : -EIO;
	return refuse_in(err, q->store.reason, sizeof(q->store.reason), "ClickHouse at %.80s: %.140s (error %d, status %ld)",
			 q->url, error_sentence((char *)a->rest.data), code, a->status);
}

static bool may_change(CURLcode code)
{
	return code != CURLE_URL_MALFORMAT && code != CURLE_UNSUPPORTED_PROTOCOL && code != CURLE_PEER_FAILED_VERIFICATION &&
	       code != CURLE_SSL_ISSUER_ERROR && code != CURLE_SSL_CACERT_BADFILE && code != CURLE_SSL_CERTPROBLEM;
}

static int refuse_curl(struct clickhouse *q, CURLcode code)
{
	long number = 0;

	curl_easy_getinfo(q->easy, CURLINFO_OS_ERRNO, &number);
	return refuse_in(may_change(code) ? -EAGAIN : -EIO, q->store.reason, sizeof(q->store.reason), "ClickHouse at %.80s does "
			 "not answer: %s%s%s", q->url, curl_easy_strerror(code), number ? ": " : "", number ? strerror((int)number) : "");
}

/* --- the answer --- */

/* Gives all complete rows, and keeps the rest. */
static int take_rows(struct answer *a)
{
	struct cursor c = { .data = a->rest.data, .len = a->rest.len };
	size_t at = 0;

	while (c.at < c.len && !a->err) {
		at = c.at;
		a->err = a->take(a->arg, &c);
		if (c.err)
			break;
		at = c.at;
	}
	if (at)
		memmove(a->rest.data, a->rest.data + at, a->rest.len - at);
	a->rest.len -= at;
	return a->err;
}

static size_t on_answer(char *data, size_t size, size_t n, void *arg)
{
	struct answer *a = arg;

	if (!a->status) {
		curl_easy_getinfo(a->q->easy, CURLINFO_RESPONSE_CODE, &a->status);
		a->is_error = a->status != 200;
	}
	if (a->is_error) {
		bytes_put(&a->rest, data, a->rest.len + n > ERROR_MAX ? ERROR_MAX - a->rest.len : n);
		return n;
	}
	if (!a->take)
		return n;
	bytes_put(&a->rest, data, n);
	if (a->rest.err)
		a->err = a->rest.err;
	return a->err || take_rows(a) ? 0 : n;
}

/* --- a request --- */

static char *address_of(struct clickhouse *q, const char *insert)
{
	char *query = insert ? curl_easy_escape(q->easy, insert, 0) : NULL, *url = NULL;

	if (insert && !query)
		return NULL;
	if (asprintf(&url, "%s/?wait_end_of_query=1&buffer_size=67108864%s%s%s", q->url, q->settings, insert ? "&query=" : "", insert ? query : "") < 0)
		url = NULL;
	curl_free(query);
	return url;
}

static int request_send(struct clickhouse *q, const char *insert, const struct bytes *body, row_take take, void *arg)
{
	struct answer a = { .q = q, .take = take, .arg = arg, .rest = { .most = ROW_MAX } };
	char *url = body->err ? NULL : address_of(q, insert);
	CURLcode code;
	int err = 0;

	if (!url)
		return refuse_in(body->err ? body->err : -ENOMEM, q->store.reason, sizeof(q->store.reason), "a request to ClickHouse: %s",
				 strerror(body->err ? -body->err : ENOMEM));
	curl_easy_setopt(q->easy, CURLOPT_URL, url);
	curl_easy_setopt(q->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body->len);
	curl_easy_setopt(q->easy, CURLOPT_POSTFIELDS, body->data);
	curl_easy_setopt(q->easy, CURLOPT_WRITEDATA, &a);
	code = curl_easy_perform(q->easy);
	if (code == CURLE_OK && !a.status) {	/* an answer without a body */
		curl_easy_getinfo(q->easy, CURLINFO_RESPONSE_CODE, &a.status);
		a.is_error = a.status != 200;
	}
	if (a.err)
		err = refuse_in(a.err, q->store.reason, sizeof(q->store.reason), "an answer of ClickHouse at %.80s: %s", q->url, strerror(-a.err));
	else if (code != CURLE_OK)
		err = refuse_curl(q, code);
	else if (a.is_error)
		err = refuse_answer(q, &a);
	else if (a.rest.len)
		err = refuse_in(-EBADMSG, q->store.reason, sizeof(q->store.reason), "an answer of ClickHouse at %.80s ends within a row", q->url);
	bytes_fini(&a.rest);
	free(url);
	return err;
}

static int skip_row(void *arg, struct cursor *c)
{
	c->at = c->len;
	return 0;
}

int request_select(struct clickhouse *q, row_take take, void *arg)
{
	sql_put(q, " FORMAT RowBinary");
	return request_send(q, NULL, &q->sql, take, arg);
}

int request_run(struct clickhouse *q)
{
	return request_send(q, NULL, &q->sql, skip_row, NULL);
}

int request_insert(struct clickhouse *q, const char *table, const char *columns)
{
	char sql[1000];

	snprintf(sql, sizeof(sql), "INSERT INTO %s.%s (%s) FORMAT RowBinary", q->database, table, columns);
	return request_send(q, sql, &q->rows, NULL, NULL);
}

void request_limit(struct clickhouse *q, bool limited)
{
	curl_easy_setopt(q->easy, CURLOPT_TIMEOUT_MS, limited ? REQUEST_MS : 0l);
}

/* --- opening --- */

static int add_header(struct clickhouse *q, const char *name, const char *value)
{
	struct curl_slist *more;
	char *line;

	if (asprintf(&line, "%s: %s", name, value) < 0)
		return -ENOMEM;
	more = curl_slist_append(q->headers, line);
	free(line);
	if (!more)
		return -ENOMEM;
	q->headers = more;
	return 0;
}

static void set_options(struct clickhouse *q, const struct store_clickhouse_conf *conf)
{
	curl_easy_setopt(q->easy, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(q->easy, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(q->easy, CURLOPT_PROXY, "");
	curl_easy_setopt(q->easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(q->easy, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS);
	request_limit(q, true);
	curl_easy_setopt(q->easy, CURLOPT_USERAGENT, "heatscoped/" PACKAGE_VERSION);
	curl_easy_setopt(q->easy, CURLOPT_HTTPHEADER, q->headers);
	curl_easy_setopt(q->easy, CURLOPT_BUFFERSIZE, 512l << 10);
	curl_easy_setopt(q->easy, CURLOPT_WRITEFUNCTION, on_answer);
	if (conf->ca[0])
		curl_easy_setopt(q->easy, CURLOPT_CAINFO, conf->ca);
}

int request_open(struct clickhouse *q, const struct store_clickhouse_conf *conf)
{
	size_t len = strlen(conf->url);
	int err;

	if (strchr(conf->url, '@') || strchr(conf->url, '?'))	/* it is shown in messages */
		return refuse_in(-EINVAL, q->store.reason, sizeof(q->store.reason), "the address of ClickHouse is like http://HOST:PORT: "
				 "the user, the password and the database are settings of their own");
	while (len && conf->url[len - 1] == '/')
		len--;
	q->url = strndup(conf->url, len);
	q->database = strdup(conf->database);
	q->settings = strdup("&max_insert_block_size=16777216&max_query_size=67108864");
	q->easy = curl_global_init(CURL_GLOBAL_DEFAULT) ? NULL : curl_easy_init();
	err = q->url && q->database && q->settings && q->easy ? add_header(q, "Expect", "") : -ENOMEM;
	if (!err)
		err = add_header(q, "Content-Type", "application/octet-stream");
	if (!err && conf->user[0])
		err = add_header(q, "X-ClickHouse-User", conf->user);
	if (!err && conf->password[0])
		err = add_header(q, "X-ClickHouse-Key", conf->password);
	if (!err)
		set_options(q, conf);
	return err;
}

void request_close(struct clickhouse *q)
{
	if (q->easy) {
		curl_easy_cleanup(q->easy);
		curl_global_cleanup();
	}
	curl_slist_free_all(q->headers);
	free(q->url);
	free(q->database);
	free(q->settings);
	bytes_fini(&q->sql);
	bytes_fini(&q->rows);
	bytes_fini(&q->hist);
	free(q->state);
	free(q->again);
	free(q->to_sweep);
}
