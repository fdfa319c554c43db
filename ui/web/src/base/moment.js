/* moment.js - parses a time as people write it to Unix seconds, by the grammar of heatscope(1), TIMES.
 *
 *      "now"; "5m", "-5m", "1h30m", "-300" (ago); "14:05", "14:05:30" (the last time the clock showed it); "2026-11-25 14:05",
 *      "2026-11-25T14:05:05Z", "...+01:00"; Unix seconds
 */
const UNITS = { w: 604800, d: 86400, h: 3600, m: 60, s: 1 };
const FIRST = 1e8, LAST = 9999999999;		/* smaller numbers are spans without their sign */

const CLOCK = String.raw`(\d{1,2}):(\d{2})(?::(\d{2})(\.\d*)?)?`;
const clockOf = ([hour, minute, second = "0", part = "0"]) => Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60
	? { hour: Number(hour), minute: Number(minute), second: Number(second), part: Number(part === "." ? 0 : part) } : null;

/* "1h30m": units from large to small; null: not a span. */
function spanOf(text) {
	if (!/^(\d+(\.\d*)?[wdhms])+$/.test(text))
		return null;
	const parts = [...text.matchAll(/(\d+(?:\.\d*)?)([wdhms])/g)], order = parts.map(([, , unit]) => UNITS[unit]);

	return order.every((s, i) => !i || s < order[i - 1]) ? parts.reduce((sum, [, n, unit]) => sum + Number(n) * UNITS[unit], 0) : null;
}

const local = (year, month, day, { hour, minute, second, part }) => new Date(year, month, day, hour, minute, second).getTime() / 1000 + part;

function lastClock(text, now) {
	const found = new RegExp(`^${CLOCK}$`).exec(text), clock = found && clockOf(found.slice(1));

	if (!clock)
		return null;
	const today = new Date(now * 1000), at = (days) => local(today.getFullYear(), today.getMonth(), today.getDate() - days, clock);

	return at(0) <= now ? at(0) : at(1);
}

function dated(text) {
	const found = new RegExp(String.raw`^(\d{4})-(\d{2})-(\d{2})(?:(?:T| +)${CLOCK} *(Z|[+-]\d{2}:?\d{2})?)?$`, "i").exec(text);

	if (!found)
		return null;
	const [year, month, day] = found.slice(1, 4).map(Number), zone = found[8];
	const clock = found[4] === undefined ? clockOf(["0", "0"]) : clockOf(found.slice(4, 8));

	if (!clock || month < 1 || month > 12 || day < 1 || day > new Date(year, month, 0).getDate())
		return null;
	if (!zone)
		return local(year, month - 1, day, clock);
	const [, sign, hours, minutes] = /([+-])(\d{2}):?(\d{2})/.exec(zone) ?? [null, "+", "0", "0"];

	return hours > 14 || minutes > 59 ? null : Date.UTC(year, month - 1, day, clock.hour, clock.minute, clock.second) / 1000 + clock.part -
		(sign === "-" ? -1 : 1) * (hours * 3600 + minutes * 60);
}

/** @returns {number|null}  null: not a time */
export function momentOf(text, now) {
	const t = text.trim(), minus = t.startsWith("-"), span = spanOf(minus ? t.slice(1) : t);
	const s = t === "now" ? now : span !== null ? now - span : /^-\d+(\.\d*)?$/.test(t) ? now + Number(t) : /^\d+(\.\d*)?$/.test(t) ? Number(t)
		: lastClock(t, now) ?? dated(t);

	return s !== null && s >= FIRST && s <= LAST ? s : null;
}
