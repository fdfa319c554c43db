import assert from "node:assert/strict";
import test from "node:test";
import { KEYS_MAX } from "../../src/model/keys.js";
import { freshState, chosenIn, columnsFor, keptColumns, keptOf, keptSpan, LINES, readHash, START, writeHash, wrongTime } from "../../src/model/state.js";
import { panelOf } from "../../src/model/worksheet.js";

test("the address keeps everything a person chose", () => {
	const state = {
		sheet: "7", base: null,
		inst: "7", panels: [panelOf("7", "latency", { weight: "io" }), panelOf("8", "size", { size: 1.5 }), panelOf("7", "latency", { show: "parts" }), panelOf("9", "size", { y: "linear" })], duration: 900,
		y: "linear", transfer: "percent", weights: "weight", palette: "fire", lines: ["mean"], crop: 0.02, only: "isolate", keys: ["select", "", "/run/my sql,sock/a&b=c"], of: "statement,host", by: "command", sort: "p99:up", view: "table", theme: "dark", end: 1700000000.5,
		values: { unit: "bytes/s", low: 0, high: 4096 }, threshold: { unit: "ns", value: 2.5e7 },
	};

	assert.deepEqual(readHash(writeHash(state)), state);
	assert.deepEqual(readHash(writeHash(START)), { ...START });
	assert.equal(writeHash(START), "");
});

test("an address of nonsense gives the start", () => {
	const listless = encodeURIComponent('{"instrumentation":{"module":"m","stat":"s","decomposition":"x"},"measure":"l"}');

	for (const hash of [`#map=${listless}`, "#", "#duration=7&y=cubic&transfer=&view=3d&theme=pink&end=soon", "#%%%", "#end=-1", "#values=ns", "#threshold=ns", "#threshold=ns:", "#threshold=ns:-5", "#threshold=ns:5:6", "#map=", "#map=7", "#map=:latency", "#map=7:latency:io:1:map:log:2", "#map={}", "#map={", "#crop=0.06", "#crop=-1", "#only=these", "#palette=rainbow", "#weights=gold", "#sort=", "#sort=sum", "#sort=price", "#sort=p99:down", "#sort=p99:up:up"])
		assert.deepEqual(readHash(hash), { ...START });
});

test("which lines are drawn is in the address, also where none are", () => {
	for (const lines of [[], ["mean"], ["p50", "p99"], LINES])
		assert.deepEqual(readHash(writeHash({ ...START, lines })).lines, lines);
	assert.deepEqual(readHash("#lines=p99,p10,mean").lines, ["mean", "p99"], "what there is, in its order");
	assert.deepEqual(readHash("#lines=").lines, []);
});

test("an address has no more keys than there are hues: each is asked for by itself", () => {
	assert.equal(readHash(`#${"key=a&".repeat(1000)}`).keys.length, KEYS_MAX);
});

test("another instrumentation keeps the moment and how it is looked at, and nothing of the keys and panels", () => {
	const chosen = readHash("#inst=7&map=7:blocked:io&key=a&only=exclude&crop=0.01&of=user&by=command&end=5&values=ns:1:5&threshold=ns:5");
	const look = { duration: 900, crop: 0.01, y: "linear", transfer: "rank", view: "table", theme: "dark" };

	assert.deepEqual({ ...chosen, ...look, ...freshState("8") }, { ...START, ...look, inst: "8",
		end: 5, values: { unit: "ns", low: 1, high: 5 }, threshold: { unit: "ns", value: 5 } });
});

test("what is asked for is kept: a span ends where it did and begins no earlier than that", () => {
	const inst = { "retention-time": 3600, tiers: [86400] };

	assert.deepEqual(keptSpan({ start: 0, duration: 86700 }, inst), { start: 300, duration: 86400 });
	assert.deepEqual(keptSpan({ start: 0, duration: 600 }, inst), { start: 0, duration: 600 });
	for (const [grid, kept] of [
		[{ from: 0, ncols: 289, column: 300 }, { from: 300, ncols: 288 }],
		[{ from: 0, ncols: 288, column: 300 }, { from: 0, ncols: 288 }],
		[{ from: 600, ncols: 10, column: 60 }, { from: 600, ncols: 10 }],
		[{ from: 0, ncols: 2, column: 172800 }, { from: 172800, ncols: 1 }]])
		assert.deepEqual(keptColumns(grid, inst), kept, JSON.stringify(grid));
	assert.equal(keptOf({ "retention-time": 3600 }), 3600);
});

test("a link to a worksheet holds the choices made on it, and without choices holds nothing more", () => {
	const chosen = { duration: 900, keys: ["a"], end: 1700000000, threshold: { unit: "ns", value: 5 }, values: { unit: "ns", low: 1, high: 5 } };
	const base = { duration: 60, y: "auto", transfer: "log", threshold: null };
	const link = writeHash({ ...START, ...base, ...chosen, sheet: "7", base, panels: [panelOf("7", "latency")] });

	assert.deepEqual(readHash(link).panels, [], "they are the worksheet's");
	assert.deepEqual(chosenIn(link), chosen);
	assert.deepEqual(chosenIn("#sheet=7"), {});
});

test("what was chosen counts more than the worksheet, also where it is as at the start; what the worksheet says is not repeated", () => {
	const base = { duration: 900, y: "log", transfer: "rank", threshold: { unit: "ns", value: 5 } };
	const linkOf = (chosen) => writeHash({ ...START, ...base, sheet: "7", base, ...chosen });

	assert.equal(linkOf({}), "#sheet=7");
	assert.equal(linkOf({ threshold: { ...base.threshold } }), "#sheet=7");
	for (const chosen of [{ duration: START.duration }, { y: START.y }, { transfer: START.transfer }, { threshold: null }])
		assert.deepEqual(chosenIn(linkOf(chosen)), chosen);
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

test("an address with a time or length that cannot be shown is said, and read as if without it", () => {
	const now = Date.now() / 1000;

	for (const hash of ["#end=99999999999", "#end=soon", "#end=-1", `#end=${now + 2 * 86400}`])
		assert.ok(/^end=.*the page is live$/.test(wrongTime(hash, now)) && readHash(hash).end === null, hash);
	for (const duration of ["1", "0.5", "-5", "day", "99999999"])
		assert.ok(wrongTime(`#duration=${duration}`, now).startsWith(`duration=${duration} is not from 10 s`) && readHash(`#duration=${duration}`).duration === 300);
	assert.equal(wrongTime(`#end=${now}&duration=600`, now), "");
	assert.equal(wrongTime("#end=1000", now), "");
	assert.equal(wrongTime("", now), "");
});
