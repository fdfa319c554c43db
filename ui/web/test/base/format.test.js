import assert from "node:assert/strict";
import test from "node:test";
import * as format from "../../src/base/format.js";

test("amounts have three digits and a unit", () => {
	const cases = [[0, "0"], [1, "1 ns"], [999, "999 ns"], [1000, "1 µs"], [1234, "1.23 µs"], [999999, "1 ms"], [12345678, "12.3 ms"], [1e9, "1 s"], [3.2e10, "32 s"], [null, "–"]];

	for (const [ns, text] of cases)
		assert.equal(format.amount(ns), text);
	assert.equal(format.amount(2048, "bytes"), "2.05 kB");
	assert.equal(format.amount(12345, "queries"), "12,345");
	assert.equal(format.amount(37, "%"), "37 %");
	assert.equal(format.amount(1234567, "/s"), "1.23 M/s");
	assert.equal(format.amount(1.25e8, "bytes/s"), "125 MB/s");
});

test("written values are read again as the same", () => {
	for (const [value, unit] of [[12000, ""], [1234567, ""], [12345, "queries"], [9999, "/s"], [1230000, "/s"], [4.56e9, "/s"], [37, "%"], [2048, "bytes"],
		[1.25e8, "bytes/s"], [1.5e6, "ns"], [3.2e10, "ns"]])
		assert.equal(format.parse(format.amount(value, unit, 4), unit), value, format.amount(value, unit, 4));
	for (const [text, unit, value] of [["10ms", "ns", 1e7], ["20us", "ns", 2e4], ["12000", "", 12000], ["12k", "", 12000], ["1.5 M", "", 1.5e6], ["2G", "/s", 2e9],
		["4096 B", "bytes", 4096], ["5 %", "%", 5], ["1,000.5 ms", "ns", 1000.5e6]])
		assert.equal(format.parse(text, unit), value, text);
	for (const [text, unit] of [["", ""], ["10", "ns"], ["1,5 ms", "ns"], ["12,00", ""], ["10 ms", "bytes"], ["4096", "bytes"], ["4096", "bytes/s"], ["5 x", ""], ["-5", ""], [",", ""]])
		assert.equal(format.parse(text, unit), null, text);
});

test("ranges name their unit once where it is one", () => {
	assert.equal(format.range(1024, 1152), "1.024 – 1.152 µs");
	assert.equal(format.range(983040, 1048576), "983 µs – 1.049 ms");
	assert.equal(format.range(0, 1024), "< 1.02 µs");
	assert.equal(format.range(2 ** 36, null), "≥ 68.7 s");
});

test("a part is never shown as all or nothing unless it is", () => {
	assert.equal(format.share(0, 10), "0 %");
	assert.equal(format.share(1, 1e6), "< 0.1 %");
	assert.equal(format.share(999999, 1e6), "99.9 %");
	assert.equal(format.share(10, 10), "100.0 %");
	assert.equal(format.share(0, 0), "–");
});

test("counts", () => {
	assert.equal(format.count(1234567), "1,234,567");
	assert.equal(format.count(1234.5), "1,235");
	assert.equal(format.count(0.41234), "0.412");
	assert.equal(format.count(2), "2");
	assert.equal(format.shortCount(1234567), "1.23 M");
	assert.equal(format.shortCount(9999), "9,999");
});

test("zones", () => {
	assert.equal(format.zone(0, 0), "UTC");
	assert.equal(format.zone(0, 7200), "UTC+02:00");
	assert.equal(format.zone(0, -12600), "UTC−03:30");
	assert.equal(format.zones(0, 100, () => 3600), "UTC+01:00");
	assert.equal(format.zones(0, 100, (time) => time < 50 ? 7200 : 3600), "UTC+02:00, then UTC+01:00");
	assert.equal(format.zones(0, 400 * 86400, (time) => time % (365 * 86400) < 182 * 86400 ? 7200 : 3600),
		Intl.DateTimeFormat().resolvedOptions().timeZone);
});

test("lengths of time", () => {
	assert.deepEqual([0.1, 1, 10, 60, 90, 107, 3600, 5430, 86399, 604800, 694800].map(format.seconds),
		["100 ms", "1 s", "10 s", "1 min", "1 min 30 s", "1 min 47 s", "1 h", "1 h 31 min", "24 h", "7 d", "8 d 1 h"]);
});

test("coverage says what was lost and who was silent", () => {
	assert.equal(format.coverage({ state: "partial", reporting: 1, expected: 2, lost: 1200 }), "partly lost, 1 of 2 reported, 1,200 lost");
	assert.equal(format.coverage({ state: "unobserved", reporting: 0, expected: 0, lost: 0 }), "not observed");
});

test("running events are written with their age, and as a part of all if they are one", () => {
	assert.equal(format.stillRunning(30, [2e9, 2.3e9, 30]), "30 still running, 2 s to 2.3 s old");
	assert.equal(format.stillRunning(31, [2e9, 2.3e9, 4.5]), "4.5 of 31 still running, 2 s to 2.3 s old");
	assert.equal(format.stillRunning(1, [0, 1024, 1]), "1 still running, less than 1.02 µs old");
	assert.equal(format.stillRunning(1, [5.5e11, null, 1]), "1 still running, 550 s old or older");
	assert.deepEqual([31, 0, null].map((n) => format.stillRunning(n)), ["31 still running", "nothing still running", "–"]);
	assert.equal(format.coverage({ state: "zero", running: [[2e9, 2.3e9, 30]] }), "complete, nothing ended");
});

test("ticks beyond a day are dates, and where a day begins there is one", () => {
	const at = (text) => Date.parse(text) / 1000, day = 86400;

	assert.deepEqual([["2026-11-03T14:05:10", 10], ["2026-11-03T14:05:00", 300], ["2026-11-03T00:00:00", 300], ["2026-11-03T00:00:00", 7 * day],
		["2026-11-01T00:00:00", 30.4 * day], ["2026-01-01T00:00:00", 365.25 * day]].map(([time, step]) => format.tickText(at(time), step)),
		["14:05:10", "14:05", "2026-11-03", "2026-11-03", "2026-11", "2026"]);
});

test("a time has its date where the time shown touches several days", () => {
	const at = (text) => Date.parse(text) / 1000, one = { start: at("2026-11-03T10:00:00"), duration: 300 }, two = { ...one, duration: 86400 };
	const from = at("2026-11-03T10:01:00"), to = at("2026-11-04T09:00:00");

	assert.deepEqual([format.when(from, one), format.when(from, null), format.when(from, two)], ["10:01:00", "10:01:00", "2026-11-03 10:01:00"]);
	assert.equal(format.whenBoth(from, from + 60, one), "10:01:00 – 10:02:00");
	assert.equal(format.whenBoth(from, from + 60, two), "2026-11-03 10:01:00 – 10:02:00");
	assert.equal(format.whenBoth(from, to, two), "2026-11-03 10:01:00 – 2026-11-04 09:00:00");
});

test("a day or longer is in days and hours, and can be written so", () => {
	assert.deepEqual([86399e9, 86400e9, 140400e9, 140400000e9, 89999e9].map((ns) => format.amount(ns)), ["86399 s", "1 d", "1 d 15 h", "1625 d", "1 d 1 h"]);
	assert.deepEqual(["1 d", "1 d 15 h", "1625 d"].map((text) => format.parse(text)), [86400e9, 140400e9, 140400000e9]);
	assert.equal(format.range(100800e9, 187200e9), "1 d 4 h – 2 d 4 h");
	assert.equal(format.range(86400e9, 2 * 86400e9), "1 – 2 d");
});

test("a percentile in the first bucket is only known to be below its edge", () => {
	assert.deepEqual([0, 1023, 1024, 5000, null].map((p) => format.percentile(p, 1024)), ["0", "< 1.02 µs", "1.02 µs", "5 µs", "–"]);
	assert.equal(format.percentile(1023, 0), "1.02 µs");
});
