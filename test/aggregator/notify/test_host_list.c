#include "test/kit/check.h"
#include "aggregator/notify/host_list.h"

TEST(hosts_are_found_as_people_write_them)
{
	static const char list[] = "hooks.example.net., 192.0.2.7,[2001:db8::1]";
	static const char *const listed[] = { "hooks.example.net", "HOOKS.example.net.", "192.0.2.7", "[2001:db8::1]", "2001:db8::1" };
	static const char *const others[] = { "example.net", "hooks.example.ne", "hooks.example.net.evil", "192.0.2.70", "", "." };

	for (size_t i = 0; i < sizeof(listed) / sizeof(*listed); i++)
		assert_true(host_list_has(list, listed[i]));
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		assert_false(host_list_has(list, others[i]));
	assert_false(host_list_has("", "hooks.example.net"));
}

TEST(an_invalid_host_makes_a_list_invalid)
{
	static const struct { const char *list; bool valid; } cases[] = {
		{ "hooks.example.net", true }, { "a.example, [::1], 192.0.2.7", true }, { " a.example,", true },
		{ "", false }, { " , ", false }, { "https://a.example/", false }, { "me@a.example", false }, { "*.example", false },
		{ "a.example\n", false }, { "\"a.example\"", false }, { "\xc3\xa9.example", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(host_list_is_valid(cases[i].list), cases[i].valid);
}

TEST_MAIN()
