/* choices.js - from the boxes of the form to the request that creates an instrumentation. */

const USUAL = ["latency", "cputime", "offcpu"];

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

/** The body of the request; measures keep the metric's order, the first one is the default. */
export function requestOf(metric, choices, fields, measures, granularity, retention) {
	const chosen = choices.numeric.filter((m) => measures.includes(m));

	return {
		module: metric.module, stat: metric.stat,
		decomposition: [...choices.discrete.filter((f) => fields.includes(f)), ...chosen.slice(0, 1)],
		measures: chosen, granularity, "retention-time": retention,
	};
}

/** One that exists already and does the same: counts everything, as requests from here do. */
export const sameAs = (request, all) => all.find((i) => !i["predicate-text"] &&
	i.module === request.module && i.stat === request.stat && i.granularity === request.granularity && i["retention-time"] === request["retention-time"] &&
	String(i.decomposition) === String(request.decomposition) && String(i.measures) === String(request.measures));
