/* text.js - composes the names of things on the page, and its messages about problems. */

/** Why a list or a map is empty. */
export const emptyText = (observed) => observed ? "no events in this time" : "not observed: no collector reported in this time";

/** "MySQL queries": the module is named once. */
export function metricTitle({ module, stat, label = stat }, catalogue) {
	const name = catalogue.modules[module]?.label ?? module;

	return label.toLowerCase().startsWith(name.toLowerCase()) ? name + label.slice(name.length) : `${name} ${label}`;
}

/** "MySQL queries by statement where latency > 10 ms" */
export function titleOf(inst, catalogue) {
	const kept = inst.decomposition
		.filter((f) => arityOf(catalogue, inst, f) !== "numeric")
		.map((f) => fieldOf(catalogue, inst, f)?.label ?? f);

	return `${metricTitle(metricOf(inst, catalogue) ?? inst, catalogue)}${kept.length ? ` by ${kept.join(" and ")}` : ""}${
		inst["predicate-text"] ? ` where ${inst["predicate-text"]}` : ""}`;
}

/** The subject of a map among maps of other instrumentations: "MySQL queries", with more words if that is not unique;
 *  else "".  If metric and measure have the same name it is not repeated: "time off the CPU" is of "CPU". */
export function subjectOf({ session, inst, label }) {
	const { catalogue, shown, mixed } = session;
	const alike = shown.some((map) => map.inst.id !== inst?.id && map.inst.module === inst?.module && map.inst.stat === inst?.stat);

	if (!mixed || !inst)
		return "";
	if (alike)
		return titleOf(inst, catalogue);
	const title = metricTitle(metricOf(inst, catalogue) ?? inst, catalogue);

	return title.endsWith(` ${label}`) ? title.slice(0, -label.length - 1) : title;
}

const UNITS = { time: "ns", size: "bytes", percent: "%" };

/** {label, type} of a field: as its metric describes it, for metrics share names and not meanings; else as all do.  of: a metric, or an
 *  instrumentation of it. */
export const fieldOf = (catalogue, of, field) => (of && metricOf(of, catalogue)?.own_fields?.[field]) ?? catalogue.fields[field];

export const arityOf = (catalogue, of, field) => catalogue.types[fieldOf(catalogue, of, field)?.type]?.arity;

/** The unit of a field's values, as grids have it. */
export const unitOf = (catalogue, of, field) => UNITS[fieldOf(catalogue, of, field)?.type] ?? "";

/** Is a measure what was so at the end of each slot?  Then it has no events. */
export function isPoint(inst, measure, catalogue) {
	const { scope, point } = metricOf(inst, catalogue) ?? {};

	return scope === "point" || point === measure;
}

export const metricOf = (inst, catalogue) =>
	catalogue.metrics.find((m) => m.module === inst.module && m.stat === inst.stat);

/**
 * The state of things in one word and one sentence.
 * @returns {{kind: "good"|"busy"|"warn"|"bad", word: string, text: string}}
 */
export function statusOf(session) {
	const { error, catalogue, inst } = session;

	if (error?.code === "UNREACHABLE")
		return { kind: "bad", word: "no daemon", text: "heatscoped does not answer; is it running? Trying again every few seconds." };
	if (error)
		return { kind: "bad", word: "error", text: error.message };
	if (!catalogue)
		return { kind: "busy", word: "connecting", text: "" };
	if (session.state.inst && !inst)
		return { kind: "bad", word: "gone", text: `There is no instrumentation ${session.state.inst}; choose another, or create one.` };
	if (session.maps.some((map) => map.panel.of) && !inst)
		return { kind: "warn", word: "not measured", text: "" };
	if (session.maps.length && !inst)
		return { kind: "bad", word: "gone", text: "There is none of these instrumentations; choose another, or create one." };
	const silent = sourcesProblem(session);

	if (silent)
		return { kind: "warn", word: "no source", text: silent };
	if (!inst)
		return { kind: "good", word: "ready", text: "" };
	if (catalogue.enabled === false)
		return { kind: "warn", word: "off", text: "Everything is off, nothing is measured: heatscope on." };
	if (inst.state === "suspended")
		return { kind: "warn", word: "suspended", text: `It is not measured now: heatscope set ${inst.id} --resume.` };
	if (inst.state === "failed")
		return { kind: "bad", word: "failed", text: "It cannot be measured: " +
			inst.sources.filter((s) => s.state === "failed").map((s) => `${s.source}: ${s.reason}`).join("; ") };
	if (!session.live)
		return { kind: "good", word: "paused", text: "" };
	const states = session.shown.map((map) => map.linked);

	if (states.some((s) => s === "polling"))
		return { kind: "warn", word: "polling", text: "The live stream does not come through; asking every few seconds instead." };
	return states.every((s) => s === "live") ? { kind: "good", word: "live", text: "" } : { kind: "busy", word: "connecting", text: "" };
}

const gone = (sources) => sources.length ? `; gone: ${sources.map((s) => s.source).join(", ")}` : "";

/* Why there is no data: no source is connected, or the connected ones cannot measure this. */
function sourcesProblem({ catalogue, inst }) {
	const connected = catalogue.sources.filter((s) => s.state === "active");

	if (!connected.length)
		return `No collector is connected${gone(catalogue.sources)}: start heatscope-collector on the host of the database.`;
	const name = inst && `${inst.module}.${inst.stat}`;
	const reports = connected.map((s) => ({ source: s.source, ...s.metrics.find((m) => !name || m.metric === name) }));

	if (reports.some((r) => r.state === "ok") || (inst?.sources ?? []).some((s) => s.state === "active" && !s.reason))
		return "";
	return `${name ?? "No metric"} cannot be measured: ` +
		reports.map((r) => `${r.source}: ${r.reason || "does not offer it"}`).join("; ");
}
