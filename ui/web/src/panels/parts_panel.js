/* parts_panel.js - draws the parts of the time as stacked bars; the height shows how many events were in a part. */
import { useRef } from "preact/hooks";
import { useSize, YAxis } from "../map/axes.js";
import { niceAbove, timeAxis, valueAxis } from "../base/axis.js";
import * as format from "../base/format.js";
import { spokenKeys } from "../base/gestures.js";
import { DragHandle } from "./drag_handle.js";
import { columnAt } from "../model/grid.js";
import { html } from "../base/html.js";
import { isNoteKey } from "../model/annotations.js";
import { paintMarks, themeColours } from "../map/marks.js";
import { Annotations } from "./annotations_view.js";
import { usePaintQueue, usePaint } from "../map/use_paint.js";
import { PanelMenu } from "./panel_menu.js";
import { partHue, REST, RUNNING, sharesOf, topOf } from "../model/parts.js";
import { prepare, snap } from "../map/picture.js";
import { ResizeHandle } from "./resize_handle.js";
import { stepTo } from "../model/stepping.js";
import { turn, zoomByKey } from "../map/zooming.js";
import { useSorted } from "../base/sorted_table.js";

const SHARES = 6;			/* in the title; the others are in the bars all the same */

const LABELS = { [REST]: "the rest", [RUNNING]: "still running" };

export const partLabel = (map, name) => LABELS[name] ?? map.nameOf(name);

function paintStack(canvas, { stack, view, zero, ratio }) {
	const g = prepare(canvas, view, ratio), { from, column, names, load } = stack;

	g.fillStyle = zero;
	g.fillRect(0, 0, canvas.width, canvas.height);
	for (let i = 0; i < load[0].length; i++) {
		const [x, w] = snap(view.x.x(from + i * column), view.x.x(from + (i + 1) * column), ratio);
		let below = 0;

		names.forEach((name, k) => {
			const n = load[k][i], top = Math.round(view.y.y(below + n) * ratio), bottom = Math.round(view.y.y(below) * ratio);

			below += n;
			g.fillStyle = partHue(name);
			g.fillRect(x, top, w, bottom - top);
		});
	}
}

function Title({ map }) {
	const { session, stack } = map, shares = stack ? sharesOf(stack) : [];

	return html`<header>
		<${DragHandle} map=${map} />
		<h2 id=${`title-${map.id}`} title=${map.title}>${map.label} <small>${map.subject ? `${map.subject}, ` : ""}${map.counted} at once</small></h2>
		<dl class="shares">${shares.slice(0, SHARES).map(({ name, share }) => html`<div key=${name}>
			<dt title=${partLabel(map, name)}><i class="hue" style=${{ background: partHue(name) }} />${name === RUNNING ? LABELS[name] : name}</dt><dd>${format.share(share, 1)}</dd></div>`)}</dl>
		<${PanelMenu} map=${map} />
	</header>`;
}

export function PartsPanel({ map, span, shade }) {
	const box = useRef(), cells = useRef(), marks = useRef();
	const { session, grid, stack } = map;
	const size = useSize(box), at = map.pointed;
	const high = stack && niceAbove(Math.max(0.01, topOf(stack)));
	const view = size?.width && size.height && stack && span && {
		width: size.width, height: size.height, x: timeAxis(span.start, span.start + span.duration, 0, size.width),
		y: valueAxis({ kind: "linear", low: 0, high, under: false, over: false }, 0, size.height),
	};
	const ratio = globalThis.devicePixelRatio || 1;
	const layout = [size?.width, size?.height, span?.start, span?.duration, high, ratio, session.dark, stack];
	const point = (e) => view && session.point({ map, time: view.x.time(e.clientX - box.current.getBoundingClientRect().left), value: 0 });
	const place = () => ({ time: session.cursor?.time ?? span.start + span.duration, value: 0 });
	const press = (e) => {
		const zooms = view && zoomByKey(map, e, place());
		const next = view && !zooms && stepTo(map, e.key);

		if (next && columnAt(grid, next.time) >= 0)
			session.point({ ...next, value: 0 });
		else if (e.key === "Escape")
			session.point(null);
		else if (view && isNoteKey(e))
			session.annotations.write(map);
		else if (!zooms)
			return;
		e.preventDefault();
		session.speak = true;
	};
	const wheel = (e) => view && document.activeElement === box.current && turn(map, e, place());

	usePaintQueue(box);
	usePaint(box, cells, view && (() => paintStack(cells.current, { stack, view, zero: grid.shade.zero, ratio })), layout);
	usePaint(box, marks, view && (() => paintMarks(marks.current, { grid, view, shade: grid.shade, ratio, colours: themeColours(), lines: [],
		threshold: undefined, cursor: at && { column: at.i, range: null } })), [...layout, at?.i]);

	return html`<section class="panel" aria-labelledby=${`title-${map.id}`} style=${{ "--size": map.panel.size }}>
		<${Title} map=${map} />
		<div class="plot">
			${view ? html`<${YAxis} y=${view.y} unit="at once" height=${size.height} />` : html`<span class="yaxis" />`}
			<div class="map" ref=${box} data-measure="parts" tabindex="0" role="application" aria-roledescription="stacked bars"
				aria-label=${`${map.title} over time, stacked. ${spokenKeys({})}`}
				onPointerMove=${point} onPointerLeave=${() => session.point(null)} onFocus=${() => session.focus(map)} onBlur=${() => session.point(null)}
				onKeyDown=${press} onWheel=${wheel}>
				<canvas ref=${cells} class="cells" role="presentation"></canvas>
				<canvas ref=${marks} class="marks" role="presentation"></canvas>
				${view && html`<${Annotations} map=${map} view=${view} />`}
				${!stack && html`<p class="waiting">waiting for the first columns …</p>`}
			</div>
			<span class="histogram" />
		</div>
		<${ResizeHandle} map=${map} />
	</section>`;
}

/* Of one column: {name, n} of each part that there is. */
function PartsTable({ map, parts, whole }) {
	const { rows, heads } = useSorted(parts, [
		{ id: "part", head: "part", of: ({ name }) => partLabel(map, name), text: true }, { id: "load", head: "at once", of: ({ n }) => n },
		{ id: "share", head: "share", of: ({ n }) => n }]);

	return html`<table><thead><tr>${heads}</tr></thead>
		<tbody>${rows.map(({ name, n }) => html`<tr key=${name} data-part=${name} data-load=${n}>
			<th scope="row"><i class="hue" style=${{ background: partHue(name) }} />${partLabel(map, name)}</th>
			<td>${Number(n.toPrecision(3))}</td><td>${format.share(n, whole)}</td></tr>`)}</tbody></table>`;
}

/** The parts of the column that is pointed at, for the read-out. */
export function PartsAt({ session, map }) {
	const { stack } = map, i = stack && session.cursor ? Math.floor((session.cursor.time - stack.from) / stack.column + 1e-6) : -1;

	if (!(i >= 0 && i < stack.load[0].length))
		return null;
	const parts = stack.names.map((name, k) => ({ name, n: stack.load[k][i] })).filter(({ n }) => n > 0).sort((a, b) => b.n - a.n);
	const whole = parts.reduce((sum, { n }) => sum + n, 0);

	return html`<section class="partsat" aria-label="Parts of the column"><h3>${map.title} <span>${format.amount(whole, "at once")} at once</span></h3>
		<${PartsTable} map=${map} parts=${parts} whole=${whole} /></section>`;
}
