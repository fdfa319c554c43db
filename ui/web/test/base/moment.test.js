import assert from "node:assert/strict";
import { test } from "node:test";
import { momentOf } from "../../src/base/moment.js";

const NOW = 1795615505.25;		/* 2026-11-25 14:05:05.25 UTC */

const zone = (name) => { process.env.TZ = name; };

test("every form of a time is read as the command line reads it", () => {
	for (const [text, name, s] of [
		["now", "UTC", NOW], ["5m", "UTC", NOW - 300], ["-5m", "UTC", NOW - 300], ["90s", "UTC", NOW - 90], ["1.5h", "UTC", NOW - 5400],
		["1h30m", "UTC", NOW - 5400], ["-1d", "UTC", NOW - 86400], ["2w", "UTC", NOW - 1209600], ["-300", "UTC", NOW - 300], [" 5m ", "UTC", NOW - 300],
		["14:05", "UTC", 1795615500], ["14:05:05", "UTC", 1795615505], ["14:04:30.5", "UTC", 1795615470.5], ["9:00", "UTC", 1795597200],
		["14:06", "UTC", 1795615560 - 86400], ["15:05", "Europe/Berlin", 1795615500], ["10:00", "America/New_York", 1795618800 - 86400],
		["2026-11-25", "UTC", 1795564800], ["2026-11-25 14:05", "UTC", 1795615500], ["2026-11-25T14:05:05", "UTC", 1795615505],
		["2026-11-25 15:05", "Europe/Berlin", 1795615500], ["2026-11-25T14:05Z", "America/New_York", 1795615500],
		["2026-11-25 15:05:05+0100", "UTC", 1795615505], ["2026-11-25T08:35:00 -05:30", "UTC", 1795615500], ["2028-02-29", "UTC", 1835395200],
		["1795247297.5", "UTC", 1795247297.5],
	]) {
		zone(name);
		assert.equal(momentOf(text, NOW), s, `${text} in ${name}`);
	}
	zone("UTC");
});

test("a text that is no time is refused", () => {
	zone("UTC");
	for (const text of ["", " ", "-", "soon", "5", "300", "0", "99999999999", "5x", "m", "5m3h", "5m5", "0s5", "1h30", "--5m", "+5m", "14", "14:5", "14:60", "24:00",
		"14:05:60", "14:05pm", "2026-13-01", "2026-02-29", "2026-11-31", "2026-00-10", "2026-11-00", "26-11-25", "2026-11-25X14:05", "2026-11-25T",
		"2026-11-25T14:05+1", "2026-11-25T14:05+15:00", "2026-11-25T14:05ZZ", "1e9", "0x10", "NaN", "Infinity", "1960-01-01", "999w999w"])
		assert.equal(momentOf(text, NOW), null, text);
});
