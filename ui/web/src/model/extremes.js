/* extremes.js - finds the highest and the lowest value of a map. */
import { rowRange } from "./grid.js";

const middle = ([low, high]) => high === null ? low + 1 : (low + high) / 2;

/* The highest place of a column: a row, or a running event; undefined: the column is empty. */
function topOf(grid, { cells, running = [] }) {
	const ranges = [...cells.length ? [rowRange(grid, cells.at(-1)[0])] : [], ...running.map((one) => one.slice(0, 2))];

	return ranges.reduce((top, range) => !top || range[0] > top[0] ? range : top, undefined);
}

/** The places of the highest and the lowest value: {highest, lowest}, {time, value} or null where nothing is.  Cells ascend.
 * Running events may be the highest.  Within the highest row the column with the highest value counts; else the
 * newest. */
export function extremesOf(grid) {
	let highest = null, lowest = null;

	grid.columns.forEach((column, i) => {
		const top = topOf(grid, column), [bottom] = column.cells[0] ?? [], max = Math.max(column.max, column.oldest ?? 0);
		const time = grid.from + (i + 0.5) * grid.column;

		if (top && (!highest || top[0] > highest.range[0] || (top[0] === highest.range[0] && max >= highest.max)))
			highest = { range: top, max, time };
		if (bottom !== undefined && (!lowest || bottom <= lowest.row))
			lowest = { row: bottom, range: rowRange(grid, bottom), time };
	});
	const place = (found) => found && { time: found.time, value: middle(found.range) };

	return { highest: place(highest), lowest: place(lowest) };
}
