import assert from "node:assert/strict";
import test from "node:test";
import { partHue, sharesOf, stackOf, topOf } from "../../src/model/parts.js";
import { stepTo } from "../../src/model/stepping.js";

const S = 1e9;

/* By column: [row, s] of what was spent; the last one's are known in part. */
const grid = (columns, known) => ({
	from: 10, column: 2, ncols: columns.length, rows: ["io", "net", "rest", "running"],
	columns: columns.map((cells, i) => ({ cells: cells.map(([row, s]) => [row, s * S]), ...i === columns.length - 1 ? { known } : {} })),
});

test("parts, the rest and what runs are how many there were at once", () => {
	const stack = stackOf(grid([[[0, 2], [1, 1], [2, 3]], [[1, 4], [3, 18]], []]));

	assert.deepEqual(stack.names, ["io", "net", "rest", "running"]);
	assert.deepEqual(stack.load.map((part) => [...part]), [[1, 0, 0], [0.5, 2, 0], [1.5, 0, 0], [0, 9, 0]]);
	assert.deepEqual([stack.from, stack.column, topOf(stack)], [10, 2, 11]);
});

test("what is known of the last column is as high as the columns before", () => {
	const stack = stackOf(grid([[[3, 18]], [[3, 4.5]]], 0.5));

	assert.deepEqual([...stack.load[3]], [9, 9]);
});

test("the arrow keys move the cursor along the time alone", () => {
	const map = { grid: grid([[[0, 2]], [[3, 6]], [], []]), pointed: { i: 1, range: null } };

	assert.deepEqual(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"].map((key) => stepTo(map, key).time), [11, 15, 13, 13, 11, 17]);
	assert.ok(["ArrowUp", "ArrowDown", "Home"].every((key) => stepTo(map, key).value === 0));
	assert.equal(stepTo(map, "x"), null);
	assert.equal(stepTo({ grid: null, pointed: null }, "Home"), null, "between a range and its answer");
});

test("shares are of all the time shown, greatest first, without parts of 0", () => {
	const stack = stackOf(grid([[[0, 2]], [[2, 6]]]));

	assert.deepEqual(sharesOf(stack), [{ name: "rest", share: 0.75 }, { name: "io", share: 0.25 }]);
});

test("a part has its colour wherever it is shown, whatever its rank", () => {
	assert.equal(new Set(["cputime", "runqwait", "io", "futex", "net", "sleep", "fault", "other", "unsplit", "rest", "running"].map(partHue)).size, 11);
	assert.equal(partHue("new one"), partHue("other"));
});
