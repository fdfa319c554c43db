import assert from "node:assert/strict";
import test from "node:test";
import { clockParts, domainOf, linearTicks, logTicks, namedTicks, niceAbove, niceBelow, spaced, timeAxis, timeTicks, valueAxis } from "../../src/base/axis.js";

test("nice values enclose what they stand for and are their own", () => {
	for (const v of [1, 1.5, 2, 3, 5, 7, 999, 1000, 1001, 123456789]) {
		assert.ok(niceBelow(v) <= v && v <= niceAbove(v), `${v}`);
		assert.equal(niceAbove(niceAbove(v)), niceAbove(v));
		assert.equal(niceBelow(niceBelow(v)), niceBelow(v));
	}
});

test("log ticks are 1-2-5, and whole decades where there is little room", () => {
	assert.deepEqual(logTicks(1000, 10000, 9).map((t) => t.value), [1000, 2000, 5000, 10000]);
	assert.deepEqual(logTicks(1e3, 1e9, 7).map((t) => t.value), [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]);
	assert.ok(logTicks(1e3, 1e9, 3).length <= 3);
	for (const [low, high] of [[0, 1e6], [-1, 1e6], [NaN, 1e6], [1e3, Infinity]])
		assert.deepEqual(logTicks(low, high, 9), []);
});

test("linear ticks are whole steps and stay within the axis", () => {
	assert.deepEqual(linearTicks(0, 2.5e9, 5).map((t) => t.value), [0, 5e8, 1e9, 1.5e9, 2e9, 2.5e9]);
	assert.deepEqual(linearTicks(11, 31, 4).map((t) => t.value), [15, 20, 25, 30]);
});

test("an axis maps its ends to its edges and back, log and linear", () => {
	for (const kind of ["log", "linear"]) {
		const axis = valueAxis({ kind, low: kind === "log" ? 1000 : 0, high: 1e9, under: false, over: false }, 10, 210);

		assert.ok(Math.abs(axis.y(1e9) - 10) < 1e-9);
		assert.ok(Math.abs(axis.y(axis.domain.low) - 210) < 1e-9);
		assert.ok(Math.abs(axis.value(axis.y(5e6)) - 5e6) < 1);
	}
});

test("strips take room only when they are used", () => {
	const plain = valueAxis({ kind: "log", low: 1, high: 10, under: false, over: false }, 0, 100);
	const strips = valueAxis({ kind: "log", low: 1, high: 10, under: true, over: true }, 0, 100);

	assert.deepEqual([plain.upper, plain.lower], [0, 100]);
	assert.ok(strips.upper > 0 && strips.lower < 100);
});

test("a live axis widens and never narrows", () => {
	const first = domainOf({ low: 3e4, high: 4e6, under: false, over: false }, "log");
	const wider = domainOf({ low: 3e3, high: 4e8, under: true, over: false }, "log", first);

	assert.deepEqual([first.low, first.high], [2e4, 5e6]);
	assert.deepEqual([wider.low, wider.high, wider.under], [2e3, 5e8, true]);
	assert.equal(domainOf({ low: 3e4, high: 4e6, under: false, over: false }, "log", wider), wider);
	assert.equal(domainOf({ low: 1, high: 5, under: false, over: false }, "linear", wider).low, 0);
});

test("a linear axis ends at its next tick, not at the next decade", () => {
	assert.equal(domainOf({ low: 1e3, high: 2.2e9, under: false, over: false }, "linear").high, 2.5e9);
	assert.equal(domainOf({ low: 0, high: 31, under: false, over: false }, "linear", null, 102).high, 102);
	assert.equal(domainOf({ low: 0, high: 240, under: false, over: false }, "linear", null, 102).high, 250);
});

test("time ticks stand on whole steps of the local clock", () => {
	const { step, ticks } = timeTicks(1000003, 1000303, 6, () => 5400);

	assert.equal(step, 60);
	assert.ok(ticks.every((t) => (t + 5400) % 60 === 0 && t >= 1000003 && t <= 1000303));
	assert.equal(ticks.length, 5);
	const x = timeAxis(100, 200, 0, 50);

	assert.equal(x.x(150), 25);
	assert.equal(x.time(25), 150);
});

/* Berlin, 2026-10-25: 03:00 UTC+02:00 becomes 02:00 UTC+01:00 at 01:00 UTC. */
const back = 1792890000;
const berlin = (time) => time < back ? 7200 : 3600;

test("the parts of a time over a change of the clock end at its second", () => {
	assert.deepEqual(clockParts(back - 18000, back + 18000, berlin),
		[{ from: back - 18000, to: back, offset: 7200 }, { from: back, to: back + 18000, offset: 3600 }]);
	assert.deepEqual(clockParts(back, back + 10, berlin), [{ from: back, to: back + 10, offset: 3600 }]);
	assert.deepEqual(clockParts(back - 10.5, back, berlin), [{ from: back - 10.5, to: back, offset: 7200 }]);
	assert.equal(clockParts(back - 0.25, back + 0.5, berlin).length, 2);
	assert.equal(clockParts(0, 800 * 86400, (time) => time % (365 * 86400) < 182 * 86400 ? 7200 : 3600).length, 5);
	assert.equal(clockParts(back, back, berlin).length, 1);
});

test("time ticks follow the clock on the wall over its change", () => {
	const { ticks } = timeTicks(back - 6 * 3600, back + 9 * 3600, 6, berlin);

	assert.deepEqual(ticks.map((t) => (t + berlin(t)) % 86400 / 3600), [21, 0, 3, 6, 9]);
	assert.equal(timeTicks(back - 18000, back + 18000, 12, berlin).ticks.length, 11);
});

test("beyond a day ticks are days, weeks from Mondays, and months, never more than there is space for", () => {
	const end = 1795432845, days = (n, most) => timeTicks(end - n * 86400, end, most, berlin);
	const shown = ({ ticks }) => ticks.map((t) => new Date((t + berlin(t)) * 1000).toISOString().slice(0, 16));

	assert.deepEqual(shown(days(7, 10)).map((t) => t.slice(5)), ["11-17T00:00", "11-18T00:00", "11-19T00:00", "11-20T00:00", "11-21T00:00", "11-22T00:00", "11-23T00:00"]);
	assert.deepEqual(shown(days(30, 15)).at(-1), "2026-11-23T00:00");
	assert.equal(days(30, 15).step, 2 * 86400);
	assert.deepEqual(shown(days(60, 10)).slice(-3), ["2026-11-09T00:00", "2026-11-16T00:00", "2026-11-23T00:00"]);
	assert.equal(new Date(days(60, 10).ticks[0] * 1000 + 7.2e6).getUTCDay(), 1);
	assert.deepEqual(shown(days(365, 15)), ["2025-12", "2026-01", "2026-02", "2026-03", "2026-04", "2026-05", "2026-06", "2026-07", "2026-08", "2026-09", "2026-10", "2026-11"]
		.map((month) => `${month}-01T00:00`));
	assert.deepEqual(shown(days(365, 4)), ["2026-01-01T00:00", "2026-04-01T00:00", "2026-07-01T00:00", "2026-10-01T00:00"]);
	for (let n = 1; n < 4000; n = Math.ceil(n * 1.3))
		for (const most of [2, 4, 9, 15])
			assert.ok(days(n, most).ticks.length <= most + 1 && days(n, most).ticks.length >= (most > 2), `${n} days, ${most}: ${days(n, most).ticks.length}`);
});

test("names that would touch the one before, or the edge, are left out", () => {
	const names = [{ at: 10, width: 30 }, { at: 40, width: 30 }, { at: 70, width: 30 }, { at: 110, width: 30 }, { at: 190, width: 30 }];

	assert.deepEqual(spaced(names, 0, 200).map(({ at }) => at), [40, 110]);
	assert.deepEqual(spaced(names, -10, 210).map(({ at }) => at), [10, 70, 110, 190]);
});

test("names of ticks keep apart, and those of whole decades come first", () => {
	const { y } = valueAxis({ kind: "log", low: 1e7, high: 1e8, under: false, over: false }, 0, 40);
	const ticks = logTicks(1e7, 1e8, 9), at = ({ value }) => y(value), names = (least) => namedTicks(ticks, at, least).map((t) => t.value);

	assert.deepEqual(ticks.map((t) => t.value), [1e7, 2e7, 5e7, 1e8]);
	assert.deepEqual(names(12), [1e7, 1e8, 2e7, 5e7], "at 40, 28, 12 and 0 px");
	assert.deepEqual(names(13), [1e7, 1e8], "50 ms would touch 100 ms, 20 ms 10 ms");
});
