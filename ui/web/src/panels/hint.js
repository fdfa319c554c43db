/* hint.js - shows a hint of a map's gestures in a line under the read-out; opened (by a click or ?) it lists all
 * gestures and keys. */
import { useEffect, useRef } from "preact/hooks";
import { GESTURES } from "../base/gestures.js";
import { html } from "../base/html.js";

/* A text that is being typed may have a question mark. */
const isTyped = ({ target }) => Boolean(target.closest?.("input, textarea, select, [contenteditable]"));

export function Hint({ session }) {
	const list = useRef();

	useEffect(() => {
		const press = (e) => {
			if (e.key !== "?" || e.ctrlKey || e.metaKey || e.altKey || isTyped(e) || !list.current)
				return;
			e.preventDefault();
			list.current.open = !list.current.open;
			if (list.current.open)
				list.current.scrollIntoView({ block: "nearest" });
		};

		addEventListener("keydown", press);
		return () => removeEventListener("keydown", press);
	}, []);
	if (!session.maps.length)
		return null;
	return html`<details class="hint" ref=${list}><summary><b>drag</b> on a map: what is different there?  <b>click</b>: its keys  <b>?</b> all keys</summary>
		<dl>${GESTURES.map(({ pressed, does }) => html`<dt key=${pressed}>${pressed}</dt><dd>${does}</dd>`)}</dl></details>`;
}
