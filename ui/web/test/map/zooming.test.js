import assert from "node:assert/strict";
import test from "node:test";
import { turnOf } from "../../src/map/zooming.js";

const wheel = (more) => ({ ctrlKey: false, shiftKey: false, altKey: false, deltaX: 0, deltaY: 0, ...more });

test("the wheel alone is the page's", () => {
	for (const event of [wheel({ deltaY: 100 }), wheel({ deltaY: -100 }), wheel({ deltaY: 100, deltaX: 3 }), wheel({}), wheel({ ctrlKey: true })])
		assert.equal(turnOf(event), null);
});

test("with Ctrl it zooms: the time, with Shift the values; and back is as far as forth", () => {
	for (const [more, zoom] of [[{}, "time"], [{ shiftKey: true }, "values"]]) {
		const out = turnOf(wheel({ ctrlKey: true, deltaY: 100, ...more })), into = turnOf(wheel({ ctrlKey: true, deltaY: -100, ...more }));

		assert.deepEqual([out.zoom, into.zoom], [zoom, zoom]);
		assert.ok(out.factor > 1 && Math.abs(out.factor * into.factor - 1) < 1e-9);
	}
});

test("sideways or with Shift it goes along the time, with Alt along the values", () => {
	/* With Shift a browser may give a mouse's wheel as sideways. */
	for (const event of [wheel({ deltaX: 100 }), wheel({ shiftKey: true, deltaY: 100 }), wheel({ shiftKey: true, deltaX: 100 })])
		assert.ok(turnOf(event).move === "time" && turnOf(event).part > 0);
	assert.ok(turnOf(wheel({ deltaX: -100 })).part < 0);
	assert.ok(turnOf(wheel({ altKey: true, deltaY: -100 })).move === "values" && turnOf(wheel({ altKey: true, deltaY: -100 })).part > 0, "away is up");
});
