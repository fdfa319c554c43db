#include "collector/d/output/stack_print.h"
#include "collector/d/check/program.h"
#include "test/kit/check.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline, noclone)) int known_function(int n) { return n * 3; }

static __u64 address_of(int (*function)(int)) { return (__u64)(size_t)function; }

TEST(addresses_of_a_process_have_names)
{
	struct d_symbols s = { 0 };
	char text[D_SYMBOL_TEXT];

	assert_string_equal(d_symbols_user(&s, getpid(), address_of(known_function), text), "test_symbols`known_function");
	assert_string_equal(d_symbols_user(&s, getpid(), address_of(known_function) + 2, text), "test_symbols`known_function+0x2");
	assert_string_equal(d_symbols_user(&s, getpid(), 16, text), "0x10");
	assert_non_null(strstr(d_symbols_user(&s, getpid(), (__u64)(size_t)getppid, text), "libc.so.6`"));
	d_symbols_fini(&s);
}

/* A process that was held is known after its end. */
TEST(a_process_that_has_ended_is_known)
{
	struct d_symbols s = { 0 };
	char text[D_SYMBOL_TEXT];
	pid_t pid = fork();
	int status;

	if (!pid) {
		pause();
		_exit(0);
	}
	d_symbols_hold(&s, pid);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_string_equal(d_symbols_user(&s, pid, address_of(known_function), text), "test_symbols`known_function");
	assert_string_equal(d_symbols_user(&s, 0x7fffffff, address_of(known_function), text) + 0, text);
	assert_int_equal(strncmp(text, "0x", 2), 0);
	d_symbols_fini(&s);
}

TEST(a_stack_is_a_line_per_frame_to_the_first_zero)
{
	__u64 words[] = { getpid(), address_of(known_function), 0x10, 0, 0x20 };
	struct d_symbols s = { 0 };
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	d_stack_print(&s, true, words, sizeof(words), out);
	fclose(out);
	assert_string_equal(text, "\n              test_symbols`known_function\n              0x10\n");
	free(text);
	d_symbols_fini(&s);
}

/* A kernel of three functions. */
enum { BPF_GET_STACK = 0x1000, SYS_BPF = 0x2000, VFS_READ = 0x3000 };

static struct d_symbols small_kernel(void)
{
	static const char names[] = "bpf_get_stack\0__sys_bpf\0vfs_read";
	static const struct d_kernel_symbol symbols[] = { { BPF_GET_STACK, 0, 0 }, { SYS_BPF, 14, 0 }, { VFS_READ, 24, 0 } };
	struct d_symbols s = { .kernel = malloc(sizeof(symbols)), .n_kernel = 3, .kernel_text = malloc(sizeof(names)) };

	assert_non_null(s.kernel);
	assert_non_null(s.kernel_text);
	memcpy(s.kernel, symbols, sizeof(symbols));
	memcpy(s.kernel_text, names, sizeof(names));
	return s;
}

/* They depend on the other programs at the same tracepoint, so no row may depend on them. */
TEST(a_stack_of_the_kernel_has_no_frames_of_the_tracing)
{
	static const char printed[] = "\n              vmlinux`vfs_read+0x1\n              vmlinux`__sys_bpf+0x2\n";
	__u64 few[2 + D_TRACING_FRAMES] = { BPF_GET_STACK + 5, VFS_READ + 1, SYS_BPF + 2, VFS_READ + 3, 0 };
	__u64 more[2 + D_TRACING_FRAMES] = { BPF_GET_STACK, BPF_GET_STACK + 1, BPF_GET_STACK + 2, VFS_READ + 1, SYS_BPF + 2, VFS_READ + 3, 0 };
	const __u64 trimmed[2 + D_TRACING_FRAMES] = { VFS_READ + 1, SYS_BPF + 2 };
	struct d_symbols s = small_kernel();
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	d_stack_print(&s, false, more, sizeof(more), out);
	d_stack_trim(&s, few, sizeof(few));
	d_stack_trim(&s, more, sizeof(more));
	assert_memory_equal(few, trimmed, sizeof(trimmed));
	assert_memory_equal(more, trimmed, sizeof(trimmed));
	d_stack_print(&s, false, few, sizeof(few), out);
	fclose(out);
	assert_string_equal(text + strlen(printed), printed);
	text[strlen(printed)] = '\0';
	assert_string_equal(text, printed);
	free(text);
	d_symbols_fini(&s);
}

TEST_MAIN()
