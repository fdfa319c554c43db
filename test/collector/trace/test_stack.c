#include "collector/trace/stack.h"
#include "collector/trace/function_name.h"
#include "collector/core/slice.h"
#include "test/kit/check.h"

#include <stdio.h>

/* ---- names ---- */

static const struct {
	const char *symbol, *name;
} names[] = {
	{ "main", "main" }, { "", "" }, { ".text", ".text" }, { "read_page.isra.0", "read_page" }, { "f.constprop.3.cold", "f" },
	{ "_Z16dispatch_command19enum_server_commandP3THDPcjb", "dispatch_command" },
	{ "_ZN3THD5awakeE13killed_state", "THD::awake" },
	{ "_ZNK3aaa2bb1cEv", "aaa::bb::c" },
	{ "_ZL9parse_sqlP3THD", "parse_sql" },
	{ "_ZN3ha_C1Ev", "ha_::ha_" }, { "_ZN1a3ha_D2Ev", "a::ha_::~ha_" },
	{ "_ZSt9terminatev", "std::terminate" }, { "_ZNSt6thread4joinEv", "std::thread::join" },
	{ "_ZN12_GLOBAL__N_14workEv.part.0", "_GLOBAL__N_1::work" },
	/* Symbols that it does not read stay as they are. */
	{ "_ZN1aIiE1bEv", "_ZN1aIiE1bEv" }, { "_Zpl1aS_", "_Zpl1aS_" }, { "_ZNSt6vectorIiSaIiEE9push_backERKi", "_ZNSt6vectorIiSaIiEE9push_backERKi" },
	{ "_Z", "_Z" }, { "_Z5ab", "_Z5ab" }, { "_ZN3abc", "_ZN3abc" }, { "_ZN", "_ZN" }, { "_Z99999999999999999999a", "_Z99999999999999999999a" },
	{ "_ZC1", "_ZC1" }, { "_ZNE", "_ZNE" }, { "_Z1fIiEvT_", "_Z1fIiEvT_" }, { "_ZSt", "_ZSt" },
	{ "a;b c\n\xc3\xa4", "a?b?c???" },
};

static void names_are_without_arguments(void **state)
{
	char out[64];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		function_name(names[i].symbol, out, sizeof(out));
		assert_string_equal(out, names[i].name);
	}
}

static void a_name_is_cut_to_its_buffer(void **state)
{
	char out[8];

	function_name("a_long_name", out, sizeof(out));
	assert_string_equal(out, "a_long_");
	function_name("_ZN3THD5awakeEv", out, sizeof(out));
	assert_string_equal(out, "THD::aw");
}

/* ---- folding ---- */

static void frames_stand_from_root_to_leaf(void **state)
{
	char out[LABEL_MAX + 1];
	struct stack_text t;

	stack_text_begin(&t, out);
	stack_text_put(&t, "leaf");
	stack_text_put(&t, "-");
	stack_text_put(&t, "main");
	stack_text_end(&t);
	assert_string_equal(out, "main;-;leaf");
	stack_text_begin(&t, out);
	stack_text_end(&t);
	assert_string_equal(out, "");
}

static void unknown_frames_in_a_row_are_one(void **state)
{
	char out[LABEL_MAX + 1];
	struct stack_text t;

	stack_text_begin(&t, out);
	stack_text_put_unknown(&t, "my ;job");
	stack_text_put_unknown(&t, "my ;job");
	stack_text_put(&t, "main");
	stack_text_put_unknown(&t, "my ;job");
	stack_text_end(&t);
	assert_string_equal(out, "[my??job];main;[my??job]");
}

/* Any label fits: it has whole frames from the leaf on. */
static void a_long_label_is_cut_at_the_root(void **state)
{
	for (int round = 0; round < 2000; round++) {
		char out[LABEL_MAX + 1], whole[16384] = "", frame[64], longer[16384];
		size_t n = check_below(64), len;
		struct stack_text t;

		stack_text_begin(&t, out);
		for (size_t i = 0; i < n; i++) {
			snprintf(frame, sizeof(frame), "%.*s%zu", (int)check_below(40), "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopq", i);
			stack_text_put(&t, frame);
			snprintf(longer, sizeof(longer), "%s%s%.8000s", frame, i ? ";" : "", whole);
			strcpy(whole, longer);
		}
		stack_text_end(&t);
		assert_true(strlen(out) <= LABEL_MAX);
		if (strncmp(out, "\xe2\x80\xa6;", 4)) {
			assert_string_equal(out, whole);
			continue;
		}
		len = strlen(out + 4);
		assert_true(strlen(whole) > len && len <= LABEL_MAX - 4);
		assert_string_equal(out + 4, whole + strlen(whole) - len);
		assert_true(!len || whole[strlen(whole) - len - 1] == ';');
	}
}

static void frames_of_every_stack_are_left_out(void **state)
{
	static const char *const entries[] = { "schedule", "__schedule", "entry_SYSCALL_64_after_hwframe", "bpf_prog_0123_offcpu", "_start" };
	static const char *const frames[] = { "schedule_timeout", "main", "do_nanosleep", "io_schedule", "started", "", "kthread" };

	for (size_t i = 0; i < sizeof(entries) / sizeof(*entries); i++)
		assert_true(stack_is_entry(entries[i]));
	for (size_t i = 0; i < sizeof(frames) / sizeof(*frames); i++)
		assert_false(stack_is_entry(frames[i]));
}

static void without_symbols_a_stack_is_its_code(void **state)
{
	char out[LABEL_MAX + 1];

	stacks_label(NULL, STACK_UNKNOWN, out);
	assert_string_equal(out, "unknown");
	stacks_label(NULL, 0x1234, out);
	assert_string_equal(out, "#0000000000001234");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(names_are_without_arguments),
	cmocka_unit_test(a_name_is_cut_to_its_buffer),
	cmocka_unit_test(frames_stand_from_root_to_leaf),
	cmocka_unit_test(unknown_frames_in_a_row_are_one),
	cmocka_unit_test(a_long_label_is_cut_at_the_root),
	cmocka_unit_test(frames_of_every_stack_are_left_out),
	cmocka_unit_test(without_symbols_a_stack_is_its_code),
};

CHECK_MAIN(tests)
