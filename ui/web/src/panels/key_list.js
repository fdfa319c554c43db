/* key_list.js - shows in the sidebar the keys of the instrumentation that is looked at, most time first or as the
 * user sorts. */
import { useState } from "preact/hooks";
import { Choice } from "../base/controls.js";
import { againstRest, openComparison } from "../model/compare.js";
import { whereKeys } from "../model/drill.js";
import * as format from "../base/format.js";
import { html } from "../base/html.js";
import { emptyText } from "../base/text.js";
import { columnsOf, discreteFields, hangs, hueOf, keysToColour, matching, shareOf, sortedRows, sortText } from "../model/keys.js";
import { KeyName, labelOf } from "./sidebar.js";
import { Head } from "../base/sorted_table.js";

const FILTERED_FROM = 10;		/* so many keys */
const SEEN = 0.005;			/* the least share that has a bar */
const roomBeside = (columns) => columns.length > 6 ? 0 : columns.length > 5 ? 9 : 18;	/* letters of a key */

const ended = (row, value, unit, least) => format.percentile(row.count > 0 ? value : null, least, unit);

/* The text of a cell, by column. */
const CELLS = {
	sum: (row, unit) => format.amount(row.sum, unit),
	share: (row) => format.share(shareOf(row), 1),
	count: (row) => format.shortCount(row.count),
	p50: (row, unit, least) => ended(row, row.p50, unit, least),
	p99: (row, unit, least) => ended(row, row.p99, unit, least),
	oncpu: (row) => row.oncpu === null ? "–" : format.share(row.oncpu, 1),
	running: (row) => row.running ? format.count(row.running) : "–",
	oldest: (row, unit) => format.amount(row.oldest, unit),
};
const OF_RUNNING = ["running", "oldest"];

function KeyRow({ session, row, columns, selectable }) {
	const { unit, least } = session.ranking, hue = hueOf(session.state.keys, row.key);
	const [, ...numbers] = columns;

	return html`<tr class=${hue ? "on" : ""} data-key=${row.key}>
		<th scope="row"><div><${KeyName} session=${session} name=${row.key} selectable=${selectable} /></div>
			${shareOf(row) >= SEEN && html`<i class="share" style=${{ width: `${100 * shareOf(row)}%`, background: hue }} />`}</th>
		${numbers.map(({ id }) => html`<td key=${id} data-column=${id} class=${OF_RUNNING.includes(id) && hangs(row) ? "hangs" : ""}>${CELLS[id](row, unit, least)}</td>`)}
	</tr>`;
}

const ONLY = [[null, "over the rest"], ["isolate", "alone"], ["exclude", "left out"]];

/* The actions on highlighted keys; without any, a button that gives the first listed keys a hue. */
function KeyTools({ session, fields, rows }) {
	const { state, inst } = session, keys = session.selectedOf(inst), where = whereKeys(fields, keys);
	const hues = keysToColour(rows), hanging = rows.some(hangs);

	if (state.by || (!rows.length && !keys.length))
		return null;
	return html`<div class="keytools">
		${keys.length > 0
			? html`<${Choice} label="Highlighted keys" bare value=${state.only} options=${ONLY} change=${(only) => session.set({ only })} />
				<button disabled=${!where} title=${where || "A predicate of their fields cannot select these keys"} onClick=${() => session.drill(inst, where)}>Drill down</button>
				${keys.length === 1 && html`<button title="Compare it with all other keys" onClick=${() => openComparison(session, againstRest(session.current.measure, keys[0]))}>Against the rest</button>`}`
			: html`<button title=${`${hanging ? "The keys that hang and the first of the list" : "The first keys of the list"}, ${hues.length} in all, each in a hue`}
				onClick=${() => session.highlight(hues, { only: null })}>Colour by key</button>`}
	</div>`;
}

function Filter({ text, change, shown, all }) {
	if (all < FILTERED_FROM && !text)
		return null;
	return html`<p class="filter"><input type="search" aria-label="Filter keys" placeholder="filter" value=${text} onInput=${(e) => change(e.target.value)} />
		<span>${text ? `${shown} of ${all} keys` : `${all} keys`}</span></p>`;
}

function Heading({ session, fields }) {
	const { state, ranking, inst } = session;

	return html`<h3>${fields.length > 1
		? html`<label>by <select value=${state.by ?? ""} onChange=${(e) => session.set({ by: e.target.value || null, keys: [], of: null })}>
			<option value="">${fields.map((f) => labelOf(session, inst, f)).join(" / ")}</option>
			${fields.map((f) => html`<option value=${f}>${labelOf(session, inst, f)}</option>`)}</select></label>`
		: `By ${labelOf(session, inst, fields[0])}`}
		<span>${ranking.lowerBound ? "lower bounds: keys beyond the cap are in other" : `of ${labelOf(session, inst, ranking.measure ?? inst.measures[0])}`}</span>
		${state.keys.some(Boolean) && html`<button class="plain" onClick=${() => session.set({ keys: [], of: null, only: null })}>show all</button>`}</h3>`;
}

function Keys({ session, fields }) {
	const { state, ranking } = session, all = ranking.rows ?? [];
	const [text, filter] = useState("");
	const columns = columnsOf(ranking, { counted: session.unit, live: session.live });
	const { sort, rows } = sortedRows(matching(all, text), columns, state.sort);
	const long = ranking.running || all.some(({ key }) => key.length > roomBeside(columns));

	return html`<section class="keys" aria-label="Keys">
		<${Heading} session=${session} fields=${fields} />
		<${KeyTools} session=${session} fields=${fields} rows=${rows} />
		<${Filter} text=${text} change=${filter} shown=${rows.length} all=${all.length} />
		<table class=${long ? "two-lines" : ""}>
			<thead><tr>${columns.map((column) => html`<${Head} key=${column.id} column=${column} sort=${sort} change=${(next) => session.set({ sort: sortText(next) })} />`)}</tr></thead>
			<tbody>${rows.map((row) => html`<${KeyRow} key=${row.key} session=${session} row=${row} columns=${columns} selectable=${!state.by} />`)}</tbody>
		</table>
		${ranking.rows && !rows.length && html`<p class="muted">${text ? "no key has this in its name" : emptyText(ranking.observed)}</p>`}
	</section>`;
}

export function KeyList({ session }) {
	const { inst, catalogue } = session, fields = inst ? discreteFields(inst, catalogue) : [];

	if (!inst)
		return null;
	if (!fields.length)
		return html`<section class="keys"><h3>Keys</h3><p class="muted">This instrumentation keeps no fields apart.</p></section>`;
	return html`<${Keys} key=${inst.id} session=${session} fields=${fields} />`;
}
