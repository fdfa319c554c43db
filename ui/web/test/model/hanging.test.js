import assert from "node:assert/strict";
import test from "node:test";
import { Hanging, longRunning, LONG_NS, rectangleOf, summaryOf } from "../../src/model/hanging.js";

const ROWS = [{ key: "select", count: 900, running: 3, oldest: 2e5 }, { key: "sleep", count: 0, running: 1, oldest: 2.3e10 },
	{ key: "update", count: 0, running: 8, oldest: 2.2e10 }, { key: "idle", count: 5, running: 0 }, { key: "old daemon", count: 5 }];

test("keys that have run for long, most queries first, and what they add up to", () => {
	const rows = longRunning(ROWS);

	assert.deepEqual(rows.map((row) => row.key), ["update", "sleep"]);
	assert.deepEqual(summaryOf(rows), { count: 9, oldest: 2.3e10, most: ROWS[2] });
	assert.equal(summaryOf(longRunning(ROWS.slice(0, 1))), null);
});

test("the rectangle is around the most of them, in whole columns, and has no upper edge", () => {
	const grid = { from: 100, column: 5, slot: 1, ncols: 12 }, at = (oldest, time) => {
		const { start, end } = rectangleOf(grid, [{ oldest }], time);

		return [start, end];
	};

	assert.deepEqual(rectangleOf(grid, [{ oldest: 1.2e10 }], 142), { start: 130, end: 145, low: LONG_NS, high: null });
	assert.deepEqual(at(1.2e10, 145), [130, 145], "the slot that ends there");
	assert.deepEqual(at(1e12, 142), [100, 145], "no farther than the map");
	assert.deepEqual(at(1e9, 400), [155, 160]);
});

/* A map whose newest column has one of this age; asked: how often the keys were. */
function sessionWith(t, oldest) {
	const map = { inst: { id: "1", measures: ["latency"] }, measure: "latency",
		grid: { running: "age", from: 40, column: 1, slot: 1, ncols: 60, columns: [{ state: "ok", oldest, running: [[0, null, 9]] }] } };
	const session = { current: map, shown: [map], live: true, asked: 0, changed: () => {}, reply: async (promise, take) => take(await promise), map };

	t.mock.method(globalThis, "fetch", async (path) => {
		session.asked++;
		session.path = path;
		return Response.json({ keys: ROWS, unit: "ns", running: { time: 99, count: 12, oldest: 2.3e10 } });
	});
	return session;
}

test("the keys are asked for only where something has run for long, and not at every column", async (t) => {
	const busy = sessionWith(t, 3e5), hanging = new Hanging(busy);

	t.mock.method(Date, "now", () => 1e12);		/* no time passes between two calls */
	await hanging.refresh();
	assert.deepEqual([busy.asked, hanging.rows], [0, []]);
	busy.map.grid.columns[0].oldest = 2.3e10;
	hanging.asked = 0;
	hanging.keepUp();
	hanging.keepUp();
	await new Promise((done) => setTimeout(done, 10));
	assert.equal(busy.asked, 1);
	busy.live = false;
	hanging.keepUp();
	assert.equal(busy.asked, 2, "a view that stands still has no later column");
	await new Promise((done) => setTimeout(done, 10));
	assert.match(busy.path, /start_time=90&duration=10&measure=latency/);
	assert.deepEqual([hanging.rows.length, hanging.time, hanging.map], [2, 99, busy.map]);
	busy.map.grid.columns.push({ state: "ok" });
	await hanging.refresh();
	assert.deepEqual([busy.asked, hanging.rows], [2, []], "it is over");
});

test("without reports of running events nothing is requested", async (t) => {
	const session = sessionWith(t, 2e10), hanging = new Hanging(session);

	delete session.map.grid.running;
	await hanging.refresh();
	assert.deepEqual([session.asked, hanging.reporting], [0, undefined]);
});

test("a newest column that goes on is asked for up to now: what lies ahead is refused", async (t) => {
	const hour = sessionWith(t, 2.3e10), now = 1e9 + 0.5;

	Object.assign(hour.map.grid, { from: 1e9 - 3590, column: 3600, ncols: 1 });		/* until 1e9 + 10 */
	t.mock.method(Date, "now", () => now * 1000);
	await new Hanging(hour).refresh();
	assert.match(hour.path, /start_time=999999990&duration=10&/);
});
