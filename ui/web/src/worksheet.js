/* worksheet.js - which maps lie one above the other: of which instrumentations, of which measures, how high.
 *
 *      Panel[] + instrumentations -> placed() -> [{panel, id, inst}]     inst null: it is not there (any more)
 *
 * Pure    an array of panels is never changed in place.
 */

/**
 * @typedef {Object} Panel
 * @property {string} inst         id of the instrumentation
 * @property {string} measure
 * @property {string|null} weight  cells are sums of it; null: counts
 * @property {number} size         its height, as a part of a usual one's
 */

export const MAPS_MAX = 12;
export const SIZE_MIN = 0.5, SIZE_MAX = 4;
export const SIZE_STEP = 0.25;

const PARTS = ["latency", "cputime", "offcpu"];
export const OVERLAID = "age";		/* told beside the first measure, and drawn over its map */

/** @returns {Panel} */
export const panelOf = (inst, measure, more) => ({ inst, measure, weight: null, size: 1, ...more });

/** What an instrumentation is looked at by: latency, on-CPU and off-CPU, or the first measures but for what lies over another. */
export const panelsOf = ({ id, measures }) =>
	(PARTS.every((m) => measures.includes(m)) ? PARTS : measures.filter((m, i) => !i || m !== OVERLAID).slice(0, 3))
		.map((measure) => panelOf(id, measure));

/** What the cells of a measure's map can be sums of. */
export const weightsOf = (inst, measure) => measure === inst.measures[0] ? inst.weights ?? [] : [];

/** Is it there, with all that the panel shows? */
const holds = (inst, { measure, weight }) =>
	inst.measures.includes(measure) && (weight === null || weightsOf(inst, measure).includes(weight));

const nameOf = ({ inst, measure, weight }) => [inst, measure, weight].join(":");

/** Each panel with its instrumentation, and a name that stays its own while others come, go and move. */
export function placed(panels, instrumentations) {
	const seen = new Map();

	return panels.map((panel) => {
		const name = nameOf(panel), n = (seen.get(name) ?? 0) + 1;
		const inst = instrumentations.find((i) => i.id === panel.inst && holds(i, panel)) ?? null;

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

/* ---- a panel in an address: inst:measure:weight:size, what is usual left out at the end ---- */

export const panelText = ({ inst, measure, weight, size }) =>
	[inst, measure, weight ?? "", size === 1 ? "" : size].join(":").replace(/:+$/, "");

/** @returns {Panel|null}  null: it is none */
export function panelIn(text) {
	const [inst, measure, weight, size, ...more] = text.split(":");

	return inst && measure && !more.length
		? panelOf(inst, measure, { weight: weight || null, size: Number(size) > 0 ? clamp(Number(size)) : 1 }) : null;
}
