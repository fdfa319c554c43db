/* quantize.h - finds the bucket of a value on a ruler, and a bucket's edges; folds a ruler into a coarser one.
 *
 *      value 0 .. 2^low-1 | octave low | octave low+1 | ... | octave high-1 | 2^high ..
 *      cell  0 (underflow)| 2^bits cells per octave, each 2^(octave-bits) wide | n-1 (overflow)
 *
 * Shape   The log-linear family of HdrHistogram and H2: base 2, each octave cut into 2^bits equal steps.  A bucket is
 *         at most 2^-bits of its value wide (bits 5: 3.1 %).  bits 0 is DTrace's quantize().  The edges of a coarser
 *         ruler are a subset of those of a finer one, so folding moves whole buckets and loses no event.
 * Linear  A second family is for small numbers (percent, a few operations per second).  It cuts 0 .. 2^low-1 into
 *         2^bits equal steps, too, so small numbers do not fall into the underflow.  With low = bits these steps are
 *         single values: with 5 bits, 0, 1, 2 ... 63, then steps of 2, then of 4.
 * Unit    values are unsigned 64-bit in the ruler's unit.
 * Range   bits 0..7, bits <= low < high <= 63.
 * Both    This is the only bucket arithmetic in the project.  It is compiled for the BPF target and for the host;
 *         kernel/bpf_quantize checks that both give the same edges.  Shifts find the highest bit, because
 *         __builtin_clzll crashes clang 14 for BPF.
 */
#ifndef HEATSCOPE_QUANTIZE_H
#define HEATSCOPE_QUANTIZE_H

#include <linux/types.h>

/* The ruler word travels with every slice:
 *
 *      63      40 39    32 31  24 23  16 15   8 7    0
 *      | zero    | family | unit | high | low  | bits |
 */
enum ruler_family { RULER_LOG_LINEAR = 1, RULER_LINEAR_START };
enum ruler_unit { UNIT_NONE, UNIT_NS, UNIT_BYTES, UNIT_PERCENT, UNIT_PER_S, UNIT_BYTES_PER_S };

#define RULER_BITS_MAX 7
#define RULER_CELLS_MAX (2 + (64 << RULER_BITS_MAX))
#define RULER_OF(family, unit, bits, low, high)                                           \
	((__u64)(family) << 32 | (__u64)(unit) << 24 | (__u64)(high) << 16 |               \
	 (__u64)(low) << 8 | (__u64)(bits))
#define RULER(unit, bits, low, high) RULER_OF(RULER_LOG_LINEAR, unit, bits, low, high)

static inline __u32 ruler_bits(__u64 ruler) { return ruler & 0xff; }
static inline __u32 ruler_low(__u64 ruler) { return ruler >> 8 & 0xff; }
static inline __u32 ruler_high(__u64 ruler) { return ruler >> 16 & 0xff; }
static inline __u32 ruler_unit(__u64 ruler) { return ruler >> 24 & 0xff; }
static inline __u32 ruler_family(__u64 ruler) { return ruler >> 32; }

/* Can we read this word as a ruler?  All words from outside must pass this check first. */
static inline int ruler_valid(__u64 ruler)
{
	return (ruler >> 32 == RULER_LOG_LINEAR || ruler >> 32 == RULER_LINEAR_START) &&
	       ruler_bits(ruler) <= RULER_BITS_MAX && ruler_bits(ruler) <= ruler_low(ruler) && ruler_low(ruler) < ruler_high(ruler) &&
	       ruler_high(ruler) <= 63;
}

/* Returns how many cells lie below 2^low. */
static inline __u32 ruler_start(__u64 ruler)
{
	return ruler_family(ruler) == RULER_LINEAR_START ? 1u << ruler_bits(ruler) : 1;
}

/* Returns how many cells there are, including underflow and overflow. */
static inline __u32 ruler_cells(__u64 ruler)
{
	return ruler_start(ruler) + ((ruler_high(ruler) - ruler_low(ruler)) << ruler_bits(ruler)) + 1;
}

/* Returns the position of the highest set bit; value != 0. */
static inline __u32 highest_bit(__u64 value)
{
	__u32 at = 0;

	if (value >> 32) { value >>= 32; at += 32; }
	if (value >> 16) { value >>= 16; at += 16; }
	if (value >> 8)  { value >>= 8;  at += 8; }
	if (value >> 4)  { value >>= 4;  at += 4; }
	if (value >> 2)  { value >>= 2;  at += 2; }
	return at + (__u32)(value >> 1);
}

/* Returns the cell that contains value. */
static inline __u32 ruler_cell(__u64 ruler, __u64 value)
{
	__u32 bits = ruler_bits(ruler), low = ruler_low(ruler), octave;

	if (!(value >> low))
		return ruler_family(ruler) == RULER_LINEAR_START ? (__u32)(value >> (low - bits)) : 0;
	if (value >> ruler_high(ruler))
		return ruler_cells(ruler) - 1;
	octave = highest_bit(value);
	return ruler_start(ruler) + ((octave - low) << bits) +
	       ((__u32)(value >> (octave - bits)) & ((1u << bits) - 1));
}

/* Returns the lowest value of a cell.  Cell n_cells - 1 begins at 2^high and has no upper edge. */
static inline __u64 ruler_first(__u64 ruler, __u32 cell)
{
	__u32 bits = ruler_bits(ruler), start = ruler_start(ruler), octave, step;

	if (cell < start)
		return (__u64)cell << (ruler_low(ruler) - bits);
	octave = ruler_low(ruler) + ((cell - start) >> bits);
	step = (cell - start) & ((1u << bits) - 1);
	return ((__u64)1 << octave) + ((__u64)step << (octave - bits));
}

/* Returns the highest value of a cell, inclusive. */
static inline __u64 ruler_last(__u64 ruler, __u32 cell)
{
	return cell + 1 >= ruler_cells(ruler) ? ~(__u64)0 : ruler_first(ruler, cell + 1) - 1;
}

/* Returns the ruler into which both fold exactly: the coarser steps, the narrower range.
 * 0: family or unit differ, or the ranges do not overlap. */
static inline __u64 ruler_common(__u64 a, __u64 b)
{
	__u32 bits = ruler_bits(a) < ruler_bits(b) ? ruler_bits(a) : ruler_bits(b);
	__u32 low = ruler_low(a) > ruler_low(b) ? ruler_low(a) : ruler_low(b);
	__u32 high = ruler_high(a) < ruler_high(b) ? ruler_high(a) : ruler_high(b);

	if (a >> 32 != b >> 32 || ruler_unit(a) != ruler_unit(b) || low >= high)
		return 0;
	return RULER_OF(ruler_family(a), ruler_unit(a), bits, low, high);
}

/* Returns the same ruler with at most `bits` bits. */
static inline __u64 ruler_coarser(__u64 ruler, __u32 bits)
{
	return bits < ruler_bits(ruler) ? (ruler & ~0xffull) | bits : ruler;
}

/* Returns the cell of ruler `to` that contains a whole cell of the finer, wider ruler `from`.
 * `to` must be ruler_common(from, something). */
static inline __u32 ruler_fold(__u64 from, __u64 to, __u32 cell)
{
	return ruler_cell(to, ruler_first(from, cell));
}

#endif
