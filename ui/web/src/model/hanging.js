/* hanging.js - finds queries that have run for a second or longer and have not ended: how many, since when, and whose.
 *
 *      a map's newest column has one of that age -> refresh() asks value/keys -> rows -> said();  show() explains them
 *
 * It uses the map that is looked at, or else the first one whose instrumentation reports running events.
 */
import * as api from "../net/api.js";
import { gridEnd, runningColumn } from "./grid.js";
import { keptSpan } from "./state.js";

export const LONG_NS = 1e9;		/* a slot, as a rule: what is older was seen at the end of two */
const SLOTS = 10;			/* the last ones, of which the newest that was reported is taken */
const OFTEN_MS = 2000;

/** The keys of which one has run for so long, those with the most queries first. */
export const longRunning = (rows) => rows.filter(({ running = 0, oldest }) => running > 0 && oldest >= LONG_NS)
	.sort((a, b) => b.running - a.running || b.oldest - a.oldest);

/** {count, oldest, most: the first row}; null: there are none. */
export const summaryOf = (rows) => rows.length ? {
	count: rows.reduce((sum, row) => sum + row.running, 0), oldest: Math.max(...rows.map((row) => row.oldest)), most: rows[0],
} : null;

/** Their rectangle on a map: from the begin of the first key's oldest, for ages from a second on.  time: in Unix s. */
export function rectangleOf(grid, rows, time) {
	const columnOf = (at) => Math.min(grid.ncols - 1, Math.max(0, Math.floor((at - grid.from) / grid.column + 1e-6)));
	const last = columnOf(time - grid.slot / 2), first = Math.min(last, columnOf(time - rows[0].oldest / 1e9));

	return { start: grid.from + first * grid.column, end: grid.from + (last + 1) * grid.column, low: LONG_NS, high: null };
}

export class Hanging {
	constructor(session) {
		this.session = session;
		this.asked = 0;			/* when, ms */
		this.clear();
	}

	clear() {
		this.map = null;		/* whose */
		this.rows = [];			/* as longRunning() has them */
		this.time = 0;			/* of which they are */
	}

	/** The current map, or else the first, whose instrumentation reports running events; undefined: there is none. */
	get reporting() {
		const { session } = this;

		return [session.current, ...session.shown].find((map) => map?.grid?.running);
	}

	/** After new columns.  A live view asks every two seconds at most; one that stands still gets its columns once, so it
	 * always asks. */
	keepUp() {
		if (!this.session.live || Date.now() - this.asked >= OFTEN_MS - 200)
			this.refresh();
	}

	async refresh() {
		const { session, reporting: map } = this;

		this.asked = Date.now();
		if (!map || !(runningColumn(map.grid)?.oldest >= LONG_NS)) {
			this.clear();
			return session.changed();
		}
		const { slot } = map.grid, duration = SLOTS * slot;
		const end = Math.min(gridEnd(map.grid), Math.floor(Date.now() / 1000 / slot) * slot);	/* the newest column may end later */
		const span = keptSpan({ start: end - duration, duration }, map.inst);

		return session.reply(api.keys(map.inst.id, span, { measure: map.measure }), ({ keys, running }) =>
			Object.assign(this, { map, rows: longRunning(keys), time: running?.time ?? 0 }));
	}

	/** Draws a rectangle around them, and explains it. */
	show() {
		const { session, map, rows, time } = this;

		if (!rows.length || !map.grid)
			return;
		if (session.endsOf(map))
			session.set({ values: null });
		session.explain.draw(map, rectangleOf(map.grid, rows, time));
		session.explain.ask();
	}
}
