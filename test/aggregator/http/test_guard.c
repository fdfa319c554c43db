#include "aggregator/http/guard.h"
#include "test/kit/certificate_kit.h"
#include "test/kit/check.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECRET "0123456789abcdef"

static struct token token;
static struct tls *tls;

static int make_secrets(void **state)
{
	char dir[] = "/tmp/heatscope-test-XXXXXX", certificate[64], key[64], file[64], reason[256];
	FILE *f;
	int err;

	if (!mkdtemp(dir))
		return -1;
	snprintf(certificate, sizeof(certificate), "%s/cert.pem", dir);
	snprintf(key, sizeof(key), "%s/key.pem", dir);
	snprintf(file, sizeof(file), "%s/token", dir);
	certificate_write("db1.example", "192.0.2.7", certificate, key);
	umask(077);
	f = fopen(file, "w");
	fputs(SECRET "\n", f);
	fclose(f);
	err = token_read(file, &token, reason, sizeof(reason)) | tls_read(certificate, key, &tls, reason, sizeof(reason));
	return err | unlink(certificate) | unlink(key) | unlink(file) | rmdir(dir);
}

static int free_secrets(void **state)
{
	tls_free(tls);
	return 0;
}

/* Returns the decision about a request that is correct except for its token. */
static unsigned decide(enum guard_reach reach, const struct token *t, const char *method, const char *path,
		       const char *authorization)
{
	struct guard g = { reach, t, reach == GUARD_BEYOND ? tls : NULL };
	struct guard_request r = { method, path, reach == GUARD_BEYOND ? "db1.example:23181" : "localhost:23181", NULL,
				   authorization, NULL, NULL, NULL };
	const char *why = NULL;
	unsigned status = guard_check(&g, &r, &why);

	assert_int_equal(status != 0, why != NULL);
	return status;
}

/* If the browser says that another site's page caused the request, only a link is allowed, and only to the page. */
TEST(a_page_of_another_site_may_only_lead_to_the_page)
{
	static const struct { const char *method, *path, *site, *mode, *dest, *authorization; unsigned status; } cases[] = {
		{ "GET", "/ca", NULL, NULL, NULL, NULL, 0 }, { "POST", "/ca/annotations", NULL, NULL, NULL, NULL, 401 },
		{ "GET", "/ca", "same-origin", "cors", "empty", NULL, 0 }, { "GET", "/ca", "none", "navigate", "document", NULL, 0 },
		{ "GET", "/ca/x", "cross-site", "no-cors", "image", NULL, 403 }, { "GET", "/ca/x", "same-site", "no-cors", "image", NULL, 403 },
		{ "GET", "/ca/x", "Cross-Site", "navigate", "document", NULL, 403 }, { "GET", "/ca/x", "of-tomorrow", NULL, NULL, NULL, 403 },
		{ "POST", "/ca/annotations", "cross-site", "navigate", "document", NULL, 403 },
		{ "POST", "/ca/annotations", "same-site", "no-cors", "empty", NULL, 403 },
		{ "GET", "/", "cross-site", "navigate", "document", NULL, 0 }, { "HEAD", "/", "same-site", "navigate", "document", NULL, 0 },
		{ "POST", "/", "cross-site", "navigate", "document", NULL, 403 }, { "GET", "/", "cross-site", "navigate", "iframe", NULL, 403 },
		{ "GET", "/app.js", "cross-site", "no-cors", "script", NULL, 403 }, { "GET", "/", "cross-site", NULL, NULL, NULL, 403 },
		{ "POST", "/ca/x", "cross-site", "cors", "empty", "Bearer " SECRET, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct guard g = { GUARD_LOOPBACK, &token, NULL }, open = { GUARD_LOOPBACK, NULL, NULL }, local = { GUARD_UNIX, NULL, NULL };
		const struct guard_request r = { cases[i].method, cases[i].path, "localhost:23181", NULL, cases[i].authorization,
						 cases[i].site, cases[i].mode, cases[i].dest };
		const char *why = NULL;

		assert_int_equal(guard_check(&g, &r, &why), cases[i].status);
		assert_int_equal(guard_check(&local, &r, &why), 0);
		if (!cases[i].authorization)
			assert_int_equal(guard_check(&open, &r, &why), cases[i].status == 403 ? 403 : 0);
	}
}

TEST(the_table_of_the_header_holds)
{
	static const struct { enum guard_reach reach; int has_token; unsigned read, change, page; } rows[] = {
		{ GUARD_UNIX, 0, 0, 0, 0 }, { GUARD_UNIX, 1, 0, 0, 0 },
		{ GUARD_LOOPBACK, 0, 0, 0, 0 }, { GUARD_LOOPBACK, 1, 0, 401, 0 },
		{ GUARD_BEYOND, 1, 401, 401, 0 },
	};
	static const char *const changing[] = { "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "get", "" };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct token *t = rows[i].has_token ? &token : NULL;
		unsigned wrong = t && rows[i].reach != GUARD_UNIX ? 401 : 0;

		assert_int_equal(decide(rows[i].reach, t, "GET", "/ca", NULL), rows[i].read);
		assert_int_equal(decide(rows[i].reach, t, "HEAD", "/ca/x", NULL), rows[i].read);
		assert_int_equal(decide(rows[i].reach, t, "GET", "/", NULL), rows[i].page);
		assert_int_equal(decide(rows[i].reach, t, "GET", "/cake.js", NULL), rows[i].page);
		for (size_t j = 0; j < sizeof(changing) / sizeof(*changing); j++) {
			assert_int_equal(decide(rows[i].reach, t, changing[j], "/ca/x", NULL), rows[i].change);
			assert_int_equal(decide(rows[i].reach, t, changing[j], "/ca/x", "Bearer " SECRET), 0);
			assert_int_equal(decide(rows[i].reach, t, changing[j], "/ca/x", "Bearer x"), wrong);
		}
		assert_int_equal(decide(rows[i].reach, t, "GET", "/ca", "Bearer " SECRET), 0);
		assert_int_equal(decide(rows[i].reach, t, "GET", "/ca", "Bearer x"), wrong);
	}
}

static unsigned decide_host(enum guard_reach reach, const struct tls *t, const char *host, const char *origin)
{
	struct guard g = { reach, &token, t };
	struct guard_request r = { "GET", "/ca", host, origin, "Bearer " SECRET, NULL, NULL, NULL };
	const char *why;

	return guard_check(&g, &r, &why);
}

TEST(a_foreign_host_or_origin_is_refused_with_the_token_too)
{
	static const struct { const char *host, *origin; unsigned loopback, beyond; } cases[] = {
		{ "localhost", NULL, 0, 403 },
		{ "LocalHost:1", NULL, 0, 403 },
		{ "[::1]:5", "http://[::1]:5", 0, 403 },
		{ "127.0.0.1:5", "http://127.0.0.1:5", 0, 403 },
		{ "127.0.0.1:5", "https://127.0.0.1:5", 403, 403 },
		{ "localhost:5", "http://localhost:6", 403, 403 },
		{ "db1.example", NULL, 403, 0 },
		{ "DB1.example:443", "https://DB1.example:443", 403, 0 },
		{ "192.0.2.7:8", "https://192.0.2.7:8", 403, 0 },
		{ "db1.example:443", "http://db1.example:443", 403, 403 },
		{ "db1.example", "https://evil.example", 403, 403 },
		{ "db1.example", "null", 403, 403 },
		{ "evil.example", NULL, 403, 403 },
		{ "db1.example.evil.example", NULL, 403, 403 },
		{ "localhost.evil.example", NULL, 403, 403 },
		{ "localhost:", NULL, 403, 403 },
		{ "localhost:5x", NULL, 403, 403 },
		{ "[::1", NULL, 403, 403 },
		{ "[::1]x", NULL, 403, 403 },
		{ ":80", NULL, 403, 403 },
		{ "", NULL, 403, 403 },
		{ NULL, NULL, 403, 403 },
	};
	char longest[400];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (decide_host(GUARD_LOOPBACK, NULL, cases[i].host, cases[i].origin) != cases[i].loopback ||
		    decide_host(GUARD_BEYOND, tls, cases[i].host, cases[i].origin) != cases[i].beyond)
			fail_msg("case %zu: %s, %s", i, cases[i].host, cases[i].origin);
	assert_int_equal(decide_host(GUARD_LOOPBACK, tls, "localhost", "https://localhost"), 0);
	assert_int_equal(decide_host(GUARD_LOOPBACK, tls, "localhost", "http://localhost"), 403);
	memset(longest, 'a', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = 0;
	assert_int_equal(decide_host(GUARD_BEYOND, tls, longest, NULL), 403);
	assert_int_equal(decide_host(GUARD_UNIX, NULL, "anything", "http://anywhere"), 0);
}

/* The clients of Prometheus post their questions. */
TEST(posting_under_api_v1_is_reading)
{
	assert_int_equal(decide(GUARD_LOOPBACK, &token, "POST", "/api/v1/query", NULL), 0);
	assert_int_equal(decide(GUARD_LOOPBACK, &token, "DELETE", "/api/v1/query", NULL), 401);
	assert_int_equal(decide(GUARD_LOOPBACK, &token, "POST", "/api/v1/query", "Bearer wrong"), 401);
	assert_int_equal(decide(GUARD_LOOPBACK, &token, "POST", "/ca/annotations", NULL), 401);
	assert_int_equal(decide(GUARD_BEYOND, &token, "GET", "/api/v1/query", NULL), 401);
	assert_int_equal(decide(GUARD_BEYOND, &token, "POST", "/api/v1/query", "Bearer " SECRET), 0);
}

TEST_MAIN_WITH(make_secrets, free_secrets)
