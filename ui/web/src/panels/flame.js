/* flame.js - shows a flame graph of a rectangle's stacks, or of another field of its events, over the page. */
import { useEffect, useRef, useState } from "preact/hooks";
import * as api from "../net/api.js";
import { rectangleParameters } from "../model/explain.js";
import { html } from "../base/html.js";
import { discreteFields } from "../model/keys.js";

const STACK = "stack";
const WIDTH_MIN = 400;
const PADDING = 16;			/* px of the dialogue */

/** The fields that a map's flame graph can show, its stacks first; none for a map without events. */
export function flameFields({ inst, grid, session: { catalogue } }) {
	const fields = grid?.scope === "point" ? [] : discreteFields(inst, catalogue);

	return fields.includes(STACK) ? [STACK, ...fields.filter((f) => f !== STACK)] : fields;
}

/** The parameters of the request. */
export const flameParameters = (rectangle, by, { theme, width }) => ({
	...rectangleParameters(rectangle, []), ...rectangle.map.asked, measure: rectangle.map.measure, by, theme, width: Math.max(WIDTH_MIN, Math.floor(width)) });

/* The drawing has a style of its own, which must not be the page's: it lives in a shadow. */
function Drawing({ id, parameters, name }) {
	const host = useRef(), [problem, setProblem] = useState("");

	useEffect(() => {
		const reading = new AbortController(), shadow = host.current.shadowRoot ?? host.current.attachShadow({ mode: "open" });

		shadow.replaceChildren();
		setProblem("");
		api.flame(id, parameters, reading.signal).then((text) => {
			const svg = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;

			svg.setAttribute("role", "img");
			svg.setAttribute("aria-label", name);
			shadow.replaceChildren(document.adoptNode(svg));
		}).catch((e) => reading.signal.aborted || setProblem(e.message));
		return () => reading.abort();
	}, [JSON.stringify(parameters)]);
	return html`<div class="drawing" tabindex="0" role="group" aria-label=${name} ref=${host} />${problem && html`<p class="problem" role="alert">${problem}</p>`}`;
}

/** The flame graph of the rectangle in the session's `flame`; null: no graph. */
export function Flame({ session }) {
	const { flame: rectangle } = session, [by, setBy] = useState(null), [width, setWidth] = useState(0);

	if (!rectangle)
		return null;
	const fields = flameFields(rectangle.map), field = fields.includes(by) ? by : fields[0], { inst, title } = rectangle.map;
	const close = () => {
		session.flame = null;
		session.changed();
	};
	const open = (dialog) => {
		if (!dialog || dialog.open)
			return;
		dialog.showModal();
		setWidth(dialog.clientWidth - 2 * PADDING);
	};

	return html`<dialog class="flame" aria-labelledby="flame" ref=${open} onClose=${close} onCancel=${close}>
		<header><h2 id="flame">Flame graph of ${title}</h2>
			<label>by <select value=${field} onChange=${(e) => setBy(e.target.value)}>${fields.map((f) => html`<option key=${f} value=${f}>${rectangle.map.nameOf(f)}</option>`)}</select></label>
			<span class="space" /><button onClick=${close}>Close</button></header>
		${width > 0 && html`<${Drawing} id=${inst.id} name=${`Flame graph of ${title} by ${field}`}
			parameters=${flameParameters(rectangle, field, { theme: session.dark ? "dark" : "light", width })} />`}
	</dialog>`;
}
