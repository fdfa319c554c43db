import assert from "node:assert/strict";
import test from "node:test";
import { legendPosition, levelIndex, rowScale, sharedShade } from "../../src/model/shade.js";

const levels = Array.from({ length: 255 }, (_, i) => (i + 1) * 2);

test("the index is the number of levels reached", () => {
	for (const density of [0.5, 1.99, 2, 2.01, 3.99, 4, 255, 509.9, 510, 1e9])
		assert.equal(levelIndex(levels, density), Math.max(1, levels.filter((l) => l <= density).length), `${density}`);
});

test("nothing is colour 0, anything at least colour 1", () => {
	assert.deepEqual([0, 1e-9].map((d) => levelIndex(levels, d)), [0, 1]);
	assert.equal(legendPosition(levels, 510), 1);
});

test("levels may repeat", () => {
	assert.equal(levelIndex([1, 1, 1, 5, 5], 1), 3);
});

test("panels share the scale of the brightest", () => {
	const a = { levels: [1, 9] }, b = { levels: [1, 20] };

	assert.equal(sharedShade([a, null, b]), b);
	assert.equal(sharedShade([]), null);
});

test("rows of a linear axis take the shared grid's scale, others keep their own", () => {
	const shared = { yscale: "linear", scale: [1, 2, 4], levels: [1] };
	const own = { edge: [10, 20, 30, 40], shade: { yscale: "linear", scale: [5, 6, 7], levels: [1] } };

	assert.deepEqual(rowScale(own, shared, [20, 30, 40, 50]), [5, 1, 2]);
	assert.deepEqual(rowScale({ ...own, shade: { ...own.shade, yscale: "log" } }, shared, [20, 30, 40, 50]), [5, 6, 7]);
});
