import assert from "node:assert/strict";
import test from "node:test";
import { scalesOf } from "../../src/model/scales.js";

/* A map with events of the values [low, high). */
const mapOf = (unit, low, high) => ({
	unit, axis: `${unit} log`, kind: `${unit} 1`,
	grid: { unit, edge: [low, high], nrows: 1, columns: [{ cells: [[0, 5]] }], shade: { yscale: "log", levels: [1], scale: [1] } },
});
const scales = (...maps) => scalesOf({ maps, axes: new Map(), state: { values: null, crop: 0 } });

test("a measure without a unit, as a count of which each is 1, has an axis, too", () => {
	const samples = mapOf("", 1, 2), { domain } = scales(samples).get(samples);

	assert.deepEqual([domain.low, domain.high, domain.kind], [1, 2, "log"]);
});

test("maps of one unit share an axis, counts do not share that of times; a map of parts has none", () => {
	const a = mapOf("ns", 1000, 2000), b = mapOf("ns", 10000, 20000), counts = mapOf("", 1, 2), parts = { ...mapOf("ns", 1, 2), unit: undefined };
	const all = scales(a, b, counts, parts);

	assert.equal(all.get(a).domain, all.get(b).domain);
	assert.deepEqual([all.get(a).domain.low, all.get(a).domain.high, all.get(counts).domain.high], [1000, 20000, 2]);
	assert.equal(all.has(parts), false);
});
