/* format.js - formats values for people, and parses them. */
import { clockParts } from "./axis.js";

const TIME_UNITS = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];
const RATE_UNITS = [[1e12, "TB/s"], [1e9, "GB/s"], [1e6, "MB/s"], [1e3, "kB/s"], [1, "B/s"]];
const COUNT_UNITS = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""]];
const SIZE_UNITS = [[1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "kB"], [1, "B"]];	/* as on the pictures: ticks are decimal */
const BINARY_UNITS = [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [1024, "KiB"]];

function scaled(value, units, digits) {
	const [size, name] = units.find(([s]) => value >= s * 0.9995) ?? units.at(-1);
	const v = value / size;

	return `${v >= 1000 ? Math.round(v) : Number(v.toPrecision(digits))} ${name}`;
}

const BOUND = 2 ** 64;

/** Has this sum saturated?  Then it says "at least", and has no mean. */
export const saturated = (sum) => sum >= BOUND;

/** The mean of a column or a key; null: there is none. */
export const meanOf = ({ sum, count: n }) => n > 0 && !saturated(sum) ? sum / n : null;

const DAY_NS = 86400e9;

/* 1 d 15 h; from 100 days on without hours. */
function days(ns) {
	const hours = Math.round(ns / 3600e9), rest = hours % 24;

	if (hours >= 2400)
		return `${Math.round(hours / 24)} d`;
	return `${Math.floor(hours / 24)} d${rest ? ` ${rest} h` : ""}`;
}

/** A value of an axis: 3 digits and a unit; a day or longer: 1 d 15 h. */
export function amount(value, unit = "ns", digits = 3) {
	if (value === null || value === undefined)
		return "–";
	if (value === 0)
		return "0";
	if (saturated(value))
		return `≥ ${amount(value * (1 - Number.EPSILON / 2), unit, digits)}`;
	if (unit === "ns" && value >= DAY_NS)
		return days(value);
	if (unit === "ns")
		return scaled(value, TIME_UNITS, digits);
	if (unit === "bytes")
		return scaled(value, SIZE_UNITS, digits);
	if (unit === "/s")
		return `${shortCount(value)}/s`;
	if (unit === "bytes/s")
		return scaled(value, RATE_UNITS, digits);
	if (unit === "%")
		return `${Number(value.toPrecision(digits))} %`;
	return count(value);
}

/** A percentile of values that are not distinguished below `least`: < 1.02 µs. */
export const percentile = (value, least, unit = "ns") => value > 0 && value < least ? `< ${amount(least, unit)}` : amount(value, unit);

const UNITS = { ns: TIME_UNITS, bytes: [...SIZE_UNITS, ...BINARY_UNITS], "bytes/s": RATE_UNITS };

/* The suffixes that a value of a unit may have; times and sizes must have one. */
const endings = (unit) => [...UNITS[unit] ?? COUNT_UNITS.flatMap(([size, name]) => [[size, name], [size, name + unit]]),
	...unit in UNITS ? [] : [[1, ""], [1, unit]]];

/* 1.005 times 1000 is 1005. */
const times = (digits, size) => Number.isInteger(digits * size) ? digits * size : Number((digits * size).toPrecision(15));

/** Parses the texts of amount() and exact(), and "10ms", "1.5 s", "20us", "12000", "12k"; null: not a value of that unit. */
export function parse(text, unit = "ns") {
	const [, digits, name] = /^\s*((?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d*)?)\s*(\S*)\s*$/.exec(text) ?? [];
	const ending = name?.toLowerCase().replace(/^us$/, "µs");
	const [, d, h = 0] = /^\s*(\d+) d(?: (\d+) h)?\s*$/.exec(text) ?? [];

	if (d && unit === "ns")
		return (24 * d + Number(h)) * 3600e9;
	const size = endings(unit).find(([, known]) => known.toLowerCase() === ending)?.[0];

	return size ? times(Number(digits.replaceAll(",", "")), size) : null;
}

/* The units that `where` knows, too. */
const EXACT_UNITS = { ns: TIME_UNITS, "bytes/s": RATE_UNITS.slice(1),
	bytes: [...BINARY_UNITS, ...SIZE_UNITS].filter(([size]) => size <= 2 ** 30).sort(([a], [b]) => b - a) };

const nDigits = ({ digits }) => digits.replace(".", "").length;

/** Writes a value exactly, in the unit with which it has the fewest digits: [digits, unit]; percentages and rates of events: "". */
export function exactParts(value, unit) {
	const texts = (EXACT_UNITS[unit] ?? [[1, ""]]).map(([size, name]) => ({ digits: String(value / size), name, size }))
		.filter(({ digits, name, size }) => size === 1 || value >= size && parse(digits + name, unit) === value);
	const { digits, name } = texts.reduce((best, one) => nDigits(one) < nDigits(best) ? one : best);

	return [digits, name];
}

/** A value as people write it, which parse() reads as the same value: "10 ms", "3 GiB". */
export function exact(value, unit) {
	const short = amount(value, unit, 4), [digits, name] = exactParts(value, unit);

	return unit !== "bytes" && parse(short, unit) === value ? short : `${digits} ${name || unit}`.trim();
}

/** The name of a sum of values of a unit. */
export const sumName = (unit) => unit === "ns" ? "time" : "total";

/** The value of a cell: a count, or for a weight a sum in the grid's unit. */
export const cell = ({ weight, unit }, n) => weight ? amount(n, unit) : count(n);

/** The values of a row, [low, high). */
export function range(low, high, unit = "ns") {
	if (high === null || high === undefined)
		return `≥ ${amount(low, unit)}`;
	if (low === 0)
		return `< ${amount(high, unit)}`;
	const a = amount(low, unit, 4), b = amount(high, unit, 4);
	const alike = a.split(" ").length === 2 && a.split(" ")[1] === b.split(" ")[1];

	return alike ? `${a.split(" ")[0]} – ${b}` : `${a} – ${b}`;
}

/** 1234567 -> 1,234,567; a mean that is small and not whole keeps three digits. */
export const count = (n) => n < 1000 && !Number.isInteger(n) ? String(Number(n.toPrecision(3))) :
	Math.round(n).toString().replace(/\B(?=(\d{3})+$)/g, ",");

/** 1234567 -> 1.23 M, for tight places. */
export function shortCount(n) {
	if (n < 10000)
		return count(n);
	const [size, name] = COUNT_UNITS.find(([s]) => n >= s);

	return `${Number((n / size).toPrecision(3))} ${name}`;
}

/** A part of a whole, in percent. */
export function share(part, whole) {
	if (!whole)
		return "–";
	const p = 100 * part / whole;

	return p === 0 ? "0 %" : p < 0.1 ? "< 0.1 %" : `${p >= 99.95 && part < whole ? "99.9" : p.toFixed(1)} %`;
}

const two = (n) => String(n).padStart(2, "0");

/** 14:03:07, with tenths where a slot is shorter than a second; local time. */
export function clock(time, slot = 1) {
	const d = new Date(Math.round(time * 1000));
	const tenths = slot < 1 ? `.${Math.floor(d.getMilliseconds() / 100)}` : "";

	return `${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}${tenths}`;
}

export function date(time) {
	const d = new Date(time * 1000);

	return `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())}`;
}

const DAY = 86400, MONTH = 28 * DAY, YEAR = 365 * DAY;

/** 14:03, or 14:03:07 where the ticks are closer than a minute; the date where a day begins; 2026-11, 2026. */
export function tickText(time, step) {
	if (step >= MONTH)
		return date(time).slice(0, step >= YEAR ? 4 : 7);
	if (step >= DAY || clock(time) === "00:00:00")
		return date(time);
	return step < 60 ? clock(time) : clock(time).slice(0, 5);
}

/** The time of day, with its date where the time shown (start, duration) touches several days. */
export const when = (time, span, slot = 1) =>
	span && date(span.start) !== date(span.start + span.duration) ? `${date(time)} ${clock(time, slot)}` : clock(time, slot);

/** 14:00:00 – 14:05:00, with dates likewise; the second only if it is another one. */
export const whenBoth = (start, end, span, slot = 1) =>
	`${when(start, span, slot)} – ${date(start) === date(end) ? clock(end, slot) : when(end, span, slot)}`;

/** Seconds east of UTC of the local clock at a time. */
export const zoneOffset = (time) => -60 * new Date(time * 1000).getTimezoneOffset();

/** "UTC", "UTC+02:00". */
export function zone(time, offset = zoneOffset(time)) {
	const m = Math.abs(offset) / 60;

	return offset === 0 ? "UTC" : `UTC${offset > 0 ? "+" : "−"}${two(Math.floor(m / 60))}:${two(m % 60)}`;
}

/** "UTC+02:00, then UTC+01:00" where the clock changes between two times; where it changes often, the zone's name. */
export function zones(from, to, offsetAt = zoneOffset) {
	const [first, second, third] = clockParts(from, to, offsetAt);

	return third ? Intl.DateTimeFormat().resolvedOptions().timeZone ?? "local time"
		: `${zone(from, first.offset)}${second ? `, then ${zone(second.from, second.offset)}` : ""}`;
}

const LENGTHS = [[86400, "d", 3600, "h"], [3600, "h", 60, "min"], [60, "min", 1, "s"]];

/** 90 -> "1 min 30 s": a length of time in seconds, in two units at most. */
export function seconds(s) {
	if (s < 1)
		return `${Math.round(s * 1000)} ms`;
	if (s < 60)
		return `${Number(s.toPrecision(3))} s`;
	const [size, name, part, small] = LENGTHS.find(([least]) => s >= least);
	const parts = Math.round(s / part), per = size / part, rest = parts % per;

	return `${Math.floor(parts / per)} ${name}${rest ? ` ${rest} ${small}` : ""}`;
}

/** Writes how many of all still ran, and the age of those under the cursor; see runningCount(), runningAt(). */
export function stillRunning(total, running) {
	if (!total)
		return total === 0 ? "nothing still running" : "–";
	if (!running)
		return `${count(total)} still running`;
	const [low, high, n] = running;
	const age = high === null ? `${amount(low)} old or older`
		: low === 0 ? `less than ${amount(high)} old` : `${amount(low)} to ${amount(high)} old`;

	return `${count(n)}${n < total ? ` of ${count(total)}` : ""} still running, ${age}`;
}

const STATES = {
	ok: "complete", zero: "complete, nothing happened", partial: "partly lost",
	unobserved: "not observed", dropped: "no longer kept", in_progress: "in progress",
};

/** Writes how much of a column was observed. */
export function coverage(column) {
	const parts = [column.state === "zero" && column.running ? "complete, nothing ended" : STATES[column.state] ?? column.state];

	if (column.expected)
		parts.push(`${column.reporting} of ${column.expected} reported`);
	if (column.lost)
		parts.push(`${count(column.lost)} lost`);
	if (column.sampled)
		parts.push(`sampled, one event in ${column.sampled}`);
	return parts.join(", ");
}
