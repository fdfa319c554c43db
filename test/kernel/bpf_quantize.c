/* bpf_quantize - kernel and host put every value into the same bucket.
 *
 * Every edge, the value before it and the one after it, of rulers with 0..7 bits, by
 * BPF_PROG_TEST_RUN.  Needs root and BTF; skipped (77) without. */
#include "collector/core/quantize.h"
#include "test/kernel/bpf_quantize.skel.h"

#include <bpf/bpf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define N_VALUES 4096

static struct bpf_quantize_bpf *bpf;
static __u64 n_compared, n_wrong;

static int run(__u64 ruler, const __u64 *value, __u32 n)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	__u32 i;
	int err;

	bpf->bss->ruler = ruler;
	bpf->bss->n_values = n;
	memcpy(bpf->bss->value, value, n * sizeof(*value));
	memset(bpf->bss->cell, 0xff, sizeof(bpf->bss->cell));
	err = bpf_prog_test_run_opts(bpf_program__fd(bpf->progs.quantize), &opts);
	for (i = 0; !err && i < n; i++) {
		n_compared++;
		n_wrong += bpf->bss->cell[i] != ruler_cell(ruler, value[i]);
	}
	return err;
}

static int compare(__u64 ruler)
{
	static __u64 value[N_VALUES];
	__u32 cell, n = 0;
	int err = 0;

	for (cell = 0; !err && cell < ruler_cells(ruler); cell++) {
		__u64 edge = ruler_first(ruler, cell);

		value[n++] = edge ? edge - 1 : ~0ull;
		value[n++] = edge;
		value[n++] = edge + 1;
		value[n++] = ruler_last(ruler, cell);
		if (n + 4 > N_VALUES || cell + 1 == ruler_cells(ruler)) {
			err = run(ruler, value, n);
			n = 0;
		}
	}
	return err;
}

int main(void)
{
	static const __u32 range[][2] = { { 10, 39 }, { 7, 63 }, { 20, 30 } };
	__u32 bits, i;
	int err = 0, n_tests = 0, n_failed = 0;

	if (geteuid() || access("/sys/kernel/btf/vmlinux", R_OK)) {
		printf("1..0 # SKIP needs root and BTF\n");
		return 77;
	}
	bpf = bpf_quantize_bpf__open_and_load();
	if (!bpf) {
		printf("Bail out! the program cannot be loaded\n");
		return 99;
	}
	for (bits = 0; bits <= RULER_BITS_MAX; bits++) {
		n_wrong = n_compared = 0;
		for (i = 0; !err && i < sizeof(range) / sizeof(*range); i++)
			err = compare(RULER(UNIT_NS, bits, range[i][0], range[i][1]));
		if (!err)
			err = compare(RULER(UNIT_NS, bits, bits, 63));
		if (!err)
			err = compare(RULER_OF(RULER_LINEAR_START, UNIT_NONE, bits, bits + 3, 40));
		n_failed += err || n_wrong || !n_compared;
		printf("%s %d - kernel and host agree on %llu values, %u bits\n",
		       err || n_wrong || !n_compared ? "not ok" : "ok", ++n_tests, (unsigned long long)n_compared, bits);
	}
	printf("1..%d\n", n_tests);
	bpf_quantize_bpf__destroy(bpf);
	return n_failed ? 1 : 0;
}
