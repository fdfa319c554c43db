/* axes.js - draws the axes to the left of and below the maps. */
import { Component } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { domainKey, namedTicks, spaced, timeAxis, timeTicks, valueTicks } from "../base/axis.js";
import * as format from "../base/format.js";
import { html } from "../base/html.js";

export const GUTTER = 62;		/* px left of the maps, for the y axes */
const LABEL = 13;			/* px a label of the axis takes */
const TICK_LETTER = 6.6;		/* px of a digit on the time axis */
const NARROW = 460;			/* px of the time axis, below which its words are fewer */
const BESIDE_HANDLE = 9;		/* px from an end of the axis, where its handle is (ends.js), to the middle of a label */

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

/** under: the upper edge of the underflow.  It is some thirty elements that seldom change, on every map.  (Elements that are kept, by
 * useMemo, would hold what they were first drawn within: html.js.) */
export class YAxis extends Component {
	shouldComponentUpdate({ y, unit, height, under }) {
		const was = this.props;

		return domainKey(y.domain) !== domainKey(was.y.domain) || unit !== was.unit || height !== was.height || under !== was.under;
	}

	render(axis) {
		return drawnValues(axis);
	}
}

function drawnValues({ y, unit, height, under }) {
	const ticks = valueTicks(y.domain, Infinity);
	const placeOf = ({ value }) => Math.min(Math.max(Math.round(y.y(value)) + 0.5, 5), height - 5);
	const named = new Set(namedTicks(valueTicks(y.domain, Math.max(2, Math.floor((y.lower - y.upper) / LABEL))), placeOf, LABEL).map((t) => t.value));
	const floor = y.domain.under ? height - BESIDE_HANDLE - LABEL : height + 4;

	return html`<svg class="yaxis" width=${GUTTER} height=${height + 1} aria-hidden="true">
		<line x1=${GUTTER - 0.5} x2=${GUTTER - 0.5} y1="0" y2=${height} />
		${ticks.map(({ value, major }) => {
			const at = Math.round(y.y(value)) + 0.5;

			return html`<line x1=${GUTTER - (major ? 7 : 4)} x2=${GUTTER} y1=${at} y2=${at} />
				${named.has(value) && at < floor && html`<text x=${GUTTER - 10} y=${placeOf({ value })} class=${major ? "major" : ""}>${format.amount(value, unit)}</text>`}`;
		})}
		${y.domain.under && html`<text x=${GUTTER - 4} y=${height - BESIDE_HANDLE} class="strip">${under ? `< ${format.amount(under, unit)}` : "less"}</text>`}
		${y.domain.over && html`<text x=${GUTTER - 4} y=${BESIDE_HANDLE} class="strip">beyond</text>`}
	</svg>`;
}

/** The time axis under the last map; it serves them all.  column, slot: s, of the finest. */
export function XAxis({ span, column, slot }) {
	const box = useRef();
	const size = useSize(box);
	let content = null;

	if (size && span) {
		const { start, duration } = span, end = start + duration;
		const x = timeAxis(start, end, GUTTER, size.width);
		const { step, ticks } = timeTicks(start, end, Math.max(2, (size.width - GUTTER) / 76), format.zoneOffset);
		const names = ticks.map((t) => {
			const text = format.tickText(t, step);

			return { at: Math.round(x.x(t)) + 0.5, text, width: text.length * TICK_LETTER };
		});

		content = html`<svg class="xaxis" width=${size.width} height="34" aria-hidden="true">
			<line x1=${GUTTER} x2=${size.width} y1="0.5" y2="0.5" />
			${ticks.map((t) => {
				const at = Math.round(x.x(t)) + 0.5;

				return html`<line x1=${at} x2=${at} y1="0" y2="5" />`;
			})}
			${spaced(names, GUTTER - 20, size.width).map(({ at, text }) => html`<text x=${at} y="16">${text}</text>`)}
			<text class="zone" x=${GUTTER} y="30">${format.date(start)}, ${size.width < NARROW ? "" : "local time "}${format.zones(start, end)}</text>
			<text class="zone end" x=${size.width} y="30">${size.width < NARROW ? "1 column" : "one column"} = ${format.seconds(column)}${column > slot && size.width >= NARROW ? `, ${Math.round(column / slot)} slots` : ""}</text>
		</svg>`;
	}
	return html`<div class="time" ref=${box}>${content}</div>`;
}
