import assert from "node:assert/strict";
import test from "node:test";
import { PaintQueue } from "../../src/map/paint_queue.js";

/* A queue whose frames the test starts; painted: the painted canvases, in order. */
function setUp(...panels) {
	const queue = new PaintQueue(), painted = [], frames = [];

	globalThis.requestAnimationFrame = (frame) => frames.push(frame);
	for (const panel of panels)
		queue.show(panel, true);
	return {
		queue, painted,
		put: (panel, canvas = "cells", what = "") => queue.put(panel, canvas, () => painted.push(`${panel} ${canvas}${what}`)),
		frame: () => {
			painted.length = 0;
			frames.splice(0).forEach((frame) => frame());
			return painted.join();
		},
	};
}

const ALL = ["cells", "running", "histogram", "marks"];

test("a panel has all its canvases painted in one frame, the next in the next one", () => {
	const { put, frame } = setUp("a", "b");

	for (const panel of ["a", "b"])
		ALL.forEach((canvas) => put(panel, canvas));
	assert.equal(frame(), "a cells,a running,a histogram,a marks");
	assert.equal(frame(), "b cells,b running,b histogram,b marks");
	assert.equal(frame(), "");
});

test("of panels with little to paint there are several in a frame", () => {
	const { put, frame } = setUp(..."abcde");

	[..."abcde"].forEach((panel) => put(panel, "marks"));
	assert.equal(frame(), "a marks,b marks,c marks,d marks");
	assert.equal(frame(), "e marks");
});

test("of a canvas only the newest is painted, and who is asked for again keeps its turn", () => {
	const { put, frame } = setUp("a", "b");

	ALL.forEach((canvas) => put("a", canvas));
	ALL.forEach((canvas) => put("b", canvas));
	put("a", "cells", " later");
	assert.equal(frame(), "a cells later,a running,a histogram,a marks");
	ALL.forEach((canvas) => put("a", canvas));
	assert.equal(frame(), "b cells,b running,b histogram,b marks");
	assert.equal(frame(), "a cells,a running,a histogram,a marks");
});

test("a canvas out of sight waits until it is visible, and does not hold up the others", () => {
	const { queue, put, frame } = setUp("b");

	put("a");
	put("b");
	assert.equal(frame(), "b cells");
	assert.equal(frame(), "");
	put("a", "cells", " later");
	queue.show("a", true);
	assert.equal(frame(), "a cells later");
	queue.show("a", false);
	put("a");
	assert.equal(frame(), "");
});

test("where a paint fails the others have their turns all the same", () => {
	const { queue, put, frame } = setUp("a", "b");

	queue.put("a", "cells", () => { throw new Error("no height"); });
	ALL.forEach((canvas) => put("b", canvas));
	assert.throws(frame, /no height/);
	assert.equal(frame(), "b cells,b running,b histogram,b marks");
});

test("finished, all is painted, seen or not; what is gone is not painted", () => {
	const { queue, painted, put, frame } = setUp("a", "b");

	["a", "b", "c", "d"].forEach((panel) => put(panel));
	queue.forget("b");
	queue.forget("d");
	queue.finish();
	assert.equal(painted.join(), "a cells,c cells");
	assert.equal(frame(), "");
});
