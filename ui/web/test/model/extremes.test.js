import assert from "node:assert/strict";
import test from "node:test";
import { extremesOf } from "../../src/model/extremes.js";

const grid = (...columns) => ({ from: 100, column: 2, nrows: 4, edge: [0, 10, 20, 40, null], columns });

test("the highest cell is that of the highest event, the lowest the newest of the lowest", () => {
	const cells = grid({ cells: [[0, 5], [2, 1]], max: 30 }, { cells: [], max: 0 }, { cells: [[1, 1], [2, 9]], max: 39 }, { cells: [[0, 1], [2, 1]], max: 21 });

	assert.deepEqual(extremesOf(cells), { highest: { time: 105, value: 30 }, lowest: { time: 107, value: 5 } });
	assert.deepEqual(extremesOf(grid({ cells: [[3, 1]], max: 99 })).highest, { time: 101, value: 41 });
});

test("a running event may be the highest, but not the lowest", () => {
	const ended = { cells: [[1, 3]], max: 15 }, runs = (oldest, ...running) => ({ ...ended, oldest, running });

	assert.deepEqual(extremesOf(grid(ended, runs(52, [12, 14, 1], [50, 54, 8]), ended)),
		{ highest: { time: 103, value: 52 }, lowest: { time: 105, value: 15 } });
	assert.deepEqual(extremesOf(grid({ cells: [], max: 0, oldest: 9, running: [[8, 10, 1]] })), { highest: { time: 101, value: 9 }, lowest: null });
	assert.equal(extremesOf(grid(runs(99, [80, null, 1]))).highest.value, 81);
	assert.equal(extremesOf(grid(runs(12, [10, 11, 1]), ended)).highest.time, 103, "of the same height the newest");
});

test("where nothing is there is no extreme", () => {
	assert.deepEqual(extremesOf(grid({ cells: [], max: 0 })), { highest: null, lowest: null });
});
