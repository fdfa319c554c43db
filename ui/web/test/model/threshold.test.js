import assert from "node:assert/strict";
import test from "node:test";
import { amount, exact, parse } from "../../src/base/format.js";
import { above, runningAbove } from "../../src/model/threshold.js";

const grid = { edge: [1000, 2000, 4000, null], nrows: 3, columns: [{ cells: [[0, 5], [1, 3]] }, { cells: [[2, 2]] }] };

test("events above a value are counted by whole rows, with the value at which these begin", () => {
	for (const [value, from, count] of [[500, 500, 10], [1000, 1000, 10], [1999, 1000, 10], [2000, 2000, 5], [3000, 2000, 5], [4000, 4000, 2], [1e9, 4000, 2]])
		assert.deepEqual(above(grid, value), { from, count, total: 10 }, `${value}`);
	assert.deepEqual(above({ ...grid, edge: [1000, 2000, 4000, 8000] }, 9000), { from: 9000, count: 0, total: 10 });
});

test("events that still run at the end are counted separately", () => {
	const running = [[500, 2000, 3], [3e4, 4e4, 8], [4e4, null, 1]], column = { state: "ok", cells: [], running };

	for (const [value, count] of [[100, 12], [1999, 12], [2000, 9], [35000, 9], [50000, 1]])
		assert.equal(runningAbove({ columns: [column] }, value), count, `${value}`);
	assert.equal(runningAbove({ columns: [column, { state: "in_progress", cells: [] }] }, 1e4), 9, "the newest column that has it");
	assert.equal(runningAbove({ columns: [column, { state: "ok", cells: [] }] }, 1e4), 0, "they have ended since");
	assert.equal(runningAbove({ columns: [{ ...column, running: [[3e4, null, 0.4]] }] }, 1e4), 1, "of five slots in two: a whole query");
	assert.equal(runningAbove(grid, 1e4), 0);
});

test("a value is shown so that it is read as the same value", () => {
	const values = [1, 512, 1000, 1005, 1e4, 4096, 5e6, 2 ** 20, 1e6 + 1, 3e9, 3 * 2 ** 30, 2 ** 40, 86400e9, 9e13];

	for (let value = 1; value < 2 ** 52; value = Math.ceil(value * 1.7))
		values.push(value, value * 1024 < 2 ** 52 ? value * 1024 : value);
	for (const unit of ["ns", "bytes", "bytes/s", "%", "/s", ""])
		for (const value of [...values, ...unit === "%" ? [99.5] : []])
			assert.equal(parse(exact(value, unit), unit), value, `${value}: ${exact(value, unit)}`);
	for (const [text, unit, shown] of [["1MiB", "bytes", "1 MiB"], ["4kib", "bytes", "4 KiB"], ["3 GiB", "bytes", "3 GiB"], ["5MB", "bytes", "5 MB"], ["0.5kB", "bytes", "500 B"],
		["10ms", "ns", "10 ms"], ["20us", "ns", "20 µs"], ["1 d 15 h", "ns", "1 d 15 h"], ["10.00001ms", "ns", "10.00001 ms"], ["80", "%", "80 %"], ["7", "/s", "7/s"], ["12345", "", "12,345"]])
		assert.equal(exact(parse(text, unit), unit), shown, text);
});

test("an amount is read as it is written, and as people write it", () => {
	for (const [unit, values] of Object.entries({ ns: [1, 20, 1500, 1e7, 2.5e9], bytes: [1, 512, 4e3, 3e9], "bytes/s": [1e3, 5e6], "%": [50, 99.5], "/s": [7], "": [12] }))
		for (const value of values)
			assert.equal(parse(amount(value, unit), unit), value, `${amount(value, unit)}`);
	for (const [text, unit, value] of [["10ms", "ns", 1e7], [" 1.5 s ", "ns", 1.5e9], ["20us", "ns", 2e4], ["4kib", "bytes", 4096], ["1.5 MB", "bytes", 1.5e6], ["80", "%", 80], ["3 B", "bytes", 3]])
		assert.equal(parse(text, unit), value, text);
	for (const [text, unit] of [["", "ns"], ["10", "ns"], ["ms", "ns"], ["10 m", "ns"], ["-5ms", "ns"], ["5 ms 6", "ns"], ["5 ms", "bytes"], ["3", "bytes"], ["1e3ms", "ns"]])
		assert.equal(parse(text, unit), null, text);
});
