/* state.js - keeps the user's choices in the address: #inst=1&duration=300&y=log ... or #map=1:latency&map=2:size ...
 * A bookmark or a sent link opens the same view.
 */
import { KEYS_MAX, sortIn, sortText } from "./keys.js";
import { MAPS_MAX, panelIn, panelText } from "./worksheet.js";

/**
 * @typedef {Object} Look   a worksheet's properties without its panels: {duration, y, transfer, threshold}
 *
 * @typedef {Object} State
 * @property {string|null} inst      id of the instrumentation, where there are no panels
 * @property {import("./worksheet.js").Panel[]} panels   from top to bottom; empty: those inst is looked at by
 * @property {string|null} sheet     the worksheet that the panels are, or were before they were changed
 * @property {Look|null} base        how the sheet is looked at, while the panels are as they came from it: the address has only what differs
 * @property {number} duration       s shown
 * @property {"auto"|"log"|"linear"} y   auto: as the measure's unit asks
 * @property {"log"|"sqrt"|"linear"|"rank"|"percent"} transfer   percent: of the column
 * @property {"count"|"weight"} weights   the meaning of colours of counts: how many, or how much (each event times its value)
 * @property {"ramp"|"fire"|"grey"} palette   as the theme: how a person sees best, and no part of a worksheet
 * @property {string[]} lines        drawn over the cells, of LINES
 * @property {number} crop           the value axis leaves out at most this share of the events, 0 to 0.05
 * @property {string[]} keys         highlighted; see toggleKey()
 * @property {"isolate"|"exclude"|null} only   the highlighted keys alone, or all but these; null: over the rest
 * @property {string|null} of        the fields they are keys of, joined by commas; null: those of the first map
 * @property {string|null} by        the key list's field; null: all
 * @property {string|null} sort      the key list's order, as sortIn() reads it; null: the most time first
 * @property {"map"|"table"} view
 * @property {"auto"|"light"|"dark"} theme
 * @property {number|null} end       Unix s where the view stands still; null: live
 * @property {{unit: string, value: number}|null} threshold   a line, and the share above it
 * @property {{unit: string, low: number, high: number}|null} values   ends of that unit's value axis; null: as the data are
 */

export const DURATIONS = [60, 300, 900, 3600, 21600, 86400];
export const DURATION_MIN = 10, DURATION_MAX = 31536000;
export const TRANSFERS = ["log", "sqrt", "linear", "rank", "percent"];
export const PALETTES = ["ramp", "fire", "grey"];
export const LINES = ["mean", "p50", "p99"];
const CROP_MOST = 0.05;

/** @type {State} */
export const START = Object.freeze({
	inst: null, panels: [], sheet: null, base: null, duration: 300, y: "auto", transfer: "log", weights: "count", palette: "ramp", lines: Object.freeze(["p50", "p99"]), crop: 0, only: null, keys: [], of: null, by: null, sort: null,
	view: "map", theme: "auto", end: null, threshold: null, values: null,
});

/** Another instrumentation, at the same moment and range of time and values.  Panels and keys of one mean nothing of another. */
export function freshState(inst) {
	const { panels, sheet, base, keys, only, of, by } = START;

	return { inst, panels, sheet, base, keys, only, of, by };
}

/** How long an instrumentation keeps its events, in s: in slots, or added up to minutes and hours. */
export const keptOf = (inst) => Math.max(inst["retention-time"] ?? 0, ...inst.tiers ?? []) || DURATION_MAX;

/** The newest part of a span that is kept, up to the present. */
export function keptSpan({ start, duration }, inst) {
	const end = Math.min(start + duration, Math.ceil(Date.now() / 1000)), from = Math.max(start, end - keptOf(inst));

	return { start: from, duration: end - from };
}

/**
 * The newest columns of a grid that a request may name. A grid as long as what is kept has one column more, since its
 * columns begin at whole multiples of their length.
 * @returns {{from, ncols}}
 */
export function keptColumns({ from, ncols, column }, inst) {
	const n = Math.max(1, Math.min(ncols, Math.floor(keptOf(inst) / column)));

	return { from: from + (ncols - n) * column, ncols: n };
}

/** @returns {Look} */
export const lookOf = ({ duration, y, transfer, threshold }) => ({ duration, y, transfer, threshold });

/** The choices in an address, without the origin of the panels. */
export function chosenIn(hash) {
	const q = new URLSearchParams(hash.replace(/^#/, "")), { inst, panels, sheet, base, ...rest } = readHash(hash);

	return Object.fromEntries(Object.entries(rest).filter(([name]) => q.has(name === "keys" ? "key" : name)));
}

const one = (value, allowed, otherwise) => allowed.includes(value) ? value : otherwise;

/* unit:low:high; a logarithm has no 0. */
function valuesIn(text, y) {
	const [unit, ...ends] = (text ?? "").split(":");
	const [low, high] = ends.map(Number);
	const fits = ends.length === 2 && ends.every(Boolean) && high > low && Number.isFinite(high);

	return fits && (y === "log" ? low > 0 : low >= 0) ? { unit, low, high } : null;
}

/* unit:value */
function thresholdIn(text) {
	const [unit, value, ...more] = (text ?? "").split(":");

	return value && !more.length && Number(value) > 0 && Number.isFinite(Number(value)) ? { unit, value: Number(value) } : null;
}

/* none, or names between commas. */
const linesIn = (text) => text === null ? START.lines : LINES.filter((line) => text.split(",").includes(line));
const linesText = (lines) => lines.join() || "none";

const thresholdText = (threshold) => threshold ? `${threshold.unit}:${threshold.value}` : "";
const valuesText = ({ unit, low, high }) => [unit, ...[low, high].map((v) => Number(v.toPrecision(6)))].join(":");

/** Says what of an address' time cannot be shown; "": nothing.  now: Unix s. */
export function wrongTime(hash, now) {
	const q = new URLSearchParams(hash.replace(/^#/, "")), end = q.get("end"), duration = q.get("duration");
	const length = Math.round(Number(duration)), wrong = [];

	if (end !== null && !isEnd(end, now))
		wrong.push(`end=${end} is no time that can be shown: the page is live`);
	if (duration !== null && !(length >= DURATION_MIN && length <= DURATION_MAX))
		wrong.push(`duration=${duration} is not from ${DURATION_MIN} s to ${DURATION_MAX} s: ${START.duration} s are shown`);
	return wrong.join("; ");
}

/* Not later than a day from now: clocks differ. */
const isEnd = (text, now) => Number(text) > 0 && Number(text) <= now + 86400;

/** @returns {State} whatever the text is */
export function readHash(hash) {
	const q = new URLSearchParams(hash.replace(/^#/, ""));
	const end = Number(q.get("end"));
	const crop = Number(q.get("crop"));
	const duration = Math.round(Number(q.get("duration")));
	const y = one(q.get("y"), ["auto", "log", "linear"], START.y);

	return {
		inst: q.get("inst") || null,
		panels: q.getAll("map").map(panelIn).filter(Boolean).slice(0, MAPS_MAX),
		sheet: q.get("sheet") || null,
		base: null,
		duration: duration >= DURATION_MIN && duration <= DURATION_MAX ? duration : START.duration,
		y,
		transfer: one(q.get("transfer"), TRANSFERS, START.transfer),
		weights: one(q.get("weights"), ["count", "weight"], START.weights),
		palette: one(q.get("palette"), PALETTES, START.palette),
		lines: linesIn(q.get("lines")),
		crop: crop > 0 && crop <= CROP_MOST ? crop : START.crop,
		only: one(q.get("only"), ["isolate", "exclude"], START.only),
		keys: q.getAll("key").slice(0, KEYS_MAX),
		of: q.get("of") || null,
		by: q.get("by") || null,
		sort: sortText(sortIn(q.get("sort"))),
		view: one(q.get("view"), ["map", "table"], START.view),
		theme: one(q.get("theme"), ["light", "dark"], START.theme),
		end: isEnd(q.get("end") ?? "", Date.now() / 1000) ? end : null,
		threshold: thresholdIn(q.get("threshold")),
		values: valuesIn(q.get("values"), y),
	};
}

/** The part of the state that differs from its worksheet's, or else from the start. */
export function writeHash(state) {
	const q = new URLSearchParams(), usual = { ...START, ...state.base };

	for (const name of ["inst", "sheet", "duration", "y", "transfer", "weights", "palette", "crop", "only", "of", "by", "sort", "view", "theme", "end"])
		if (state[name] !== usual[name])
			q.set(name, String(state[name]));
	if (linesText(state.lines) !== linesText(usual.lines))
		q.set("lines", linesText(state.lines));
	if (thresholdText(state.threshold) !== thresholdText(usual.threshold))
		q.set("threshold", thresholdText(state.threshold));
	if (state.values)
		q.set("values", valuesText(state.values));
	for (const panel of state.base ? [] : state.panels)
		q.append("map", panelText(panel));
	for (const key of state.keys)
		q.append("key", key);
	return q.toString() ? `#${q}` : "";
}

/** The number of columns for a duration: whole slots, at most 360 columns. */
export function columnsFor(duration, slot) {
	const slots = Math.max(1, Math.round(duration / slot));
	const per = [1, 2, 5, 10, 20, 30, 60].find((n) => slots / n <= 360) ?? Math.ceil(slots / 360);

	return Math.max(1, Math.ceil(slots / per));
}
