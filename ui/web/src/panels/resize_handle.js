/* resize_handle.js - makes a panel higher or lower by its lower edge, with the pointer and with the keys. */
import { useState } from "preact/hooks";
import { Drag } from "../base/drag.js";
import { html } from "../base/html.js";
import { resize } from "./panel_menu.js";
import { SIZE_MAX, SIZE_MIN, SIZE_STEP } from "../model/worksheet.js";

export function ResizeHandle({ map }) {
	const { size } = map.panel, [held] = useState({ drag: new Drag() });
	const down = (e) => {
		const { height } = e.currentTarget.parentElement.getBoundingClientRect();

		Object.assign(held, { size, height, y: e.clientY });
		held.drag.begin(e, null);
		if (held.drag.held)	/* at once: the edge is thin, and the pointer soon leaves it */
			e.currentTarget.setPointerCapture(e.pointerId);
	};
	const move = (e) => held.drag.move(e) && resize(map, held.size * (1 + (e.clientY - held.y) / held.height));
	const press = (e) => {
		/* Keys may come faster than the page is drawn: it is the panel's height now that grows, not the drawn one. */
		const by = { ArrowDown: SIZE_STEP, ArrowUp: -SIZE_STEP }[e.key];

		if (!by)
			return;
		e.preventDefault();
		resize(map, map.panel.size + by);
	};

	return html`<div class="resize-handle" role="separator" tabindex="0" aria-orientation="horizontal" aria-label=${`Height of ${map.title}`} title="Height (arrow keys)"
		aria-valuenow=${size} aria-valuemin=${SIZE_MIN} aria-valuemax=${SIZE_MAX} aria-valuetext=${`${Math.round(100 * size)} %`}
		onPointerDown=${down} onPointerMove=${move} onPointerUp=${() => held.drag.end()} onPointerCancel=${() => held.drag.end()} onKeyDown=${press} />`;
}
