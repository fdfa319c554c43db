import assert from "node:assert/strict";
import test from "node:test";
import { timeAxis, valueAxis } from "../../src/base/axis.js";
import { compositionOf, dotAt, dotsOf, isShown, keepsExemplars, nameOf, nextOf, thinned } from "../../src/model/exemplars.js";

const row = (time, latency, more) => ({ time, source: "db1", connection: 1, fields: { digest: "select ?" }, measures: { latency }, ...more });
const view = (domain) => ({ x: timeAxis(100, 200, 0, 100), y: valueAxis({ kind: "linear", low: 10, high: 110, under: false, over: false, ...domain }, 0, 100) });

test("a map shows exemplars by the first measure, and not over sums", () => {
	const inst = { exemplars: 3, measures: ["latency", "cputime"] }, panel = { weight: null };

	assert.ok(keepsExemplars({ inst, measure: "latency", panel }));
	for (const map of [{ inst, measure: "cputime", panel }, { inst, measure: "latency", panel: { weight: "io" } }, { inst: null, measure: "latency", panel },
		{ inst: { ...inst, exemplars: 0 }, measure: "latency", panel }])
		assert.ok(!keepsExemplars(map));
});

test("dots lie at their end and value; what the axis does not reach is in its strip, or nowhere", () => {
	const at = (rows, domain) => dotsOf(rows, "latency", view(domain)).map(({ x, y }) => [x, y]);

	assert.deepEqual(at([row(150, 60)]), [[50, 50]]);
	assert.deepEqual(at([row(99, 60), row(201, 60), row(150, 5), row(150, 200)]), []);
	assert.deepEqual(at([row(150, 200)], { over: true }), [[50, 4]]);
	assert.deepEqual(at([row(150, 5)], { under: true }), [[50, 96]]);
});

test("a point means the nearest dot within reach", () => {
	const dots = [{ x: 10, y: 10 }, { x: 16, y: 10 }];

	assert.equal(dotAt(dots, 12, 10), dots[0]);
	assert.equal(dotAt(dots, 14, 12), dots[1]);
	assert.equal(dotAt(dots, 40, 10), null);
});

test("the next one in time, on either side", () => {
	const rows = [row(130, 9), row(110, 5), row(120, 7)];

	assert.equal(nextOf(rows, { time: 110 }, 1).time, 120);
	assert.equal(nextOf(rows, { time: 115 }, -1).time, 110);
	assert.equal(nextOf(rows, { time: -Infinity }, 1).time, 110);
	assert.equal(nextOf(rows, { time: Infinity }, -1).time, 130);
	assert.equal(nextOf(rows, { time: 130 }, 1), null);
});

test("of several that end at once each is stepped to once, there and back, also when the rows were asked for again", () => {
	const rows = [row(120, 7), row(110, 5), row(120, 9), row(120, 7, { connection: 2 }), row(130, 5)];
	const way = (by) => {
		const seen = [];

		for (let at = { time: -Infinity * by }; (at = nextOf(structuredClone(rows), at, by)) !== null && seen.length < 9;)
			seen.push(nameOf(at));
		return seen;
	};

	assert.deepEqual(way(1).sort(), rows.map(nameOf).sort());
	assert.deepEqual(way(-1), way(1).reverse());
});

test("its parts and the rest add up to its time", () => {
	const one = row(1, 100, { measures: { latency: 100, cputime: 30, io: 50, offcpu: 70 } });
	const { sum, parts, rest } = compositionOf(one, { measure: "latency", unit: "ns", parts: ["cputime", "io", "net"] });

	assert.deepEqual(parts, [{ weight: "cputime", sum: 30, share: 0.3 }, { weight: "io", sum: 50, share: 0.5 }]);
	assert.deepEqual([sum, rest], [100, { sum: 20, share: 0.2 }]);
});

test("of highlighted keys alone, or without them, the dots are theirs, or not", () => {
	const one = row(1, 1, { fields: { statement: "select", table: "t" } });
	const shown = (keys, only) => isShown(one, ["statement", "table"], keys, only);

	assert.deepEqual([shown(["select/t"], "isolate"), shown(["update/t"], "isolate"), shown(["select/t"], "exclude"), shown(["update/t"], "exclude")],
		[true, false, false, true]);
});

test("of the dots in one square the slowest is drawn, so that the cells stay visible", () => {
	const dot = (x, y, latency) => ({ x, y, row: { measures: { latency } } });
	const dots = [dot(1, 1, 5), dot(3, 2, 9), dot(9, 9, 7), dot(11, 1, 1), dot(11, 12, 2)];

	assert.deepEqual(thinned(dots, "latency", 10).map(({ row }) => row.measures.latency), [9, 1, 2]);
	const many = Array.from({ length: 5000 }, (_, i) => dot(i % 100, (i * 7) % 50, i));
	assert.ok(thinned(many, "latency", 10).length <= 50);
});
