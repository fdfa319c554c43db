/* parts.js - what the time of events was, column by column: how many were in each part at once, on average.
 *
 *      a grid per weight (sums, in ns) -> sums / length of the column -> parts stacked, and the rest up to the whole
 */
import { HeatMap } from "./map.js";
import { gridEnd } from "./grid.js";

export const REST = "rest";		/* what no part that is kept is */

/* A part has a colour of its own, wherever it is shown; Okabe and Ito's, and greys for what is not known better. */
const HUES = {
	cputime: "#009E73", runqwait: "#F0E442", io: "#0072B2", futex: "#D55E00", net: "#56B4E9", sleep: "#CC79A7", fault: "#E69F00",
	other: "#8a8f95", unsplit: "#b9bdc2", [REST]: "#d5d8dc",
};

export const partHue = (name) => HUES[name] ?? HUES.other;

const NS = 1e9;

/** Do the columns of both begin at the same times, as far as both go? */
function isAligned(a, b) {
	const columns = (a.from - b.from) / b.column;

	return a.column === b.column && Math.abs(columns - Math.round(columns)) < 1e-3;
}

/** What of a weight is in a column. */
const sumOf = (column) => column.cells.reduce((sum, [, n]) => sum + n, 0);

/**
 * @param {Map<string, import("./grid.js").Grid>} grids   by weight; their columns may be late by one or another
 * @returns {{from: number, column: number, names: string[], load: Float64Array[]}|null}   load[k][i]: of names[k] in column i;
 *     null: there are no grids, or their columns do not begin at the same times, as grids that were asked for at different moments may
 */
export function stackOf(grids) {
	const [first] = grids.values();

	if (!first || ![...grids.values()].every((grid) => isAligned(grid, first)))
		return null;
	const end = Math.min(...[...grids.values()].map(gridEnd)), from = Math.max(...[...grids.values()].map((grid) => grid.from));
	const n = Math.max(0, Math.round((end - from) / first.column)), names = [...grids.keys(), REST];
	const load = names.map(() => new Float64Array(n));

	for (let i = 0; i < n; i++) {
		const at = (grid) => grid.columns[i + Math.round((from - grid.from) / grid.column)];
		let rest = at(first).sum;

		[...grids.values()].forEach((grid, k) => {
			const sum = sumOf(at(grid));

			load[k][i] = sum / (first.column * NS);
			rest -= sum;
		});
		load[names.length - 1][i] = Math.max(0, rest) / (first.column * NS);
	}
	return { from, column: first.column, names, load };
}

/** The highest of all columns. */
export const topOf = ({ load }) => load[0].reduce((most, _, i) => Math.max(most, load.reduce((sum, part) => sum + part[i], 0)), 0);

/** Each part's share of all the time shown, greatest first; those that are none are left out. */
export function sharesOf({ names, load }) {
	const sums = load.map((part) => part.reduce((a, b) => a + b, 0)), whole = sums.reduce((a, b) => a + b, 0);

	return names.map((name, k) => ({ name, share: whole ? sums[k] / whole : 0 })).filter(({ share }) => share > 0)
		.sort((a, b) => b.share - a.share);
}

/** A map's place in the worksheet, with grids of all its instrumentation's weights. */
export class PartsMap extends HeatMap {
	clear() {
		super.clear();
		this.grids = new Map();
		this.stacked = null;
	}

	/* Of the first measure itself there is no part: it is the whole. */
	get weights() {
		return this.inst?.weights.filter((weight) => weight !== this.measure) ?? [];
	}

	get views() {
		return this.weights.map((weight) => ({ ...this.parameters, weight, weights: null, row_bits: 0 }));
	}

	take(grid, i = 0) {
		this.grids.set(this.weights[i], grid);
		this.stacked = null;
		super.take(this.grids.values().next().value);
	}

	/** As stackOf() gives it; null before there is anything. */
	get stack() {
		return this.stacked ??= this.grids.size && this.grids.size === this.weights.length ? stackOf(this.grids) : null;
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
