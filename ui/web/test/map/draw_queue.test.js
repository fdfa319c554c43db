import assert from "node:assert/strict";
import test from "node:test";
import { DrawQueue } from "../../src/map/draw_queue.js";

/* A DrawQueue whose frames the test starts; drawn: the drawn panels, in order. */
function setUp() {
	const queue = new DrawQueue(), drawn = [], frames = [], panels = new Map();

	globalThis.requestAnimationFrame = (frame) => frames.push(frame);
	const panel = (name) => {
		if (!panels.has(name))
			panels.set(name, { forceUpdate: () => drawn.push(name) });
		return panels.get(name);
	};

	return {
		queue, panel,
		draw: (names) => [...names].filter((name) => queue.take(panel(name))).join(""),
		frame: () => {
			drawn.length = 0;
			frames.splice(0).forEach((frame) => frame());
			return drawn.join("");
		},
	};
}

test("three panels are drawn with the page, and nothing is left", () => {
	const { draw, frame } = setUp();

	assert.equal(draw("abc"), "abc");
	assert.equal(frame(), "");
	assert.equal(draw("abc"), "abc");
});

test("of more, three are drawn in each frame, each once", () => {
	const { draw, frame } = setUp();

	assert.equal(draw("abcdefgh"), "abc");
	assert.equal(frame(), "def");
	assert.equal(frame(), "gh");
	assert.equal(frame(), "");
});

test("drawn in every frame, none waits for ever", () => {
	const { draw, frame } = setUp(), seen = new Set();

	for (let i = 0; i < 4; i++)
		[...draw("abcdefgh"), ...frame()].forEach((name) => seen.add(name));
	assert.deepEqual([...seen].sort().join(""), "abcdefgh");
});

test("a panel that already waits is drawn once, not twice", () => {
	const { draw, frame } = setUp();

	draw("abcdef");
	assert.equal(draw("abcdef"), "");
	assert.equal(frame() + frame(), "defabc");
	assert.equal(frame(), "");
});

test("a panel that is gone is not drawn", () => {
	const { queue, panel, draw, frame } = setUp();

	draw("abcdef");
	queue.forget(panel("e"));
	assert.equal(frame(), "df");
});
