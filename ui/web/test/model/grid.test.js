import assert from "node:assert/strict";
import test from "node:test";
import { columnTotal, applyColumn, cellCount, columnAt, fitsRows, gridEnd, isOverflow, isUnderflow, gridTotal, isObserved, mergeGrid, NOT_OBSERVED, rowAt, rowMap, rowSums, runningAt, runningCount, usedRange } from "../../src/model/grid.js";

const column = (...cells) => ({ ...NOT_OBSERVED, state: "ok", count: cells.reduce((sum, [, n]) => sum + n, 0), cells });
const running = (...ages) => ({ ...column(), state: "zero", running: ages });
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

test("skipped columns are not observed, however many there are", () => {
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

test("under- and overflow are recognised by their edges", () => {
	const g = grid([column()]);

	assert.deepEqual([0, 10].map((low) => isUnderflow(g, low)), [true, false]);
	assert.equal(isUnderflow({ ...g, shade: { yscale: "linear" } }, 0), false);
	assert.deepEqual([40, null].map(isOverflow), [false, true]);
});

test("the used range leaves the strips out and says that they are used", () => {
	assert.deepEqual(usedRange([grid([column([0, 1], [1, 2])])]), { low: 10, high: 20, under: true, over: false });
	assert.deepEqual(usedRange([grid([column([2, 1])]), grid([column([3, 2])])]), { low: 20, high: 40, under: false, over: true });
	assert.equal(usedRange([grid([column()])]), null);
});

test("running events are part of the range, also if nothing has ended, and beyond the rows", () => {
	const pile = running([15, 18, 2], [300, 350, 28]);

	assert.deepEqual(usedRange([grid([pile, column()])]), { low: 15, high: 350, under: false, over: false });
	assert.deepEqual(usedRange([grid([column([1, 5]), pile])]), { low: 10, high: 350, under: false, over: false });
	assert.deepEqual(usedRange([grid([running([0, 10, 1])])]), { low: 10, high: 10, under: true, over: false });
	assert.deepEqual(usedRange([grid([running([500, null, 1])])]), { low: 500, high: 500, under: false, over: true });
});

test("a live column brings what still runs, and the next one of the same time takes it away", () => {
	const before = grid([column([1, 5]), column([2, 1])]);
	const pile = running([300, 350, 28]);
	const after = applyColumn(before, 102, pile);

	assert.deepEqual(after.columns[1].running, pile.running);
	assert.equal(applyColumn(after, 102, column([2, 1])).columns[1].running, undefined);
	assert.deepEqual(mergeGrid(before, grid([pile], [0, 10, 20], 102)).columns[1].running, pile.running, "whatever the rows");
	assert.equal(fitsRows(before, pile), true, "no reason for other rows");
});

test("running events are found at their age: from the lower edge on, to before the upper one", () => {
	const column = running([15, 18, 2], [18, 20, 0.5], [500, null, 28]);

	assert.deepEqual([14, 15, 17.9, 18, 20, 499, 500, Infinity].map((age) => runningAt(column, age)?.[2]),
		[undefined, 2, 2, 0.5, undefined, undefined, 28, 28]);
	assert.equal(runningCount(column), 30.5);
	assert.equal(runningAt(NOT_OBSERVED, 15), undefined);
});

test("that nothing still runs is only known where somebody looked until the end", () => {
	const states = ["ok", "zero", "partial", "unobserved", "dropped", "in_progress"];

	assert.deepEqual(states.map((state) => runningCount({ ...NOT_OBSERVED, state })), [0, 0, 0, null, null, null]);
});

test("a grid is observed if any source reported any slot of it, also without events", () => {
	const of = (...columns) => isObserved({ columns: columns.map((c) => ({ ...NOT_OBSERVED, ...c })) });

	assert.deepEqual([of({}, { state: "dropped" }), of({ state: "unobserved", expected: 2 }), of({}, { state: "in_progress" })], [false, false, false]);
	assert.deepEqual([of({}, { state: "zero", reporting: 1 }), of({ state: "ok", count: 3 }), of({ state: "in_progress", reporting: 1 })], [true, true, true]);
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

test("a column's cells add up to its count, or to the weight's sum", () => {
	const column = { count: 3, cells: [[1, 500], [4, 70]] };

	assert.equal(columnTotal({ weight: "io" }, column), 570);
	assert.equal(columnTotal({}, column), 3);
});

test("the rows' sums are the view's events, whichever columns come, are amended and go", () => {
	const random = (n) => Math.floor(Math.random() * n);
	const any = () => ({ ...NOT_OBSERVED, cells: [0, 1, 2].filter(() => random(2)).map((row) => [row, 1 + random(9)]) });
	let live = { from: 100, column: 2, ncols: 4, nrows: 3, edge: [1, 2, 4, null], columns: [any(), any(), any(), any()] };

	for (let round = 0; round < 200; round++) {
		if (round % 3)
			rowSums(live);
		live = applyColumn(live, live.from + 2 * random(7), any());
		assert.deepEqual(rowSums(live), rowSums({ ...live }), "as if added up again");
	}
	assert.equal(gridTotal(live), live.columns.reduce((sum, { cells }) => sum + cells.reduce((all, [, n]) => all + n, 0), 0));
});
