import assert from "node:assert/strict";
import test from "node:test";
import { extremesOf } from "../src/extremes.js";

const grid = (...columns) => ({ from: 100, column: 2, nrows: 4, edge: [0, 10, 20, 40, null], columns });

test("the highest cell is that of the highest event, the lowest the newest of the lowest", () => {
	const cells = grid({ cells: [[0, 5], [2, 1]], max: 30 }, { cells: [], max: 0 }, { cells: [[1, 1], [2, 9]], max: 39 }, { cells: [[0, 1], [2, 1]], max: 21 });

	assert.deepEqual(extremesOf(cells), { highest: { time: 105, value: 30 }, lowest: { time: 107, value: 5 } });
	assert.deepEqual(extremesOf(grid({ cells: [[3, 1]], max: 99 })).highest, { time: 101, value: 41 });
});

test("where nothing is there is no extreme", () => {
	assert.deepEqual(extremesOf(grid({ cells: [], max: 0 })), { highest: null, lowest: null });
});
