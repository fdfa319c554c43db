#include "collector/segment.h"
#include "test/kit/sample_kit.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

static void append(struct segment *g, const char *text)
{
	struct bytes frame = { 0 };

	frame_put(&frame, FRAME_BATCH, text, strlen(text));
	assert_int_equal(segment_append(g, &frame), 0);
	bytes_fini(&frame);
}

static void assert_texts(const struct segment *g, const char *const *text, size_t n)
{
	struct bytes buffer = { 0 };
	struct frame f;
	__u64 at = 0;
	long len;

	for (size_t i = 0; i < n; i++, at += (__u64)len) {
		len = segment_frame(g, at, &buffer, &f);
		assert_true(len > 0);
		assert_int_equal(f.len, strlen(text[i]));
		assert_memory_equal(f.data, text[i], f.len);
	}
	assert_int_equal(at, segment_len(g));
	assert_int_equal(segment_frame(g, at, &buffer, &f), -EBADMSG);
	bytes_fini(&buffer);
}

static const char *const texts[] = { "one", "", "three" };

TEST(frames_are_read_where_they_were_appended)
{
	struct segment g;

	for (int on_disk = 0; on_disk < 2; on_disk++) {
		unlink(sample_path("segment"));
		segment_init(&g);
		if (on_disk)
			assert_int_equal(segment_open(&g, sample_path("segment")), 0);
		for (int i = 0; i < 3; i++)
			append(&g, texts[i]);
		assert_int_equal(g.tail.len != 0, !on_disk);
		assert_texts(&g, texts, 3);
		segment_close(&g);
	}
	assert_int_equal(segment_open(&g, sample_path("segment")), 0);
	assert_texts(&g, texts, 3);
	segment_cut(&g, FRAME_HEAD + 3);
	assert_texts(&g, texts, 1);
	segment_close(&g);
}

TEST(bytes_that_the_disk_refuses_stay_in_memory_and_in_order)
{
	struct rlimit old, small;
	struct segment g;

	signal(SIGXFSZ, SIG_IGN);
	unlink(sample_path("segment"));
	assert_int_equal(segment_open(&g, sample_path("segment")), 0);
	append(&g, texts[0]);
	getrlimit(RLIMIT_FSIZE, &old);
	small = old;
	small.rlim_cur = 25;
	setrlimit(RLIMIT_FSIZE, &small);
	append(&g, texts[1]);
	assert_int_equal(g.file_err, -EFBIG);
	setrlimit(RLIMIT_FSIZE, &old);
	append(&g, texts[2]);
	assert_int_equal(g.file_len, FRAME_HEAD + 3);
	assert_texts(&g, texts, 3);
	segment_close(&g);
	assert_int_equal(segment_open(&g, sample_path("segment")), 0);
	assert_texts(&g, texts, 3);
	segment_close(&g);
}

TEST(room_in_memory_is_bounded)
{
	struct segment g;

	segment_init(&g);
	assert_true(segment_fits(&g, SEGMENT_MEMORY, 1ull << 40));
	assert_false(segment_fits(&g, SEGMENT_MEMORY + 1, 1ull << 40));
	assert_false(segment_fits(&g, 101, 100));
	append(&g, "x");
	assert_false(segment_fits(&g, SEGMENT_MEMORY, 1ull << 40));
	segment_close(&g);
}

TEST(refuses_a_locked_file_and_other_kinds_of_files)
{
	struct segment g, other;

	assert_int_equal(segment_open(&g, sample_path("segment")), 0);
	assert_int_equal(segment_open(&other, sample_path("segment")), -EBUSY);
	segment_close(&g);
	assert_int_equal(segment_open(&other, "/dev/null"), -EINVAL);
	assert_int_equal(segment_open(&other, "/tmp"), -EISDIR);
	unlink(sample_path("link"));
	assert_int_equal(symlink("/dev/null", sample_path("link")), 0);
	assert_int_equal(segment_open(&other, sample_path("link")), -ELOOP);
}

static int clean(void **state)
{
	static const char *const name[] = { "segment", "link" };

	sample_clean(name, 2);
	return 0;
}

TEST_MAIN_WITH(NULL, clean)
