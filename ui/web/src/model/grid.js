/* grid.js - holds the matrix that the server sends, and applies live columns to it.
 *
 *      grid event -> grid;  column event -> applyColumn(grid, from, column) -> another grid
 *
 * Pure    a grid is never changed in place, so what was drawn stays what it was.
 */

/**
 * @typedef {Object} Column
 * @property {"ok"|"zero"|"partial"|"unobserved"|"dropped"|"in_progress"} state
 * @property {number} reporting  sources that reported
 * @property {number} expected   sources that should have
 * @property {number} lost       events
 * @property {number} [sampled]  at worst one event in so many was looked at, and counted that many times
 * @property {number} [known]    of a grid of parts, where it is still going on: s that are known
 * @property {number} count
 * @property {number} sum        of the measure, in its unit
 * @property {number} max
 * @property {number} [p50]     not where cells are sums
 * @property {number} [p99]
 * @property {number} [share]    where cells are parts of the column: what each counts
 * @property {[number, number][]} cells  [row, count], rows ascending
 * @property {number} [oldest]   the age of the oldest of what was
 * @property {Running[]} [running]  what was under way at the ends of its slots; no events, and not in count
 *
 * @typedef {[number, number|null, number]} Running  [low, high, n]: their age, [low, high), ascending, null: no upper edge;
 *                               n of them in the mean.  The edges need not be the rows', nor lie within them
 *
 * @typedef {Object} Grid
 * @property {string} measure
 * @property {string} unit       "ns", ...
 * @property {string} [weight]   cells are sums of this measure, in the unit; absent: cells are counts
 * @property {string} [running]  the measure with the ages of running events; absent: there is none
 * @property {number} from       Unix s of the first column
 * @property {number} column     s per column
 * @property {number} slot       s per slot
 * @property {number} ncols
 * @property {number} nrows
 * @property {(number|null)[]} edge  nrows + 1, ascending; null: no upper edge; a grid of parts has none
 * @property {string[]} [rows]   of a grid of parts, asked for with active: their names
 * @property {Column[]} columns
 * @property {Object} summary
 * @property {import("./shade.js").Shade} shade
 */

/** @type {Column} */
export const NOT_OBSERVED = Object.freeze({
	state: "unobserved", reporting: 0, expected: 0, lost: 0, count: 0, sum: 0, max: 0, p50: 0, p99: 0, cells: [],
});

export const gridEnd = (grid) => grid.from + grid.ncols * grid.column;

/** Index of the column that holds a time; -1: outside. */
export function columnAt(grid, time) {
	const i = Math.floor((time - grid.from) / grid.column + 1e-6);

	return i >= 0 && i < grid.ncols ? i : -1;
}

/** The grid with one column new or amended; a newer one pushes the oldest out at the left. */
export function applyColumn(grid, from, column) {
	const i = Math.round((from - grid.from) / grid.column);
	const shift = Math.max(0, i - (grid.ncols - 1));

	if (i < 0)
		return grid;
	const columns = shift >= grid.ncols ? [] : grid.columns.slice(shift);
	while (columns.length < grid.ncols)
		columns.push(NOT_OBSERVED);
	const gone = [...grid.columns.slice(0, shift), grid.columns[i]];

	columns[i - shift] = column;
	const next = { ...grid, columns, from: grid.from + shift * grid.column };

	if (sums.has(grid))
		sums.set(next, amended(sums.get(grid), gone, column));
	return next;
}

/* The sum of each row over all columns.  An hour of a busy server has a million cells, so they are added up once. */
const sums = new WeakMap();

function addCells(to, column, sign) {
	for (const [row, n] of column?.cells ?? [])
		to[row] += sign * n;
}

function amended(before, gone, column) {
	const after = [...before];

	for (const old of gone)
		addCells(after, old, -1);
	addCells(after, column, 1);
	return after;
}

/** Events of each row, or of its weight the sum. */
export function rowSums(grid) {
	if (!sums.has(grid)) {
		const all = new Array(grid.nrows).fill(0);

		for (const column of grid.columns)
			addCells(all, column, 1);
		sums.set(grid, all);
	}
	return sums.get(grid);
}

export const gridTotal = (grid) => rowSums(grid).reduce((all, n) => all + n, 0);

/**
 * Rows of one grid as rows of another, by their edges; grids show only the rows they use.
 * @returns {number[]} -1: the other has no such row
 */
export function rowMap(from, to) {
	const at = new Map(to.edge.slice(0, to.nrows).map((edge, row) => [edge, row]));

	return from.edge.slice(0, from.nrows).map((edge) => at.get(edge) ?? -1);
}

/** A grid with the columns of another, of the same column length; null: it has no row for some cell. */
export function mergeGrid(grid, part) {
	const rows = rowMap(part, grid);
	let merged = grid;

	for (let i = 0; i < part.columns.length; i++) {
		const cells = part.columns[i].cells.map(([row, n]) => [rows[row], n]);

		if (cells.some(([row]) => row < 0))
			return null;
		merged = applyColumn(merged, part.from + i * part.column, { ...part.columns[i], cells });
	}
	return merged;
}

/** Has the grid rows for all cells of a column? */
export const fitsRows = (grid, column) => column.cells.every(([row]) => row >= 0 && row < grid.nrows);

/** Row that holds a value; -1: below the first edge. */
export function rowAt(grid, value) {
	let low = 0, high = grid.nrows - 1;

	if (value < grid.edge[0])
		return -1;
	while (low < high) {
		const middle = (low + high + 1) >> 1;

		if (grid.edge[middle] <= value)
			low = middle;
		else
			high = middle - 1;
	}
	return grid.edge[low + 1] !== null && value >= grid.edge[low + 1] ? -1 : low;
}

/** [low, high) of a row. */
export const rowRange = (grid, row) => grid.edge.slice(row, row + 2);

export function cellCount(column, row) {
	for (const [r, n] of column.cells)
		if (r === row)
			return n;
	return 0;
}

/** The sum of a column's cells. */
export const columnTotal = (grid, column) =>
	grid.weight ? column.cells.reduce((sum, [, n]) => sum + n, 0) : column.count;

/** The running events of this age; undefined: there are none. */
export const runningAt = (column, age) =>
	column.running?.find(([low, high]) => low <= age && (high === null || age < high));

/** The value below which the rows do not distinguish values; 0: they distinguish all.  Percentages are exact enough. */
export const leastOf = ({ edge, unit }) => edge?.[0] === 0 && edge[1] > 1 && unit !== "%" ? edge[1] : 0;

/** Did any source report any slot?  Only then no events mean that nothing happened. */
export const isObserved = (grid) => grid.columns.some((c) => c.reporting > 0 || c.count > 0 || c.running?.length > 0);

const ENDED = ["ok", "zero", "partial"];

/** How many events still ran, of all ages; null: no source looked, or the column has not ended. */
export const runningCount = (column) =>
	column.running?.reduce((sum, [, , n]) => sum + n, 0) ?? (ENDED.includes(column.state) ? 0 : null);

/** The newest column with a count of running events; undefined: no column has one. */
export const runningColumn = (grid) => grid.columns.findLast((column) => runningCount(column) !== null);

/** The age of the oldest running event of all columns, in the unit; 0: nothing still ran. */
export const oldestOf = (grid) => grid.columns.reduce((oldest, column) => Math.max(oldest, column.oldest ?? 0), 0);

/** Ranges without a height on the axis are drawn apart: under- and overflow.  On a linear axis 0 has its place. */
export const isUnderflow = (grid, low) => low === 0 && grid.shade?.yscale !== "linear";
export const isOverflow = (high) => high === null;

/* Computed once for the columns of each grid, as it is used whenever the page is drawn. */
const used = new WeakMap();

function usedBy(grid) {
	let low = Infinity, high = 0, under = false, over = false;
	const widen = (from, to) => {
		under ||= isUnderflow(grid, from);
		over ||= isOverflow(to);
		low = Math.min(low, isUnderflow(grid, from) ? to : from);
		high = Math.max(high, isOverflow(to) ? from : to);
	};

	for (const { cells, running = [] } of grid.columns) {
		for (const [row] of cells.length ? [cells[0], cells.at(-1)] : [])	/* they ascend */
			widen(grid.edge[row], grid.edge[row + 1]);
		for (const [from, to] of running)
			widen(from, to);
	}
	return { low, high, under, over };
}

/**
 * The values shown reach from low to high, in the axis' unit; null if there are none.
 * @returns {{low: number, high: number, under: boolean, over: boolean} | null}
 */
export function usedRange(grids) {
	const all = { low: Infinity, high: 0, under: false, over: false };

	for (const grid of grids) {
		if (!used.has(grid.columns))
			used.set(grid.columns, usedBy(grid));
		const { low, high, under, over } = used.get(grid.columns);

		all.low = Math.min(all.low, low);
		all.high = Math.max(all.high, high);
		all.under ||= under;
		all.over ||= over;
	}
	return all.low <= all.high ? all : null;
}
