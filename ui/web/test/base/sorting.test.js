import assert from "node:assert/strict";
import { test } from "node:test";
import { orderAfter, rowsInOrder, sortedBy } from "../../src/base/sorting.js";

const COLUMNS = [{ id: "name", of: (row) => row.name, text: true }, { id: "n", of: (row) => row.n }, { id: "bar" }];
const ROWS = [{ name: "b", n: 3 }, { name: "a", n: null }, { name: "c", n: 10 }, { name: "d", n: undefined }, { name: "e", n: 3 }];
const names = (sort) => rowsInOrder(ROWS, COLUMNS, sort).map(({ name }) => name).join("");

test("a click on a head has the most first, texts from a; the next turns it round", () => {
	const [text, number] = COLUMNS;

	assert.deepEqual(orderAfter(null, number), { by: "n", up: false });
	assert.deepEqual(orderAfter({ by: "n", up: false }, number), { by: "n", up: true });
	assert.deepEqual(orderAfter({ by: "n", up: true }, number), { by: "n", up: false });
	assert.deepEqual(orderAfter({ by: "n", up: true }, text), { by: "name", up: true });
});

test("rows without a value come last in both directions; equal ones stay as they are given", () => {
	assert.equal(names({ by: "n", up: false }), "cbead");
	assert.equal(names({ by: "n", up: true }), "becad");
	assert.equal(names({ by: "name", up: false }), "edcba");
});

test("without an order, or by a column that has none, rows are as they are given", () => {
	for (const sort of [null, { by: "bar", up: true }, { by: "gone", up: true }])
		assert.equal(names(sort), "bacde");
	const given = [2, 1];

	assert.deepEqual([sortedBy(given, (n) => n, true), given], [[1, 2], [2, 1]], "a copy");
});
