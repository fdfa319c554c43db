/* annotations.js - keeps the notes, the fired alerts and the state of all alerts for the time shown.
 *
 *      the list poll, another time shown -> refresh() -> annotations, alerts -> annotations_view.js draws them
 *      n on a map, a menu -> write() -> draft -> save() -> POST, refresh()
 *
 * The poll serves the maps too: grids have annotations only when they come whole, and those of one time are the same for all.
 */
import * as api from "../net/api.js";
import { gridEnd } from "./grid.js";

/**
 * @typedef {Object} Annotation
 * @property {string} id
 * @property {"note"|"alert"} kind
 * @property {string} text
 * @property {number} start_time
 * @property {number|null} end_time    equal: a moment; null: it still fires
 * @property {string|null} instrumentation  null: of all
 */

export const isMoment = ({ start_time, end_time }) => end_time === start_time;
export const isFiring = ({ kind, end_time }) => kind === "alert" && end_time === null;

/** Does it touch [from, to)? */
export const touches = ({ start_time, end_time }, from, to) =>
	start_time < to && (end_time === null || end_time > from || start_time >= from);

export const newestFirst = (annotations) => [...annotations].sort((a, b) => b.start_time - a.start_time || b.id - a.id);

/** The annotations of an instrumentation, and those for all. */
export const annotationsOf = (annotations, inst) =>
	annotations.filter(({ instrumentation }) => instrumentation === null || instrumentation === inst?.id);

/** The annotations under the pointer: those of the column, and moments so near to it that their lines can be hit. */
export const pointedAt = (annotations, from, to, reach) =>
	annotations.filter((a) => isMoment(a) ? touches(a, from - reach, to + reach) : touches(a, from, to));

/**
 * Where they are drawn along an axis, in CSS pixels; cut off at the sides of the map.
 * @returns {{annotation: Annotation, left: number, width: number, begins: boolean, ends: boolean}[]}
 */
export function spansOf(annotations, x, mapWidth) {
	return annotations.filter((a) => touches(a, x.from, x.to)).map((annotation) => {
		const { start_time, end_time } = annotation;
		const left = Math.max(0, x.x(start_time));

		return {
			annotation, left, width: end_time === null ? mapWidth - left : Math.min(mapWidth, x.x(end_time)) - left,
			begins: start_time >= x.from, ends: end_time !== null && end_time <= x.to,
		};
	});
}

/** The body of the request; end equals start, or is null: a moment; inst null: on all maps. */
export const noteOf = ({ text, start, end, inst }) => ({
	text: text.trim(),
	...end === null || end === start ? { time: start } : { start_time: start, end_time: end },
	...inst && { instrumentation: inst.id },
});

const URGENT = ["firing", "pending", "no_data", "ok"];

export const mostUrgentFirst = (alerts) =>
	[...alerts].sort((a, b) => URGENT.indexOf(a.state) - URGENT.indexOf(b.state) || a.id - b.id);

export const isNoteKey = ({ key, ctrlKey, metaKey, altKey }) => key === "n" && !ctrlKey && !metaKey && !altKey;

const REACH = 1 / 200;			/* of the time shown: how near to a line the pointer means it */

export class Annotations {
	constructor(session) {
		this.session = session;
		this.annotations = [];		/* newest first, of what was asked for */
		this.alerts = [];
		this.asked = null;		/* {start, end}; end Infinity while live */
		this.turn = 0;			/* of the newest request: what older ones say is older */
		this.draft = null;		/* {start, end, inst}: a note that a person is writing; end equals start: at a moment */
	}

	get wanted() {
		const { span, live } = this.session;

		return span && { start: span.start, end: live ? Infinity : span.start + span.duration };
	}

	async refresh() {
		const { wanted } = this, turn = ++this.turn;

		if (!wanted)
			return;
		const both = Promise.all([api.annotations(wanted.start, Number.isFinite(wanted.end) ? wanted.end : null), api.alerts()]);

		await this.session.reply(both, ([annotations, alerts]) => {
			if (turn === this.turn)
				Object.assign(this, { asked: wanted, annotations: newestFirst(annotations), alerts: mostUrgentFirst(alerts) });
		});
	}

	/** A live view goes on within what was asked for; another time is asked for at once. */
	keepUp() {
		const { asked, wanted } = this;

		if (wanted && !(asked && asked.start <= wanted.start && wanted.end <= asked.end))
			this.refresh();
	}

	/** The annotations of the time shown and of the instrumentations shown. */
	get shown() {
		const { span, shown } = this.session;

		return span ? this.annotations.filter((a) => touches(a, span.start, span.start + span.duration) &&
			(a.instrumentation === null || shown.some(({ inst }) => inst.id === a.instrumentation))) : [];
	}

	/** Under the cursor, on a map. */
	at(map) {
		const { pointed, session } = map;

		if (!pointed)
			return [];
		const { grid, i } = pointed, from = grid.from + i * grid.column;

		return pointedAt(annotationsOf(this.annotations, map.inst), from, from + grid.column, session.span.duration * REACH);
	}

	/* ---- writing ---- */

	/** Begins a note: of the rectangle that is drawn on the map, else at the cursor, else in the newest column. */
	write(map) {
		const { grid, inst, pointed } = map, { rectangle } = this.session.explain;
		const time = pointed ? grid.from + pointed.i * grid.column : gridEnd(grid) - grid.column;

		this.draft = rectangle?.map === map ? { start: rectangle.start, end: rectangle.end, inst } : { start: time, end: time, inst };
		this.session.changed();
	}

	drop() {
		this.draft = null;
		this.session.changed();
	}

	/** Throws what heatscoped says against it. */
	async save(note) {
		await api.annotate(note);
		await this.refresh();
	}

	async remove(id) {
		try {
			await api.removeAnnotation(id);
			await this.refresh();
		} catch (e) {
			this.session.refuse(e);
		}
	}

	/** Points at one: its middle that is shown. */
	point({ start_time, end_time, instrumentation }) {
		const { session } = this, { start, duration } = session.span;
		const map = session.shown.find(({ inst }) => instrumentation === null || inst.id === instrumentation);
		const from = Math.max(start, start_time), to = Math.min(start + duration, end_time ?? Infinity);

		session.point({ map, time: (from + to) / 2, value: 0 });
	}
}
