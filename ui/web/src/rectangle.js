/* rectangle.js - a part of a map that a person draws: whole columns by whole rows.
 *
 *      two points {time, value} -> {start, end, low, high}
 *
 * It keeps its time and values while the map moves on.
 */
import { columnAt, gridEnd, isOverflow, isUnderflow, rowAt } from "./grid.js";

/**
 * @typedef {Object} Rectangle
 * @property {number} start       Unix s
 * @property {number} end
 * @property {number} low         in the measure's unit
 * @property {number|null} high   exclusive; null: no upper edge
 */

/** What was so at the end of each slot has no events to compare. */
export const canExplain = (grid) => grid.scope !== "point";

const nearestColumn = (grid, time) =>
	columnAt(grid, Math.min(gridEnd(grid) - grid.column / 2, Math.max(grid.from, time)));

function nearestRow(grid, value) {
	const row = rowAt(grid, value);

	return row >= 0 ? row : value < grid.edge[0] ? 0 : grid.nrows - 1;
}

const ordered = (a, b) => a <= b ? [a, b] : [b, a];

/** From the cell of one point to that of another, or to those nearest to them. */
export function between(grid, a, b) {
	const [left, right] = ordered(nearestColumn(grid, a.time), nearestColumn(grid, b.time));
	const [bottom, top] = ordered(nearestRow(grid, a.value), nearestRow(grid, b.value));

	return {
		start: grid.from + left * grid.column, end: grid.from + (right + 1) * grid.column,
		low: grid.edge[bottom], high: grid.edge[top + 1],
	};
}

/** Where it lies on a map, in CSS pixels: {left, top, width, height}; null: it has left the view. */
export function boxOf(grid, { x, y }, { start, end, low, high }) {
	const left = x.x(start), width = x.x(end) - left;
	const top = isOverflow(high) ? y.top : Math.max(y.upper, y.y(high));
	const bottom = isUnderflow(grid, low) ? y.bottom : Math.min(y.lower, y.y(low));

	return end > x.from && start < x.to && bottom > top ? { left, top, width, height: bottom - top } : null;
}
