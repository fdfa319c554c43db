import assert from "node:assert/strict";
import test from "node:test";
import { keyList, query } from "../src/api.js";
import { discreteFields, hangs, hueOf, HUES, KEYS_MAX, keysToColour, presentRows, toggleKey, withOnCpu } from "../src/keys.js";

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
	assert.ok(!hangs({ count: 9, max: 1e9 }), "nobody tells what runs");
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

test("discrete fields are the decomposition without its numeric one", () => {
	const catalogue = { metrics: [], types: { string: { arity: "discrete" }, time: { arity: "numeric" } }, fields: { s: { type: "string" }, l: { type: "time" } } };

	assert.deepEqual(discreteFields({ decomposition: ["s", "l"] }, catalogue), ["s"]);
});

test("keys travel whole, commas and all", () => {
	assert.equal(keyList(["a,b", "c\\d", "e"]), "a\\,b,c\\\\d,e");
	assert.equal(query({ a: null, b: "x y", c: 0 }), "?b=x+y&c=0");
	assert.equal(query({}), "");
});
