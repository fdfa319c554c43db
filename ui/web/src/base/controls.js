/* controls.js - makes the buttons and menus that the whole page uses. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { html } from "./html.js";

const EDGE = 8;			/* px between an open menu and the edge of the window */

/** A row of buttons of which one is pressed; bare: they say what they are. */
export function Choice({ label, bare, value, options, change }) {
	return html`<div class="choice" role="group" aria-label=${label}>${!bare && html`<span>${label}</span>`}
		${options.map(([v, text]) => html`<button key=${v} aria-pressed=${v === value} onClick=${() => change(v)}>${text}</button>`)}</div>`;
}

/** name: what it is, where the label alone does not say it.  children: what is in it, or a function that gives it, which is asked only
 *  while the menu is open: a page of many maps has many menus, and is drawn several times a second. */
export function Menu({ label, name, children }) {
	const [open, setOpen] = useState(false), menu = useRef();
	/* A click on a label, or on what takes no focus, moves it nowhere (null): that is no way out of the menu.  To close it then would
	 * take the label from under the pointer, of which Chromium 156 crashes. */
	const close = (e) => {
		if (e.relatedTarget && !e.currentTarget.contains(e.relatedTarget))
			e.currentTarget.open = false;
	};
	const leave = (details) => {
		details.open = false;
		details.firstElementChild.focus();
	};
	const escape = (e) => e.key === "Escape" && e.currentTarget.open && leave(e.currentTarget);
	const chosen = (e) => e.target.closest("button") && leave(e.currentTarget);

	/* It ends where its button ends; where that is too far to the left, it begins at the edge of the window. */
	const place = () => {
		const { style } = menu.current.lastElementChild;

		style.right = "";
		style.right = `${Math.min(0, menu.current.lastElementChild.getBoundingClientRect().left - EDGE)}px`;
	};

	useLayoutEffect(() => open ? place() : undefined, [open]);
	useEffect(() => {
		const press = (e) => {
			if (!menu.current.contains(e.target))
				menu.current.open = false;
		};

		if (!open)
			return undefined;
		addEventListener("pointerdown", press, true);
		addEventListener("resize", place);
		return () => {
			removeEventListener("pointerdown", press, true);
			removeEventListener("resize", place);
		};
	}, [open]);
	return html`<details class="menu" ref=${menu} onFocusOut=${close} onKeyDown=${escape} onClick=${chosen} onToggle=${(e) => setOpen(e.currentTarget.open)}>
		<summary aria-label=${name} title=${name}>${label}</summary><div>${typeof children !== "function" ? children : open && children()}</div></details>`;
}
