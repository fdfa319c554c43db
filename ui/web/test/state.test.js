import assert from "node:assert/strict";
import test from "node:test";
import { anew, columnsFor, panelsOf, readHash, START, weightOf, writeHash } from "../src/state.js";

test("the address keeps everything a person chose", () => {
	const state = {
		inst: "7", measures: ["latency", "blocked"], duration: 900, y: "linear", transfer: "rank", weight: "io",
		keys: ["select", "", "/run/my sql,sock/a&b=c"], by: "command", view: "table", theme: "dark", end: 1700000000.5,
		values: { unit: "bytes/s", low: 0, high: 4096 }, threshold: { unit: "ns", value: 2.5e7 },
	};

	assert.deepEqual(readHash(writeHash(state)), state);
	assert.deepEqual(readHash(writeHash(START)), { ...START });
	assert.equal(writeHash(START), "");
});

test("an address of nonsense gives the start", () => {
	for (const hash of ["#", "#duration=7&y=cubic&transfer=&view=3d&theme=pink&end=soon", "#%%%", "#end=-1", "#values=ns", "#threshold=ns", "#threshold=ns:", "#threshold=ns:-5", "#threshold=ns:5:6"])
		assert.deepEqual(readHash(hash), { ...START });
});

test("another instrumentation keeps how is looked, and nothing of what was chosen", () => {
	const chosen = readHash("#inst=7&m=blocked&weight=io&key=a&by=command&end=5&values=ns:1:5&threshold=ns:5");
	const look = { duration: 900, y: "linear", transfer: "rank", view: "table", theme: "dark" };

	assert.deepEqual({ ...chosen, ...look, ...anew("8") }, { ...START, ...look, inst: "8" });
});

test("columns are whole slots and not too many", () => {
	for (const range of [60, 300, 900, 3600])
		for (const slot of [0.1, 0.5, 1, 10, 60]) {
			const n = columnsFor(range, slot);
			const per = Math.ceil(Math.max(1, Math.round(range / slot)) / n);

			assert.ok(n >= 1 && n <= 360, `${range} s of ${slot} s: ${n}`);
			assert.ok(n * per * slot >= range, `${range} s of ${slot} s: ${n}`);
		}
	assert.deepEqual([60, 300, 900, 3600].map((r) => columnsFor(r, 1)), [60, 300, 180, 360]);
});

test("latency, on-CPU and off-CPU lie one above the other wherever they are measured", () => {
	const inst = { measures: ["latency", "runqwait", "offcpu", "cputime"] };

	assert.deepEqual(panelsOf(START, inst), ["latency", "cputime", "offcpu"]);
	assert.deepEqual(panelsOf({ ...START, measures: ["runqwait", "gone"] }, inst), ["runqwait"]);
	assert.deepEqual(panelsOf(START, { measures: ["size"] }), ["size"]);
});

test("what lies over the first measure's map has no panel unless it is asked for", () => {
	assert.deepEqual(panelsOf(START, { measures: ["latency", "cputime", "age", "blocked"] }), ["latency", "cputime", "blocked"]);
	assert.deepEqual(panelsOf({ ...START, measures: ["age"] }, { measures: ["latency", "age"] }), ["age"]);
	assert.deepEqual(panelsOf(START, { measures: ["age"] }), ["age"]);
});

test("only the first measure's map can be of a weight, and only of one that is kept", () => {
	const inst = { measures: ["latency", "cputime"], weights: ["latency", "io"] }, state = { ...START, weight: "io" };

	assert.equal(weightOf(state, inst, "latency"), "io");
	assert.equal(weightOf(state, inst, "cputime"), null);
	assert.equal(weightOf({ ...START, weight: "net" }, inst, "latency"), null);
	assert.equal(weightOf(state, { measures: ["latency"] }, "latency"), null);
	assert.equal(readHash(writeHash(state)).weight, "io");
});
