/* threshold.js - counts the ended and the running events above a line at a value. */

import { rowSums, runningColumn } from "./grid.js";

/** The events of the row that has the value, and of those above it: {from, count, total}; from: that row's lower edge, or the
 * value where no row has it. */
export function above(grid, value) {
	const from = grid.edge.findLast((edge, row) => edge !== null && edge <= value && row < grid.nrows);
	let count = 0, total = 0;

	rowSums(grid).forEach((n, row) => {
		total += n;
		count += grid.edge[row] >= (from ?? 0) && (grid.edge[row + 1] ?? Infinity) > value ? n : 0;
	});
	const held = from !== undefined && (grid.edge[grid.nrows] ?? Infinity) > value;

	return { from: held ? from : value, count, total };
}

/** How many that still run are as old, in whole queries: of a longer column the mean of its slots. */
export const runningAbove = (grid, value) => Math.ceil((runningColumn(grid)?.running ?? [])
	.reduce((sum, [, high, n]) => sum + (high === null || high > value ? n : 0), 0));
