/* compare.js - turns the user's choice of A and B into the request for heatscoped.
 *
 *      {measure, key, with: {time, measure, key}} --parametersOf--> measure, selected, b_start_time, b_measure, b_selected ...
 *
 * B is as A but for what is said: "" says nothing.  Both are as long as what is shown.
 */
import { keyList } from "../net/api.js";
import { fieldOf, isPoint } from "../base/text.js";
import { keptSpan } from "./state.js";

/** The times by which B may be earlier; "before": by its own length; "at": from `at` on, as an input of a date has it. */
export const TIMES = [["", "the same time"], ["before", "just before"], ["3600", "1 hour before"], ["86400", "1 day before"],
	["604800", "1 week before"], ["at", "from a time on …"]];
export const VIEWS = [["difference", "difference"], ["side", "side by side"], ["overlay", "one over the other"]];
export const PERS = [["share", "shares"], ["count", "counts"]];

/** B's key: all but A's. */
export const OTHERS = "others";

/** A key as an option's value: it cannot be taken for another word. */
export const optionOf = (key) => `=${key}`;
const keyOf = (option) => option.startsWith("=") ? [option.slice(1)] : [];

/** Against the time just before, until something else is said. */
export const chosenFirst = (measure) => ({ measure, key: "", view: "difference", per: "share", with: { time: "before", measure: "", key: "" } });

/** A key, and B all others at the same time. */
export const againstRest = (measure, key) => ({ ...chosenFirst(measure), key: optionOf(key), with: { time: "", measure: "", key: OTHERS } });

/** The measures that can be compared: states at the ends of slots have no events. */
export const comparable = (inst, catalogue) => inst.measures.filter((m) => !isPoint(inst, m, catalogue));

/** Opens the dialogue with this choice of A and B: the time is what is shown now. */
export function openComparison(session, first) {
	const { inst, catalogue } = session, measures = comparable(inst, catalogue);
	const measure = measures.includes(first.measure) ? first.measure : measures[0];

	session.comparing = measure ? { span: keptSpan(session.span, inst), first: { ...first, measure } } : null;
	session.changed();
}

/* When B begins; null: when A does, or it is not said yet. */
const startOf = ({ time, at }, span) => !time ? null : time === "at" ? Date.parse(at) / 1000 || null
	: span.start - (time === "before" ? span.duration : Number(time));

/** Does B differ in anything? */
export const differs = ({ measure, key, with: b }) =>
	Boolean((b.time && startOf(b, { start: 0, duration: 1 }) !== null) || (b.measure && b.measure !== measure) || (b.key && b.key !== key));

/** by: the field of which the keys are values; null: they have all. */
export function parametersOf({ measure, key, per, with: b }, span, by = null) {
	return {
		start_time: span.start, duration: span.duration, measure, selected: keyList(keyOf(key)), by, per,
		b_start_time: startOf(b, span), b_measure: b.measure || null,
		b_selected: b.key === OTHERS ? null : keyList(keyOf(b.key)), b_exclude: b.key === OTHERS ? true : null,
	};
}

/** A change of A may leave B without sense: all but nothing. */
export const settled = (choice) => choice.with.key === OTHERS && !choice.key ? { ...choice, with: { ...choice.with, key: "" } } : choice;

/** Measures with the type, and so the unit, of this one. */
export const alike = (measure, inst, catalogue) =>
	comparable(inst, catalogue).filter((m) => fieldOf(catalogue, inst, m)?.type === fieldOf(catalogue, inst, measure)?.type);
