/* exemplars.js - keeps the exemplars (single events) of the time shown, and which one is selected.
 *
 *      maps of instrumentations that keep some -> refresh() -> rows, the worst first -> choose(), step()
 *
 * An exemplar lies on the map of the first measure, where it ended.
 */
import * as api from "../net/api.js";
import { discreteFields, keyText } from "./keys.js";
import { keptSpan } from "./state.js";

/**
 * @typedef {Object} Exemplar   as value/exemplars has it
 * @property {number} time
 * @property {string} source
 * @property {number|null} connection
 * @property {number} weight
 * @property {boolean} worst
 * @property {boolean} drawn
 * @property {Object<string, string>} fields
 * @property {Object<string, number>} measures
 */

const MOST = 300;			/* dots that a map can show apart */
const SQUARE = 14;			/* px; a dot with its edge has 7 */
const REACH = 9;			/* px from a dot that still mean it */

/** Does this map show exemplars?  Of sums of a weight they would be no part. */
export const keepsExemplars = ({ inst, measure, panel }) => inst?.exemplars > 0 && measure === inst.measures[0] && !panel.weight;

/** Has it one of these keys, or, where those are left out, none of them? */
export const isShown = ({ fields }, names, keys, only) => keys.includes(keyText(names.map((name) => fields[name]))) === (only === "isolate");

/** The identity of an exemplar, the same in every reply; several may end at the same time. */
export const nameOf = ({ time, source, connection, measures }) => [time, source, connection, ...Object.values(measures)].join(" ");

/* Exemplars of one time have an order as well, or stepping would skip all but one.  A place is only a time. */
const order = (row, place) => row.time - place.time || ("measures" in place ? nameOf(row).localeCompare(nameOf(place)) : 0);

/** The one next to a place ({time}) or to another row, of those that lie on its side: later (1) or earlier (-1); null: there is none. */
export function nextOf(rows, place, by) {
	const ahead = rows.filter((row) => order(row, place) * by > 0);

	return ahead.reduce((best, row) => !best || order(row, best) * by < 0 ? row : best, null);
}

/** The place of each in px: [{row, x, y}]; those outside of the view are left out. */
export function dotsOf(rows, measure, { x, y }) {
	return rows.flatMap((row) => {
		const value = row.measures[measure], { domain } = y;

		if (row.time < x.from || row.time > x.to || (value > domain.high && !domain.over) || (value < domain.low && !domain.under))
			return [];
		const at = value > domain.high ? (y.top + y.upper) / 2 : value < domain.low ? (y.bottom + y.lower) / 2 : y.y(value);

		return [{ row, x: x.x(row.time), y: Math.min(y.bottom - 3, Math.max(y.top + 3, at)) }];
	});
}

/** The dots that are drawn: of those in one square of the map the slowest, so that the cells under them stay visible. */
export function thinned(dots, measure, square = SQUARE) {
	const slowest = new Map();

	for (const dot of dots) {
		const place = `${Math.floor(dot.x / square)} ${Math.floor(dot.y / square)}`, before = slowest.get(place);

		if (!before || dot.row.measures[measure] > before.row.measures[measure])
			slowest.set(place, dot);
	}
	return [...slowest.values()];
}

/** The dot that is meant by a point, in px; null: it is too far from all. */
export function dotAt(dots, px, py) {
	const far = (dot) => Math.hypot(dot.x - px, dot.y - py);
	const near = dots.filter((dot) => far(dot) <= REACH);

	return near.reduce((best, dot) => !best || far(dot) < far(best) ? dot : best, null);
}

/** The parts of its time that were measured, in the form of a rectangle's composition. */
export function compositionOf({ measures }, { measure, unit, parts }) {
	const sum = measures[measure];
	const known = parts.filter((name) => name in measures).map((weight) => ({ weight, sum: measures[weight], share: sum ? measures[weight] / sum : 0 }));
	const rest = Math.max(0, sum - known.reduce((all, part) => all + part.sum, 0));

	return { measure, unit, sum, parts: known, rest: { sum: rest, share: sum ? rest / sum : 0 } };
}

export class Exemplars {
	constructor(session) {
		this.session = session;
		this.rows = new Map();		/* id of the instrumentation -> Exemplar[] */
		this.chosen = null;		/* {map, row} */
	}

	/** The exemplars of a map, for the keys that it shows. */
	of(map) {
		const rows = (keepsExemplars(map) && this.rows.get(map.inst.id)) || [], { catalogue, state: { only } } = this.session;

		return only && map.selected.length ? rows.filter((row) => isShown(row, discreteFields(map.inst, catalogue), map.selected, only)) : rows;
	}

	/** The map that is looked at, or the first one, that shows some; undefined: none does. */
	get map() {
		const { session } = this;

		return [session.current, ...session.shown].find((map) => map && keepsExemplars(map));
	}

	/** After new columns. */
	async refresh() {
		const { session } = this, { span } = session;
		const insts = new Map(session.shown.filter(keepsExemplars).map(({ inst }) => [inst.id, inst]));

		if (!span)
			return;
		await Promise.all([...insts].map(([id, inst]) => {
			const { start, duration } = keptSpan(span, inst);

			return session.reply(api.exemplars(id, { start_time: start, duration, n: MOST }), ({ exemplars }) => this.rows.set(id, exemplars));
		}));
	}

	choose(map, row) {
		const { session } = this;

		this.chosen = { map, row };
		session.point({ map, time: row.time, value: row.measures[map.measure] });
	}

	drop() {
		this.chosen = null;
		this.session.changed();
	}

	/** To the next of the worst in time; false: there is none. */
	step(map, by) {
		const { chosen, session } = this;
		const place = chosen?.map === map ? chosen.row : session.cursor ?? { time: by > 0 ? -Infinity : Infinity };
		const row = nextOf(this.of(map).filter(({ worst }) => worst), place, by);

		if (row)
			this.choose(map, row);
		return row !== null;
	}
}
