/* axis.js - computes scales and ticks: value -> y, time -> x, both in CSS pixels.
 *
 *      y = top       ----------------- overflow strip (if used)
 *          high      |               |
 *          low       |               |
 *      y = bottom    ----------------- underflow strip (if used)
 */

export const STRIP = 7;			/* px: height of the under- and overflow strips */

const STEPS = [1, 2, 5];
const TIME_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200,
	86400, 2 * 86400, 7 * 86400, 14 * 86400];
const WEEK = 7 * 86400, MONDAY = 4 * 86400;	/* the first one of the epoch: weeks begin there */
const MONTH_STEPS = [1, 2, 3, 6, 12, 24, 60, 120];
const MONTH = 365.25 / 12 * 86400;

/** The largest 1-2-5 value <= v, and the smallest >= v. */
export function niceBelow(v) {
	const power = 10 ** Math.floor(Math.log10(v) + 1e-9);
	let nice = power;

	for (const step of STEPS)
		if (step * power <= v * (1 + 1e-9))
			nice = step * power;
	return nice;
}

export function niceAbove(v) {
	const power = 10 ** Math.floor(Math.log10(v) + 1e-9);

	for (const step of STEPS)
		if (step * power >= v * (1 - 1e-9))
			return step * power;
	return 10 * power;
}

/** The end of a linear axis: the first tick at or above v. */
function tickAbove(v) {
	const step = niceAbove(v / 5);

	return Math.ceil(v / step - 1e-9) * step;
}

/**
 * @typedef {{kind: "log"|"linear", low: number, high: number, under: boolean, over: boolean}} Domain
 */

/** The axis for the values used; `before` is only ever widened, so that a live map does not move.
 * A linear axis always reaches `least`: a percentage is seen against 100. */
export function domainOf(used, kind, before = null, least = 0) {
	const linearHigh = used.high <= least ? least : tickAbove(Math.max(1, used.high));
	const fresh = {
		kind,
		low: kind === "linear" ? 0 : niceBelow(Math.max(1, used.low)),
		high: kind === "linear" ? linearHigh : niceAbove(Math.max(1, used.high)),
		under: used.under,
		over: used.over,
	};

	if (kind === "log" && fresh.high <= fresh.low)
		fresh.high = fresh.low * 10;
	if (!before || before.kind !== kind)
		return fresh;
	if (before.low <= fresh.low && before.high >= fresh.high && before.under >= fresh.under && before.over >= fresh.over)
		return before;
	return {
		kind,
		low: Math.min(before.low, fresh.low),
		high: Math.max(before.high, fresh.high),
		under: before.under || fresh.under,
		over: before.over || fresh.over,
	};
}

/** A text to compare domains by: a zoomed or cropped domain is a new object whenever the page is drawn. */
export const domainKey = ({ kind, low, high, under, over }) => [kind, low, high, under, over].join();

/** Value <-> y between top and bottom (top < bottom). */
export function valueAxis(domain, top, bottom) {
	const upper = top + (domain.over ? STRIP + 1 : 0);
	const lower = bottom - (domain.under ? STRIP + 1 : 0);
	const log = domain.kind === "log";
	const into = log ? Math.log : (v) => v;
	const from = log ? Math.exp : (v) => v;
	const a = into(domain.low), b = into(domain.high);

	return {
		domain, top, bottom, upper, lower,
		y: (value) => lower - (into(Math.max(value, log ? 1e-9 : 0)) - a) / (b - a) * (lower - upper),
		value: (y) => from(a + (lower - y) / (lower - upper) * (b - a)),
	};
}

/** Time <-> x between left and right. */
export function timeAxis(from, to, left, right) {
	return {
		from, to, left, right,
		x: (time) => left + (time - from) / (to - from) * (right - left),
		time: (x) => from + (x - left) / (right - left) * (to - from),
	};
}

/** 1-2-5 ticks; those of whole decades are major.  At most `most` of them where that is possible; none where there is no logarithm. */
export function logTicks(low, high, most) {
	const all = [];

	if (!(low > 0 && Number.isFinite(high)))
		return all;
	for (let power = Math.floor(Math.log10(low) - 1e-9); 10 ** power <= high; power++)
		for (const step of STEPS) {
			const value = step * 10 ** power;

			if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9))
				all.push({ value: Number(value.toPrecision(1)), major: step === 1 });
		}
	if (all.length <= most)
		return all;
	const major = all.filter((tick) => tick.major);
	const every = Math.ceil(major.length / Math.max(1, most));

	return major.filter((_, i) => i % every === 0);
}

export function linearTicks(low, high, most) {
	if (most === Infinity)
		return linearTicks(low, high, 10);
	const step = niceAbove((high - low) / Math.max(1, most));
	const ticks = [];

	for (let i = Math.ceil(low / step - 1e-9); i * step <= high * (1 + 1e-9); i++)
		ticks.push({ value: Number((i * step).toPrecision(12)), major: true });
	return ticks;
}

export const valueTicks = (domain, most) =>
	domain.kind === "log" ? logTicks(domain.low, domain.high, most) : linearTicks(domain.low, domain.high, most);

/* The first whole second after from at which it has changed; to if it does not before. */
function changeAfter(from, to, hasChanged) {
	let low = Math.floor(from), high = low;

	do
		high = Math.min(high + 86400, Math.ceil(to));
	while (!hasChanged(high) && high < to);
	if (!hasChanged(high))
		return to;
	while (high - low > 1) {
		const middle = Math.floor((low + high) / 2);

		[low, high] = hasChanged(middle) ? [low, middle] : [middle, high];
	}
	return Math.min(high, to);
}

/** The parts of a time in which the local clock does not change: [{from, to, offset}].  offsetAt: seconds east of UTC at a time. */
export function clockParts(from, to, offsetAt) {
	const parts = [];
	let start = from;

	do {
		const offset = offsetAt(start), end = changeAfter(start, to, (time) => offsetAt(time) !== offset);

		parts.push({ from: start, to: end, offset });
		start = end;
	} while (start < to);
	return parts;
}

/** Chooses the ticks with names: whole decades first, none nearer than `least` to another.  placeOf: a name's place. */
export function namedTicks(ticks, placeOf, least) {
	const named = [];

	for (const tick of [...ticks.filter((t) => t.major), ...ticks.filter((t) => !t.major)])
		if (named.every((other) => Math.abs(placeOf(other) - placeOf(tick)) >= least))
			named.push(tick);
	return named;
}

/* The time at which the local clock shows this; the seconds are those of a clock without an offset. */
function timeAt(shown, offsetAt) {
	const near = shown - offsetAt(shown);

	return shown - offsetAt(near);
}

function monthTicks(from, to, months, offsetAt) {
	const first = new Date((from + offsetAt(from)) * 1000), year = first.getUTCFullYear();
	const ticks = [];

	for (let month = Math.floor(first.getUTCMonth() / months) * months; ; month += months) {
		const t = timeAt(Date.UTC(months >= 12 ? year - year % (months / 12) : year, month, 1) / 1000, offsetAt);

		if (t > to)
			return ticks;
		if (t >= from)
			ticks.push(t);
	}
}

/** Times at whole steps of the local clock; beyond 14 days, at the begins of months.  offsetAt: seconds east of UTC at a
 * time.  @returns {{step: number, ticks: number[]}} the step is about the length of its months */
export function timeTicks(from, to, most, offsetAt = () => 0) {
	const step = TIME_STEPS.find((s) => (to - from) / s <= most);
	const ticks = [];

	if (!step) {
		const months = MONTH_STEPS.find((m) => (to - from) / (m * MONTH) <= most) ?? MONTH_STEPS.at(-1);

		return { step: months * MONTH, ticks: monthTicks(from, to, months, offsetAt) };
	}
	const origin = step % WEEK ? 0 : MONDAY;
	for (const part of clockParts(from, to, offsetAt))
		for (let t = Math.ceil((part.from + part.offset - origin) / step) * step + origin - part.offset; t < part.to || (t === to && part.to === to); t += step)
			ticks.push(t);
	return { step, ticks };
}

/** Those of [{at, width}] that do not touch the one before, nor lie beyond low..high: texts around `at`. */
export function spaced(names, low, high, gap = 8) {
	let end = low - gap;

	return names.filter(({ at, width }) => {
		const fits = at - width / 2 >= end + gap && at + width / 2 <= high;

		if (fits)
			end = at + width / 2;
		return fits;
	});
}
