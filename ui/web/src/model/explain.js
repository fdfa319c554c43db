/* explain.js - asks value/explain how a rectangle differs from the rest, and picks the parts of the reply to show.
 *
 *      draw(rectangle) -> "drawn" -- ask() -> "asking" -> "said" | "failed";  drop() at any time
 */
import * as api from "../net/api.js";
import { count } from "../base/format.js";
import { keptSpan } from "./state.js";

export const VALUES_MAX = 8;
export const INSIDE_MAX = 4;		/* of each field */

/** The rectangle, as what asks about its parts or its stacks has it. */
export const rectangleParameters = ({ start, end, low, high }, selected) => ({
	start_time: start, end_time: end, ymin: low, ymax: high, selected: api.keyList(selected) });

/** The parts that there are, and what none of them is; greatest first. */
export const partsOf = ({ parts, rest }) =>
	[...parts, { weight: "rest", ...rest }].filter((p) => p.sum > 0).sort((a, b) => b.sum - a.sum);

/** True: the span has time outside of the rectangle, so it can be a baseline of it. */
export const reachesBeyond = (span, { start, end }) => span.start < start || span.start + span.duration > end;

/** The parameters of the request.  selected: only these keys, none: all; baseline: another span to compare with, or
 * null. */
export const parametersOf = ({ map, start, end, low, high }, selected, baseline) => ({
	measure: map.measure, start_time: start, end_time: end, ymin: low, ymax: high, top: VALUES_MAX, selected: api.keyList(selected),
	baseline_start: baseline?.start, baseline_end: baseline && baseline.start + baseline.duration,
});

/** The significant values, without those that are rarer inside: the more frequent ones say the same. */
export const tellingValues = (reply) => reply.values.filter((v) => v.significant && v.excess > 0).slice(0, VALUES_MAX);
export const tellingMeasures = (reply) => reply.measures.filter((m) => m.significant);

const isTelling = (reply) => tellingValues(reply).length > 0 || tellingMeasures(reply).length > 0;

/** The sentence begins with the running events.  They alone are a finding, even if the ended events do not differ. */
export const saidOf = (reply) =>
	`${isTelling(reply) || reply.running?.count > 0 ? "" : "nothing differs: "}${reply.sentence}`;

/** The first values of each field, most first. */
export function mostOf(values = []) {
	const n = new Map();

	return values.filter(({ field }) => {
		n.set(field, (n.get(field) ?? 0) + 1);
		return n.get(field) <= INSIDE_MAX;
	});
}

/** The limits of the answer. */
export const notesOf = (reply) => [
	reply.lost > 0 && `${count(reply.lost)} events were lost in this time`,
	reply.sampled && `events were sampled, at worst one in ${count(reply.sampled)}`,
	reply.dropped && "some of the data are not kept any more",
	reply.lower_bound && "more keys than the limit: the rest is in other, and each value's count is a lower bound",
].filter(Boolean);

/* Limits a rectangle to the time that its instrumentation keeps: maps of others may reach farther back. */
const keptPart = (rectangle) => ({ ...rectangle, start: keptSpan({ start: rectangle.start, duration: rectangle.end - rectangle.start }, rectangle.map.inst).start });

export class Explain {
	constructor(session) {
		this.session = session;
		this.wide = false;		/* compare with the whole time shown, too, */
		this.span = null;		/* which was this when a grid was there the last time */
		this.forget();
	}

	forget() {
		this.reading?.abort();
		this.reading = null;
		this.keys = [];
		this.state = this.rectangle = this.reply = this.problem = null;
	}

	drop() {
		this.forget();
		this.session.changed();
	}

	/** A rectangle of a map. */
	draw(map, rectangle) {
		this.forget();
		this.state = "drawn";
		this.rectangle = keptPart({ map, ...rectangle });
		this.session.changed();
	}

	/** Is there a rectangle of this map that was not asked for? */
	drawn(map) {
		return this.state === "drawn" && this.rectangle.map === map;
	}

	/** Its map has gone: to another one, at the same time and values, where it is asked again; undefined: it goes as well. */
	move(map) {
		const { rectangle, state } = this;

		if (!map)
			return this.forget();
		this.draw(map, { ...rectangle, map });
		if (state !== "drawn")
			this.ask();
	}

	/** The time shown, as far as the rectangle's instrumentation keeps it; null: no grid has been there yet. */
	get baseline() {
		const span = this.session.span ?? this.span;

		return span && keptSpan(span, this.rectangle.map.inst);
	}

	/** Can the whole time shown be a baseline? Not of a rectangle as long as it. */
	get widens() {
		const { baseline, rectangle } = this;

		return Boolean(baseline) && reachesBeyond(baseline, rectangle);
	}

	/** Switches the comparison with the whole time shown on or off. */
	widen(wide) {
		this.wide = wide;
		this.ask();
	}

	async ask() {
		const { session, rectangle } = this, { map } = rectangle, { id } = map.inst;

		this.keys = map.selected;
		const { exclude } = map.narrowed;

		this.excluded = Boolean(exclude);
		this.span = session.span ?? this.span;
		const parameters = { ...parametersOf(rectangle, this.keys, this.wide && this.widens ? this.baseline : null), exclude };
		const reading = new AbortController();

		this.reading?.abort();
		this.reading = reading;
		this.state = "asking";
		this.reply = this.problem = null;
		session.changed();
		try {
			this.answer(reading, { state: "said", reply: await api.explain(id, parameters, reading.signal) });
		} catch (e) {
			this.answer(reading, { state: "failed", problem: e.message });
		}
	}

	/* Only the reply to the last request is used. */
	answer(reading, what) {
		if (this.reading !== reading)
			return;
		Object.assign(this, what);
		this.session.changed();
	}
}
