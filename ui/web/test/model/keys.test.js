import assert from "node:assert/strict";
import test from "node:test";
import { keyList, query } from "../../src/net/api.js";
import {
	columnsOf, discreteFields, hangs, hueOf, HUES, KEYS_MAX, keysToColour, keyText, labelsOf, matching, presentRows, sortedRows, sortText, toggleKey, withOnCpu,
} from "../../src/model/keys.js";

test("different labels have different texts, from which they are read again", () => {
	const words = [], grow = (word) => {
		for (const letter of word.length < 3 ? ["a", "/", "\\"] : []) {
			words.push(word + letter);
			grow(word + letter);
		}
	};

	grow("");
	const texts = new Set();

	for (const first of words)
		for (const last of words) {
			const text = keyText([first, last]);

			assert.deepEqual(labelsOf(text, 2), [first, last], text);
			texts.add(text);
		}
	assert.equal(texts.size, words.length ** 2);
	assert.equal(keyText(["GET", "/a/b", "200"]), "GET//a/b/200");
	assert.deepEqual(labelsOf("GET//a/b/200", 3), ["GET", "/a/b", "200"]);
	assert.equal(keyText(["query", "p/q", "/tmp/x.sock"]), "query/p\\/q//tmp/x.sock");
});

test("a key keeps its hue while others come and go", () => {
	let keys = toggleKey(toggleKey(toggleKey([], "a"), "b"), "c");

	assert.equal(hueOf(keys, "b"), HUES[1]);
	keys = toggleKey(keys, "a");
	assert.deepEqual([hueOf(keys, "a"), hueOf(keys, "b"), hueOf(keys, "c")], [null, HUES[1], HUES[2]]);
	keys = toggleKey(keys, "d");
	assert.deepEqual([hueOf(keys, "d"), hueOf(keys, "b")], [HUES[0], HUES[1]]);
});

test("a plain click leaves one key; again, none", () => {
	assert.deepEqual(toggleKey(["a", "b"], "c", true), ["c"]);
	assert.deepEqual(toggleKey(["a", "b"], "b", true), ["b"]);
	assert.deepEqual(toggleKey(["b"], "b", true), []);
});

test("no two keys have one hue", () => {
	let keys = [];

	for (let i = 0; i < KEYS_MAX + 3; i++)
		keys = toggleKey(keys, `k${i}`);
	assert.equal(new Set(keys.map((k) => hueOf(keys, k))).size, KEYS_MAX);
});

test("a key hangs where one of it has run for longer than all that ended", () => {
	assert.ok(hangs({ count: 0, max: 0, running: 8, oldest: 2e10 }));
	assert.ok(hangs({ count: 9, max: 1e9, running: 1, oldest: 2e9 }));
	assert.ok(!hangs({ count: 9, max: 1e9, running: 3, oldest: 1e6 }), "a busy key always has some that run");
	assert.ok(!hangs({ count: 9, max: 1e9, running: 0 }));
	assert.ok(!hangs({ count: 9, max: 1e9 }), "running events are not reported");
});

test("keys that hang get a hue, though little of them has ended", () => {
	const busy = Array.from({ length: KEYS_MAX + 1 }, (_, i) => ({ key: `k${i}`, count: 100 - i, max: 1e6, running: 1, oldest: 1e5 }));
	const hanging = [{ key: "lock", count: 0, max: 0, running: 1, oldest: 3e10 }, { key: "update", count: 2, max: 1e6, running: 8, oldest: 2e10 }];

	assert.deepEqual(keysToColour(busy), busy.slice(0, KEYS_MAX).map((row) => row.key));
	assert.deepEqual(keysToColour([...busy, ...hanging]), ["update", "lock", ...busy.slice(0, KEYS_MAX - 2).map((row) => row.key)]);
	assert.deepEqual(keysToColour([]), []);
});

test("a key's time on the CPU is its part of its latency", () => {
	const latency = [{ key: "a", sum: 100 }, { key: "b", sum: 0 }];

	assert.deepEqual(withOnCpu(latency, latency, [{ key: "a", sum: 25 }]).map((r) => r.oncpu), [0.25, null]);
	assert.deepEqual(withOnCpu(latency, latency, undefined).map((r) => r.oncpu), [null, null]);
});

test("keys of a cell come with most events first", () => {
	assert.deepEqual(presentRows({ b: 1, a: 1, c: 5 }).map((r) => r.key), ["c", "a", "b"]);
});

const LISTED = { rows: [{ oncpu: 0.5 }], measure: "latency", unit: "ns", running: { time: 0 } };

test("the list has columns for what is measured", () => {
	const heads = (ranking) => columnsOf(ranking, { counted: "queries", live: true }).map(({ head }) => head);

	assert.deepEqual(heads(LISTED), ["key", "time", "share", "queries", "p50", "p99", "on the CPU", "running", "oldest"]);
	assert.deepEqual(heads({ ...LISTED, rows: [{ oncpu: null }], unit: "bytes", running: null }), ["key", "total", "share", "queries", "p50", "p99"]);
	assert.deepEqual(heads({ ...LISTED, rows: null, measure: "count", unit: "", running: null }), ["key", "share", "queries"]);
});

test("keys are sorted by any column, either way; what has no value comes last both ways", () => {
	const rows = [
		{ key: "update", sum: 395e9, sum_share: 0.9, count: 24, p50: 16e9, p99: 20e9, oncpu: 0.01 },
		{ key: "select", sum: 40e9, sum_share: 0.1, count: 90000, p50: 80e3, p99: 200e3, oncpu: 0.9 },
		{ key: "alter", sum: 0, sum_share: 0, count: 0, p50: 0, p99: 0, oncpu: null, running: 1, oldest: 9e9 },
	];
	const columns = columnsOf({ ...LISTED, rows }, { counted: "queries" });
	const order = (text) => sortedRows(rows, columns, text).rows.map(({ key }) => key).join();

	assert.equal(order(null), "update,select,alter", "as the API has them");
	assert.equal(order("sum:up"), "alter,select,update");
	assert.equal(order("count"), "select,update,alter");
	assert.equal(order("p99"), "update,select,alter");
	assert.equal(order("p99:up"), "select,update,alter");
	assert.equal(order("oncpu"), "select,update,alter");
	assert.equal(order("running"), "alter,update,select", "equal ones stay");
	assert.equal(order("key:up"), "alter,select,update");
	assert.equal(order("price"), order(null));
	assert.deepEqual(sortedRows(rows, columns, null).sort, { by: "sum", up: false });
	assert.deepEqual(sortedRows(rows, columns.filter(({ id }) => id !== "sum"), "sum").sort, { by: "count", up: false }, "of what is only counted");
});

test("the list's order has a text, none where it is as the API has it", () => {
	assert.equal(sortText({ by: "p99", up: false }), "p99");
	assert.equal(sortText({ by: "key", up: true }), "key:up");
	assert.equal(sortText({ by: "sum", up: true }), "sum:up");
	assert.equal(sortText({ by: "sum", up: false }), null);
});

test("a filter keeps the keys that have all of its words", () => {
	const rows = ["SELECT c FROM sbtest2/sbtest2", "UPDATE sbtest2/sbtest2", "SELECT ?/none"].map((key) => ({ key }));
	const kept = (text) => matching(rows, text).length;

	assert.deepEqual(["", "  ", "select", "sbtest2", " sbtest2 update ", "(", "delete"].map(kept), [3, 3, 2, 2, 1, 0, 0]);
});

test("discrete fields are the decomposition without its numeric one", () => {
	const catalogue = { metrics: [], types: { string: { arity: "discrete" }, time: { arity: "numeric" } }, fields: { s: { type: "string" }, l: { type: "time" } } };

	assert.deepEqual(discreteFields({ decomposition: ["s", "l"] }, catalogue), ["s"]);
});

test("keys travel whole, commas and all", () => {
	assert.equal(keyList(["a,b", "c\\d", "e"]), "a\\,b,c\\\\d,e");
	assert.equal(query({ a: null, b: "x y", c: 0 }), "?b=x+y&c=0");
	assert.equal(query({}), "");
});
