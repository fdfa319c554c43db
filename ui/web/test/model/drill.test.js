import assert from "node:assert/strict";
import test from "node:test";
import { pathTo, stepText, termText, termsOf, whereAll, whereKeys, whereValues } from "../../src/model/drill.js";

const catalogue = { metrics: [], fields: { statement: { type: "string" }, latency: { type: "time" }, size: { type: "size" } } };
const select = { eq: ["statement", "select"] }, slow = { gt: ["latency", 10000000] }, big = { ge: ["size", 4096] };
const inst = (id, predicate, more) => ({ id, module: "mysql", stat: "queries", predicate, decomposition: ["statement", "latency"],
	measures: ["latency"], granularity: 1, ...more });

test("the path leads over all that one is a part of, the widest first", () => {
	const all = inst("1", {}), selects = inst("2", select), slows = inst("3", { and: [select, slow] }), big3 = inst("4", { and: [{ and: [select, slow] }, big] });
	const ids = (one, some) => pathTo(one, some).map(({ id }) => id).join();

	assert.equal(ids(big3, [big3, slows, selects, all]), "1,2,3,4");
	assert.equal(ids(big3, [all, big3]), "1,4", "one that was deleted is left out");
	assert.equal(ids(all, [all, selects]), "1");
	assert.equal(ids(selects, [selects, inst("9", slow), all]), "1,2", "another part is not in its path");
	assert.equal(ids(slows, [inst("5", {}, { stat: "other" }), slows]), "3");
});

test("of equal instrumentations the path has the one that measures the same", () => {
	const other = inst("1", {}, { measures: ["cputime"] }), same = inst("2", {}), part = inst("3", select);

	assert.deepEqual(pathTo(part, [other, same, part]).map(({ id }) => id), ["2", "3"]);
	assert.deepEqual(pathTo(part, [other, part]).map(({ id }) => id), ["1", "3"]);
});

test("each step says what it adds", () => {
	assert.equal(stepText(null, inst("1", {}), catalogue), "all");
	assert.equal(stepText(inst("1", {}), inst("2", { and: [select, slow] }), catalogue), "statement = select and latency > 10 ms");
	assert.equal(stepText(inst("2", select), inst("3", { and: [slow, select] }), catalogue), "latency > 10 ms");
	assert.equal(termText({ or: [select, { and: [big, slow] }] }, inst("1", {}), catalogue), "(statement = select or (size >= 4 KiB and latency > 10 ms))");
	assert.deepEqual(termsOf({}), []);
});

test("values are written exactly, and only the ends that there are", () => {
	assert.equal(whereValues("latency", "ns", 10485760, 12582912), "latency >= 10.48576ms and latency < 12.582912ms");
	assert.equal(whereValues("latency", "ns", 0, 900), "latency < 900ns");
	assert.equal(whereValues("size", "bytes", 6144, null), "size >= 6KiB");
	for (const [value, text] of [[5e6, "5MB"], [4096, "4KiB"], [512, "512B"], [1500, "1.5kB"], [3 * 2 ** 30, "3GiB"], [2e12, "2000GB"], [1e6 + 1, "1.000001MB"]])
		assert.equal(whereValues("size", "bytes", value, null), `size >= ${text}`);
	assert.equal(whereValues("rate", "bytes/s", 5e6, null), "rate >= 5MB/s");
	assert.equal(whereValues("utilization", "%", 12, 30), "utilization >= 12 and utilization < 30");
	assert.equal(whereValues("latency", "ns", 0, null), "");
	for (let value = 1; value < 2 ** 52; value = Math.ceil(value * 1.7)) {
		const [, digits, unit] = /([\d.]+)(\D+)$/.exec(whereValues("latency", "ns", value, null)), [, part = ""] = digits.split(".");
		const power = { s: 9, ms: 6, us: 3, ns: 0 }[unit];

		assert.equal(BigInt(digits.replace(".", "")) * 10n ** BigInt(power - part.length), BigInt(value), digits);
	}
});

test("an expression identifies keys by their fields, where that is possible", () => {
	assert.equal(whereKeys(["statement"], ["select"]), "statement = select");
	assert.equal(whereKeys(["statement"], ["select", "update"]), "(statement = select or statement = update)");
	assert.equal(whereKeys(["digest"], ["SELECT * FROM `t` WHERE a = ?"]), 'digest = "SELECT * FROM `t` WHERE a = ?"');
	assert.equal(whereKeys(["statement", "user"], ["select/app"]), "statement = select and user = app");
	assert.equal(whereKeys(["statement", "user"], ["select/app", "update/x"]),
		"((statement = select and user = app) or (statement = update and user = x))");
	assert.equal(whereKeys(["statement", "user"], ["a/b/c"]), "statement = a and user = b/c");
	for (const [fields, keys] of [[["statement"], []], [["statement"], ["other"]], [["statement", "user"], ["a"]], [["statement"], ["shed"]]])
		assert.equal(whereKeys(fields, keys), "");
	for (const word of ["or", "AND"])
		assert.equal(whereKeys(["word"], [word]), `word = "${word}"`);
});

test("expressions are joined, and what has an or stays together", () => {
	assert.equal(whereAll("", "a = 1", ""), "a = 1");
	assert.equal(whereAll("a = 1 or b = 2", "c = 3"), "(a = 1 or b = 2) and c = 3");
	assert.equal(whereAll("(a = 1 or b = 2)", "c = 3"), "(a = 1 or b = 2) and c = 3");
	assert.equal(whereAll("(a = 1) or (b = 2)", "c = 3"), "((a = 1) or (b = 2)) and c = 3");
	assert.equal(whereAll("((a = 1 and c = 2) or (b = 2))", "d = 3"), "((a = 1 and c = 2) or (b = 2)) and d = 3");
	assert.equal(whereAll("a = 1 or b = 2"), "a = 1 or b = 2");
	assert.equal(whereAll('(a = "(") or (b = ")")', "c = 3"), '((a = "(") or (b = ")")) and c = 3', "parentheses within a text are ignored");
});
