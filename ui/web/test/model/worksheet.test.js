import assert from "node:assert/strict";
import test from "node:test";
import { bound, changed, fits, MAPS_MAX, missing, moved, panelIn, panelOf, panelsFrom, panelsOf, panelText, placeAt, placed, requestOf, SIZE_MAX, SIZE_MIN, sized, weightsOf, withPanel, without, worksheetOf } from "../../src/model/worksheet.js";

const [a, b, c] = [panelOf("1", "latency"), panelOf("1", "cputime"), panelOf("2", "size", { weight: "io", size: 2 })];
const measuresOf = (inst) => panelsOf({ id: "1", ...inst }).map((panel) => panel.measure);

test("latency, time on and off the CPU lie one above the other wherever they are measured", () => {
	assert.deepEqual(measuresOf({ measures: ["latency", "runqwait", "offcpu", "cputime"] }), ["latency", "cputime", "offcpu"]);
	assert.deepEqual(measuresOf({ measures: ["size"] }), ["size"]);
	assert.deepEqual(measuresOf({ measures: ["age"] }), ["age"]);
});

test("what lies over the first measure's map has no panel unless it is asked for", () => {
	assert.deepEqual(measuresOf({ measures: ["latency", "cputime", "age", "blocked"] }), ["latency", "cputime", "blocked"]);
});

test("only the first measure's map can be of a weight, and only of one that is kept", () => {
	const inst = { measures: ["latency", "cputime"], weights: ["latency", "io"] };

	assert.deepEqual(weightsOf(inst, "latency"), ["latency", "io"]);
	assert.deepEqual(weightsOf(inst, "cputime"), []);
	assert.deepEqual(weightsOf({ measures: ["latency"] }, "latency"), []);
});

test("a panel as a text is read as it was written; what is usual is left out", () => {
	for (const panel of [a, b, c, panelOf("3", "age", { size: 0.5 }), panelOf("3", "age", { y: "linear" }), panelOf("3", "age", { size: 2, y: "log" })])
		assert.deepEqual(panelIn(panelText(panel)), panel);
	assert.deepEqual([a, c].map(panelText), ["1:latency", "2:size:io:2"]);
	assert.equal(panelIn("1:latency::900").size, SIZE_MAX);
	assert.equal(panelIn("1:latency::x").size, 1);
	assert.equal(panelIn("1:latency::::cubic").y, null);
});

test("panels are moved, removed and changed, and those before stay what they were", () => {
	const panels = Object.freeze([a, b, c]);

	assert.deepEqual(moved(panels, 0, 2), [b, c, a]);
	assert.deepEqual(moved(panels, 2, 0), [c, a, b]);
	for (const to of [-1, 3])
		assert.equal(moved(panels, 0, to), panels, "nowhere");
	assert.deepEqual(moved(moved(panels, 0, 1), 1, 0), panels);
	assert.deepEqual(without(panels, 1), [a, c]);
	assert.deepEqual(changed(panels, 0, { weight: "io" }), [{ ...a, weight: "io" }, b, c]);
});

test("a height is in steps, and not beyond its ends", () => {
	assert.deepEqual([0, 0.6, 1.3, 99].map((size) => sized([a], 0, size)[0].size), [SIZE_MIN, 0.5, 1.25, SIZE_MAX]);
});

test("another map of an instrumentation is put below its others; of a new one at the end; and there is a most", () => {
	const d = panelOf("1", "age"), e = panelOf("3", "x");

	assert.deepEqual(withPanel([a, b, c], d), [a, b, d, c]);
	assert.deepEqual(withPanel([a, b, c], e), [a, b, c, e]);
	assert.deepEqual(withPanel([], e), [e]);
	const full = Array(MAPS_MAX).fill(a);

	assert.equal(withPanel(full, e), full);
});

test("each panel is placed with its instrumentation, if that is there and keeps what it shows", () => {
	const one = { id: "1", measures: ["latency"], weights: ["io"] };
	const inst = (panel) => placed([panel], [one])[0].inst;

	assert.equal(inst(a), one);
	assert.equal(inst(b), null, "a measure that it does not keep");
	assert.equal(inst(c), null, "not there");
	assert.equal(inst({ ...a, weight: "io" }), one);
	assert.equal(inst({ ...a, weight: "net" }), null);
});

test("the names of panels are each their own, and stay while they move", () => {
	const ids = (panels) => placed(panels, []).map(({ id }) => id);

	assert.equal(new Set(ids([a, b, c, a])).size, 4);
	assert.deepEqual(ids([c, a, b]).sort(), ids([a, b, c]).sort());
	assert.deepEqual(ids([{ ...a, size: 3 }]), ids([a]), "a height is no name");
});

const INST = { id: "4", module: "mysql", stat: "queries", decomposition: ["statement", "user"], measures: ["latency", "cputime"], weights: ["latency", "io"],
	granularity: 1, "predicate-text": "" };
const OF = { module: "mysql", stat: "queries", decomposition: ["statement"], measures: ["latency"], weights: ["io"] };

test("a request fits an instrumentation of the same events that keeps at least as much", () => {
	assert.ok(fits(INST, OF));
	assert.ok(fits(INST, { ...OF, decomposition: ["statement", "latency"] }), "as Cloud Analytics asks for it");
	assert.ok(fits(INST, requestOf(INST)), "it is what would be asked for");
	for (const other of [{ stat: "x" }, { decomposition: ["digest"] }, { measures: ["age"] }, { weights: ["net"] }, { where: "latency > 1 ms" }])
		assert.ok(!fits(INST, { ...OF, ...other }), JSON.stringify(other));
	assert.ok(!fits({ ...INST, "predicate-text": "latency > 1 ms" }, OF), "others' events");
});

test("a panel is bound to the one of its id, if that is what was meant, else to one that fits", () => {
	const other = { ...INST, id: "9" }, disk = { ...INST, id: "1", module: "disk" };
	const idOf = (panel, all) => bound([panel], all)[0].inst;

	assert.equal(idOf(panelOf("9", "latency", { of: OF }), [INST, other]), "9");
	assert.equal(idOf(panelOf("1", "latency", { of: OF }), [disk, INST]), "4", "on another server the id is another one's");
	assert.equal(idOf(panelOf(null, "latency", { of: OF, show: "parts" }), [{ ...INST, weights: [] }, other]), "9");
	assert.equal(idOf(panelOf(null, "latency", { of: OF }), [disk]), null);
	const panels = [panelOf("4", "latency"), panelOf(null, "x", { of: OF })];

	assert.equal(bound(panels, [INST]), panels, "nothing was found, nothing has changed");
});

test("a missing instrumentation is requested once, an existing one never", () => {
	const panels = [panelOf(null, "latency", { of: OF }), panelOf(null, "latency", { of: { ...OF } }), panelOf("7", "x")];

	assert.deepEqual(missing(panels, []), [OF]);
	assert.deepEqual(missing(panels, [INST]), []);
});

test("a worksheet as it is saved gives the same panels, here and where the ids are others", () => {
	const panels = [panelOf("4", "latency", { weight: "io", size: 2, y: "linear" }), panelOf("4", "latency", { show: "parts" }), panelOf("77", "x")];
	const maps = placed(panels, [INST]), saved = worksheetOf("Mine", { duration: 60, y: "log", transfer: "rank", threshold: null }, maps);
	const back = bound(panelsFrom(JSON.parse(JSON.stringify(saved))), [INST]);

	assert.deepEqual([saved.name, saved.version, saved.duration, saved.yscale], ["Mine", 1, 60, "log"]);
	assert.deepEqual(saved.panels.map(({ yscale }) => yscale), ["linear", undefined], "of its own, or none");
	assert.deepEqual(back.map(panelText), panels.slice(0, 2).map(panelText), "a panel without instrumentation and request is not saved");
	assert.deepEqual(bound(panelsFrom(saved), [{ ...INST, id: "12" }]).map((p) => p.inst), ["12", "12"]);
});

test("a panel that is not measured yet is in the address with what it is made by", () => {
	const panel = panelOf(null, "latency", { of: OF, weight: "io" });

	assert.deepEqual(panelIn(panelText(panel)), panel);
	for (const text of ["{", "{}", "{\"instrumentation\": {}}", "{\"instrumentation\": {\"module\": \"a\", \"stat\": 5}, \"measure\": \"x\"}", "{\"instrumentation\": null}"])
		assert.equal(panelIn(text), null, text);
});

/* Panels of some heights, one above the other: the middles of all but one, and of that one. */
function layout(heights, held) {
	const tops = heights.map((_, i) => heights.slice(0, i).reduce((a, b) => a + b, 0));
	const middles = heights.map((height, i) => tops[i] + height / 2);

	return { others: middles.filter((_, i) => i !== held), own: middles[held] };
}

test("a panel that is let go of where it lies stays there, whatever the heights", () => {
	for (const heights of [[1, 1, 1], [4, 1, 0.5], [0.5, 4, 1, 2]])
		heights.forEach((_, held) => {
			const { others, own } = layout(heights, held);

			assert.equal(placeAt(others, own), held);
		});
});

test("a panel goes before the first whose middle it does not reach; above all first, below all last", () => {
	const { others } = layout([10, 10, 40], 0);

	assert.deepEqual([-5, 14, 16, 39, 41, 500].map((y) => placeAt(others, y)), [0, 0, 1, 1, 2, 2]);
	assert.deepEqual(moved(["a", "b", "c"], 0, placeAt(others, 41)), ["b", "c", "a"]);
});

test("where it was carried it stays when it is let go of again at the same place", () => {
	const heights = [10, 40, 20];

	for (const y of [5, 31, 51, 61]) {
		const to = placeAt(layout(heights, 0).others, y), next = moved(heights, 0, to);

		assert.equal(placeAt(layout(next, to).others, y), to, `at ${y}`);
	}
});
