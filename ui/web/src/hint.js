/* hint.js - what can be done with a map, in a line under the read-out; opened (by a click or ?) it lists all gestures and keys. */
import { useEffect, useRef } from "preact/hooks";
import { html } from "./html.js";

/* What is pressed, and what it does; keys are those of a map that has the focus, which a click gives it. */
export const GESTURES = [
	["drag", "a rectangle: what is different in it?"],
	["click", "a cell: its keys; a dot: that statement"],
	["Ctrl + wheel", "zoom the time; with Shift too, the values"],
	["Shift + wheel", "move along the time; with Alt, along the values"],
	["← → ↑ ↓", "move the cursor; with Shift, draw a rectangle"],
	["Enter", "list the keys of the cell"],
	["+ −", "zoom the time"],
	["[ ]", "zoom the values; 0 shows all"],
	[", .", "move along the time; { } along the values"],
	["z", "zoom to the rectangle"],
	["h l", "go to the highest and the lowest"],
	["s", "draw the threshold line at the value"],
	["e", "step through the slowest statements"],
	["n", "write a note at the time"],
	["Esc", "let go of rectangle and cursor"],
	["?", "open and close this list"],
];

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
		<dl>${GESTURES.map(([pressed, does]) => html`<dt key=${pressed}>${pressed}</dt><dd>${does}</dd>`)}</dl></details>`;
}
