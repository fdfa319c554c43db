#include "render/draw/memory.h"
#include "test/kit/check.h"
#include <linux/types.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>

#define MB (1u << 20)

static long faults(void)
{
	struct rusage use;

	getrusage(RUSAGE_SELF, &use);
	return use.ru_minflt;
}

/* Allocates the memory of a figure, and writes to all of it. */
static void picture(void)
{
	__u8 *part[4];

	for (int i = 0; i < 4; i++) {
		part[i] = malloc((i + 1) * MB);
		assert_non_null(part[i]);
		memset(part[i], 1, (i + 1) * MB);
	}
	for (int i = 0; i < 4; i++)
		free(part[i]);
}

static void *pictures(void *arg)
{
	long *ret_faults = arg, before;

	picture();
	before = faults();
	for (int i = 0; i < 10; i++)
		picture();
	*ret_faults = faults() - before;
	return NULL;
}

/* In the main thread and in another one with its own arena: 10 MB would be 2,560 faults each time. */
TEST(the_second_picture_maps_nothing)
{
	pthread_t thread;
	long here, there;

	(void)state;
	memory_keep();
	pictures(&here);
	assert_int_equal(pthread_create(&thread, NULL, pictures, &there), 0);
	pthread_join(thread, NULL);
	assert_in_range(here, 0, 500);
	assert_in_range(there, 0, 500);
}

TEST_MAIN()
