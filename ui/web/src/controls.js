/* controls.js - buttons and menus, as the page has them everywhere. */
import { html } from "htm/preact";

/** A row of buttons of which one is pressed; bare: they say what they are. */
export function Choice({ label, bare, value, options, change }) {
	return html`<div class="choice" role="group" aria-label=${label}>${!bare && html`<span>${label}</span>`}
		${options.map(([v, text]) => html`<button key=${v} aria-pressed=${v === value} onClick=${() => change(v)}>${text}</button>`)}</div>`;
}

/** name: what it is, where the label alone does not say it. */
export function Menu({ label, name, children }) {
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

	return html`<details class="menu" onFocusOut=${close} onKeyDown=${escape} onClick=${chosen}>
		<summary aria-label=${name} title=${name}>${label}</summary><div>${children}</div></details>`;
}
