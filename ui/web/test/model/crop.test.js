import assert from "node:assert/strict";
import test from "node:test";
import { cropEnd } from "../../src/model/crop.js";

const EDGE = [0, 1000, 2000, 4000, 8000, 16000, null];
const grid = (...counts) => ({ edge: EDGE, nrows: 6, columns: [{ cells: counts.flatMap((n, row) => n ? [[row, n]] : []) }] });

/* The same table as test_crop.c's: page and pictures end alike. */
test("the axis ends below what the share leaves out", () => {
	for (const [counts, share, end] of [
		[[0, 90, 9, 0, 1, 0], 0.01, 4000], [[0, 90, 9, 0, 1, 0], 0.009999, null], [[0, 90, 6, 0, 3, 1], 0.01, 16000],
		[[0, 90, 6, 0, 3, 1], 0.04, 4000], [[0, 90, 6, 0, 3, 1], 0, null], [[0, 0, 0, 0, 0, 7], 0.05, null],
		[[100, 0, 0, 0, 0, 2], 0.05, 1000], [[], 0.05, null]])
		assert.equal(cropEnd([grid(...counts)], share), end, `${counts} ${share}`);
});

test("maps on one axis lose no more than their share each", () => {
	const low = grid(0, 99, 0, 0, 1), high = grid(0, 0, 0, 99, 0, 1), none = grid();

	assert.equal(cropEnd([low], 0.01), 2000);
	assert.equal(cropEnd([low, high, none], 0.01), 8000);
	assert.equal(cropEnd([low, grid(0, 0, 0, 50, 0, 50)], 0.01), null);
});
