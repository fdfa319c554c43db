/* keys.js - decides which keys of an instrumentation are listed, which are highlighted, and in which hue. */
import { clock, sumName } from "../base/format.js";
import { arityOf } from "../base/text.js";
import { sortedBy } from "../base/sorting.js";

/**
 * @typedef {Object} KeyRow
 * @property {string} key
 * @property {number} count
 * @property {number} sum
 * @property {number} p50
 * @property {number} p99
 * @property {number} max
 * @property {number} share      of all events, 0..1
 * @property {number} sum_share  of the sum of all events, 0..1
 * @property {number|null} oncpu of its time, 0..1; null: not measured
 * @property {number} [running]  how many run at the end of the time; they are in no other number
 * @property {number} [oldest]   the age of the oldest of these
 */

/* Okabe and Ito's set without its black: told apart also by colour-blind people. */
export const HUES = ["#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7"];
export const KEYS_MAX = HUES.length;

/** A key is switched; the others keep their places, and so their hues.  "" is a free place. */
export function toggleKey(selected, key, alone) {
	if (selected.includes(key))
		return alone && selected.filter(Boolean).length > 1 ? [key] : trim(selected.map((k) => k === key ? "" : k));
	if (alone)
		return [key];
	const free = selected.indexOf("");

	if (free >= 0)
		return selected.map((k, i) => i === free ? key : k);
	return selected.length < KEYS_MAX ? [...selected, key] : selected;
}

function trim(keys) {
	const last = keys.findLastIndex(Boolean);

	return keys.slice(0, last + 1);
}

/* Is one label a path from / on, and has no other one a / or a backslash? */
const hasOnePath = (labels) => labels.filter((label) => label.startsWith("/")).length === 1 &&
	labels.every((label) => !label.includes("\\") && (label.startsWith("/") || !label.includes("/")));

/** The text of a key with these labels.  In all but the last, a `/` is `\/`; backslashes before it or at the end are
 * doubled.  With one path alone nothing is: "GET//a/b/200". */
export const keyText = (labels) => hasOnePath(labels) ? labels.join("/") :
	labels.map((label, at) => at === labels.length - 1 ? label : label.replace(/\\+(?=\/|$)/g, "$&$&").replaceAll("/", "\\/")).join("/");

/** The labels of a key's text, n of them; fewer: it is not the text of such a key. */
export function labelsOf(text, n) {
	const parts = text.split("/"), path = parts.indexOf(""), after = n - 1 - path;
	const labels = [""];

	if (path >= 0 && after >= 0 && parts.length > n && !text.includes("\\"))
		return [...parts.slice(0, path), parts.slice(path, parts.length - after).join("/"), ...parts.slice(parts.length - after)];

	for (const { index, 1: backslashes, 2: end } of text.matchAll(/(\\*)([^\\]|$)/g)) {
		if (labels.length === n) {
			labels[n - 1] = text.slice(index);
			break;
		}
		const half = "\\".repeat(backslashes.length / 2), divides = end === "/" && backslashes.length % 2 === 0;

		labels[labels.length - 1] += divides ? half : (end === "/" || end === "" ? half : backslashes) + end;
		if (divides)
			labels.push("");
	}
	return labels;
}

export function hueOf(selected, key) {
	const at = selected.indexOf(key);

	return at < 0 ? null : HUES[at % HUES.length];
}

/** Has one of this key run for longer already than all that ended? */
export const hangs = ({ running = 0, oldest, max }) => running > 0 && oldest > max;

/** The keys that get a hue, if a person names none: those that hang, most first, then the first of the list. */
export function keysToColour(rows) {
	const hanging = rows.filter(hangs).sort((a, b) => b.running - a.running);

	return [...hanging, ...rows.filter((row) => !hangs(row))].slice(0, KEYS_MAX).map((row) => row.key);
}

/** A key's part of the time, or of what else is added up. */
export const shareOf = (row) => row.sum_share;

/* ---- the list's columns, and its order ---- */

const SORTED_BY = {
	key: (row) => row.key, sum: (row) => row.sum, share: shareOf, count: (row) => row.count, p50: (row) => row.count > 0 ? row.p50 : null,
	p99: (row) => row.count > 0 ? row.p99 : null, oncpu: (row) => row.oncpu, running: (row) => row.running || null, oldest: (row) => row.oldest ?? null,
};
const GIVEN = { by: "sum", up: false }, COUNTS_GIVEN = { by: "count", up: false };	/* as the API gives them, with sums or without */

/** The key list's columns, as sorted_table.js has them.  Of what is only counted there is no sum and no percentile. */
export function columnsOf({ rows, measure, unit, running }, { counted, live }) {
	const counts = measure === "count", split = (rows ?? []).some((row) => row.oncpu !== null);	/* else it is not measured */

	return [
		{ id: "key", head: "key", title: "sort by name", text: true },
		!counts && { id: "sum", head: sumName(unit), title: `all of it added up: where the ${sumName(unit)} went` },
		{ id: "share", head: "share", title: `of ${counts ? `all ${counted}` : `the ${sumName(unit)} of all keys`}` },
		{ id: "count", head: counted, title: "how many" },
		!counts && { id: "p50", head: "p50", title: "half of them are at most so much" },
		!counts && { id: "p99", head: "p99", title: "all but 1 % of them are at most so much" },
		split && { id: "oncpu", head: "on the CPU", title: "of their time" },
		running && { id: "running", head: live ? "running" : "still running",
			title: `still runs at ${clock(running.time)}, the end of the time shown; in no other number` },
		running && { id: "oldest", head: "oldest", title: "for how long the oldest of these has run" },
	].filter(Boolean).map((column) => ({ ...column, of: SORTED_BY[column.id] }));
}

/** {by, up} of its text, "p99" or "p99:up", or null; what is no column of these is as the API has it. */
export function sortIn(text, columns = Object.keys(SORTED_BY).map((id) => ({ id }))) {
	const [by, up, ...more] = (text ?? "").split(":"), has = (name) => columns.some(({ id }) => id === name);

	if (has(by) && (up === undefined || up === "up") && !more.length)
		return { by, up: up === "up" };
	return has("sum") ? GIVEN : COUNTS_GIVEN;
}

/** Its text; null: as the API has it. */
export const sortText = ({ by, up }) => by === GIVEN.by && up === GIVEN.up ? null : `${by}${up ? ":up" : ""}`;

/** Rows in the order of that text, and which it is; equal ones stay as the API has them. */
export function sortedRows(rows, columns, text) {
	const sort = sortIn(text, columns), value = SORTED_BY[sort.by], given = sort === GIVEN || sort === COUNTS_GIVEN;

	return { sort, rows: given ? rows : sortedBy(rows, value, sort.up) };
}

/** Rows whose key has every word of a text, in any case. */
export function matching(rows, text) {
	const words = text.toLowerCase().split(/\s+/).filter(Boolean);

	return words.length ? rows.filter(({ key }) => words.every((word) => key.toLowerCase().includes(word))) : rows;
}

/** Discrete fields of an instrumentation: its decomposition without the numeric one. */
export const discreteFields = (inst, catalogue) =>
	inst.decomposition.filter((f) => arityOf(catalogue, inst, f) !== "numeric");

/** Rows with the time that each key spent on and off the CPU, if those are measured. */
export function withOnCpu(rows, latency, cputime) {
	const sum = (list) => new Map((list ?? []).map((row) => [row.key, row.sum]));
	const whole = sum(latency), on = sum(cputime);

	return rows.map((row) => ({
		...row,
		oncpu: whole.get(row.key) > 0 && on.has(row.key) ? on.get(row.key) / whole.get(row.key) : null,
	}));
}

/** The keys of one cell, most events first. */
export const presentRows = (present) =>
	Object.entries(present).map(([key, n]) => ({ key, count: n })).sort((a, b) => b.count - a.count || (a.key < b.key ? -1 : 1));
