/* choices.js - from the boxes of the form to the request that creates an instrumentation. */
import { OVERLAID } from "./worksheet.js";

const USUAL = ["latency", "cputime", "offcpu", OVERLAID];

const arity = (catalogue, field) => catalogue.types[catalogue.fields[field]?.type]?.arity ?? "discrete";

/** What the form begins with for a metric. */
export function choicesFor(catalogue, metric) {
	const discrete = metric.fields.filter((f) => arity(catalogue, f) === "discrete");
	const numeric = metric.fields.filter((f) => arity(catalogue, f) === "numeric");
	const usual = USUAL.filter((f) => numeric.includes(f));

	return {
		discrete, numeric,
		fields: discrete.includes("statement") ? ["statement"] : discrete.slice(0, 1),
		measures: usual.length ? usual : numeric.slice(0, 1),
	};
}

/** The body of the request; measures keep the metric's order, the first one is the default.  Without `where`: all events. */
export function requestOf(metric, choices, fields, measures, granularity, retention, where = "") {
	const chosen = choices.numeric.filter((m) => measures.includes(m));

	return {
		module: metric.module, stat: metric.stat,
		decomposition: [...choices.discrete.filter((f) => fields.includes(f)), ...chosen.slice(0, 1)],
		measures: chosen, granularity, "retention-time": retention,
		...(where.trim() ? { where: where.trim() } : {}),
	};
}

/** Is there a measure of events? */
export const isMeasured = (request) => request.measures.some((m) => m !== OVERLAID);

const EXAMPLES = { discrete: (f) => `${f} = …`, time: (f) => `${f} > 10ms`, size: (f) => `${f} > 4KiB`, numeric: (f) => `${f} > 10` };

/** What may be written of a field: how its values are compared, in which units. */
export function exampleOf(catalogue, field) {
	const type = catalogue.fields[field]?.type;

	return (EXAMPLES[type] ?? EXAMPLES[arity(catalogue, field)])(field);
}

/** With `field` to be compared next: what is there stays. */
export const whereWith = (where, example) => where.trim() ? `${where.trim()} and ${example}` : example;

/** The server's refusals that are about the expression, as they are to be read beside it; "": about something else. */
export const whereProblem = (message) => /^(where|predicate): /.test(message) ? message.replace(/^where: /, "") : "";

/** One that exists already and does the same; of expressions only what is written as the server writes it. */
export const sameAs = (request, all) => all.find((i) => (i["predicate-text"] ?? "") === (request.where ?? "") &&
	i.module === request.module && i.stat === request.stat && i.granularity === request.granularity && i["retention-time"] === request["retention-time"] &&
	String(i.decomposition) === String(request.decomposition) && String(i.measures) === String(request.measures));
