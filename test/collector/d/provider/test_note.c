#include "collector/d/provider/note.h"
#include "test/kit/check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static int open_source(const char *path)
{
	const char *source = getenv("srcdir");
	char text[512];
	int fd;

	snprintf(text, sizeof(text), "%s/%s", source ? source : ".", path);
	fd = open(text, O_RDONLY);
	assert_true(fd >= 0);
	return fd;
}

static int on_note(void *context, const struct d_note *n)
{
	unsigned *count = context;

	assert_string_equal(n->provider, "demo");
	assert_string_equal(n->name, "work__done");
	assert_string_equal(n->arguments, "-4@%edi 8@%rsi");
	assert_int_equal(n->semaphore, 0);
	assert_in_range(n->address, 0x400000, 0x500000);
	++*count;
	return 7;
}

/* A program with one probe, as sys/sdt.h makes it. */
TEST(notes_have_their_texts)
{
	int fd = open_source("test/fuzz/corpus/d_note/demo");
	unsigned count = 0;

	assert_int_equal(d_notes_each(fd, on_note, &count), 7);
	assert_int_equal(count, 1);
	close(fd);
}

TEST(files_without_notes_are_told_apart)
{
	int fd = open_source("test/fuzz/corpus/d_note/cut");
	unsigned count = 0;

	assert_int_equal(d_notes_each(fd, on_note, &count), -EBADMSG);
	close(fd);
	fd = open("/proc/self/exe", O_RDONLY);
	assert_int_equal(d_notes_each(fd, on_note, &count), -ENOENT);
	close(fd);
	assert_int_equal(count, 0);
}

TEST_MAIN()
