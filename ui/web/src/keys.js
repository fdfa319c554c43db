/* keys.js - the keys of an instrumentation: which are listed, which are highlighted, in which hue. */
import { arityOf } from "./text.js";

/**
 * @typedef {Object} KeyRow
 * @property {string} key
 * @property {number} count
 * @property {number} sum
 * @property {number} p50
 * @property {number} p99
 * @property {number} max
 * @property {number} share  of all events, 0..1
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

/** Discrete fields of an instrumentation: its decomposition without the numeric one. */
export const discreteFields = (inst, catalogue) =>
	inst.decomposition.filter((f) => arityOf(catalogue, inst, f) !== "numeric");

/** Rows with the time each key spent on and off the CPU beside it, where those are measured. */
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
