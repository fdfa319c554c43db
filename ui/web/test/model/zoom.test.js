import assert from "node:assert/strict";
import test from "node:test";
import { DURATION_MAX, readHash, START, writeHash } from "../../src/model/state.js";
import { beyond, domainAt, moveTime, moveValues, pictureEnds, timeOf, valueAt, valuesOf, zoomTime, zoomValues } from "../../src/model/zoom.js";

const LOG = { kind: "log", low: 1e4, high: 1e8, under: true, over: true };
const LINEAR = { kind: "linear", low: 0, high: 100, under: false, over: false };
const near = (a, b) => assert.ok(Math.abs(a - b) <= Math.abs(b) * 1e-9, `${a} is not ${b}`);

test("the time pointed at stays where it is, and times are whole slots", () => {
	assert.deepEqual(zoomTime({ start: 1000, duration: 400 }, 0.5, 1000, 1), { duration: 200, end: 1200 });
	assert.deepEqual(zoomTime({ start: 1000, duration: 400 }, 0.5, 1400, 1), { duration: 200, end: 1400 });
	assert.deepEqual(zoomTime({ start: 1000, duration: 400 }, 2, 1200, 1), { duration: 800, end: 1600 });
	assert.deepEqual(zoomTime({ start: 960, duration: 600 }, 0.75, 1260, 60), { duration: 480, end: 1500 });
});

test("a view is never shorter or longer than it can be", () => {
	assert.equal(zoomTime({ start: 0, duration: 12 }, 0.5, 6, 1).duration, 10);
	assert.equal(zoomTime({ start: 0, duration: 20000000 }, 2, 6, 1).duration, DURATION_MAX);
});

test("a rectangle's time is the view's, but not beyond the newest", () => {
	assert.deepEqual(timeOf({ start: 1100, end: 1160 }, 1400, 1), { duration: 60, end: 1160 });
	assert.deepEqual(timeOf({ start: 1100, end: 1102 }, 1400, 1), { duration: 10, end: 1106 });
	assert.equal(timeOf({ start: 1398, end: 1400 }, 1400, 1).end, 1400);
});

test("the value pointed at stays where it is, and the axis is no longer than what is used", () => {
	const half = zoomValues(LOG, LOG, 0.5, 1e6);

	near(half.low, 1e5);
	near(half.high, 1e7);
	const again = zoomValues({ ...LOG, ...half }, LOG, 2, 1e6);

	near(again.low, LOG.low);
	near(again.high, LOG.high);
	assert.deepEqual(zoomValues(LINEAR, LINEAR, 0.5, 0), { kind: "linear", low: 0, high: 50 });
	assert.deepEqual(zoomValues(LINEAR, LINEAR, 4, 20), { kind: "linear", low: 0, high: 100 });
});

test("no axis becomes a point", () => {
	let domain = LOG;

	for (let i = 0; i < 100; i++)
		domain = { ...LOG, ...zoomValues(domain, LOG, 0.5, 1e6) };
	assert.ok(domain.high / domain.low >= 1.05 && domain.high / domain.low < 1.2);
	assert.equal(valuesOf({ low: 1e6, high: 1e6 * 1.001 }, LOG), LOG);
});

test("a rectangle with under- or overflow goes to the axis' end, and they stay to be seen", () => {
	const all = valuesOf({ low: 0, high: null }, LOG);

	assert.deepEqual(domainAt(LOG, all), LOG);
	assert.deepEqual(domainAt(LOG, valuesOf({ low: 1e5, high: 1e6 }, LOG)), { kind: "log", low: 1e5, high: 1e6, under: false, over: false });
});

test("whatever is asked for, an axis reaches no farther than what is used", () => {
	assert.deepEqual(domainAt(LOG, { low: 0, high: 1e6 }), { kind: "log", low: 1e4, high: 1e6, under: true, over: false });
	assert.deepEqual(domainAt(LOG, { low: 1e6, high: 1e12 }), { kind: "log", low: 1e6, high: 1e8, under: false, over: true });
	for (const nothing of [{ low: 1, high: 10 }, { low: 1e9, high: 1e10 }, { low: 0, high: 0 }])
		assert.deepEqual(domainAt(LOG, nothing), LOG);
});

test("a picture has the ends that are shown, as whole numbers", () => {
	const values = { unit: "ns", low: 123456.7, high: 2e6 };

	assert.deepEqual(pictureEnds(values, "ns", LOG), { ymin: 123456, ymax: 2e6 });
	assert.deepEqual(pictureEnds({ ...values, low: 0 }, "ns", LOG), { ymin: 1e4, ymax: 2e6 });
	assert.deepEqual(pictureEnds({ unit: "/s", low: 0.25, high: 0.5 }, "/s", LINEAR), { ymin: 0, ymax: 1 });
	for (const [other, unit, used] of [[values, "%", LINEAR], [null, "ns", LOG], [values, "ns", undefined]])
		assert.deepEqual(pictureEnds(other, unit, used), {});
});

test("events beyond the axis are counted", () => {
	const grid = { nrows: 5, edge: [0, 1e4, 1e5, 1e6, 1e7, null], columns: [{ cells: [[0, 1], [1, 2], [2, 4], [3, 8], [4, 16]] }, { cells: [[3, 100]] }] };

	assert.equal(beyond(grid, LOG), 0);
	assert.equal(beyond(grid, domainAt(LOG, { low: 1e5, high: 1e6 })), 1 + 2 + 8 + 100 + 16);
	assert.equal(beyond(grid, domainAt(LOG, { low: 1e5, high: 1e8 })), 1 + 2);
});

test("the values are in the address, and whatever else is there is none", () => {
	const values = { unit: "ns", low: 1000, high: 123456000 };

	assert.deepEqual(readHash(writeHash({ ...START, values })).values, values);
	assert.deepEqual(readHash(writeHash({ ...START, values: { unit: "/s", low: 0, high: 0.5 } })).values, { unit: "/s", low: 0, high: 0.5 });
	for (const text of ["", "ns", "ns:5", "ns:5:5", "ns:9:5", "ns:-1:5", "ns:a:5", "ns:1:Infinity", "ns:1:2:3", "::", "ns::5", "::5"])
		assert.equal(readHash(`#values=${text}`).values, null, text);
	assert.equal(readHash("#y=log&values=ns:0:5").values, null);
});

test("moved along the time a view ends at whole slots; where it reaches now it goes with the time again", () => {
	assert.equal(moveTime(1000, -25, 10, 1000), 980);
	assert.equal(moveTime(1000, -3, 10, 1000), 1000, "it stands still all the same");
	assert.equal(moveTime(900, 75, 10, 1000), 980);
	assert.equal(moveTime(900, 100, 10, 1000), null);
	assert.equal(moveTime(900, 500, 10, 1000), null);
});

test("moved along the values an axis is as long as it was, and stays within what is used", () => {
	const length = ({ kind, low, high }) => kind === "log" ? high / low : high - low;

	for (const [used, domain] of [[LOG, { ...LOG, low: 1e5, high: 1e6 }], [LINEAR, { ...LINEAR, low: 20, high: 60 }]])
		for (const part of [-4, -0.25, 0, 0.25, 4]) {
			const next = moveValues(domain, used, part);

			near(length(next), length(domain));
			assert.ok(next.low >= used.low * (1 - 1e-9) && next.high <= used.high * (1 + 1e-9), `${part}`);
			assert.ok(part === 0 || Math.sign(next.low - domain.low) === Math.sign(part), `${part}`);
		}
	near(moveValues({ ...LINEAR, low: 20, high: 60 }, LINEAR, 0.25).low, 30);
	near(moveValues({ ...LOG, low: 1e5, high: 1e6 }, LOG, 1).low, 1e6);
});

test("a step along the whole axis ends at its ends", () => {
	near(valueAt(LOG, 1e6, 0.25), 1e7);
	near(valueAt(LINEAR, 50, -0.05), 45);
	assert.equal(valueAt(LINEAR, 50, 5), 100);
	near(valueAt(LOG, 2e4, -1), 1e4);
});
