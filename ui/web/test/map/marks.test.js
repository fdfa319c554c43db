import assert from "node:assert/strict";
import test from "node:test";
import { P99_EVENTS, stepOf } from "../../src/map/marks.js";

const column = (count, more) => ({ state: "ok", count, sum: 30, p50: 7, p99: 9, ...more });

test("a line steps to what its column says, and breaks where that says nothing", () => {
	assert.deepEqual(["mean", "p50"].map((line) => stepOf(column(10), line)), [3, 7]);
	assert.deepEqual([1, P99_EVENTS - 1, P99_EVENTS].map((count) => stepOf(column(count), "p99")), [null, null, 9]);
	for (const line of ["mean", "p50", "p99"])
		for (const nothing of [column(0, { state: "zero" }), column(0, { state: "unobserved" }), column(500, { state: "in_progress" })])
			assert.equal(stepOf(nothing, line), null);
});

test("of a mean over slots, which need be no whole number, there is a mean, too", () => {
	assert.equal(stepOf(column(0.5), "mean"), 60);
});

test("a column without percentiles has no steps of them", () => {
	assert.equal(stepOf({ state: "ok", count: 500, sum: 1 }, "p99"), null);
});
