/* explain_view.js - shows in the sidebar how a rectangle differs from the rest, and draws the rectangle on its map. */
import { useEffect, useRef } from "preact/hooks";
import { whereAll, whereKeys, whereValues } from "../model/drill.js";
import { mostOf, notesOf, partsOf, saidOf, tellingMeasures, tellingValues } from "../model/explain.js";
import { flameFields } from "./flame.js";
import * as format from "../base/format.js";
import { html } from "../base/html.js";
import { discreteFields } from "../model/keys.js";
import { partHue } from "../model/parts.js";
import { boxOf } from "../model/rectangle.js";
import { reveal } from "../base/reveal.js";
import { KeyName, labelOf } from "./sidebar.js";
import { useSorted } from "../base/sorted_table.js";

const BY = {
	key: "each event is given the mean of its key: what the mix of keys says",
	time: "each event is given the mean of its time: what coincides",
};

export function Rectangle({ map, view }) {
	const { rectangle, state } = map.session.explain;
	const box = rectangle?.map === map && boxOf(map.grid, view, rectangle);

	return box && html`<div class=${`rectangle ${state}`} aria-hidden="true"
		style=${{ left: `${box.left}px`, top: `${box.top}px`, width: `${box.width}px`, height: `${box.height}px` }} />`;
}

/* Times and values: as drawn, then the whole buckets that were compared. */
function extentOf({ rectangle, reply }, { unit, slot }, span) {
	const { start, end, low, high } = reply
		? { start: reply.start_time, end: reply.end_time, low: reply.ymin, high: reply.ymax } : rectangle;

	return `${format.range(low, high, unit)}, ${format.whenBoth(start, end, span, slot)}`;
}

/* The columns that all values of fields share. */
const OF_VALUES = [
	{ id: "field", head: "field", of: (v) => v.field, text: true },
	{ id: "value", head: "value", of: (v) => v.value, text: true },
];

function Values({ session, values }) {
	const { inst } = session.explain.rectangle.map, fields = discreteFields(inst, session.catalogue);
	const { rows, heads } = useSorted(values, [...OF_VALUES,
		{ id: "inside", head: "inside", title: "share of what is inside", of: (v) => v.inside_share },
		{ id: "outside", head: "outside", title: "share of what is outside", of: (v) => v.outside_share },
		{ id: "excess", head: "excess", title: "inside beyond what the share outside predicts", of: (v) => v.excess }]);

	return html`<table class="values">
		<thead><tr>${heads}</tr></thead>
		<tbody>${rows.map((v) => html`<tr key=${`${v.field}=${v.value}`}>
			<td title=${labelOf(session, inst, v.field)}>${v.field}</td>
			<th scope="row" title=${v.value}><${KeyName} session=${session} name=${v.value} selectable=${fields.length === 1 && inst.id === session.inst?.id} /></th>
			<td>${format.share(v.inside_share, 1)}</td><td>${format.share(v.outside_share, 1)}</td>
			<td>${format.shortCount(Math.round(v.excess))}</td></tr>`)}</tbody>
	</table>`;
}

/* A field's name where its values begin. */
const FieldName = ({ session, inst, values, i }) => html`<td title=${labelOf(session, inst, values[i].field)}>${values[i].field !== values[i - 1]?.field ? values[i].field : ""}</td>`;

/* The queries that ran at once, at the end of one slot: of each field its first values. */
function Running({ session, running, unit, slot }) {
	const { inst } = session.explain.rectangle.map;
	const { rows: values, heads } = useSorted(mostOf(running.values), [...OF_VALUES,
		{ id: "running", head: "running", of: (v) => v.count }, { id: "share", head: "share", of: (v) => v.share },
		{ id: "oldest", head: "oldest", title: "for how long the oldest had run", of: (v) => v.oldest }]);

	return html`<table class="listed runs">
		<caption><i class="running" style=${{ color: session.explain.rectangle.map.grid.shade.running }} />${format.count(running.count)} ran at ${format.when(running.time, session.span, slot)} and had not ended</caption>
		<thead><tr>${heads}</tr></thead>
		<tbody>${values.map((v, i) => html`<tr key=${`${v.field}=${v.value}`}>
			<${FieldName} session=${session} inst=${inst} values=${values} i=${i} /><th scope="row" title=${v.value}>${v.value}</th>
			<td>${format.count(v.count)}</td><td>${format.share(v.share, 1)}</td><td>${format.amount(v.oldest, unit)}</td></tr>`)}</tbody>
	</table>`;
}

/* The contents of the rectangle, whether or not they differ from the outside. */
function Contents({ session, reply, unit }) {
	const { inst } = session.explain.rectangle.map;
	const { rows: values, heads } = useSorted(mostOf(reply.contents), [...OF_VALUES,
		{ id: "count", head: "count", of: (v) => v.count }, { id: "share", head: "share", of: (v) => v.share },
		{ id: "sum", head: "sum", title: "added up, from the middles of buckets", of: (v) => v.sum }]);

	return html`<table class="listed contents">
		<caption>inside: ${format.count(reply.inside.count)} ${session.explain.rectangle.map.counted} that ended</caption>
		<thead><tr>${heads}</tr></thead>
		<tbody>${values.map((v, i) => html`<tr key=${`${v.field}=${v.value}`}>
			<${FieldName} session=${session} inst=${inst} values=${values} i=${i} /><th scope="row" title=${v.value}>${v.value}</th>
			<td>${format.shortCount(v.count)}</td><td>${format.share(v.share, 1)}</td><td>${format.amount(v.sum, unit)}</td></tr>`)}</tbody>
	</table>`;
}

function Measures({ session, measures }) {
	const { map } = session.explain.rectangle;
	const { rows, heads } = useSorted(measures, [
		{ id: "measure", head: "mean of", of: (m) => map.nameOf(m.measure), text: true }, { id: "inside", head: "inside", of: (m) => m.inside_mean },
		{ id: "outside", head: "outside", of: (m) => m.outside_mean }, { id: "by", head: "by", title: "a hint, not an account", of: (m) => m.by, text: true }]);

	return html`<table class="means">
		<thead><tr>${heads}</tr></thead>
		<tbody>${rows.map((m) => html`<tr key=${m.measure}>
			<th scope="row">${map.nameOf(m.measure)}</th><td>${format.amount(m.inside_mean, m.unit)}</td>
			<td>${format.amount(m.outside_mean, m.unit)}</td><td title=${BY[m.by]}>${m.by}</td></tr>`)}</tbody>
	</table>`;
}

/** The parts of the time, as a bar and as a table. */
export function Parts({ map, composition }) {
	const { unit, sum } = composition, parts = partsOf(composition);
	const nameOf = ({ weight }) => weight === "rest" ? "the rest" : map.nameOf(weight);
	const { rows, heads } = useSorted(parts, [
		{ id: "part", head: `${map.nameOf(composition.measure)} inside was`, of: nameOf, text: true },
		{ id: "sum", head: format.amount(sum, unit), title: "all parts added up", of: (p) => p.sum }, { id: "share", head: "share", of: (p) => p.share }]);

	return html`<table class="parts">
		<caption><div class="stack" aria-hidden="true">${parts.map((p) => html`<i key=${p.weight} title=${p.weight}
			style=${{ width: `${100 * p.share}%`, background: partHue(p.weight) }} />`)}</div></caption>
		<thead><tr>${heads}</tr></thead>
		<tbody>${rows.map((p) => html`<tr key=${p.weight} data-part=${p.weight} data-sum=${p.sum}>
			<th scope="row"><i class="hue" style=${{ background: partHue(p.weight) }} />${nameOf(p)}</th>
			<td>${format.amount(p.sum, unit)}</td><td>${format.share(p.sum, sum)}</td></tr>`)}</tbody>
	</table>`;
}

const SAYS = {
	drawn: () => "Enter, or letting go, explains it: how it differs from the rest; Escape drops it.",
	asking: () => "asking …",
	said: ({ reply }) => saidOf(reply),
	failed: ({ problem }) => problem,
};

/* Further actions on the rectangle. */
function Onward({ session, rectangle: { map, low, high }, rectangle }) {
	const { inst, unit, measure } = map, fields = discreteFields(inst, session.catalogue);
	const where = whereAll(whereValues(measure, unit, low, high), session.state.only === "exclude" ? "" : whereKeys(fields, map.selected));
	const flame = () => {
		session.flame = rectangle;
		session.changed();
	};

	return html`<p class="onward">
		<button disabled=${!where} title=${where ? `A new instrumentation of what is ${where}` : "It has all values"} onClick=${() => session.drill(inst, where)}>Drill down</button>
		${flameFields(map).length > 0 && html`<button onClick=${flame}>Flame graph</button>`}</p>`;
}

export function Explained({ session }) {
	const { explain } = session, { rectangle, reply, state } = explain, { composition } = reply ?? {};
	const grid = rectangle?.map.grid;
	const values = reply ? tellingValues(reply) : [], measures = reply ? tellingMeasures(reply) : [];
	const section = useRef();

	useEffect(() => reply ? reveal(section.current) : undefined, [reply]);
	if (!rectangle)
		return null;
	return html`<section class="explained" aria-label="Explanation of the rectangle" ref=${section}>
		<h3>Explanation <span>${rectangle.map.title} ${grid && extentOf(explain, grid, rectangle.map.session.span)}</span>
			${grid && html`<button onClick=${() => session.zoomTo(rectangle)} title="z on the map">Zoom</button>`}
			<button class="plain" onClick=${() => explain.drop()} aria-label="Close the explanation">×</button></h3>
		<p class=${`said ${state === "failed" ? "problem" : ""}`} aria-live="polite">${SAYS[state](explain)}</p>
		${grid && html`<${Onward} session=${session} rectangle=${rectangle} />`}
		${grid && reply?.running?.count > 0 && html`<${Running} session=${session} running=${reply.running} unit=${grid.unit} slot=${grid.slot} />`}
		${composition?.sum > 0 && html`<${Parts} map=${rectangle.map} composition=${composition} />`}
		${values.length > 0 && html`<${Values} session=${session} values=${values} />`}
		${measures.length > 0 && html`<${Measures} session=${session} measures=${measures} />`}
		${grid && reply?.contents?.length > 0 && html`<${Contents} session=${session} reply=${reply} unit=${grid.unit} />`}
		${state !== "drawn" && html`<label title=${explain.widens ? "" : "The rectangle is as long as the time shown"}>
			<input type="checkbox" checked=${explain.wide} disabled=${!explain.widens} onChange=${(e) => explain.widen(e.target.checked)} />
			the whole time shown as a baseline</label>`}
		${explain.keys.length > 0 && html`<p class="muted">${explain.excluded ? "without" : "only of"} ${explain.keys.join(", ")}</p>`}
		${reply && notesOf(reply).map((note) => html`<p key=${note} class="muted">${note}</p>`)}
	</section>`;
}
