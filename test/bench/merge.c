/* bench_merge - how fast histograms are added: N sources into one, dense and as sparse as they travel.
 *
 *      bench_merge SOURCES ROUNDS
 *
 * Prints "what bytes histograms seconds" lines, one of each kind per round:
 *      memory   reads as many bytes as `dense` and adds them up, u64 by u64: the bandwidth
 *      dense    hist_add() of histograms with every cell in memory
 *      sparse   hist_decode_add() of their bytes as they travel, 60 cells each, as cube and query do
 */
#include "collector/core/hist.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SPARSE_CELLS 60

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

struct sources {
	size_t n;
	__u64 ruler, n_cells;
	struct hist *hist;		/* n; their cells lie one after another */
	__u64 *cells;
	struct bytes *sparse;		/* n */
};

static int sources_make(struct sources *s, size_t n)
{
	__u64 random = 88172645463325252ull;
	size_t i;
	int j, err = 0;

	s->n = n;
	s->ruler = RULER(UNIT_NS, 5, 10, 39);
	s->n_cells = ruler_cells(s->ruler);
	s->hist = calloc(n, sizeof(*s->hist));
	s->sparse = calloc(n, sizeof(*s->sparse));
	s->cells = calloc(n * s->n_cells, sizeof(*s->cells));
	if (!s->hist || !s->sparse || !s->cells)
		return -ENOMEM;
	for (i = 0; !err && i < n; i++) {
		struct hist *h = &s->hist[i];

		hist_init(h, s->ruler);
		free(h->cell);
		h->cell = s->cells + i * s->n_cells;
		for (j = 0; j < 500; j++) {	/* some 60 cells around two modes */
			random ^= random << 13, random ^= random >> 7, random ^= random << 17;
			hist_record(h, (j % 10 ? 40000 : 9000000) + (random & 0x7fff), 1);
		}
		hist_encode(h, &s->sparse[i]);
		err = s->sparse[i].err;
	}
	return err;
}

static void print(const char *what, double bytes, const struct sources *s, double seconds)
{
	printf("%s %.0f %zu %.9f\n", what, bytes, s->n, seconds);
}

static void round_once(const struct sources *s, struct hist *sum)
{
	double start = now_s(), bytes = (double)s->n * s->n_cells * 8, sparse = 0;
	volatile __u64 keep;
	__u64 total = 0;
	size_t i;

	for (i = 0; i < s->n * s->n_cells; i++)
		total += s->cells[i];
	keep = total;
	print("memory", bytes, s, now_s() - start);
	start = now_s();
	for (i = 0; i < s->n; i++)
		hist_add(sum, &s->hist[i]);
	print("dense", bytes, s, now_s() - start);
	start = now_s();
	for (i = 0; i < s->n; i++) {
		hist_decode_add(sum, s->ruler, s->sparse[i].data, s->sparse[i].len);
		sparse += s->sparse[i].len;
	}
	print("sparse", sparse, s, now_s() - start);
	(void)keep;
}

int main(int argc, char **argv)
{
	size_t n = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
	int rounds = argc == 3 ? atoi(argv[2]) : 0;
	struct sources s = { 0 };
	struct hist sum;

	if (!n || rounds < 1) {
		fprintf(stderr, "usage: bench_merge SOURCES ROUNDS\n");
		return 2;
	}
	if (sources_make(&s, n) || hist_init(&sum, s.ruler)) {
		fprintf(stderr, "bench_merge: no memory\n");
		return 1;
	}
	while (rounds--)
		round_once(&s, &sum);
	return 0;
}
