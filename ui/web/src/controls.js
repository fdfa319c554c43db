/* controls.js - buttons and menus, as the page has them everywhere. */
import { useState } from "preact/hooks";
import { html } from "./html.js";

/** A row of buttons of which one is pressed; bare: they say what they are. */
export function Choice({ label, bare, value, options, change }) {
	return html`<div class="choice" role="group" aria-label=${label}>${!bare && html`<span>${label}</span>`}
		${options.map(([v, text]) => html`<button key=${v} aria-pressed=${v === value} onClick=${() => change(v)}>${text}</button>`)}</div>`;
}

/** name: what it is, where the label alone does not say it.  children: what is in it, or a function that gives it, which is asked only
 *  while the menu is open: a page of many maps has many menus, and is drawn several times a second. */
export function Menu({ label, name, children }) {
	const [open, setOpen] = useState(false);
	const close = (e) => {
		if (!e.currentTarget.contains(e.relatedTarget))
			e.currentTarget.open = false;
	};
	const leave = (menu) => {
		menu.open = false;
		menu.firstElementChild.focus();
	};
	const escape = (e) => e.key === "Escape" && e.currentTarget.open && leave(e.currentTarget);
	const chosen = (e) => e.target.closest("button") && leave(e.currentTarget);

	return html`<details class="menu" onFocusOut=${close} onKeyDown=${escape} onClick=${chosen} onToggle=${(e) => setOpen(e.currentTarget.open)}>
		<summary aria-label=${name} title=${name}>${label}</summary><div>${typeof children !== "function" ? children : open && children()}</div></details>`;
}
