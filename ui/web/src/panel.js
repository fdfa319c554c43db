/* panel.js - one heat map: title, y axis, cells, marks, cursor, rectangle.
 *
 * The pointer and the arrow keys move one cursor, which all panels share by time and value; dragged, or with Shift, they draw
 * a rectangle, whose explanation is asked for.
 */
import { html } from "htm/preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { timeAxis, timeTicks, valueAxis, valueTicks } from "./axis.js";
import { Drag } from "./drag.js";
import { Rectangle } from "./explained.js";
import * as format from "./format.js";
import { columnAt, rowAt, rowRange } from "./grid.js";
import { paintHistogram } from "./histogram.js";
import { hueOf } from "./keys.js";
import { paintMarks } from "./marks.js";
import { paintCells } from "./picture.js";
import { between, canExplain } from "./rectangle.js";
import { labelOf } from "./side.js";
import { paintRunning } from "./running.js";
import { above } from "./threshold.js";
import { beyond } from "./zoom.js";
import { zoomByKey, zoomByWheel } from "./zooming.js";

export const GUTTER = 62;		/* px left of the map, for the y axis */

/** Size of an element, kept up to date. */
export function useSize(ref) {
	const [size, setSize] = useState(null);

	useLayoutEffect(() => {
		const watch = new ResizeObserver(([entry]) => {
			const { width, height } = entry.contentRect;

			setSize({ width: Math.floor(width), height: Math.floor(height) });
		});

		watch.observe(ref.current);
		return () => watch.disconnect();
	}, []);
	return size;
}

/** Colours the style sheet gives to what is drawn on canvas. */
export function themeColours() {
	const style = getComputedStyle(document.documentElement);
	const of = (name) => style.getPropertyValue(`--${name}`).trim();

	return {
		hatch: of("hatch"), bars: of("bars"), accent: of("accent"), veil: of("veil"), casing: of("casing"),
		p50: of("p50"), p99: of("p99"), cursor: of("ink"),
	};
}

const LABEL = 13;			/* px a label of the axis takes */

function YAxis({ y, unit, height, under }) {
	const ticks = valueTicks(y.domain, Infinity);
	const named = new Set(valueTicks(y.domain, Math.max(2, Math.floor((y.lower - y.upper) / LABEL))).map((t) => t.value));
	const floor = y.domain.under ? height - LABEL : height + 4;

	return html`<svg class="yaxis" width=${GUTTER} height=${height + 1} aria-hidden="true">
		<line x1=${GUTTER - 0.5} x2=${GUTTER - 0.5} y1="0" y2=${height} />
		${ticks.map(({ value, major }) => {
			const at = Math.round(y.y(value)) + 0.5;

			return html`<line x1=${GUTTER - (major ? 7 : 4)} x2=${GUTTER} y1=${at} y2=${at} />
				${named.has(value) && at < floor && html`<text x=${GUTTER - 10} y=${Math.max(at, 5)} class=${major ? "major" : ""}>${format.amount(value, unit)}</text>`}`;
		})}
		${y.domain.under && html`<text x=${GUTTER - 4} y=${height - 4} class="strip">${under ? `< ${format.amount(under, unit)}` : "less"}</text>`}
		${y.domain.over && html`<text x=${GUTTER - 4} y="4" class="strip">beyond</text>`}
	</svg>`;
}

/* weight: the label of what cells are sums of, or nothing. */
function Title({ measure, label, unit, weight, summary, hidden, over }) {
	const of = (name) => summary ? format.amount(summary[name], unit) : "–";

	return html`<header>
		<h2 id=${`title-${measure}`}>${label}${weight && html` <small>cells: ${weight}</small>`}</h2>
		<dl>
			<div class="mean"><dt>mean</dt><dd>${of("mean")}</dd></div>
			<div><dt><i class="step p50" />p50</dt><dd>${of("p50")}</dd></div>
			<div><dt><i class="step p99" />p99</dt><dd>${of("p99")}</dd></div>
			<div><dt>max</dt><dd>${of("max")}</dd></div>
			${over && html`<div class="over"><dt>≥ ${format.amount(over.from, unit)}</dt><dd>${format.share(over.count, over.total)}</dd></div>`}
			${hidden > 0 && html`<div class="beyond"><dt>beyond the axis</dt><dd>${format.cell({ weight, unit }, hidden)}</dd></div>`}
		</dl>
	</header>`;
}

const middle = ([low, high]) => high === null ? low + 1 : (low + high) / 2;

/* The middles of what a column shows, ascending: of its cells, and of what still ran. */
const stopsOf = (grid, column) =>
	[...column.cells.map(([row]) => rowRange(grid, row)), ...column.running ?? []].map(middle).sort((a, b) => a - b);

/* The next value above or below at which the column shows something; without one, the next row at all. */
function stepped(grid, column, value, by) {
	const stops = stopsOf(grid, column);
	const next = by > 0 ? stops.find((v) => v > value) : stops.findLast((v) => v < value);
	const row = Math.min(grid.nrows - 1, Math.max(0, rowAt(grid, value) + by));

	return next ?? (rowAt(grid, value) < 0 ? value : middle(rowRange(grid, row)));
}

/* Where the keys begin. */
const topOf = (grid, column) => stopsOf(grid, column).at(-1) ?? middle(rowRange(grid, 0));

function moved(session, grid, measure, key) {
	const at = session.pointed(measure);
	const last = grid.ncols - 1;
	let column = at?.i ?? last, value = at?.range ? middle(at.range) : topOf(grid, grid.columns[column]);

	if (!at && key !== "Home" && key !== "End")
		return { measure, time: grid.from + (column + 0.5) * grid.column, value };
	switch (key) {
	case "ArrowLeft": column--; break;
	case "ArrowRight": column++; break;
	case "PageUp": column -= Math.ceil(grid.ncols / 10); break;
	case "PageDown": column += Math.ceil(grid.ncols / 10); break;
	case "Home": column = 0; break;
	case "End": column = last; break;
	case "ArrowUp": value = stepped(grid, grid.columns[column], value, 1); break;
	case "ArrowDown": value = stepped(grid, grid.columns[column], value, -1); break;
	default: return null;
	}
	column = Math.min(last, Math.max(0, column));
	return { measure, time: grid.from + (column + 0.5) * grid.column, value };
}

function valueOfY(view, py) {
	if (view.y.domain.under && py > view.y.lower)
		return 0;
	if (view.y.domain.over && py < view.y.upper)
		return Infinity;
	return view.y.value(py);
}

const DRAWABLE = " With Shift arrow keys draw a rectangle: Enter asks what sets it apart, z zooms to it.";

export function Panel({ session, measure, span, all, domain, shade, sharedEdge }) {
	const box = useRef(), cells = useRef(), running = useRef(), marks = useRef(), histogram = useRef();
	const corner = useRef(null);	/* where the keys began a rectangle */
	const [drag] = useState(() => new Drag());
	const { explain } = session;
	const size = useSize(box), aside = useSize(histogram);
	const grid = session.grids.get(measure);
	const label = session.catalogue.fields[measure]?.label ?? measure;
	const drawable = Boolean(grid) && canExplain(grid);
	const view = size && grid && span && domain && {
		width: size.width, height: size.height,
		x: timeAxis(span.start, span.start + span.duration, 0, size.width),
		y: valueAxis(domain, 0, size.height),
	};
	const at = session.pointed(measure);
	const { transfer, threshold } = session.state;
	const line = threshold?.unit === grid?.unit ? threshold?.value : undefined;
	const ratio = globalThis.devicePixelRatio || 1;
	const keys = session.highlights(measure, hueOf);
	const layout = view && [size.width, size.height, span.start, span.duration, domain, shade, ratio, session.dark].concat(grid);

	useEffect(() => {
		if (!view)
			return;
		paintCells(cells.current, { grid, view, shade, sharedEdge, keys, ratio });
		paintRunning(running.current, { grid, view, shade, keys, ratio });
	}, [...(layout ?? []), ...keys.flatMap((k) => [k.key, k.grid])]);
	useEffect(() => {
		if (view && aside?.width)
			paintHistogram(histogram.current, {
				grid, view: { ...view, width: aside.width }, transfer, keys, colours: themeColours(), ratio,
			});
	}, [...(layout ?? []), aside?.width, transfer, ...keys.flatMap((k) => [k.key, k.grid])]);
	useEffect(() => {
		if (view)
			paintMarks(marks.current, {
				grid, view, shade, ratio, colours: themeColours(), lines: !keys.length, threshold: line,
				cursor: at && { column: at.i, range: at.range },
			});
	}, [...(layout ?? []), at?.i, ...(at?.range ?? []), keys.length, line]);

	/* Cells are snapped to device pixels, so what is pointed at is the middle of the pixel, not where in it. */
	const onPixel = (px) => (Math.floor(px * ratio) + 0.5) / ratio;
	const placeOf = (e) => {
		const r = box.current.getBoundingClientRect();

		return { measure, time: view.x.time(onPixel(e.clientX - r.left)), value: valueOfY(view, onPixel(e.clientY - r.top)) };
	};
	/* A click is told in whole pixels only and so might mean the row beside: it picks what was pointed at. */
	const point = (place) => {
		session.speak = false;
		corner.current = null;
		session.point(columnAt(grid, place.time) < 0 ? null : place);
	};
	const draw = (from, to) => explain.draw(measure, between(grid, from, to));
	const down = (e) => {
		if (!view)
			return;
		const place = placeOf(e);

		point(place);
		if (drawable)
			drag.begin(e, place);
	};
	const move = (e) => {
		if (!view)
			return;
		const place = placeOf(e);

		point(place);
		if (drag.move(e))
			draw(drag.from, place);
	};
	const up = () => drag.end() && explain.drawn(measure) && explain.ask();
	const enter = () => explain.drawn(measure) ? explain.ask() : session.pick();
	const drop = () => {
		drag.end();
		corner.current = null;
		if (explain.rectangle)
			explain.drop();
		else
			session.point(null);
	};
	const leave = () => {
		corner.current = null;
		session.point(null);
	};
	/* Without the focus the wheel is the browser's: with Ctrl it makes the page larger, which some need. */
	const turn = (e) => view && e.ctrlKey && document.activeElement === box.current && zoomByWheel(session, e, grid.unit, placeOf(e));
	const step = (next, grows) => {
		corner.current = grows ? corner.current ?? session.cursorOf(grid.unit) ?? next : null;
		session.point(next);
		if (grows)
			draw(corner.current, next);
	};
	const pointedAt = () => session.cursorOf(grid.unit) ?? { time: session.cursor?.time ?? span.start + span.duration, value: domain.low };
	const press = (e) => {
		const zooms = view && zoomByKey(session, e, grid.unit, pointedAt());
		const next = grid && !zooms && moved(session, grid, measure, e.key);

		if (next)
			step(next, e.shiftKey && drawable);
		else if (e.key === "Enter")
			enter();
		else if (e.key === "Escape")
			drop();
		else if (!zooms)
			return;
		e.preventDefault();
		session.speak = true;
	};

	return html`<section class="panel" aria-labelledby=${`title-${measure}`}>
		<${Title} measure=${measure} label=${label} unit=${grid?.unit} weight=${grid?.weight && labelOf(session, grid.weight)} summary=${session.summaries.get(measure)}
			hidden=${view && domain !== all ? beyond(grid, domain) : 0} over=${grid && line !== undefined ? above(grid, line) : null} />
		<div class="plot">
			${view ? html`<${YAxis} y=${view.y} unit=${grid.unit} height=${size.height} under=${underEdge(session, grid.unit)} />` : html`<span class="yaxis" />`}
			<div class="map" ref=${box} data-measure=${measure} tabindex="0" role="application" aria-roledescription="heat map"
				aria-label=${`Heat map of ${label} over time. Arrow keys move the cursor, Enter lists the cell's keys, plus and minus zoom the time, brackets the values, 0 fits their axis, s draws a line at the value.${drawable ? DRAWABLE : ""}`}
				onPointerMove=${move} onPointerDown=${down} onPointerUp=${up} onPointerCancel=${() => drag.end() && explain.drop()}
				onPointerLeave=${() => session.point(null)}
				onClick=${() => drag.far || session.pick()}
				onKeyDown=${press} onWheel=${turn} onBlur=${leave}>
				<canvas ref=${cells} class="cells" role="presentation"></canvas>
				<canvas ref=${running} class="running" role="presentation"></canvas>
				<canvas ref=${marks} class="marks" role="presentation"></canvas>
				${view && html`<${Rectangle} session=${session} measure=${measure} grid=${grid} view=${view} />`}
				${!grid && html`<p class="waiting">waiting for the first columns …</p>`}
				${grid && !grid.columns.some((c) => c.count || c.running) && html`<p class="waiting">${grid.columns.every((c) => c.state === "unobserved")
					? "not observed: no collector reported in this time" : "no events in this time"}</p>`}
			</div>
			<canvas class="histogram" ref=${histogram} role="presentation" title=${`Distribution over the time shown; bars ${transfer === "linear" ? "linear" : "by logarithm"}`}></canvas>
		</div>
	</section>`;
}

const underEdge = (session, unit) =>
	session.measures.map((m) => session.grids.get(m)).find((g) => g?.unit === unit && g.edge[0] === 0)?.edge[1];

/** The time axis under the last panel; it serves them all. */
export function XAxis({ span, slot }) {
	const box = useRef();
	const size = useSize(box);
	let content = null;

	if (size && span) {
		const { start, duration } = span, end = start + duration;
		const x = timeAxis(start, end, GUTTER, size.width);
		const { step, ticks } = timeTicks(start, end, Math.max(2, (size.width - GUTTER) / 76), format.zoneOffset(start));

		content = html`<svg class="xaxis" width=${size.width} height="34" aria-hidden="true">
			<line x1=${GUTTER} x2=${size.width} y1="0.5" y2="0.5" />
			${ticks.map((t) => {
				const at = Math.round(x.x(t)) + 0.5;

				return html`<line x1=${at} x2=${at} y1="0" y2="5" />
					${at > GUTTER + 4 && at < size.width - 22 && html`<text x=${at} y="16">${format.tickClock(t, step)}</text>`}`;
			})}
			<text class="zone" x=${GUTTER} y="30">${format.date(start)}, local time ${format.zone(start)}</text>
			<text class="zone end" x=${size.width} y="30">one column = ${format.seconds(span.column)}${span.column > slot ? `, ${Math.round(span.column / slot)} slots` : ""}</text>
		</svg>`;
	}
	return html`<div class="time" ref=${box}>${content}</div>`;
}
