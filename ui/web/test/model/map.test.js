import assert from "node:assert/strict";
import test from "node:test";
import { HeatMap } from "../../src/model/map.js";
import { PartsMap } from "../../src/model/parts.js";
import { panelOf } from "../../src/model/worksheet.js";

/* Maps of what the pointer is on; nothing of it needs a page. */
function mapsOf(units) {
	const session = { cursor: null, state: { keys: [] } };

	return units.map((unit) => Object.assign(new HeatMap(session, { id: unit, panel: panelOf("1", "m"), inst: { id: "1" } }), { grid: unit && { unit } }));
}

test("a map whose instrumentation goes lets go of all that it held", () => {
	const [map] = mapsOf(["ns"]);

	map.overlays.set("select", {});
	map.place({ panel: map.panel, inst: { id: "1" } });
	assert.deepEqual([map.unit, map.overlays.size], ["ns", 1]);
	map.place({ panel: map.panel, inst: null });
	assert.deepEqual([map.grid, map.summary, map.overlays.size], [null, null, 0]);
});

test("maps of one measure are told apart by what they add up", () => {
	const session = { catalogue: { metrics: [], fields: { io: { label: "time in file I/O" } } }, shown: [] };
	const titleOf = (more) => new HeatMap(session, { id: "1", panel: panelOf("1", "latency", more), inst: { id: "1" } }).title;

	assert.deepEqual([titleOf(), titleOf({ weight: "io" }), titleOf({ weight: "net" }), titleOf({ y: "linear" })],
		["latency", "latency, sums of time in file I/O", "latency, sums of net", "latency, linear axis"]);
});

test("a map of a weight is requested by the weight alone: only colours of counts can show how much", () => {
	const inst = { id: "1", granularity: 1, "retention-time": 600, measures: ["latency"], weights: ["latency", "io", "net"] };
	const session = { state: { duration: 60, weights: "weight", only: null, y: "auto" }, dark: false };
	const asked = (Kind, more) => new Kind(session, { id: "1", panel: panelOf("1", "latency", more), inst }).views.map(({ weight, weights }) => [weight, weights]);

	assert.deepEqual(asked(HeatMap), [[null, "weight"]]);
	assert.deepEqual(asked(HeatMap, { weight: "io" }), [["io", null]]);
	assert.deepEqual(asked(PartsMap, { show: "parts" }), [[null, null]]);
});

test("parts are one grid, spread over when their time was spent", () => {
	const inst = { id: "1", granularity: 1, "retention-time": 600, measures: ["latency"], weights: ["latency", "io", "net"] };
	const session = { state: { duration: 60, weights: "count", only: null, y: "auto" }, dark: false, took() {} };
	const map = new PartsMap(session, { id: "1", panel: panelOf("1", "latency", { show: "parts" }), inst });

	assert.deepEqual(map.views.map(({ measure, active, ncols }) => ({ measure, active, ncols })), [{ measure: "latency", active: true, ncols: 60 }]);
	assert.equal(map.stack, null);
	map.take({ from: 10, column: 1, ncols: 1, rows: ["io", "net", "rest"], columns: [{ cells: [[1, 9e9]] }] });
	assert.deepEqual(map.stack.load.map((part) => part[0]), [0, 9, 0]);
	map.clear();
	assert.equal(map.stack, null);
});

test("a cursor's value is of its own unit only", () => {
	const [latency, cputime, utilization, empty] = mapsOf(["ns", "ns", "%", null]);
	const { session } = latency;

	session.cursor = { map: latency, time: 5, value: 37 };
	assert.equal(latency.cursor.value, 37);
	assert.equal(cputime.cursor.value, 37);
	assert.equal(utilization.cursor, null);
	assert.equal(empty.cursor, null);
	session.cursor = null;
	assert.equal(latency.cursor, null);
});

const grid = { unit: "ns", from: 100, column: 2, ncols: 2, nrows: 2, edge: [10, 20, 40], columns: [{ cells: [[1, 7]] }, { cells: [] }] };

test("the place of the cursor is found by time, and by value if the unit is the same", () => {
	const [map, other] = mapsOf(["ns", "%"]);

	map.grid = grid;
	other.grid = { ...grid, unit: "%" };
	map.session.cursor = { map, time: 101, value: 25 };
	assert.deepEqual([map.pointed.i, map.pointed.row, map.pointed.n, map.pointed.range], [0, 1, 7, [20, 40]]);
	assert.deepEqual([other.pointed.i, other.pointed.row, other.pointed.n], [0, -1, 0]);
	map.session.cursor = { map, time: 99, value: 25 };
	assert.equal(map.pointed, null, "outside");
});

test("maps are alike where they count the same events, or add up the same weight, or say what runs", () => {
	const [a, b] = mapsOf(["ns", "ns"]);

	assert.equal(a.kind, b.kind);
	b.grid = { unit: "ns", weight: "io" };
	assert.notEqual(a.kind, b.kind);
	b.grid = { unit: "ns", scope: "point" };
	assert.notEqual(a.kind, b.kind, "a mean of running events is small compared with the events of a second");
	b.grid = { unit: "ns" };
	b.inst = { id: "2" };
	assert.notEqual(a.kind, b.kind);
});

test("highlighted keys lie over the rest, or are asked for alone, or left out", () => {
	const [map] = mapsOf(["ns"]);
	const of = (only) => {
		map.session.state = { keys: ["a,b", "c"], only };
		map.session.selectedOf = () => map.session.state.keys;
		return [map.narrowed, map.asked, map.highlights.length];
	};
	const selected = "a\\,b,c";

	assert.deepEqual(of(null), [{}, { selected }, 2]);
	assert.deepEqual(of("isolate"), [{ selected }, { selected }, 2]);
	assert.deepEqual(of("exclude"), [{ selected, exclude: true }, { selected, exclude: true }, 0]);
	map.session.selectedOf = () => [];
	assert.deepEqual(map.narrowed, {}, "without highlighted keys there is nothing to leave out");
});
