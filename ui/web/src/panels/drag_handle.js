/* drag_handle.js - shows the handle that moves a panel to another place, by the pointer and by the keys.
 *
 * Where it would go is shown while it is carried; it goes when it is let go of.
 */
import { useEffect, useRef, useState } from "preact/hooks";
import { Drag } from "../base/drag.js";
import { html } from "../base/html.js";
import { carry, placeOf } from "./panel_menu.js";
import { placeAt } from "../model/worksheet.js";

const panelsBeside = (panel) => [...panel.parentElement.querySelectorAll(":scope > .panel")].filter((other) => other !== panel);

function middleOf(panel) {
	const { top, bottom } = panel.getBoundingClientRect();

	return (top + bottom) / 2;
}

/* The panel before which it would go is marked, or that after which; of none: where it is. */
function mark(others, at, to) {
	others.forEach((other, i) => {
		if (at !== to && i === to)
			other.dataset.drop = "before";
		else if (at !== to && i === to - 1 && to === others.length)
			other.dataset.drop = "after";
		else
			delete other.dataset.drop;
	});
}

export function DragHandle({ map }) {
	const handle = useRef(), [held] = useState({ drag: new Drag(), keyed: false }), place = placeOf(map);
	const target = (e) => {
		const panel = handle.current.closest(".panel"), others = panelsBeside(panel);

		return { others, to: placeAt(others.map(middleOf), e.clientY) };
	};
	/* True: it was carried. */
	const drop = (others) => {
		mark(others, 0, 0);
		return held.drag.end();
	};
	/* Captures the pointer at once: the handle is small, and the pointer soon leaves it. */
	const down = (e) => {
		held.drag.begin(e, null);
		if (held.drag.held)
			e.currentTarget.setPointerCapture(e.pointerId);
	};
	const move = (e) => {
		if (!held.drag.move(e))
			return;
		const { others, to } = target(e);

		mark(others, place, to);
	};
	const up = (e) => {
		const { others, to } = target(e);

		if (drop(others) && to !== placeOf(map))
			carry(map, to);
	};
	const cancel = () => drop(panelsBeside(handle.current.closest(".panel")));
	const press = (e) => {
		const by = { ArrowDown: 1, ArrowUp: -1 }[e.key];

		if (e.key === "Escape")
			cancel();
		if (!by)
			return;
		e.preventDefault();
		held.keyed = true;
		carry(map, placeOf(map) + by);
	};

	/* An element that moves within the page loses the focus. */
	useEffect(() => {
		if (held.keyed)
			handle.current.focus();
		held.keyed = false;
	}, [place]);
	return html`<span ref=${handle} class="drag-handle" role="slider" tabindex="0" aria-orientation="vertical" aria-label=${`Place of ${map.title}`} title="Place: drag, or arrow keys"
		aria-valuemin="1" aria-valuenow=${place + 1} aria-valuemax=${map.session.maps.length} aria-valuetext=${`${place + 1} of ${map.session.maps.length}`}
		onPointerDown=${down} onPointerMove=${move} onPointerUp=${up} onPointerCancel=${cancel} onKeyDown=${press} />`;
}
