/* extremes.js - where a map is highest, and where lowest. */
import { rowRange } from "./grid.js";

const middle = ([low, high]) => high === null ? low + 1 : (low + high) / 2;

/** The places of the cells with the highest and the lowest value: {highest, lowest}, {time, value} or null where nothing is.
 * Within the highest row the column with the highest event counts; else the newest. */
export function extremesOf(grid) {
	let highest = null, lowest = null;

	grid.columns.forEach((column, i) => {
		const rows = column.cells.map(([row]) => row);

		if (!rows.length)
			return;
		const time = grid.from + (i + 0.5) * grid.column;
		const top = Math.max(...rows), bottom = Math.min(...rows);

		if (!highest || top > highest.row || (top === highest.row && column.max >= highest.max))
			highest = { row: top, max: column.max, time };
		if (!lowest || bottom <= lowest.row)
			lowest = { row: bottom, time };
	});
	const place = (found) => found && { time: found.time, value: middle(rowRange(grid, found.row)) };

	return { highest: place(highest), lowest: place(lowest) };
}
