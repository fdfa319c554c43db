import assert from "node:assert/strict";
import test from "node:test";
import { timeAxis, valueAxis } from "../src/axis.js";
import { between, boxOf, canExplain } from "../src/rectangle.js";

/* Four columns of 2 s from 100 on; rows 0-10, 10-20, 20-40, and beyond. */
const grid = { from: 100, column: 2, ncols: 4, nrows: 4, edge: [0, 10, 20, 40, null] };
const at = (time, value) => ({ time, value });

test("a rectangle has whole columns and rows, and both of its corners", () => {
	assert.deepEqual(between(grid, at(102.1, 12), at(105.9, 25)), { start: 102, end: 106, low: 10, high: 40 });
	assert.deepEqual(between(grid, at(102, 10), at(102, 10)), { start: 102, end: 104, low: 10, high: 20 });
});

test("which of its corners comes first does not matter", () => {
	const corners = [101, 103.5, 107].flatMap((time) => [3, 15, 39, 1e6].map((value) => at(time, value)));

	for (const a of corners)
		for (const b of corners) {
			const drawn = between(grid, a, b);

			assert.deepEqual(drawn, between(grid, b, a));
			for (const { time, value } of [a, b]) {
				assert.ok(drawn.start <= time && time < drawn.end);
				assert.ok(drawn.low <= value && (drawn.high === null || value < drawn.high));
			}
		}
});

test("beyond the map it ends at its border", () => {
	const bounded = { ...grid, nrows: 2, edge: [10, 20, 40] };

	assert.deepEqual(between(bounded, at(0, 0), at(1e9, Infinity)), { start: 100, end: 108, low: 10, high: 40 });
	assert.deepEqual(between(bounded, at(108, 40), at(200, 50)), { start: 106, end: 108, low: 20, high: 40 });
	assert.equal(between(grid, at(100, 5), at(100, Infinity)).high, null, "the last row has no upper edge");
});

const view = (from = 100) => ({
	x: timeAxis(from, from + 8, 0, 80), y: valueAxis({ kind: "linear", low: 0, high: 100, under: false, over: true }, 0, 108),
});

test("it keeps its time and values while the map moves on, until it has left", () => {
	const drawn = { start: 102, end: 106, low: 10, high: 40 }, linear = { ...grid, shade: { yscale: "linear" } };

	assert.deepEqual(boxOf(linear, view(), drawn), { left: 20, top: 68, width: 40, height: 30 });
	assert.deepEqual(boxOf(linear, view(104), drawn), { left: -20, top: 68, width: 40, height: 30 });
	assert.equal(boxOf(linear, view(106), drawn), null);
	assert.equal(boxOf(linear, view(), { ...drawn, low: 200, high: 300 }), null, "the axis does not reach there");
});

test("without a limit it has the strips, too", () => {
	assert.deepEqual(boxOf(grid, view(), { start: 100, end: 108, low: 0, high: null }), { left: 0, top: 0, width: 80, height: 108 });
});

test("what has no events has no rectangle", () => {
	assert.deepEqual([canExplain({ scope: "interval" }), canExplain({ scope: "point" })], [true, false]);
});
