import assert from "node:assert/strict";
import test from "node:test";
import { timeAxis, valueAxis } from "../../src/base/axis.js";
import { boxesOf, densityOf } from "../../src/map/running.js";

const grid = (...running) => ({ from: 100, column: 2, ncols: 2, nrows: 1, edge: [10, 20], columns: [{ cells: [], running }, { cells: [] }] });
const view = (domain) => ({ x: timeAxis(100, 104, 0, 80), y: valueAxis({ kind: "log", low: 10, high: 1000, under: true, over: true, ...domain }, 0, 216) });

test("running events have their own place, for any rows of the grid, and at least a pixel", () => {
	assert.deepEqual(boxesOf(grid([10, 100, 3], [100, 100.1, 1]), view(), 1), [
		{ x: 0, y: 108, w: 40, h: 100, n: 3 },
		{ x: 0, y: 108, w: 40, h: 1, n: 1 },
	]);
});

test("beyond the axis it lies in the strips, and is left out where there are none", () => {
	const beyond = grid([0, 10, 1], [1000, null, 2], [2000, 3000, 4]);

	assert.deepEqual(boxesOf(beyond, view(), 1).map(({ y, h, n }) => [y, h, n]), [[209, 7, 1], [0, 7, 2]]);
	assert.deepEqual(boxesOf(beyond, view({ under: false, over: false }), 1), []);
});

test("tens are denser than few, hundreds than tens", () => {
	assert.deepEqual([0.001, 9.9, 10, 99, 100, 1e6].map(densityOf), [0, 0, 1, 1, 2, 2]);
});
