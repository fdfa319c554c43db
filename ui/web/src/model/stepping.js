/* stepping.js - moves the cursor by the arrow keys: from column to column, and from one shown value to the next. */
import { rowAt, rowRange } from "./grid.js";

const middle = ([low, high]) => high === null ? low + 1 : (low + high) / 2;

/* The middles of what a column shows, ascending: of its cells, and of what still ran.  A grid of parts has no values. */
const stopsOf = (grid, column) => !grid.edge ? [] :
	[...column.cells.map(([row]) => rowRange(grid, row)), ...column.running ?? []].map(middle).sort((a, b) => a - b);

/* The next value above or below at which the column shows something; without one, the next row at all. */
function stepped(grid, column, value, by) {
	if (!grid.edge)
		return value;
	const stops = stopsOf(grid, column);
	const next = by > 0 ? stops.find((v) => v > value) : stops.findLast((v) => v < value);
	const row = Math.min(grid.nrows - 1, Math.max(0, rowAt(grid, value) + by));

	return next ?? (rowAt(grid, value) < 0 ? value : middle(rowRange(grid, row)));
}

/* The value at which the keys begin in a column: the highest one shown. */
const topOf = (grid, column) => stopsOf(grid, column).at(-1) ?? (grid.edge ? middle(rowRange(grid, 0)) : 0);

/** The cursor after a key; null: not one of those keys, or the map has no grid (its range was changed and no answer
 * is here yet). */
export function stepTo(map, key) {
	const { grid, pointed: at } = map;

	if (!grid)
		return null;
	const last = grid.ncols - 1;
	let column = at?.i ?? last, value = at?.range ? middle(at.range) : topOf(grid, grid.columns[column]);
	const here = () => ({ map, time: grid.from + (column + 0.5) * grid.column, value });

	if (!at && key !== "Home" && key !== "End")
		return here();
	switch (key) {
	case "ArrowLeft": column--; break;
	case "ArrowRight": column++; break;
	case "PageUp": column -= Math.ceil(grid.ncols / 10); break;
	case "PageDown": column += Math.ceil(grid.ncols / 10); break;
	case "Home": column = 0; break;
	case "End": column = last; break;
	case "ArrowUp": value = stepped(grid, grid.columns[column], value, 1); break;
	case "ArrowDown": value = stepped(grid, grid.columns[column], value, -1); break;
	default: return null;
	}
	column = Math.min(last, Math.max(0, column));
	return here();
}
