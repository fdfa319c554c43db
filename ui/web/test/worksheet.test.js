import assert from "node:assert/strict";
import test from "node:test";
import { changed, MAPS_MAX, moved, panelIn, panelOf, panelsOf, panelText, placed, SIZE_MAX, SIZE_MIN, sized, weightsOf, withPanel, without } from "../src/worksheet.js";

const [a, b, c] = [panelOf("1", "latency"), panelOf("1", "cputime"), panelOf("2", "size", { weight: "io", size: 2 })];
const measuresOf = (inst) => panelsOf({ id: "1", ...inst }).map((panel) => panel.measure);

test("latency, on-CPU and off-CPU lie one above the other wherever they are measured", () => {
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
	for (const panel of [a, b, c, panelOf("3", "age", { size: 0.5 })])
		assert.deepEqual(panelIn(panelText(panel)), panel);
	assert.deepEqual([a, c].map(panelText), ["1:latency", "2:size:io:2"]);
	assert.equal(panelIn("1:latency::900").size, SIZE_MAX);
	assert.equal(panelIn("1:latency::x").size, 1);
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
