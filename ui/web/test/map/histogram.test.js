import assert from "node:assert/strict";
import test from "node:test";
import { valueAxis } from "../../src/base/axis.js";
import { lengthOf, profileOf } from "../../src/map/histogram.js";
import { TRANSFERS } from "../../src/model/state.js";

const grid = {
	edge: [0, 1e3, 1e4, 1e5, null], nrows: 4, shade: { yscale: "log" },
	columns: [{ cells: [[0, 1], [1, 20]] }, { cells: [] }, { cells: [[1, 30], [2, 5], [3, 7]] }],
};
const axis = (low, high, under, over) => valueAxis({ kind: "log", low, high, under, over }, 0, 200);

test("rows lie where the map has them, and those beyond the axis nowhere", () => {
	assert.equal(profileOf(grid, axis(1e3, 1e5, true, true)).length, 4);
	const [low, high] = profileOf(grid, axis(1e3, 1e5, false, false));

	assert.deepEqual([low.bottom, high.top], [200, 0]);
	assert.ok(Math.abs(low.top - high.bottom) < 1e-9);
	assert.equal(low.density, 50 / (low.bottom - low.top));
});

test("a bar that shows how much is weighted as the colours are", () => {
	const scale = [0.5, 2, 3, 4], rows = profileOf(grid, axis(1e3, 1e5, true, true), scale);

	assert.deepEqual(rows.map(({ density }) => density), [1 * 0.5, 50 * 2, 5 * 3, 7 * 4]);
});

test("the densest bar is whole, no event is no bar, and more is never shorter", () => {
	for (const transfer of TRANSFERS) {
		const lengths = [0, 0.001, 0.1, 1, 7, 50].map((density) => lengthOf(density, 50, transfer));

		assert.equal(lengths[0], 0);
		assert.equal(lengths.at(-1), 1);
		assert.deepEqual(lengths, [...lengths].sort((a, b) => a - b));
	}
});
