/* worksheet.js - describes the maps of a page from top to bottom: their instrumentations, measures and heights.
 *
 *      Panel[] + instrumentations -> placed() -> [{panel, id, inst}]     inst null: it is not there (any more)
 *
 * Pure    an array of panels is never changed in place.
 */

/**
 * @typedef {Object} Request       what an instrumentation is asked for by: {module, stat, decomposition, measures, weights, where, ...}
 *
 * @typedef {Object} Panel
 * @property {string|null} inst    id of the instrumentation; null: none was found yet
 * @property {Request|null} of     by which it is found, or made; null: only by its id
 * @property {string} measure
 * @property {string|null} weight  cells are sums of it; null: counts
 * @property {number} size         its height, as a part of a usual one's
 * @property {"map"|"parts"} show  parts: what the time was, stacked
 * @property {"log"|"linear"|null} y  its own value axis; null: as the worksheet's
 */

export const MAPS_MAX = 12;
export const SIZE_MIN = 0.5, SIZE_MAX = 4;
export const SIZE_STEP = 0.25;

const PARTS = ["latency", "cputime", "offcpu"];
export const OVERLAID = "age";		/* shown with the first measure, and drawn over its map */

/** @returns {Panel} */
export const panelOf = (inst, measure, more) => ({ inst, of: null, measure, weight: null, size: 1, show: "map", y: null, ...more });

/** The default panels of an instrumentation: latency and the times on and off the CPU, or the first measures without the overlaid
 * one. */
export const panelsOf = ({ id, measures }) =>
	(PARTS.every((m) => measures.includes(m)) ? PARTS : measures.filter((m, i) => !i || m !== OVERLAID).slice(0, 3))
		.map((measure) => panelOf(id, measure));

/** The weights that the cells of a measure's map can add up. */
export const weightsOf = (inst, measure) => measure === inst.measures[0] ? inst.weights ?? [] : [];

/** Can be shown what the time was? */
export const hasParts = (inst, measure) => weightsOf(inst, measure).length > 1;

/* Does it keep all that the panel shows? */
const holds = (inst, { measure, weight, show }) => inst.measures.includes(measure) &&
	(weight === null || weightsOf(inst, measure).includes(weight)) && (show === "map" || hasParts(inst, measure));

const all = (names, of) => (names ?? []).every((name) => of.includes(name));

/** Is it of the same metric and events, and does it keep at least what is asked for? */
export const fits = (inst, of) => inst.module === of.module && inst.stat === of.stat &&
	(inst["predicate-text"] ?? "") === (of.where ?? "") && all(of.decomposition, [...inst.decomposition, ...inst.measures]) &&
	all(of.measures, inst.measures) && all(of.weights, inst.weights ?? []);

/** The request that creates such an instrumentation. */
export const requestOf = (inst) => ({
	module: inst.module, stat: inst.stat, decomposition: inst.decomposition, measures: inst.measures,
	...(inst.weights?.length ? { weights: inst.weights } : {}), ...(inst["predicate-text"] ? { where: inst["predicate-text"] } : {}),
	granularity: inst.granularity,
});

/* The one of its id, if that is the one that was meant; else one that fits. */
const findFor = (panel, instrumentations) => {
	const can = (inst) => holds(inst, panel) && (!panel.of || fits(inst, panel.of));

	return instrumentations.find((inst) => inst.id === panel.inst && can(inst)) ?? (panel.of ? instrumentations.find(can) : null) ?? null;
};

/** Panels with the ids of what was found for them; the same array, if nothing was. */
export function bound(panels, instrumentations) {
	const next = panels.map((panel) => {
		const id = findFor(panel, instrumentations)?.id;

		return id && id !== panel.inst ? { ...panel, inst: id } : panel;
	});

	return next.some((panel, i) => panel !== panels[i]) ? next : panels;
}

/** The requests for the instrumentations that panels lack, each once. */
export function missing(panels, instrumentations) {
	const wanted = panels.filter((panel) => panel.of && !findFor(panel, instrumentations)).map((panel) => panel.of);

	return [...new Map(wanted.map((of) => [JSON.stringify(of), of])).values()];
}

const nameOf = ({ inst, of, measure, weight, show }) => [inst ?? JSON.stringify(of), measure, weight, show].join(":");

/** Each panel with its instrumentation, and a name that stays its own while others come, go and move. */
export function placed(panels, instrumentations) {
	const seen = new Map();

	return panels.map((panel) => {
		const name = nameOf(panel), n = (seen.get(name) ?? 0) + 1;
		const inst = findFor(panel, instrumentations);

		seen.set(name, n);
		return { panel, inst, id: n > 1 ? `${name}:${n}` : name };
	});
}

const clamp = (size) => Math.min(SIZE_MAX, Math.max(SIZE_MIN, size));

export const without = (panels, i) => panels.filter((_, at) => at !== i);
export const changed = (panels, i, what) => panels.map((panel, at) => at === i ? { ...panel, ...what } : panel);
export const sized = (panels, i, size) => changed(panels, i, { size: clamp(Math.round(size / SIZE_STEP) * SIZE_STEP) });

/** Below the last of the same instrumentation; without one, below all. */
export function withPanel(panels, panel) {
	const after = panels.findLastIndex((p) => p.inst === panel.inst) + 1 || panels.length;

	return panels.length < MAPS_MAX ? [...panels.slice(0, after), panel, ...panels.slice(after)] : panels;
}

/** From one place to another. */
export function moved(panels, from, to) {
	if (to < 0 || to >= panels.length)
		return panels;
	const rest = without(panels, from);

	return [...rest.slice(0, to), panels[from], ...rest.slice(to)];
}

/** The index of a panel that is moved to y; others: the middles of the other panels, from top to bottom. */
export const placeAt = (others, y) => others.filter((middle) => middle < y).length;

/* ---- a panel in an address: inst:measure:weight:size:show:y, what is usual left out at the end; without an instrumentation as JSON ---- */

export const panelText = ({ inst, of, measure, weight, size, show, y }) => inst === null
	? JSON.stringify({ instrumentation: of, measure, weight, size, show, yscale: y })
	: [inst, measure, weight ?? "", size === 1 ? "" : size, show === "map" ? "" : show, y ?? ""].join(":").replace(/:+$/, "");

const sizeIn = (size) => Number(size) > 0 ? clamp(Number(size)) : 1;
const showIn = (show) => show === "parts" ? "parts" : "map";
const yIn = (y) => ["log", "linear"].includes(y) ? y : null;

function panelInJson(text) {
	try {
		return panelFrom(JSON.parse(text));
	} catch {
		return null;
	}
}

/** @returns {Panel|null}  null: not a panel */
export function panelIn(text) {
	const [inst, measure, weight, size, show, y, ...more] = text.split(":");

	if (text.startsWith("{"))
		return panelInJson(text);
	return inst && measure && !more.length
		? panelOf(inst, measure, { weight: weight || null, size: sizeIn(size), show: showIn(show), y: yIn(y) }) : null;
}

/* ---- a worksheet as the server keeps it, and as it is exported (doc/api.md) ---- */

const isName = (name) => typeof name === "string" && name !== "";
const isList = (names) => names === undefined || names === null || (Array.isArray(names) && names.every(isName));

/** Reads one of its panels; throws if it is not a panel. */
function panelFrom({ instrumentation: { id, ...of }, measure, weight, size, show, yscale }) {
	if (![of.module, of.stat, measure].every(isName) || ![of.decomposition, of.measures, of.weights].every(isList))
		throw new Error("no panel");
	return panelOf(id ?? null, measure, { of, weight: weight ?? null, size: sizeIn(size), show: showIn(show), y: yIn(yscale) });
}

export const panelsFrom = (worksheet) => worksheet.panels.map(panelFrom);

/** maps: those that are shown, each with its panel and instrumentation. */
export const worksheetOf = (name, { duration, y, transfer, threshold }, maps) => ({
	schema: "heatscope-worksheet", version: 1, name, duration, yscale: y, transfer, ...(threshold ? { threshold } : {}),
	panels: maps.filter(({ inst, panel }) => inst || panel.of).map(({ inst, panel: { of, measure, weight, size, show, y } }) => ({
		instrumentation: { ...(inst ? { id: inst.id, ...requestOf(inst) } : of) }, measure, weight, show, size, ...(y ? { yscale: y } : {}),
	})),
});
