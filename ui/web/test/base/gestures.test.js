import assert from "node:assert/strict";
import { test } from "node:test";
import { GESTURES, spokenKeys } from "../../src/base/gestures.js";
import { MAP_KEYS } from "../../src/map/map_keys.js";
import { zoomByKey } from "../../src/map/zooming.js";

const listed = new Set(GESTURES.filter((g) => g.spoken).flatMap((g) => g.pressed.split(" ")));

test("every key that acts on a map is listed, and once", () => {
	const session = { zoomTime() {}, zoomValues() {}, zoomTo() {}, setThreshold() {}, fit() {}, explain: { rectangle: {} } };
	const printable = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i));
	const zooming = printable.filter((key) => key !== "=" && zoomByKey({ session }, { key }, {}));	/* = is + without Shift */

	assert.deepEqual(zooming.sort(), ["+", "-", "0", "[", "]", "s", "z"]);
	for (const key of [...zooming, ...Object.keys(MAP_KEYS)])
		assert.ok(listed.has(key.replace("-", "−")), `${key} is not listed`);
	assert.equal(new Set(GESTURES.map((g) => g.pressed)).size, GESTURES.length);
});

test("a map speaks the keys that it has, and no others", () => {
	const map = spokenKeys({ values: true, rectangle: true, exemplars: true }), bars = spokenKeys({});

	for (const said of ["Arrow keys: move the cursor.", "Shift and arrow keys: draw a rectangle.", "e and Shift e: step", "what is different in it? z: zoom"])
		assert.ok(map.includes(said), said);
	assert.ok(bars.startsWith("Arrow keys: move the cursor. plus and minus: zoom the time. n: write a note"), bars);
	assert.ok(!/cell|rectangle\.|slowest|threshold/.test(bars), bars);
	assert.ok(!/wheel|drag|click/.test(map), map);
	assert.ok(!/slowest/.test(spokenKeys({ values: true, rectangle: true })));
});
