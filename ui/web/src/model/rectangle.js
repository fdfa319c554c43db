/* rectangle.js - describes a rectangle that the user draws: whole columns by whole rows, and running events beyond
 * these.
 *
 *      two points {time, value} -> {start, end, low, high}
 *
 * It keeps its time and values while the map moves on.
 */
import { columnAt, gridEnd, isOverflow, isUnderflow, rowAt, rowRange, runningAt } from "./grid.js";
import { fieldOf, isPoint, unitOf } from "../base/text.js";

/**
 * @typedef {Object} Rectangle
 * @property {number} start       Unix s
 * @property {number} end
 * @property {number} low         in the measure's unit
 * @property {number|null} high   exclusive; null: no upper edge
 */

/** A state at the end of each slot (scope point) has no events to compare. */
export const canExplain = (grid) => grid.scope !== "point";

/** The map that a rectangle goes to when all maps of its own instrumentation have gone: one of the same measure, or else of the same unit.
 * A rectangle of other units would mean nothing.  undefined: there is none. */
export function successorOf({ inst, measure }, maps, catalogue) {
	const unit = (of, name) => fieldOf(catalogue, of, name) && unitOf(catalogue, of, name);
	const fits = maps.filter((map) => map.panel.show === "map" && !isPoint(map.inst, map.measure, catalogue) && unit(map.inst, map.measure) === unit(inst, measure));

	return unit(inst, measure) === undefined ? undefined : fits.find((map) => map.measure === measure) ?? fits[0];
}

const nearestColumn = (grid, time) =>
	columnAt(grid, Math.min(gridEnd(grid) - grid.column / 2, Math.max(grid.from, time)));

const ordered = (a, b) => a <= b ? [a, b] : [b, a];

/* The edges of what a value is in: its row, or beyond the rows what still ran there; else there is nothing, and the value is its own edge. */
function edgesAt(grid, columns, value) {
	const row = rowAt(grid, value);

	if (row >= 0)
		return rowRange(grid, row);
	for (const column of columns) {
		const running = runningAt(column, value);

		if (running)
			return running.slice(0, 2);
	}
	return value === Infinity ? [grid.edge[grid.nrows], null] : [Math.floor(value), Math.ceil(value)];
}

/** From the cell of one point to that of another.  Rows are only where events have ended; what still runs may be older than all of them,
 * so the values reach as far as they were drawn.  Values of Infinity have no upper edge. */
export function between(grid, a, b) {
	const [left, right] = ordered(nearestColumn(grid, a.time), nearestColumn(grid, b.time)), columns = grid.columns.slice(left, right + 1);
	const ends = [a, b].map(({ value }) => edgesAt(grid, columns, value));
	const low = Math.min(...ends.map(([from]) => from)), high = Math.max(...ends.map(([, to]) => to ?? Infinity));

	return {
		start: grid.from + left * grid.column, end: grid.from + (right + 1) * grid.column,
		low, high: high === Infinity ? null : Math.max(high, low + 1),
	};
}

/** Its place on a map, in CSS pixels: {left, top, width, height}; null: it has left the view. */
export function boxOf(grid, { x, y }, { start, end, low, high }) {
	const left = x.x(start), width = x.x(end) - left;
	const top = isOverflow(high) ? y.top : Math.max(y.upper, y.y(high));
	const bottom = isUnderflow(grid, low) ? y.bottom : Math.min(y.lower, y.y(low));

	return end > x.from && start < x.to && bottom > top ? { left, top, width, height: bottom - top } : null;
}
