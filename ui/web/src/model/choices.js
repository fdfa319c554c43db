/* choices.js - turns the boxes of the form into the request that creates an instrumentation. */
import { arityOf, fieldOf } from "../base/text.js";
import { OVERLAID } from "./worksheet.js";

const USUAL = ["latency", "cputime", "offcpu", OVERLAID];

/** The choices that the form offers for a metric. */
export function choicesFor(catalogue, metric) {
	const numeric = metric.fields.filter((f) => arityOf(catalogue, metric, f) === "numeric");
	const discrete = metric.fields.filter((f) => !numeric.includes(f));
	const usual = USUAL.filter((f) => numeric.includes(f));

	/* Weights that can be added up along the first measure: itself, and its parts. */
	const weights = ([first]) => first && first !== OVERLAID ? [first, ...first === numeric[0] ? metric.parts ?? [] : []] : [];
	const exemplars = ([first]) => Boolean(metric.text) && fieldOf(catalogue, metric, first)?.type === "time" && first !== OVERLAID;

	return {
		discrete, numeric, weights, exemplars,
		fields: discrete.includes("statement") ? ["statement"] : discrete.slice(0, 1),
		measures: usual.length ? usual : numeric.slice(0, 1),
	};
}

/** The first state of the form; for a part of an existing instrumentation: as that one. */
export const chosenAtFirst = (choices, from = null) => ({
	fields: from ? choices.discrete.filter((f) => from.decomposition.includes(f)) : choices.fields,
	measures: from?.measures ?? choices.measures,
	weights: from?.weights ?? [],
	exemplars: from?.exemplars ?? 0,
	granularity: from?.granularity ?? 1,
	retention: from?.["retention-time"] ?? 86400,	/* as heatscoped by itself */
	where: "",
});

/** The body of the request; measures keep the metric's order, the first one is the default.  Without `where`: all events. */
export function requestOf(metric, choices, { fields, measures, weights = [], exemplars = 0, granularity, retention, where = "" }) {
	const chosen = choices.numeric.filter((m) => measures.includes(m));
	const parts = choices.weights(chosen).filter((w) => weights.includes(w));
	const summed = parts.length ? [chosen[0], ...parts.filter((w) => w !== chosen[0])] : [];	/* as the server has them */

	return {
		module: metric.module, stat: metric.stat,
		decomposition: [...choices.discrete.filter((f) => fields.includes(f)), ...chosen.slice(0, 1)],
		measures: chosen, granularity, "retention-time": retention,
		...(summed.length ? { weights: summed } : {}),
		...(exemplars && choices.exemplars(chosen) ? { exemplars } : {}),
		...(where.trim() ? { where: where.trim() } : {}),
	};
}

/** Is there a measure of events? */
export const isMeasured = (request) => request.measures.some((m) => m !== OVERLAID);

const EXAMPLES = { discrete: (f) => `${f} = …`, time: (f) => `${f} > 10ms`, size: (f) => `${f} > 4KiB`, numeric: (f) => `${f} > 10` };

/** An example of a condition on a field: how its values are compared, in which units. */
export function exampleOf(catalogue, metric, field) {
	const type = fieldOf(catalogue, metric, field)?.type;

	return (EXAMPLES[type] ?? EXAMPLES[arityOf(catalogue, metric, field) ?? "discrete"])(field);
}

/** Appends an example to the expression; the text that is there stays. */
export const whereWith = (where, example) => where.trim() ? `${where.trim()} and ${example}` : example;

/** A refusal of the server that concerns the expression, in the words shown next to it; "": it concerns something
 * else. */
export const whereProblem = (message) => /^(where|predicate): /.test(message) ? message.replace(/^where: /, "") : "";

/** One that exists already and does the same; of expressions only what is written as the server writes it. */
export const sameAs = (request, all) => all.find((i) => (i["predicate-text"] ?? "") === (request.where ?? "") &&
	i.module === request.module && i.stat === request.stat && i.granularity === request.granularity && i["retention-time"] === request["retention-time"] &&
	String(i.decomposition) === String(request.decomposition) && String(i.measures) === String(request.measures) &&
	String(i.weights ?? []) === String(request.weights ?? []) && (i.exemplars ?? 0) === (request.exemplars ?? 0));
