import assert from "node:assert/strict";
import test from "node:test";
import { timeAxis, valueAxis } from "../../src/base/axis.js";
import { between, boxOf, canExplain, successorOf } from "../../src/model/rectangle.js";

/* Four columns of 2 s from 100 on; rows 0-10, 10-20, 20-40, and beyond. */
const grid = { from: 100, column: 2, ncols: 4, nrows: 4, edge: [0, 10, 20, 40, null], columns: Array(4).fill({ cells: [] }) };
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

test("beyond the columns it ends at the map's border", () => {
	assert.deepEqual(between(grid, at(0, 12), at(1e9, 12)), { start: 100, end: 108, low: 10, high: 20 });
});

test("beyond the rows it reaches as far as it was drawn", () => {
	const bounded = { ...grid, nrows: 2, edge: [10, 20, 40], columns: Array(4).fill({ cells: [] }) };

	assert.deepEqual(between(bounded, at(100, 15), at(108, 70.2)), { start: 100, end: 108, low: 10, high: 71 });
	assert.deepEqual(between(bounded, at(108, 44.9), at(200, 50)), { start: 106, end: 108, low: 44, high: 50 });
	assert.deepEqual(between(bounded, at(100, 50), at(108, 50)), { start: 100, end: 108, low: 50, high: 51 }, "it has a height");
	assert.deepEqual(between(bounded, at(100, 0), at(100, Infinity)), { start: 100, end: 102, low: 0, high: null });
	assert.deepEqual(between(bounded, at(100, Infinity), at(100, Infinity)), { start: 100, end: 102, low: 40, high: null });
	assert.equal(between(grid, at(100, 5), at(100, Infinity)).high, null, "the last row has no upper edge");
});

test("a rectangle takes in running events as a whole", () => {
	const runs = { cells: [], running: [[60, 64, 8], [64, 68, 1]] }, none = { cells: [] };
	const bounded = { ...grid, nrows: 2, edge: [10, 20, 40], columns: [none, none, runs, none] };

	assert.deepEqual(between(bounded, at(101, 62), at(107, 66)), { start: 100, end: 108, low: 60, high: 68 });
	assert.deepEqual(between(bounded, at(105, 62), at(105, 61)), { start: 104, end: 106, low: 60, high: 64 });
	assert.deepEqual(between(bounded, at(101, 62), at(101, 66)), { start: 100, end: 102, low: 62, high: 66 }, "of other columns it is not");
	const old = { ...bounded, columns: [none, none, { cells: [], running: [[60, null, 8]] }, none] };

	assert.deepEqual(between(old, at(105, 15), at(105, Infinity)), { start: 104, end: 106, low: 10, high: null });
	assert.deepEqual(between(old, at(105, Infinity), at(105, Infinity)), { start: 104, end: 106, low: 60, high: null });
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

test("a map of scope point cannot be explained", () => {
	assert.deepEqual([canExplain({ scope: "interval" }), canExplain({ scope: "point" })], [true, false]);
});

test("of another instrumentation it goes to the same measure, or else to one of its unit", () => {
	const catalogue = {
		fields: { latency: { type: "time" }, offcpu: { type: "time" }, size: { type: "size" }, age: { type: "time" }, used: { type: "time" } },
		metrics: [{ module: "mysql", stat: "queries", point: "age" }, { module: "disk", stat: "io" }, { module: "cpu", stat: "use", scope: "point" }],
	};
	const of = (module, stat, measure, show = "map") => ({ inst: { module, stat }, measure, panel: { show } });
	const size = of("disk", "io", "size"), latency = of("disk", "io", "latency"), offcpu = of("mysql", "queries", "offcpu"), age = of("mysql", "queries", "age");
	const other = of("mysql", "queries", "latency"), parts = of("mysql", "queries", "latency", "parts"), state = of("cpu", "use", "used");

	for (const [old, maps, to] of [[other, [size, parts, latency], latency], [other, [size, offcpu], offcpu], [offcpu, [latency, offcpu], offcpu],
		[size, [latency], undefined], [latency, [age, state, parts], undefined], [of("gone", "x", "nothing"), [latency], undefined]])
		assert.equal(successorOf(old, maps, catalogue), to, `${old.measure} of ${maps.map((map) => map.measure)}`);
});
