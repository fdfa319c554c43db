/* stack_load - a program whose stacks are known: built with frame pointers, and it calls the kernel itself.
 *
 *      stack_load SECONDS      sleeps below sleep_outer() and deep(), computes below burn_outer(), in turns
 *
 * deep() is called by itself more often than a label has room for. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>

#define KNOWN __attribute__((noinline, noclone))

static volatile unsigned long sink;

/* libc has no frame pointers: a call through it would hide who made it. */
static long call_kernel(long number, long first, long second, long third, long fourth)
{
#ifdef __x86_64__
	register long r10 __asm__("r10") = fourth;
	long result;

	__asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(first), "S"(second), "d"(third), "r"(r10)
			 : "rcx", "r11", "memory");
	return result;
#elif defined(__aarch64__)
	register long x0 __asm__("x0") = first, x1 __asm__("x1") = second, x2 __asm__("x2") = third,
		 x3 __asm__("x3") = fourth, x8 __asm__("x8") = number;

	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x1), "r"(x2), "r"(x3), "r"(x8) : "memory");
	return x0;
#endif
}

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

KNOWN static void sleep_inner(void)
{
	struct timespec t = { .tv_nsec = 5000000 };

	call_kernel(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, (long)&t, 0);
	sink++;
}

KNOWN static void sleep_middle(void)
{
	sleep_inner();
	sink++;
}

KNOWN static void sleep_outer(void)
{
	sleep_middle();
	sink++;
}

/* gcc gives a function that calls none a frame only if it asks for it. */
KNOWN static void burn_inner(void)
{
	sink += __builtin_frame_address(0) == NULL;
	for (int i = 0; i < 2000000; i++)
		sink++;
}

KNOWN static void burn_outer(void)
{
	burn_inner();
	sink++;
}

KNOWN static void deep(int n)
{
	if (n)
		deep(n - 1);
	else
		sleep_inner();
	sink++;
}

int main(int argc, char **argv)
{
	double end = now_s() + (argc > 1 ? atof(argv[1]) : 1);

	while (now_s() < end) {
		for (int i = 0; i < 10; i++)
			sleep_outer();
		for (int i = 0; i < 5; i++)
			deep(60);
		for (int i = 0; i < 10; i++)
			burn_outer();
	}
	return 0;
}
