import assert from "node:assert/strict";
import test from "node:test";
import { timeAxis } from "../../src/base/axis.js";
import { annotationsOf, Annotations, mostUrgentFirst, newestFirst, noteOf, pointedAt, spansOf, touches } from "../../src/model/annotations.js";

const note = (id, start_time, end_time = start_time, more = {}) => ({ id, kind: "note", text: id, start_time, end_time, instrumentation: null, ...more });
const ids = (list) => list.map(({ id }) => id);

test("an annotation touches the times it has something of; what fires touches all that follow", () => {
	const cases = [[10, 10, true], [9.9, 9.9, false], [20, 20, false], [5, 10, false], [5, 10.1, true], [19, 30, true], [20, 30, false], [0, null, true], [20, null, false]];

	for (const [start, end, does] of cases)
		assert.equal(touches(note("1", start, end), 10, 20), does, `${start} to ${end}`);
});

test("a map has its instrumentation's annotations and everybody's", () => {
	const all = [note("1", 0), note("2", 0, 0, { instrumentation: "7" }), note("3", 0, 0, { instrumentation: "8" })];

	assert.deepEqual(ids(annotationsOf(all, { id: "7" })), ["1", "2"]);
});

test("the newest is first, of one time the one that was made last; the most urgent alert is first", () => {
	assert.deepEqual(ids(newestFirst([note("9", 5), note("10", 5), note("2", 7)])), ["2", "10", "9"]);
	assert.deepEqual(ids(mostUrgentFirst([{ id: "1", state: "ok" }, { id: "2", state: "no_data" }, { id: "11", state: "firing" },
		{ id: "3", state: "firing" }, { id: "4", state: "pending" }])), ["3", "11", "4", "2", "1"]);
});

test("a moment can be hit next to its line, a time only within it", () => {
	const all = [note("before", 98), note("far", 90), note("over", 80, 100), note("within", 80, 101), note("after", 105, 120)];

	assert.deepEqual(ids(pointedAt(all, 100, 102, 3)), ["before", "within"]);
});

test("marks lie where their times do, and are cut off at the sides", () => {
	const x = timeAxis(100, 200, 0, 1000);
	const placed = spansOf([note("moment", 150), note("whole", 110, 120), note("left", 50, 110), note("right", 190, 300), note("firing", 180, null), note("gone", 20, 90)], x, 1000);

	assert.deepEqual(placed.map(({ annotation: { id }, left, width, begins, ends }) => [id, left, width, begins, ends]), [
		["moment", 500, 0, true, true], ["whole", 100, 100, true, true], ["left", 0, 100, false, true],
		["right", 900, 100, true, false], ["firing", 800, 200, true, false],
	]);
});

test("a note without an end is a moment, and of all maps unless it is of one's", () => {
	assert.deepEqual(noteOf({ text: " deploy ", start: 5, end: null, inst: null }), { text: "deploy", time: 5 });
	assert.deepEqual(noteOf({ text: "a", start: 5, end: 5, inst: { id: "7" } }), { text: "a", time: 5, instrumentation: "7" });
	assert.deepEqual(noteOf({ text: "a", start: 5, end: 9, inst: null }), { text: "a", start_time: 5, end_time: 9 });
});

test("a note is begun at the cursor, in the newest column, or of the rectangle on its map", () => {
	const session = { explain: { rectangle: null }, changed() {} }, annotations = new Annotations(session);
	const grid = { from: 100, column: 2, ncols: 5 }, inst = { id: "1" }, map = { grid, inst, pointed: { i: 1 } };

	annotations.write(map);
	assert.deepEqual(annotations.draft, { start: 102, end: 102, inst });
	annotations.write({ ...map, pointed: null });
	assert.deepEqual(annotations.draft, { start: 108, end: 108, inst });
	session.explain.rectangle = { map, start: 104, end: 108 };
	annotations.write(map);
	assert.deepEqual(annotations.draft, { start: 104, end: 108, inst });
});

test("another time is asked for, what a live view moves on to is not", () => {
	const session = { live: true, span: { start: 100, duration: 60 } }, annotations = new Annotations(session);
	let asked = 0;

	annotations.refresh = () => { asked++; annotations.asked = annotations.wanted; };
	annotations.keepUp();
	session.span = { start: 130, duration: 60 };
	annotations.keepUp();
	assert.equal(asked, 1);
	session.live = false;
	annotations.keepUp();
	assert.equal(asked, 1, "it is known already");
	session.span = { start: 40, duration: 60 };
	annotations.keepUp();
	assert.equal(asked, 2);
});
