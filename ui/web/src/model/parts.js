/* parts.js - computes for each column how many events were in each part of their time at once, on average, also
 * before they ended.
 *
 *      a grid whose rows are parts (active=true; cells in ns) -> cells / length of the column -> parts stacked
 */
import { HeatMap } from "./map.js";

export const REST = "rest";		/* what no part that is kept is */
export const RUNNING = "running";	/* what has not ended: in which part is known when it ends */

/* A part has a colour of its own, wherever it is shown; Okabe and Ito's, and greys for what is not known better. */
const HUES = {
	cputime: "#009E73", runqwait: "#F0E442", io: "#0072B2", futex: "#D55E00", net: "#56B4E9", sleep: "#CC79A7", fault: "#E69F00",
	other: "#8a8f95", unsplit: "#b9bdc2", [REST]: "#d5d8dc", [RUNNING]: "#a855c7",
};

export const partHue = (name) => HUES[name] ?? HUES.other;

const NS = 1e9;

/**
 * @param {import("./grid.js").Grid} grid   asked for with active: its rows are the parts, and its cells ns
 * @returns {{from: number, column: number, names: string[], load: Float64Array[]}}   load[k][i]: of names[k] in column i
 */
export function stackOf({ from, column, rows, columns }) {
	const load = rows.map(() => new Float64Array(columns.length));

	columns.forEach(({ cells, known = column }, i) => {
		for (const [row, n] of cells)
			load[row][i] = n / (known * NS);	/* of the last column a part is known */
	});
	return { from, column, names: rows, load };
}

/** The highest of all columns. */
export const topOf = ({ load }) => load[0].reduce((most, _, i) => Math.max(most, load.reduce((sum, part) => sum + part[i], 0)), 0);

/** Each part's share of all the time shown, greatest first, without parts of 0. */
export function sharesOf({ names, load }) {
	const sums = load.map((part) => part.reduce((a, b) => a + b, 0)), whole = sums.reduce((a, b) => a + b, 0);

	return names.map((name, k) => ({ name, share: whole ? sums[k] / whole : 0 })).filter(({ share }) => share > 0)
		.sort((a, b) => b.share - a.share);
}

/** A map's place in the worksheet, with a grid of all its instrumentation's parts. */
export class PartsMap extends HeatMap {
	clear() {
		super.clear();
		this.stacked = null;
	}

	get views() {
		return [{ ...this.parameters, weight: null, weights: null, active: true }];
	}

	take(grid) {
		this.stacked = null;
		super.take(grid);
	}

	/** The result of stackOf(); null before the first grid. */
	get stack() {
		return this.stacked ??= this.grid && stackOf(this.grid);
	}

	get unit() {
		return undefined;		/* it shares no value axis */
	}

	get label() {
		return `parts of ${super.label}`;
	}

	/* Keys are not told apart here, and values are no values of the measure. */
	get selected() {
		return [];
	}

	get cursor() {
		return null;
	}
}
