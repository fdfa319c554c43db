/* axis_handles.js - shows handles at the ends of a value axis; dragged or moved by the arrow keys, they shorten the
 * axis or restore it. */
import { useRef } from "preact/hooks";
import * as format from "../base/format.js";
import { html } from "../base/html.js";
import { valueAt } from "../model/zoom.js";

const STEP = 1 / 20;			/* of the whole axis */
const MOVE_MS = 80;			/* a move changes the address: not more often */

/* which: "low" or "high". */
function End({ map, which, view, all, domain }) {
	const { session, unit } = map, held = useRef(null), value = domain[which], other = which === "low" ? "high" : "low";
	/* Keys may come faster than the page is drawn. */
	const now = () => session.endsOf(map) ?? domain;
	const set = (to) => session.reach(map, { [other]: now()[other], [which]: to });
	const place = (e) => held.current.axis.value(e.clientY - held.current.top);
	const down = (e) => {
		if (e.button !== 0)
			return;
		e.currentTarget.setPointerCapture(e.pointerId);
		held.current = { axis: view.y, top: e.currentTarget.parentElement.getBoundingClientRect().top, at: 0 };
	};
	const move = (e) => {
		if (!held.current || e.timeStamp - held.current.at < MOVE_MS)
			return;
		held.current.at = e.timeStamp;
		set(place(e));
	};
	const up = (e) => {
		if (held.current)
			set(place(e));
		held.current = null;
	};
	const press = (e) => {
		const from = now()[which];
		const to = {
			ArrowUp: () => valueAt(all, from, STEP), ArrowDown: () => valueAt(all, from, -STEP), PageUp: () => valueAt(all, from, 4 * STEP),
			PageDown: () => valueAt(all, from, -4 * STEP), Home: () => all.low, End: () => all.high,
		}[e.key];

		if (!to)
			return;
		e.preventDefault();
		set(to());
	};
	const at = which === "high" ? 0 : view.height;

	return html`<span class="handle" role="slider" tabindex="0" aria-orientation="vertical" style=${{ top: `${at}px` }}
		aria-label=${`${which === "high" ? "Upper" : "Lower"} end of the values of ${map.title}`} title="Drag, or arrow keys"
		aria-valuemin=${all.low} aria-valuemax=${all.high} aria-valuenow=${value} aria-valuetext=${format.amount(value, unit)}
		onPointerDown=${down} onPointerMove=${move} onPointerUp=${up} onPointerCancel=${() => { held.current = null; }} onKeyDown=${press} />`;
}

export function AxisHandles({ map, view, all, domain }) {
	return html`<div class="handles">${["high", "low"].map((which) =>
		html`<${End} key=${which} map=${map} which=${which} view=${view} all=${all} domain=${domain} />`)}</div>`;
}
