/* sidebar.js - shows to the right of the maps: legend, read-out of the cursor, the cell's keys; or the same data as a
 * table. */
import { useEffect, useState } from "preact/hooks";
import * as api from "../net/api.js";
import * as format from "../base/format.js";
import { columnAt, columnTotal, gridEnd, leastOf, runningCount } from "../model/grid.js";
import { whereValues } from "../model/drill.js";
import { html } from "../base/html.js";
import { hueOf } from "../model/keys.js";
import { stepOf } from "../map/marks.js";
import { reveal } from "../base/reveal.js";
import { legendPosition } from "../model/shade.js";
import { keptColumns, LINES } from "../model/state.js";
import { fieldOf } from "../base/text.js";
import { Head, useSorted } from "../base/sorted_table.js";

/** of: the instrumentation, or the metric, whose field it is. */
export const labelOf = ({ catalogue }, of, field) => fieldOf(catalogue, of, field)?.label ?? field;

/* Densities at which the legend has a number: 1-2-5, thinned so that the numbers fit. */
function legendTicks(levels) {
	const ticks = [];

	for (let power = levels.at(-1) < 2 ? 0.01 : 1; power <= levels.at(-1) * 1.001; power *= 10)
		for (const step of [1, 2, 5]) {
			const at = legendPosition(levels, step * power);

			if (step * power <= levels.at(-1) && at > 0.03 && at < 0.96 && (!ticks.length || at - ticks.at(-1).at > 0.16))
				ticks.push({ at, density: step * power });
		}
	return ticks;
}

/** The legend of the map looked at, and of those with the same kind of cells.  A panel of parts has no scale. */
export function Legend({ session, scales }) {
	const { current } = session, scale = current?.grid && scales.get(current);

	return scale ? html`<${Scale} session=${session} map=${current} shade=${scale.shade}
		running=${session.grids.some((g) => g.columns.some((c) => c.running))} />` : null;
}

function Scale({ session, map, shade, running }) {
	const { grid, weighted } = map, stops = shade.palette.filter((_, i) => i && i % 5 === 0);
	const cells = grid.weight ? labelOf(session, map.inst, grid.weight) : weighted ? `${map.label}, added up,` : session.unit;
	const amountOf = (density) => shade.transfer === "percent" ? `${density} %` : grid.weight || weighted ? format.amount(density, grid.unit) : format.shortCount(density);

	return html`<section class="legend" aria-label="Colour scale">
		<h3>${shade.transfer === "percent" ? `% of the column's ${cells}` : cells} per cell <span>${shade.transfer === "percent" ? "linear" : shade.transfer} colours, by row height</span></h3>
		<svg viewBox="0 0 ${stops.length} 1" preserveAspectRatio="none" height="11" aria-hidden="true">
			${stops.map((colour, i) => html`<rect x=${i} width="1.05" height="1" fill=${colour} />`)}
		</svg>
		<ol aria-hidden="true">${legendTicks(shade.levels).map(({ at, density }) =>
			html`<li style=${{ left: `${100 * at}%` }}>${amountOf(density)}</li>`)}</ol>
		<ul>
			<li><i style=${{ background: shade.zero }} />zero</li>
			<li><i class="unobserved" style=${{ backgroundColor: shade.unobserved }} />not observed</li>
			<li><i class="partial" style=${{ color: shade.partial, backgroundColor: shade.zero }} />partly lost</li>
			<li><i class="progress" />in progress</li>
			<li><i class="sampled" />sampled</li>
			${running && html`<li><i class="running" style=${{ color: shade.running, backgroundColor: shade.zero }} />still running at the end of a slot</li>`}
		</ul>
	</section>`;
}

/** The cursor's cell in a sentence, for the read-out and for screen readers. */
export function sentence(map) {
	const { session, pointed: at } = map;

	if (!at)
		return "";
	const { grid, i, column, n, running } = at;
	const when = format.when(grid.from + i * grid.column, session.span, grid.slot);
	const noted = session.annotations.at(map).map(({ kind, text }) => `; ${kind}: ${text}`).join("");

	if (column.state === "unobserved" || column.state === "dropped")
		return `${when}: ${column.state === "dropped" ? "no longer kept" : "not observed"}${noted}`;
	const range = at.range ? format.range(...at.range, grid.unit) : "outside the used range";
	const still = column.running ? `; ${format.stillRunning(runningCount(column), running)}` : "";

	const total = columnTotal(grid, column);

	return `${when}, ${map.title} ${range}: ${format.cell(grid, n)}${grid.weight ? ` ${labelOf(session, map.inst, grid.weight)}` : ""}, ` +
		`${format.share(n, total)} of ${format.cell(grid, total)}${still}; ${format.coverage(column)}${noted}`;
}

/* The running events at the end of the column under the cursor; the line is there as long as a source reports them. */
function StillRunning({ session }) {
	const reporting = session.maps.find((map) => map.grid?.running);
	const at = reporting?.pointed;

	if (!reporting)
		return null;
	return html`<p class="still"><i class="running" style=${{ color: reporting.grid.shade.running }} />${at ? format.stillRunning(runningCount(at.column), at.running) : "–"}</p>`;
}

/* The column that is pointed at, as the lines over the cells have it. */
function Steps({ map, at }) {
	const values = at && !at.grid.weight && map.unit ? LINES.map((line) => [line, stepOf(at.column, line)]).filter(([, value]) => value !== null) : [];

	return html`<p class="steps">${values.map(([line, value]) => html`<span key=${line} data-line=${line}><i class=${`step ${line}`} />${line} <b>${format.percentile(value, line[0] === "p" && map.grid ? leastOf(map.grid) : 0, map.unit)}</b></span>`)}</p>`;
}

export function Readout({ session }) {
	const { cursor, shown } = session;
	const at = cursor?.map.pointed;
	const rows = new Map(at ? shown.map((map) => [map, map.pointed]) : []);
	const from = at && at.grid.from + at.i * at.grid.column;
	/* A grid has only the rows it uses; the ruler is the same. */
	const hereOf = (p) => p?.range ? p : p && [...rows.values()].find((q) => q?.range && q.grid.unit === p.grid.unit);
	const { rows: maps, heads } = useSorted(shown.filter(({ panel }) => panel.show === "map"), [
		{ id: "measure", head: "measure", of: (map) => map.title, text: true }, { id: "range", head: "range", of: (map) => hereOf(rows.get(map))?.range[0] },
		{ id: "count", head: session.counted, of: (map) => rows.get(map)?.n },
		{ id: "share", head: "share", title: "of the column", of: (map) => rows.get(map) && rows.get(map).n / columnTotal(rows.get(map).grid, rows.get(map).column) }]);

	return html`<section class="readout" aria-label="Read-out">
		<h3>${at ? format.whenBoth(from, from + at.grid.column, session.span, at.grid.slot) : "Read-out"}
			<span>${at ? format.coverage(at.column) : "point at a cell"}</span></h3>
		<table>
			<thead><tr>${heads}</tr></thead>
			<tbody>${maps.map((map) => {
				const p = rows.get(map), here = hereOf(p);

				return html`<tr key=${map.id} class=${map === cursor?.map ? "here" : ""} data-measure=${map.measure}
					data-from=${p && p.grid.from + p.i * p.grid.column} data-low=${here ? here.range[0] : null}
					data-count=${p?.n} data-total=${p?.column.count} data-state=${p?.column.state}>
					<th scope="row" title=${map.title}>${map.title}</th>
					<td>${here ? format.range(...here.range, here.grid.unit) : "–"}</td>
					<td title=${p?.grid.weight && labelOf(session, map.inst, p.grid.weight)}>${p && p.column.state !== "unobserved" ? format.cell(p.grid, p.n) : "–"}</td>
					<td>${p ? format.share(p.n, columnTotal(p.grid, p.column)) : "–"}</td>
				</tr>`;
			})}</tbody>
		</table>
		<${Steps} map=${cursor?.map} at=${at} />
		<${StillRunning} session=${session} />
	</section>`;
}

function Bar({ part, hue }) {
	return html`<i class="bar"><b style=${{ width: `${Math.max(1, 100 * part)}%`, background: hue ?? null }} /></i>`;
}

function KeyCounts({ session, picked, rows, total }) {
	const { rows: sorted, heads } = useSorted(rows, [
		{ id: "key", head: "key", of: ({ key }) => key || "all", text: true }, { id: "bar", head: "" },
		{ id: "count", head: "count", of: ({ count }) => count }, { id: "share", head: "share", of: ({ count }) => count }]);

	return html`<table><thead><tr>${heads}</tr></thead><tbody>${sorted.map((row) => html`<tr key=${row.key} data-key=${row.key}>
		<th scope="row">${row.key || "all"}</th><td class="wide"><${Bar} part=${row.count / total} hue=${hueOf(session.state.keys, row.key)} /></td>
		<td>${format.cell(picked, row.count)}</td><td>${format.share(row.count, total)}</td></tr>`)}
		</tbody><tfoot><tr><th scope="row">total</th><td /><td data-total>${format.cell(picked, total)}</td><td /></tr></tfoot></table>`;
}

export function Picked({ session }) {
	const picked = session.cellKeys.cell;

	if (!picked)
		return null;
	const { map, low, high, unit, running } = picked, where = whereValues(map.measure, unit, low, high);

	return html`<section class="picked" aria-label="Keys of the cell" key=${`${map.id} ${picked.start} ${low}`} ref=${reveal}>
		<h3>In this cell <span>${map.title} ${format.range(low, high, unit)}, ${format.when(picked.start, session.span, picked.slot)}</span>
			<button class="plain" onClick=${() => session.cellKeys.drop()} aria-label="Close the cell's keys">×</button></h3>
		${picked.problem && html`<p class="problem">${picked.problem}</p>`}
		${!picked.rows && html`<p class="muted">asking …</p>`}
		${picked.rows && (picked.total > 0 || !running) && html`<${KeyCounts} session=${session} picked=${picked} rows=${picked.rows} total=${picked.total} />`}
		${running && html`<h4><i class="running" style=${{ color: map.grid.shade.running }} />still running at the end of its slots, at this age</h4>
			<${KeyCounts} session=${session} picked=${{ unit }} rows=${running.rows} total=${running.total} />`}
		${map.grid?.scope !== "point" && where && html`<p class="onward"><button title=${`A new instrumentation of what is ${where}`}
			onClick=${() => session.drill(map.inst, where)}>Drill down</button></p>`}
	</section>`;
}

/** A key's name; where it is selectable, a button that highlights it. */
export function KeyName({ session, name, selectable }) {
	const hue = hueOf(session.state.keys, name);

	if (!selectable)
		return name;
	return html`<button class="plain" aria-pressed=${Boolean(hue)} title=${`${name}: highlight; with Shift several`}
		onClick=${(e) => session.toggle(name, !e.shiftKey && !e.ctrlKey && !e.metaKey)}>
		<i class="hue" style=${{ background: hue ?? "transparent" }} />${name}</button>`;
}

const ASK_AGAIN = 10;			/* seconds that a live view moves on before its words are requested again */

/**
 * Each map in words, as the API writes them: its modes, shifts and worst minute.
 * @param {{id, title, inst, measure, grid}[]} shown  values, not the maps: a map drops its grid when the range changes, and
 *                                                    this component draws itself again when a reply arrives
 */
function Narratives({ shown }) {
	const [narratives, setNarratives] = useState([]);
	const asked = shown.map(({ id, inst, measure, grid }) => [id, inst.id, measure, grid.ncols, grid.column,
		Math.floor(gridEnd(grid) / ASK_AGAIN)].join()).join(" ");

	useEffect(() => {
		const asking = new AbortController();

		Promise.all(shown.map(async ({ title, inst, measure, grid }) => ({
			title, text: (await api.narrative(inst.id, measure, { ...grid, ...keptColumns(grid, inst) }, asking.signal)).narrative,
		}))).then(setNarratives, () => {});		/* the table stands without it */
		return () => asking.abort();
	}, [asked]);
	return html`<dl class="narratives">${narratives.filter(({ text }) => text).map(({ title, text }) =>
		html`<div key=${title}><dt>${title}</dt><dd>${text}</dd></div>`)}</dl>`;
}

const STATS = ["mean", "p50", "p99", "max"];
const statsOf = (column) => column?.count ? { ...column, mean: format.meanOf(column) } : {};

/* The columns of one map in the data table; at: its column at a time. */
function statColumns({ id, grid }, at) {
	return [...STATS.map((name) => ({ id: `${id} ${name}`, head: name, of: (time) => statsOf(at(grid, time))[name] })),
		...grid.running ? [{ id: `${id} running`, head: "still running", of: (time) => at(grid, time) ? runningCount(at(grid, time)) : null }] : []];
}

/** The same data as a table: a row per column of the map, newest first. */
export function TableView({ session }) {
	if (!session.maps.some((map) => map.grid))
		return html`<p class="waiting">waiting for the first columns …</p>`;
	return html`<${DataTable} session=${session} />`;
}

function DataTable({ session }) {
	const maps = session.maps.filter((map) => map.grid), grids = maps.map((map) => map.grid);
	const shown = maps.map(({ id, title, inst, measure, grid }) => ({ id, title, inst, measure, grid }));

	const first = grids[0];
	const at = (grid, time) => grid.columns[columnAt(grid, time)];
	const times = first.columns.map((_, i) => first.from + i * first.column).reverse();
	const ofMaps = maps.map((map) => statColumns(map, at));
	const own = [
		{ id: "time", head: "time", of: (time) => time }, { id: "count", head: session.counted, of: (time) => at(first, time).state === "unobserved" ? null : at(first, time).count },
		{ id: "coverage", head: "coverage", of: (time) => format.coverage(at(first, time)), text: true }];
	const { rows, sort, change } = useSorted(times, [...own, ...ofMaps.flat()]);
	const head = (column, more) => html`<${Head} key=${column.id} column=${column} sort=${sort} change=${change} more=${more} />`;

	return html`<${Narratives} shown=${shown} /><div class="sheet" tabindex="0" role="region" aria-label="Data table"><table>
		<caption>${session.mixed ? "" : `${session.title}, `}${format.date(first.from)}, local time ${format.zones(first.from, gridEnd(first))}, one row = ${format.seconds(first.column)}, until ${format.when(gridEnd(first), session.span, first.slot)}</caption>
		<thead>
			<tr>${head(own[0], { rowspan: 2 })}${head(own[1], { rowspan: 2 })}
				${maps.map((map, i) => html`<th colspan=${ofMaps[i].length} scope="colgroup">${map.title}</th>`)}${head(own[2], { rowspan: 2, class: "text" })}</tr>
			<tr>${ofMaps.flat().map((column) => head(column))}</tr>
		</thead>
		<tbody>${rows.map((time) => {
			const column = at(first, time);

			return html`<tr key=${time} class=${column.state}>
				<th scope="row">${format.when(time, session.span, first.slot)}</th><td>${column.state === "unobserved" ? "–" : format.count(column.count)}</td>
				${grids.map((g) => {
					const c = at(g, time), running = c ? runningCount(c) : null, stats = statsOf(c);

					return html`${STATS.map((name) => html`<td>${format.percentile(stats[name], name[0] === "p" ? leastOf(g) : 0, g.unit)}</td>`)}
						${g.running && html`<td>${running === null ? "–" : format.count(running)}</td>`}`;
				})}
				<td class="text">${format.coverage(column)}</td></tr>`;
		})}</tbody>
	</table></div>`;
}
