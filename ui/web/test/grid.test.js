import assert from "node:assert/strict";
import test from "node:test";
import { applyColumn, cellCount, columnAt, fitsRows, gridEnd, isOverflow, isUnderflow, mergeGrid, NOT_OBSERVED, rowAt, rowMap, usedRange } from "../src/grid.js";

const column = (...cells) => ({ ...NOT_OBSERVED, state: "ok", count: cells.reduce((sum, [, n]) => sum + n, 0), cells });
const grid = (columns, edge = [0, 10, 20, 40, null], from = 100) => ({
	from, column: 2, ncols: columns.length, nrows: edge.length - 1, edge, columns,
});

test("an amended column takes the place of the old one and leaves the old grid alone", () => {
	const before = grid([column([1, 5]), column([2, 1])]);
	const after = applyColumn(before, 100, column([1, 6]));

	assert.equal(cellCount(after.columns[0], 1), 6);
	assert.equal(cellCount(before.columns[0], 1), 5);
	assert.equal(after.from, 100);
});

test("a newer column pushes the oldest out", () => {
	const after = applyColumn(grid([column([1, 1]), column([1, 2])]), 104, column([1, 3]));

	assert.deepEqual(after.columns.map((c) => c.count), [2, 3]);
	assert.equal(after.from, 102);
	assert.equal(gridEnd(after), 106);
});

test("what was skipped is not observed, however far", () => {
	assert.deepEqual(applyColumn(grid([column([1, 1]), column([1, 2])]), 106, column([1, 3])).columns.map((c) => c.state), ["unobserved", "ok"]);
	const far = applyColumn(grid([column([1, 1]), column([1, 2])]), 1000, column([1, 3]));

	assert.deepEqual([far.columns.length, far.columns[1].count, far.from], [2, 3, 998]);
});

test("a column older than the grid changes nothing", () => {
	const before = grid([column([1, 1])]);

	assert.equal(applyColumn(before, 90, column([1, 9])), before);
});

test("fractions of a second do not drift", () => {
	let g = { ...grid([column(), column(), column()]), from: 1700000000.1, column: 0.1 };

	for (let i = 3; i < 200; i++)
		g = applyColumn(g, Number((1700000000.1 + i * 0.1).toFixed(1)), column([1, i]));
	assert.deepEqual(g.columns.map((c) => c.count), [197, 198, 199]);
});

test("a value lies in the row whose lower edge it has reached", () => {
	const g = grid([column()]);

	assert.deepEqual([0, 9, 10, 19, 20, 39, 40, 1e12].map((v) => rowAt(g, v)), [0, 0, 1, 1, 2, 2, 3, 3]);
	const inner = grid([column()], [10, 20, 40]);

	assert.deepEqual([9, 10, 39, 40].map((v) => rowAt(inner, v)), [-1, 0, 1, -1]);
});

test("a time lies in the column that has begun", () => {
	const g = grid([column(), column()]);

	assert.deepEqual([99.9, 100, 101.99, 102, 103.9, 104].map((t) => columnAt(g, t)), [-1, 0, 0, 1, 1, -1]);
});

test("under- and overflow are told by their edges", () => {
	const g = grid([column()]);

	assert.deepEqual([0, 1, 3].map((r) => [isUnderflow(g, r), isOverflow(g, r)]), [[true, false], [false, false], [false, true]]);
	assert.equal(isUnderflow(grid([column()], [10, 20]), 0), false);
});

test("the used range leaves the strips out and says that they are used", () => {
	assert.deepEqual(usedRange([grid([column([0, 1], [1, 2])])]), { low: 10, high: 20, under: true, over: false });
	assert.deepEqual(usedRange([grid([column([2, 1])]), grid([column([3, 2])])]), { low: 20, high: 40, under: false, over: true });
	assert.equal(usedRange([grid([column()])]), null);
});

test("rows of grids are matched by edges, and a merge that would lose a cell is refused", () => {
	const held = grid([column([0, 1]), column()], [10, 20, 40]);
	const part = grid([column([1, 7])], [0, 10, 20], 102);

	assert.deepEqual(rowMap(part, held), [-1, 0]);
	assert.equal(cellCount(mergeGrid(held, part).columns[1], 0), 7);
	assert.equal(mergeGrid(held, grid([column([0, 7])], [0, 10, 20], 102)), null);
	assert.equal(fitsRows(held, column([2, 1])), false);
	assert.equal(fitsRows(held, column([1, 1])), true);
});
