import assert from "node:assert/strict";
import test from "node:test";
import { partHue, sharesOf, stackOf, topOf } from "../src/parts.js";

/* Sums in ns, by column; from: the first one's time. */
const grid = (from, sums, wholes) => ({
	from, column: 2, ncols: sums.length, columns: sums.map((n, i) => ({ sum: wholes[i], cells: n ? [[0, n / 2], [3, n / 2]] : [] })) });
const S = 1e9;

test("parts and the rest add up to the whole, as how many there were at once", () => {
	const stack = stackOf(new Map([["io", grid(10, [2 * S, 0], [6 * S, 4 * S])], ["net", grid(10, [S, 4 * S], [6 * S, 4 * S])]]));

	assert.deepEqual(stack.names, ["io", "net", "rest"]);
	assert.deepEqual(stack.load.map((part) => [...part]), [[1, 0], [0.5, 2], [1.5, 0]]);
	assert.equal(topOf(stack), 3);
});

test("where one is late, what all have is stacked", () => {
	const stack = stackOf(new Map([["io", grid(12, [2 * S, S], [2 * S, S])], ["net", grid(10, [0, 0], [0, 2 * S])]]));

	assert.deepEqual([stack.from, stack.load[0].length], [12, 1]);
	assert.equal(stackOf(new Map()), null);
});

test("columns that begin at other times are not stacked, whatever the range", () => {
	const stack = stackOf(new Map([["io", grid(11, [2 * S, S], [2 * S, S])], ["net", grid(10, [0, 0], [0, 2 * S])]]));

	assert.equal(stack, null);
	for (let late = 0; late < 4; late++) {
		const load = stackOf(new Map([["io", grid(10 + 2 * late, [S, S, S], [S, S, S])], ["net", grid(10, [0, 0, 0], [0, 0, 0])]])).load;

		assert.equal(load[0].length, Math.max(0, 3 - late));
	}
});

test("shares are of all the time shown, greatest first, and none of what is none", () => {
	const stack = stackOf(new Map([["io", grid(10, [S], [4 * S])], ["net", grid(10, [0], [4 * S])], ["cputime", grid(10, [3 * S], [4 * S])]]));

	assert.deepEqual(sharesOf(stack), [{ name: "cputime", share: 0.75 }, { name: "io", share: 0.25 }]);
});

test("a part has its colour wherever it is shown, whatever its rank", () => {
	assert.equal(new Set(["cputime", "runqwait", "io", "futex", "net", "sleep", "fault", "other", "unsplit", "rest"].map(partHue)).size, 10);
	assert.equal(partHue("new one"), partHue("other"));
});
