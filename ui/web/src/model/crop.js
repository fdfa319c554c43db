/* crop.js - finds the end of a value axis that leaves out the rarest of the highest values, as `crop` of the server's
 * pictures.
 *
 *      grids on one axis + share -> the edge at and above which at most that share of each grid's cells lies
 */

import { rowSums } from "./grid.js";

export const CROPS = [0, 0.001, 0.005, 0.01, 0.02, 0.05];

/* The end for one grid; null: nothing can be left out, Infinity: the grid has no events. */
function endOf(grid, share) {
	const sums = rowSums(grid);
	const most = sums.reduce((a, b) => a + b, 0) * share;
	let above = 0;

	for (let row = grid.nrows - 1; row >= 0; row--) {
		if (above + sums[row] > most)
			return above ? grid.edge[row + 1] : null;
		above += sums[row];
	}
	return Infinity;
}

/** The lowest such end for all of them; null: nothing is left out. */
export function cropEnd(grids, share) {
	const ends = grids.map((grid) => endOf(grid, share)).filter((end) => end !== Infinity);

	return share > 0 && ends.length && !ends.includes(null) ? Math.max(...ends) : null;
}
