/* panel.js - shows one heat map: title, y axis, cells, marks, cursor, and layers over it.
 *
 * The pointer and the arrow keys move one cursor, which all panels share by time and value; dragged, or with Shift, they draw
 * a rectangle, whose explanation is asked for.
 */
import { useRef, useState } from "preact/hooks";
import { GUTTER, useSize, YAxis } from "../map/axes.js";
import { domainKey, timeAxis, valueAxis } from "../base/axis.js";
import { Drag } from "../base/drag.js";
import { AxisHandles } from "../map/axis_handles.js";
import { Dots } from "./exemplar_views.js";
import { keepsExemplars } from "../model/exemplars.js";
import { Rectangle } from "./explain_view.js";
import * as format from "../base/format.js";
import { emptyText } from "../base/text.js";
import { spokenKeys } from "../base/gestures.js";
import { DragHandle } from "./drag_handle.js";
import { columnAt, gridTotal, isObserved, leastOf, oldestOf } from "../model/grid.js";
import { kindOf, paintHistogram } from "../map/histogram.js";
import { html } from "../base/html.js";
import { isNoteKey } from "../model/annotations.js";
import { paintMarks, themeColours } from "../map/marks.js";
import { actByKey, leap } from "../map/map_keys.js";
import { Annotations } from "./annotations_view.js";
import { usePaintQueue, usePaint } from "../map/use_paint.js";
import { Cells, PanelMenu } from "./panel_menu.js";
import { paintCells } from "../map/picture.js";
import { between, canExplain } from "../model/rectangle.js";
import { paintRunning } from "../map/running.js";
import { ResizeHandle } from "./resize_handle.js";
import { LINES } from "../model/state.js";
import { stepTo } from "../model/stepping.js";
import { above, runningAbove } from "../model/threshold.js";
import { beyond } from "../model/zoom.js";
import { turn, zoomByKey } from "../map/zooming.js";

/* The layers over the cells: components of {map, view}; each decides itself whether it has something to show. */
const LAYERS = [Annotations, Dots, Rectangle];

/* The highest value.  A running event may be older than all that have ended, and then takes at least that long. */
function maxOf({ summary, grid, unit }) {
	const oldest = grid ? oldestOf(grid) : 0, max = summary?.max ?? 0;

	return oldest > max ? `≥ ${format.amount(oldest, unit)}` : format.amount(summary?.count ? max : null, unit);
}

/* cropped: what is left out at the top, or null; hidden: how much the axis does not reach; over: above the threshold, or null. */
function Title({ map, cropped, hidden, over }) {
	const { unit, grid, summary, lines } = map;
	const of = (name) => format.percentile(summary?.count ? summary[name] : null, grid && name !== "mean" ? leastOf(grid) : 0, unit);	/* nothing has no mean */

	return html`<header>
		<${DragHandle} map=${map} />
		<h2 id=${`title-${map.id}`} title=${map.title}>${map.label}${map.subject && html` <small>${map.subject}</small>`}</h2>
		<${Cells} map=${map} />
		<dl>
			${LINES.map((line) => html`<div key=${line} class=${line}><dt>${lines.includes(line) && html`<i class=${`step ${line}`} />`}${line}</dt><dd>${of(line)}</dd></div>`)}
			<div><dt>max</dt><dd><button class="plain" title="Go to the highest (h on the map; l: the lowest)" onClick=${() => leap(map, "highest")}>${maxOf(map)}</button></dd></div>
			${over && html`<div class="over"><dt>≥ ${format.amount(over.from, unit)}</dt><dd>${format.share(over.count, over.total)}${over.running > 0 && html`, <b title="at the end of the time shown">${format.count(over.running)} running</b>`}</dd></div>`}
			${cropped && html`<div class="cropped"><dt>cropped ≥ ${format.amount(cropped.from, unit)}</dt><dd>${format.cell(grid, cropped.count)} (${format.share(cropped.count, cropped.total)})</dd></div>`}
			${hidden > 0 && html`<div class="beyond"><dt>beyond the axis</dt><dd>${format.cell(grid, hidden)} (${format.share(hidden, gridTotal(grid))})</dd></div>`}
		</dl>
		<${PanelMenu} map=${map} />
	</header>`;
}

/* The value at a height; all: the whole axis.  Beyond the map, where a drag may lead, it is everything that is there, unless the axis
 * is zoomed: then it is the axis' end. */
function valueOfY(view, py, all) {
	const { top, bottom, domain } = view.y, { low, high, under, over } = domain;

	if ((under && py > view.y.lower) || (py > bottom && low <= all.low))
		return 0;
	if ((over && py < view.y.upper) || (py < top && high >= all.high))
		return Infinity;
	return Math.min(high, Math.max(low, view.y.value(py)));
}

const BARS = { linear: "linear", root: "by square root", log: "by logarithm" };

/** scale: as scales.js gives it. */
export function Panel({ map, span, scale = {} }) {
	const { session, grid, unit } = map, { explain } = session, { all, domain, shade, sharedEdge, under, end } = scale;
	const box = useRef(), cells = useRef(), running = useRef(), marks = useRef(), histogram = useRef();
	const corner = useRef(null);	/* where the keys began a rectangle */
	const [drag] = useState(() => new Drag());
	const size = useSize(box), aside = useSize(histogram);
	const drawable = Boolean(grid) && canExplain(grid);
	const view = size?.width && size.height && grid && span && domain && {
		width: size.width, height: size.height,
		x: timeAxis(span.start, span.start + span.duration, 0, size.width),
		y: valueAxis(domain, 0, size.height),
	};
	const at = map.pointed;
	const { transfer, threshold } = session.state, lines = map.lines;
	const line = threshold?.unit === unit ? threshold?.value : undefined;
	const ratio = globalThis.devicePixelRatio || 1;
	const keys = map.highlights;
	/* Levels come every second, of all maps of a kind; only the cells have them. */
	const layout = view && [size.width, size.height, span.start, span.duration, domainKey(domain), ratio, session.dark, grid.columns];
	const hues = keys.flatMap((k) => [k.key, k.grid]);

	usePaintQueue(box);
	usePaint(box, cells, view && (() => paintCells(cells.current, { grid, view, shade, sharedEdge, keys, ratio })),
		[...(layout ?? []), grid, shade, ...hues]);
	usePaint(box, running, view && (() => paintRunning(running.current, { grid, view, shade, keys, ratio })),
		[...(layout ?? []), shade?.running, ...hues]);
	usePaint(box, histogram, view && aside?.width && (() => paintHistogram(histogram.current, {
		grid, view: { ...view, width: aside.width }, transfer, weighted: map.weighted, keys, colours: themeColours(), ratio,
	})), [...(layout ?? []), aside?.width, transfer, map.weighted, ...hues]);
	usePaint(box, marks, view && (() => paintMarks(marks.current, {
		grid, view, shade, ratio, colours: themeColours(), lines, threshold: line,
		cursor: at && { column: at.i, range: at.range },
	})), [...(layout ?? []), at?.i, ...(at?.range ?? []), String(lines), line]);

	/* Cells are snapped to device pixels, so what is pointed at is the middle of the pixel, not where in it. */
	const onPixel = (px) => (Math.floor(px * ratio) + 0.5) / ratio;
	const placeOf = (e) => {
		const r = box.current.getBoundingClientRect();

		return { map, time: view.x.time(onPixel(e.clientX - r.left)), value: valueOfY(view, onPixel(e.clientY - r.top), all) };
	};
	/* The browser reports a click in whole pixels only, which may lie in the next row: a click picks the place
	 * pointed at. */
	const point = (place) => {
		session.speak = false;
		corner.current = null;
		session.point(columnAt(grid, place.time) < 0 ? null : place);
	};
	const draw = (from, to) => explain.draw(map, between(grid, from, to));
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
	const up = () => drag.end() && explain.drawn(map) && explain.ask();
	const enter = () => explain.drawn(map) ? explain.ask() : session.cellKeys.ask();
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
	const wheel = (e) => view && document.activeElement === box.current && turn(map, e, placeOf(e));
	const step = (next, grows) => {
		corner.current = grows ? corner.current ?? map.cursor ?? next : null;
		session.point(next);
		if (grows)
			draw(corner.current, next);
	};
	const pointedAt = () => map.cursor ?? { time: session.cursor?.time ?? span.start + span.duration, value: domain.low };
	const press = (e) => {
		const zooms = view && (zoomByKey(map, e, pointedAt()) || actByKey(map, e));
		const next = grid && !zooms && stepTo(map, e.key);

		if (next)
			step(next, e.shiftKey && drawable);
		else if (e.key === "Enter")
			enter();
		else if (e.key === "Escape")
			drop();
		else if (view && isNoteKey(e))
			session.annotations.write(map);
		else if (!zooms)
			return;
		e.preventDefault();
		session.speak = true;
	};

	return html`<section class="panel" aria-labelledby=${`title-${map.id}`} style=${{ "--size": map.panel.size }}>
		<${Title} map=${map} cropped=${grid && end !== undefined ? above(grid, end) : null} hidden=${view && domain !== all ? beyond(grid, domain) : 0} over=${grid && line !== undefined ? { ...above(grid, line), running: runningAbove(grid, line) } : null} />
		<div class="plot">
			${view ? html`<${YAxis} y=${view.y} unit=${unit} height=${size.height} under=${under} /><${AxisHandles} map=${map} view=${view} all=${all} domain=${domain} />` : html`<span class="yaxis" />`}
			<div class="map" ref=${box} data-measure=${map.measure} tabindex="0" role="application" aria-roledescription="heat map"
				aria-label=${`Heat map of ${map.title} over time. ${spokenKeys({ values: true, rectangle: drawable, exemplars: keepsExemplars(map) })}`}
				onPointerMove=${move} onPointerDown=${down} onPointerUp=${up} onPointerCancel=${() => drag.end() && explain.drop()}
				onPointerLeave=${() => session.point(null)}
				onClick=${() => drag.far || session.cellKeys.ask()} onFocus=${() => session.focus(map)}
				onKeyDown=${press} onWheel=${wheel} onBlur=${leave}>
				<canvas ref=${cells} class="cells" role="presentation"></canvas>
				<canvas ref=${running} class="running" role="presentation"></canvas>
				<canvas ref=${marks} class="marks" role="presentation"></canvas>
				${view && LAYERS.map((Layer) => html`<${Layer} map=${map} view=${view} />`)}
				${!grid && html`<p class="waiting">${session.failed ? "cannot be shown" : "waiting for the first columns …"}</p>`}
				${grid && !grid.columns.some((c) => c.count || c.running) && html`<p class="waiting">${emptyText(isObserved(grid))}</p>`}
			</div>
			<canvas class="histogram" ref=${histogram} role="presentation" title=${`Distribution over the time shown; bars ${BARS[kindOf(transfer)]}`}></canvas>
		</div>
		<${ResizeHandle} map=${map} />
	</section>`;
}
