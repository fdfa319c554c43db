/* breadcrumbs.js - shows the wider instrumentations of which this one is a part, as links back. */
import { pathTo, stepText } from "../model/drill.js";
import { html } from "../base/html.js";
import { metricTitle } from "../base/text.js";

export function Breadcrumbs({ session }) {
	const { inst, instrumentations, catalogue } = session, path = inst && !session.mixed ? pathTo(inst, instrumentations) : [];
	const text = (step, i) => stepText(path[i - 1], step, catalogue);

	if (path.length < 2)
		return null;
	return html`<nav class="breadcrumbs" aria-label="Drilled down">
		<span>${metricTitle(inst, catalogue)}</span>
		<ol>${path.map((step, i) => html`<li key=${step.id}>${step === inst
			? html`<b aria-current="page">${text(step, i)}</b>`
			: html`<button class="plain" onClick=${() => session.select(step.id)}>${text(step, i)}</button>`}</li>`)}</ol>
	</nav>`;
}
