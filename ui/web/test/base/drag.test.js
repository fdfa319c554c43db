import assert from "node:assert/strict";
import test from "node:test";
import { Drag } from "../../src/base/drag.js";

const event = (clientX, more = {}) => ({
	clientX, clientY: 0, isPrimary: true, button: 0, pointerId: 7, currentTarget: { setPointerCapture() {} }, ...more,
});

test("a hand that trembles has clicked", () => {
	const drag = new Drag();

	drag.begin(event(100), "a");
	assert.equal(drag.move(event(104)), false);
	assert.equal(drag.end(), false);
	assert.equal(drag.far, false);
});

test("a pointer that goes far drags from where it began, also back to there, and its click is ignored", () => {
	const drag = new Drag(), captured = [];
	const target = { setPointerCapture: (id) => captured.push(id) };

	drag.begin(event(100), "a");
	assert.equal(drag.move(event(105, { currentTarget: target })), true);
	assert.equal(drag.move(event(101, { currentTarget: target })), true);
	assert.deepEqual(captured, [7], "once");
	assert.equal(drag.from, "a");
	assert.equal(drag.end(), true);
	assert.equal(drag.far, true);
	drag.begin(event(100), "b");
	assert.equal(drag.far, false, "until the next");
});

test("after its end nothing is dragged, and not by another button or finger", () => {
	const drag = new Drag();

	drag.begin(event(100), "a");
	drag.move(event(200));
	drag.end();
	assert.equal(drag.move(event(300)), false);
	assert.equal(drag.end(), false, "an end is reported once");
	for (const other of [{ button: 2 }, { isPrimary: false }]) {
		drag.begin(event(100, other), "a");
		assert.equal(drag.move(event(200)), false);
	}
});
