/* zoom.js - computes the time and the ends of the value axis after zooming in, out, or to a rectangle.
 *
 *      {start, duration}  -> {duration, end}        whole slots, DURATION_MIN .. DURATION_MAX; end null: now
 *      Domain             -> {unit, low, high}      what the axis then reaches; null: all that is used
 */
import { rowSums } from "./grid.js";
import { DURATION_MAX, DURATION_MIN } from "./state.js";

const NARROWEST = 1.05;			/* high / low of a log axis, at least: about two of the finest buckets */
const NARROWEST_PART = 1 / 1000;	/* of a linear one's high */

const slotsOf = (duration, slot) => Math.round(Math.min(DURATION_MAX, Math.max(DURATION_MIN, duration)) / slot) * slot;

/** `factor` times as long; what is at `at` stays where it is. */
export function zoomTime({ start, duration }, factor, at, slot) {
	const longer = slotsOf(duration * factor, slot);
	const end = at + (start + duration - at) * longer / duration;

	return { duration: longer, end: Math.round(end / slot) * slot };
}

/** Of a rectangle; where that is shorter than a view can be it is in the middle, but nothing is shown from `latest` on. */
export function timeOf({ start, end }, latest, slot) {
	const time = zoomTime({ start, duration: end - start }, 1, (start + end) / 2, slot);

	return { ...time, end: Math.min(time.end, latest) };
}

/** The end of a view that is moved by so many seconds; null: it reaches the present, and is live. */
export function moveTime(end, by, slot, now) {
	const next = Math.round((end + by) / slot) * slot;

	return by > 0 && next >= now ? null : next;
}

const narrowest = ({ kind, low, high }) => kind === "log" ? high >= low * NARROWEST : high - low >= high * NARROWEST_PART;

/** The axis is `factor` times as long, around a value; no longer than what is used. */
export function zoomValues(domain, used, factor, at) {
	const log = domain.kind === "log";
	const into = log ? Math.log : (v) => v, from = log ? Math.exp : (v) => v;
	const middle = into(Math.min(domain.high, Math.max(domain.low, at)));
	const end = (value) => from(middle + (into(value) - middle) * factor);
	const next = { kind: domain.kind, low: Math.max(used.low, end(domain.low)), high: Math.min(used.high, end(domain.high)) };

	return narrowest(next) ? next : domain;
}

/** A value that lies a part of the whole axis farther up, or down; within it. */
export function valueAt(used, value, part) {
	const log = used.kind === "log", into = log ? Math.log : (v) => v, from = log ? Math.exp : (v) => v;

	return Math.min(used.high, Math.max(used.low, from(into(value) + part * (into(used.high) - into(used.low)))));
}

/** The axis a part of its length farther up, or down, as long as it is; no farther than what is used. */
export function moveValues(domain, used, part) {
	const log = domain.kind === "log", into = log ? Math.log : (v) => v, from = log ? Math.exp : (v) => v;
	const length = into(domain.high) - into(domain.low);
	const low = Math.min(into(used.high) - length, Math.max(into(used.low), into(domain.low) + part * length));

	return { kind: domain.kind, low: from(low), high: from(low + length) };
}

/** Those of a rectangle; what has no height on the axis goes to its end. */
export function valuesOf({ low, high }, used) {
	const next = { kind: used.kind, low: Math.max(used.low, low), high: Math.min(used.high, high ?? used.high) };

	return next.high > next.low && narrowest(next) ? next : used;
}

/** A domain that reaches only so far, but no farther than what is used; under- and overflow are beyond ends that are not the used ones. */
export function domainAt(used, values) {
	const { low, high } = valuesOf(values, used);

	return { kind: used.kind, low, high, under: used.under && low <= used.low, over: used.over && high >= used.high };
}

/** The ends of an axis of that unit as a picture is asked for, in whole numbers; where all is shown none. */
export function pictureEnds(values, unit, used) {
	if (!used || values?.unit !== unit)
		return {};
	const { low, high } = domainAt(used, values);

	return { ymin: Math.floor(low), ymax: Math.ceil(high) };
}

/** The number of a grid's events beyond the axis. */
export function beyond(grid, domain) {
	return rowSums(grid).reduce((sum, n, row) => {
		const low = grid.edge[row], high = grid.edge[row + 1];

		return sum + ((low >= domain.high && !domain.over) || (high !== null && high <= domain.low && !domain.under) ? n : 0);
	}, 0);
}
