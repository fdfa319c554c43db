#include "test/kit/check.h"

#include "aggregator/conf/conf.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

/* Reads a file with this text; the message is in `reason`. */
static int read_text(const char *text, struct conf *conf, char *reason)
{
	char path[] = "/tmp/heatscope-test-XXXXXX";
	int fd = mkstemp(path), err;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	reason[0] = 0;
	err = conf_read(conf, path, reason);
	unlink(path);
	return err;
}

TEST(the_file_overrides_the_defaults_it_speaks_of)
{
	struct conf conf;
	char reason[CONF_REASON_MAX];

	conf_init(&conf);
	assert_int_equal(read_text("# a comment\nlisten: unix:/tmp/x\ncube-slots: 60\nverbose: true\n", &conf, reason), 0);
	assert_string_equal(conf.listen, "unix:/tmp/x");
	assert_int_equal(conf.cube_slots, 60);
	assert_true(conf.verbose);
	assert_false(conf.keep);
	assert_string_equal(conf.socket, "/run/heatscope/ingest.sock");
}

TEST(an_empty_file_changes_nothing)
{
	static struct conf conf, before;
	char reason[CONF_REASON_MAX];

	conf_init(&conf);
	conf_init(&before);
	assert_int_equal(read_text("{}\n", &conf, reason), 0);
	memset(conf.file, 0, sizeof(conf.file));
	assert_memory_equal(&conf, &before, sizeof(conf));
}

TEST(the_file_we_ship_holds_the_defaults)
{
	static const char *const says[] = {		/* which statement, of which table, and why */
		"\"decomposition\":[\"digest\",\"table\"]", "\"latency\",\"cputime\",\"offcpu\",\"age\"", "\"io\",\"futex\",\"net\"", "\"exemplars\":5",
	};
	static struct conf conf, before;
	char path[1024], reason[CONF_REASON_MAX] = "";

	snprintf(path, sizeof(path), "%s/conf/heatscoped.yaml", getenv("srcdir") ? getenv("srcdir") : ".");
	conf_init(&conf);
	conf_init(&before);
	conf.cube_slots = 1;
	conf.max_size = 1;
	strcpy(conf.listen, "127.0.0.1:1");
	if (conf_read(&conf, path, reason))
		fail_msg("%s", reason);
	assert_string_equal(conf.file, path);
	memset(conf.file, 0, sizeof(conf.file));
	assert_int_equal(conf.n_instrumentations, 1);
	assert_string_equal(conf.instrumentation[0].name, "queries");
	for (size_t i = 0; i < sizeof(says) / sizeof(*says); i++)
		assert_non_null(strstr(conf.instrumentation[0].request, says[i]));
	memset(conf.instrumentation, 0, sizeof(conf.instrumentation));
	conf.n_instrumentations = 0;
	assert_memory_equal(&conf, &before, sizeof(conf));
}

#define REPORT(more) "reports:\n- {name: a, every: 1d, instrumentations: [q]" more "}\n"
#define INST "instrumentations:\n- {name: q, module: a, stat: b}\n"

/* A file, and a part of its message. */
static const struct {
	const char *text, *reason;
} wrong[] = {
	{ "cube-slots: many\n", ": line 1: value \"many\" for \"cube-slots\" is invalid: must be a number" },
	{ "verbose: true\ncube-slots: 0\n", ": line 2: value \"0\" for \"cube-slots\" is invalid" },
	{ "cube-slots: 4000000\n", "value \"4000000\" for \"cube-slots\" is invalid" },
	{ "cube-slots: 5\nverbose: maybe\n", ": line 2: value \"maybe\" for \"verbose\" is invalid: must be true or false" },
	{ "keep: [true]\n", ": line 1: keep must be true or false, not a list" },
	{ "verbose: true\n\n# \303\266\nlisten: a\377b\n", ": line 4: invalid leading UTF-8 octet" },
	{ "keep: true\nlisten: \303", ": line 2: incomplete UTF-8 octet sequence" },
	{ "verbose: true\nlisten: nowhere\n", ": line 2: \"nowhere\" is not an address" },
	{ "api-socket: ''\n", ": line 1: api-socket is empty" },
	{ "port: 80\n", ": line 1: unknown key port" },
	{ "verbose: true\n\n# a comment\nlissten: x\nkeep: true\n", ": line 4: unknown key lissten" },
	{ "listen: [1, 2]\n", ": line 1: listen must be a text, not a list" },
	{ "\nlisten: ''\n", ": line 2: listen is empty" },
	{ "- a\n", ": line 1: the file must be keys with values, not a list" },
	{ "keep: true\nlisten: \"\n", ": line 3: found unexpected end of stream" },
	{ "keep: true\n\tlisten: x\n", ": line 2: found a tab character" },
	{ "verbose: true\n\nverbose: false\n", ": line 3: the key verbose is given twice" },
	{ "listen: &a x\nsocket: *b\n", ": line 2: found undefined alias" },
	{ "? [a]\n: b\n", ": line 1: a key must be a single word" },
	{ "keep: true\n\"a\\e[2J\": 1\n", ": line 2: unknown key a?[2J" },
	{ "max-size: 10 XB\n", ": line 1: value \"10 XB\" for \"max-size\" is invalid" },
	{ "max-size: 1 MB\n", "at least 32 MB" },
	{ "max-size: -5 GB\n", "max-size" },
	{ "instrumentations: 5\n", ": line 1: instrumentations must be a list, not a single value" },
	{ "instrumentations:\n- module: mysql\n", ": line 2: the key stat is missing" },
	{ "instrumentations:\n- {module: a, stat: b}\n\n- module: mysql\n  keys: 5\n", ": line 4: the key stat is missing" },
	{ "keep: true\ninstrumentations:\n- module: mysql\n  stat: queries\n  keep: true\n", ": line 5: unknown key keep" },
	{ "instrumentations:\n- module: mysql\n  stat: queries\n  idle-max: 5\n", ": line 4: unknown key idle-max" },
	{ "instrumentations:\n- {module: a, stat: b, granularity: x}\n", ": line 2: value \"x\" for \"granularity\" is invalid" },
	{ "instrumentations:\n- {module: a, stat: b, tiers: [60, q]}\n", ": line 2: value \"q\" for \"tiers\" is invalid" },
	{ "instrumentations:\n- {module: a, stat: b, tiers: [1, 2, 3]}\n", ": line 2: tiers has too many entries: at most 2" },
	{ "verbose: true\ninstrumentations:\n# one\n- module: mysql\n  stat: queries\n\n- module: mysql\n  stat: pages\n"
	  "  retention-time: 5\n", "the instrumentation at line 7: value \"5\" for field \"retention-time\" is invalid: minimum is 10" },
	{ "instrumentations:\n- {module: a, stat: b, granularity: 0.3}\n", "line 2: value \"0.3\" for field \"granularity\"" },
	{ "instrumentations:\n- {module: a, stat: b, tiers: [60]}\n", ": line 2: tiers has too few entries: 1, not 2" },
	{ "instrumentations:\n- {module: a, stat: b, retention-time: 600, tiers: [60, 60]}\n", "line 2: value \"60\" for field \"tiers\"" },
	{ "instrumentations:\n- {module: a, stat: b, predicate: '{'}\n", "line 2: " },
	{ "instrumentations:\n- {module: a, stat: b}\n- {name: x, module: a, stat: b}\n- {name: x, module: a, stat: c}\n",
	  "line 4: line 3 has one with the name \"x\" already" },
	{ "page-url: example.net\n", "line 1: page-url: not a URL that can be used: it must be like https://example.net/hook" },
	{ "page-url: https://ann:secret@example.net/\n", "line 1: page-url: it has a user or a password" },
	{ "keep: true\nwebhook-hosts: http://a/\n", ": line 2: value \"http://a/\" for \"webhook-hosts\" is invalid: hosts with commas" },
	{ "webhook-hosts: ', '\n", "for \"webhook-hosts\" is invalid" },
	{ "webhook-hosts: 'ann:secret@host'\n", "value \"...\" for" },
	{ "webhooks:\n- {name: a}\n", ": line 2: the key url is missing" },
	{ "webhooks:\n- {name: a, url: 'ftp://x/'}\n", "the webhook at line 2: not a URL that can be used" },
	{ "webhooks:\n- {name: a, url: 'http://'}\n", "not a URL" },
	{ "webhooks:\n- {name: a, url: 'https:///x'}\n", "not a URL" },
	{ "webhooks:\n- {name: a, url: 'http://a b/'}\n", "not a URL" },
	{ "webhooks:\n- {name: a, url: \"http://a/\\nX: y\"}\n", "not a URL" },
	{ "webhooks:\n- {name: a, url: 'http://x/', timeout: 61}\n", "value \"61\" for \"timeout\" is invalid: 1 to 60 seconds" },
	{ "webhooks:\n- {name: a, url: 'http://x/', picture: 7}\n", "value \"7\" for \"picture\" is invalid: must be true or false" },
	{ "webhooks:\n- {name: a, url: 'http://x/'}\n- {name: a, url: 'http://y/'}\n", "the webhook at line 3: line 2 has one with the name" },
	{ "alerts:\n- {name: a, percentile: 0.5, above: 5}\n", ": line 2: the key instrumentation is missing" },
	{ "alerts:\n- {name: a, instrumentation: q, percentile: 0.5, above: 5}\n",
	  "the alert at line 2: there is no \"q\" under `instrumentations`" },
	{ INST "alerts:\n- {name: a, instrumentation: q, shape: yes, webhook: ops}\n", "the alert at line 4: there is no \"ops\" under `webhooks`" },
	{ INST "alerts:\n- {name: a, instrumentation: q, percentile: 0.5}\n", "the alert at line 4: it needs \"above\"" },
	{ INST "alerts:\n- {name: a, instrumentation: q, percentile: 0.5, above: 5 weeks}\n", "\"weeks\" is not a unit of the measure" },
	{ INST "alerts:\n- {name: a, instrumentation: q, percentile: 2, above: 5}\n", "\"percentile\" is invalid" },
	{ INST "alerts:\n- {name: a, instrumentation: q, shape: yes}\n- {name: a, instrumentation: q, shape: yes}\n",
	  "the alert at line 5: line 4 has one with the name \"a\" already" },
	{ "export:\n- {instrumentation: q}\n", "the export at line 2: there is no \"q\" under `instrumentations`" },
	{ INST "export:\n- {instrumentation: q, keys: 0}\n", "the export at line 4: value \"0\" for \"keys\" is invalid: 1 to 1000" },
	{ INST "export:\n- {instrumentation: q, schema: 5}\n", "the export at line 4: value \"5\" for \"schema\" is invalid: 0 to 4" },
	{ INST "export:\n- {instrumentation: q}\n- {instrumentation: q}\n", "the export at line 5: line 4 has one with the name \"q\" already" },
	{ INST "export:\n- {instrumentation: q, measure: latency}\n", "measure" },
	{ "otlp: {encoding: json}\n", "endpoint is missing" },
	{ "otlp: {endpoint: localhost}\n", "otlp at line 1: not a URL that can be used: it must be like https://example.net/hook" },
	{ "keep: true\notlp: {endpoint: 'http://a/', encoding: xml}\n", "otlp at line 2: value \"xml\" for \"encoding\" is invalid: protobuf or json" },
	{ "otlp: {endpoint: 'http://a/', compression: zip}\n", "value \"zip\" for \"compression\" is invalid: gzip or none" },
	{ "otlp: {endpoint: 'http://a/', temporality: both}\n", "value \"both\" for \"temporality\" is invalid: cumulative or delta" },
	{ "otlp: {endpoint: 'http://a/', interval: 0}\n", "value \"0\" for \"interval\" is invalid: 1 to 3600 seconds" },
	{ "otlp: {endpoint: 'http://a/', timeout: 61}\n", "value \"61\" for \"timeout\" is invalid: 1 to 60 seconds" },
	{ "otlp: {endpoint: 'http://a/', instance: a b}\n", "the value for \"instance\" is invalid: printable ASCII without spaces" },
	{ "reports:\n- {name: a, every: 1d}\n", ": line 2: the key instrumentations is missing" },
	{ INST REPORT(", to: /r, format: doc"), "the report at line 4: value \"doc\" for \"format\" is invalid: must be one of: png pdf svg html csv json" },
	{ INST REPORT(", to: /r, format: pn"), "\"format\" is invalid" },
	{ INST REPORT(""), "the report at line 4: it has no destination" },
	{ INST REPORT(", to: reports"), "from / on" },
	{ INST REPORT(", webhook: ops"), "there is no \"ops\" under `webhooks`" },
	{ INST REPORT(", to: /r, keep: 0"), "\"keep\" is invalid" },
	{ INST REPORT(", to: /r, range: 5"), "\"range\" is invalid: like 90min" },
	{ INST REPORT(", to: /r, range: 0h"), "\"range\" is invalid" },
	{ INST REPORT(", to: /r, range: -5d"), "\"range\" is invalid" },
	{ INST REPORT(", to: /r, at: '25:00'"), "value \"25:00\" for \"at\" is invalid" },
	{ INST "reports:\n- {name: a, every: 1d, instrumentations: [q, x], to: /r}\n", "there is no \"x\" under `instrumentations`" },
	{ INST "reports:\n- {name: a, every: 1d, instrumentations: [], to: /r}\n", "instrumentations has too few entries" },
	{ INST "reports:\n- {name: ../a, every: 1d, instrumentations: [q], to: /r}\n", "its name is part of files' names" },
	{ INST REPORT(", to: /r") "- {name: a, every: 1h, instrumentations: [q], to: /r}\n", "the report at line 5: line 4 has one with the name" },
	{ INST "- {name: q-r, module: a, stat: c}\n- {name: r, module: a, stat: d}\nreports:\n- {name: b-q, every: 1d, instrumentations: [q, r], to: /r/}\n"
	  "- {name: b, every: 1h, instrumentations: [q, q-r], to: /r}\n",
	  "the report at line 7: the file of \"q-r\" in \"b\" has the same name as that of \"r\" in \"b-q\"" },
	{ INST REPORT(", to: /r") "- {name: ü, every: 1h, instrumentations: [q], to: /r}\n- {name: ö, every: 1h, instrumentations: [q], to: /r}\n",
	  "the report at line 6: the file of \"q\" in \"ö\" has the same name as that of \"q\" in \"ü\"" },
	{ INST "reports:\n- {name: a, every: 1d, instrumentations: [q, q], to: /r}\n", "the file of \"q\" in \"a\" has the same name as that" },
};

TEST(an_error_is_named_and_changes_nothing)
{
	static struct conf conf, before;
	char reason[CONF_REASON_MAX];

	conf_init(&before);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		conf_init(&conf);
		assert_int_equal(read_text(wrong[i].text, &conf, reason), -EINVAL);
		if (strncmp(reason, "/tmp/heatscope-test-", 20) || !strstr(reason, wrong[i].reason))
			fail_msg("it says \"%s\", not \"%s\"", reason, wrong[i].reason);
		assert_memory_equal(&conf, &before, sizeof(conf));
	}
}

TEST(a_folder_is_no_configuration)
{
	static struct conf conf;
	char reason[CONF_REASON_MAX];

	conf_init(&conf);
	assert_int_equal(conf_read(&conf, "/tmp", reason), -EINVAL);
	assert_string_equal(reason, "/tmp is a folder, not a file");
}

TEST(possible_secrets_are_not_in_messages)
{
	static const char *const urls[] = { "ftp://x/T0KEN", "https://x/T0KEN a", "https:///T0KEN", "[T0KEN, a]", "{T0KEN: a}" };
	static struct conf conf;
	char text[200], reason[CONF_REASON_MAX];

	for (size_t i = 0; i < sizeof(urls) / sizeof(*urls); i++) {
		conf_init(&conf);
		snprintf(text, sizeof(text), "webhooks:\n- name: a\n  url: %s\n", urls[i]);
		assert_int_equal(read_text(text, &conf, reason), -EINVAL);
		if (strstr(reason, "T0KEN"))
			fail_msg("it says \"%s\"", reason);
	}
}

TEST(instrumentations_become_requests)
{
	static struct conf conf;
	char reason[CONF_REASON_MAX];

	conf_init(&conf);
	if (read_text("max-size: 500 MiB\ninstrumentations:\n\n  - module: mysql\n    stat: queries\n    decomposition: [statement, command]\n"
		      "    measures: [latency, cputime]\n    granularity: 0.5\n    retention-time: 600\n    tiers: [1000, 2000]\n"
		      "    predicate: '{\"eq\": [\"command\", \"query\"]}'\n  - {name: short, module: disk, stat: physio_ops, keys: 5, ruler-bits: 3, exemplars: 7}\n",
		      &conf, reason))
		fail_msg("%s", reason);
	assert_int_equal(conf.max_size, 500 << 20);
	assert_int_equal(conf.n_instrumentations, 2);
	assert_string_equal(conf.instrumentation[0].name, "mysql.queries by statement, command");
	assert_int_equal(conf.instrumentation[0].line, 4);
	assert_string_equal(conf.instrumentation[0].request, "{\"module\":\"mysql\",\"stat\":\"queries\",\"decomposition\":[\"statement\",\"command\"],"
			    "\"measures\":[\"latency\",\"cputime\"],\"granularity\":0.5,\"retention-time\":600,\"tiers\":[1000,2000],"
			    "\"predicate\":\"{\\\"eq\\\": [\\\"command\\\", \\\"query\\\"]}\"}");
	assert_string_equal(conf.instrumentation[1].name, "short");
	assert_int_equal(conf.instrumentation[1].line, 12);
	assert_non_null(strstr(conf.instrumentation[1].request, "\"ruler-bits\":3,\"keys\":5,\"exemplars\":7"));
}

TEST(alerts_name_their_instrumentation_and_webhook)
{
	static struct conf conf;
	char reason[CONF_REASON_MAX];

	conf_init(&conf);
	if (read_text(INST "page-url: https://heat.example\nwebhooks:\n- name: ops\n  url: https://hooks.example/T0/B1?x=y\n  token-file: /etc/t\n"
		      "- {name: chat, url: 'http://[::1]:8080/', picture: no, timeout: 3}\n"
		      "alerts:\n- {name: slow, instrumentation: q, percentile: 0.99, above: 100ms, key: select, window: 5, for: 2, webhook: ops}\n"
		      "- {name: odd, instrumentation: q, shape: true, measure: size}\n", &conf, reason))
		fail_msg("%s", reason);
	assert_string_equal(conf.page_url, "https://heat.example");
	assert_int_equal(conf.n_webhooks, 2);
	assert_string_equal(conf.webhook[0].url, "https://hooks.example/T0/B1?x=y");
	assert_string_equal(conf.webhook[0].token_file, "/etc/t");
	assert_true(conf.webhook[0].picture && conf.webhook[0].timeout_s == 10);
	assert_true(!conf.webhook[1].picture && conf.webhook[1].timeout_s == 3 && conf.webhook[1].line == 8);
	assert_int_equal(conf.n_alerts, 2);
	assert_string_equal(conf.alert[0].instrumentation, "q");
	assert_string_equal(conf.alert[0].request, "{\"name\":\"slow\",\"key\":\"select\",\"webhook\":\"ops\",\"percentile\":0.98999999999999999,"
			    "\"above\":\"100ms\",\"window\":5,\"for\":2}");
	assert_string_equal(conf.alert[1].request, "{\"name\":\"odd\",\"measure\":\"size\",\"shape\":true}");
	assert_int_equal(conf.alert[1].line, 11);
}

TEST(reports_say_when_and_where_to)
{
	static struct conf conf;
	char reason[CONF_REASON_MAX];

	conf_init(&conf);
	if (read_text(INST "reports:\n- {name: nightly, every: 1d, at: '06:00', instrumentations: [q], to: /var/r, keep: 30}\n"
		      "- {name: ö, every: 1h, instrumentations: [q], to: /var/r}\n- {name: ü, every: 1h, instrumentations: [q], to: /var/s}\n"
		      "- {name: ä, every: 1h, instrumentations: [q], to: /var/r, format: png}\n"
		      "- name: weekly\n  every: 1w\n  range: 2w\n  instrumentations: [q, q]\n  format: html\n  webhook: ops\n"
		      "webhooks:\n- {name: ops, url: 'http://x/'}\n", &conf, reason))
		fail_msg("%s", reason);
	assert_int_equal(conf.n_reports, 5);
	assert_true(conf.report[0].when.every_min == 1440 && conf.report[0].when.at_min == 360 && !conf.report[0].range_s);
	assert_string_equal(conf.report[0].to, "/var/r");
	assert_string_equal(conf.report[0].format, "pdf");
	assert_int_equal(conf.report[0].keep, 30);
	assert_int_equal(conf.report[4].line, 8);
	assert_int_equal(conf.report[4].range_s, 1209600);
	assert_int_equal(conf.report[4].n_instrumentations, 2);
	assert_string_equal(conf.report[4].format, "html");
	assert_string_equal(conf.report[4].webhook, "ops");
}

TEST(sizes_may_have_units)
{
	static const struct { const char *text; unsigned long long bytes; } cases[] = {
		{ "none", 0 }, { "32000000", 32000000 }, { "1.5 GB", 1500000000 }, { "64MB", 64000000 }, { "1 GiB", 1 << 30 },
		{ "2 TB", 2000000000000 },
	};
	static struct conf conf;
	char reason[CONF_REASON_MAX];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(conf_set_size(&conf, cases[i].text, reason), 0);
		assert_true(conf.max_size == cases[i].bytes);
	}
}

TEST(webhook_hosts_are_hosts_with_commas_between)
{
	struct conf conf;
	char reason[CONF_REASON_MAX];

	conf_init(&conf);
	assert_string_equal(conf.webhook_hosts, "");
	assert_int_equal(conf_set_hosts(&conf, "hooks.example.net., 192.0.2.7,[2001:db8::1]", reason), 0);
	assert_string_equal(conf.webhook_hosts, "hooks.example.net., 192.0.2.7,[2001:db8::1]");
	assert_int_equal(conf_set_hosts(&conf, "https://hooks.example.net/", reason), -EINVAL);
	assert_non_null(strstr(reason, "\"webhook-hosts\" is invalid"));
}

TEST(a_file_that_is_missing_is_named)
{
	struct conf conf;
	char reason[CONF_REASON_MAX];

	conf_init(&conf);
	assert_int_equal(conf_read(&conf, "/nonexistent.yaml", reason), -ENOENT);
	assert_string_equal(reason, "/nonexistent.yaml cannot be read: No such file or directory");
}

TEST_MAIN()
