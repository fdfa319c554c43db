/* exemplar_views.js - shows exemplars as dots on their map, as a list in the sidebar, and one of them with all its
 * data. */
import { Parts } from "./explain_view.js";
import { dotAt, compositionOf, dotsOf, keepsExemplars, nameOf, thinned } from "../model/exemplars.js";
import * as format from "../base/format.js";
import { html } from "../base/html.js";
import { reveal } from "../base/reveal.js";
import { labelOf } from "./sidebar.js";
import { metricOf, unitOf } from "../base/text.js";
import { useSorted } from "../base/sorted_table.js";

const LISTED = 6;

/* All dots as one path: points with round ends. */
const pathOf = (dots) => dots.map(({ x, y }) => `M${x.toFixed(1)} ${y.toFixed(1)}h0`).join("");

/** Over the cells: the worst filled, those that were drawn by chance as rings. */
export function Dots({ map, view }) {
	const { exemplars } = map.session, rows = exemplars.of(map);

	if (!rows.length)
		return null;
	const dots = thinned(dotsOf(rows, map.measure, view), map.measure);
	const worst = dots.filter(({ row }) => row.worst), drawn = dots.filter(({ row }) => !row.worst);
	const chosen = exemplars.chosen?.map === map && dotsOf([exemplars.chosen.row], map.measure, view)[0];
	const click = (e) => {
		const { left, top } = e.currentTarget.ownerSVGElement.getBoundingClientRect();
		const dot = dotAt(dots, e.clientX - left, e.clientY - top);

		if (!dot)
			return;
		e.stopPropagation();
		exemplars.choose(map, dot.row);
	};

	return html`<svg class="dots" width=${view.width} height=${view.height} aria-hidden="true">
		<path class="casing" d=${pathOf(dots)} /><path class="worst" d=${pathOf(worst)} /><path class="drawn" d=${pathOf(drawn)} /><path class="hole" d=${pathOf(drawn)} />
		${chosen && html`<circle class="chosen" cx=${chosen.x} cy=${chosen.y} r="7" />`}
		<path class="reach" d=${pathOf(dots)} onClick=${click} />
	</svg>`;
}

/* The text as it was sent, if a source reports that; else without its literals. */
const textOf = ({ fields, text: sent }, text) => sent ?? (fields[text] !== "none" ? fields[text] : "") ?? "";
const whatOf = (row, text) => textOf(row, text) || row.fields.command || "–";

/* The rows of the list, the slowest first: the worst exemplars of the time shown, and keys of running events, each
 * with the age of its oldest event. */
function slowestOf({ exemplars, hanging }, map) {
	const [measure] = map.inst.measures, ended = exemplars.of(map).filter((row) => row.worst).map((row) => ({ row, value: row.measures[measure] }));
	const running = hanging.map?.inst === map.inst ? hanging.rows.map((key) => ({ key, value: key.oldest })) : [];

	return [...ended, ...running].sort((a, b) => b.value - a.value).slice(0, LISTED);
}

function List({ session, map }) {
	const { exemplars, hanging } = session, text = metricOf(map.inst, session.catalogue)?.text;
	const slowest = slowestOf(session, map), chosen = exemplars.chosen && nameOf(exemplars.chosen.row);
	const { rows, heads } = useSorted(slowest, [
		{ id: "time", head: "ended", of: ({ row }) => row?.time ?? Infinity }, { id: "value", head: map.nameOf(map.inst.measures[0]), of: ({ value }) => value },
		{ id: "name", head: "what", of: ({ row, key }) => row ? whatOf(row, text) : key.key, text: true }]);
	const item = (id, on, when, value, name, choose) => html`<tr key=${id} class=${on ? "on" : ""}>
		<td>${when}</td><td>${value}</td><th scope="row"><button class="plain" title=${name} onClick=${choose}>${name}</button></th></tr>`;

	if (!slowest.length)
		return html`<p class="muted">none in this time</p>`;
	return html`<table><thead><tr>${heads}</tr></thead><tbody>${rows.map(({ row, key, value }) => row
		? item(nameOf(row), nameOf(row) === chosen, format.when(row.time, map.session.span), format.amount(value, map.unit), whatOf(row, text), () => exemplars.choose(map, row))
		: item(`running ${key.key}`, false, "running", `≥ ${format.amount(value, map.unit)}`, `${format.count(key.running)} × ${key.key || "all"}`, () => hanging.show()))}</tbody></table>`;
}

export function Exemplars({ session }) {
	const { map } = session.exemplars;

	if (!map)
		return null;
	return html`<section class="exemplars" aria-label="Slowest events">
		<h3>Slowest <span>of each slot ${map.inst.exemplars} are kept; e steps through them on the map</span></h3>
		<${List} session=${session} map=${map} />
	</section>`;
}

/* The facts to show with the text: fields that have a value, and the origin of the event. */
function factsOf({ fields, source, connection, weight }, text, { session, inst }) {
	const said = Object.entries(fields).filter(([name, label]) => name !== text && label && label !== "none");

	return [...said.map(([name, label]) => [labelOf(session, inst, name), label]), ["source", source],
		...connection === null ? [] : [["connection", connection]], ...weight > 1 ? [["stands for", `${weight} events`]] : []];
}

/** The one that was chosen. */
export function Exemplar({ session }) {
	const { exemplars, catalogue } = session, { map, row } = exemplars.chosen ?? {};

	if (!row || !keepsExemplars(map))
		return null;
	const { text, parts = [] } = metricOf(map.inst, catalogue) ?? {}, [measure] = map.inst.measures;
	const others = Object.entries(row.measures).filter(([name]) => name !== measure && !parts.includes(name));
	const composition = compositionOf(row, { measure, unit: map.unit, parts });

	return html`<section class="exemplar" aria-label="Event" key=${nameOf(row)} ref=${reveal}>
		<div aria-live="polite"><h3>${format.amount(row.measures[measure], map.unit)} <span>${map.nameOf(measure)}, ended ${format.when(row.time, session.span, 0.1)}</span>
			<button class="plain" onClick=${() => exemplars.drop()} aria-label="Close the event">×</button></h3>
		${textOf(row, text) && html`<code tabindex="0">${textOf(row, text)}</code>`}</div>
		${composition.sum > 0 && composition.parts.length > 1 && html`<${Parts} map=${map} composition=${composition} />`}
		<dl>${factsOf(row, text, map).map(([name, label]) => html`<div key=${name}><dt>${name}</dt><dd>${label}</dd></div>`)}
			${others.map(([name, value]) => html`<div key=${name}><dt>${map.nameOf(name)}</dt><dd>${format.amount(value, unitOf(catalogue, map.inst, name))}</dd></div>`)}</dl>
	</section>`;
}
