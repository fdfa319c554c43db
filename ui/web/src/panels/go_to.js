/* go_to.js - shows a field for a time, which becomes the middle of the range. */
import { useState } from "preact/hooks";
import { html } from "../base/html.js";
import { momentOf } from "../base/moment.js";

export function GoTo({ session }) {
	const [wrong, setWrong] = useState(false), [typed, setTyped] = useState("");	/* a live page is drawn while a person types */
	const go = (e) => {
		const time = momentOf(typed, Date.now() / 1000);

		e.preventDefault();
		setWrong(Boolean(typed.trim()) && time === null);
		if (time === null)
			return;
		setTyped("");
		session.goTo(time);
	};

	return html`<form class="field" onSubmit=${go}><input aria-label="Go to a time" placeholder="14:05" aria-invalid=${wrong} value=${typed}
		title="Go to a time: 14:05, 5m (ago), 2026-11-25 14:05, now" onInput=${(e) => setTyped(e.target.value)} /></form>`;
}
