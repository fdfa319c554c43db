#include "collector/d/provider/provider.h"
#include "test/kit/check.h"

#include <errno.h>

struct provider_case {
	struct d_arena arena;
	struct d_probes all;
	char reason[D_PROVIDER_REASON_MAX];
};

static void begin(struct provider_case *c)
{
	*c = (struct provider_case){ .arena = { .most = 16u << 20 } };
	assert_int_equal(d_probes_init(&c->all, &c->arena), 0);
}

static void end(struct provider_case *c)
{
	d_probes_fini(&c->all);
	d_arena_fini(&c->arena);
}

/* Returns how many probes match, after the provider has added its own. */
static unsigned add(struct provider_case *c, const struct d_provider *p, const char *description)
{
	struct d_description d;
	unsigned n = 0;

	assert_true(d_description_parse(description, &d));
	assert_int_equal(p->add(&c->all, &d, c->reason), 0);
	for (size_t i = 0; i < c->all.n; i++)
		n += d_probe_matches(c->all.probe[i], &d);
	return n;
}

TEST(rates_have_units)
{
	static const struct {
		const char *name;
		__u64 ns;
	} rows[] = {
		{ "tick-1s", 1000000000 }, { "tick-10ms", 10000000 }, { "profile-997", 1003009 }, { "profile-97hz", 10309278 }, { "tick-200us", 200000 },
		{ "tick-5m", 300000000000 }, { "profile:::tick-2sec", 2000000000 }, { "tick-1d", 86400000000000 },
	};
	struct provider_case c;

	begin(&c);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(add(&c, &d_provider_profile, rows[i].name), 1);
		assert_int_equal(c.all.probe[c.all.n - 1]->detail, rows[i].ns);
		assert_int_equal(add(&c, &d_provider_profile, rows[i].name), 1);	/* it is there */
	}
	assert_int_equal(c.all.n, 3 + sizeof(rows) / sizeof(*rows));
	assert_int_equal(add(&c, &d_provider_profile, "tick-*"), 6);			/* only those that are there */
	assert_int_equal(add(&c, &d_provider_profile, "syscall:::tick-7s"), 0);
	end(&c);
}

TEST(refuses_rates)
{
	static const char *const rows[] = { "tick-1x", "tick-0s", "profile-10000", "tick-100us", "tick-", "tick-99999999d", "tick--1s" };
	struct provider_case c;
	struct d_description d;

	begin(&c);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_true(d_description_parse(rows[i], &d));
		assert_int_equal(d_provider_profile.add(&c.all, &d, c.reason), -EINVAL);
		assert_non_null(strstr(c.reason, rows[i]));
	}
	end(&c);
}

TEST(system_calls_have_entry_and_return)
{
	struct provider_case c;

	begin(&c);
	assert_int_equal(add(&c, &d_provider_syscall, "syscall::read:entry"), 1);
	assert_int_equal(add(&c, &d_provider_syscall, "syscall::read:"), 2);
	assert_int_equal(add(&c, &d_provider_syscall, "syscall::nosuch:"), 0);
	assert_in_range(add(&c, &d_provider_syscall, "syscall:::entry"), 300, 500);
	assert_int_equal(add(&c, &d_provider_syscall, "syscall:::entry"), add(&c, &d_provider_syscall, "syscall:::return"));
	assert_int_equal(add(&c, &d_provider_syscall, "profile:::"), 0);
	end(&c);
}

TEST_MAIN()
