/* gone_panel.js - shows a panel whose instrumentation is missing, and offers to create one if its request is known. */
import { DragHandle } from "./drag_handle.js";
import { html } from "../base/html.js";
import { PanelMenu } from "./panel_menu.js";
import { titleOf } from "../base/text.js";

function reasonOf({ session: { instrumentations, catalogue }, panel: { inst, of, measure, weight } }) {
	if (of)
		return `${titleOf({ "predicate-text": of.where, decomposition: [], ...of }, catalogue)} is not measured.`;
	return instrumentations.some((i) => i.id === inst) ? `Instrumentation ${inst} does not keep ${weight ?? measure}.`
		: `Instrumentation ${inst} is gone, and its data with it.`;
}

export function GonePanel({ map }) {
	return html`<section class="panel gone" aria-label=${`Not there: ${map.label}`}>
		<header><${DragHandle} map=${map} /><h2>${map.label}</h2><span class="space" /><${PanelMenu} map=${map} /></header>
		<p class="waiting">${reasonOf(map)}</p>
	</section>`;
}

/** The instrumentations that a worksheet lacks, and a button to create them: measuring costs, so the user decides. */
export function Missing({ session }) {
	const { missing, making } = session.library;

	return missing.length > 0 && html`<section class="missing" aria-label="Not measured yet">
		<p>${missing.length === 1 ? "One instrumentation" : `${missing.length} instrumentations`} of this worksheet ${missing.length === 1 ? "is" : "are"} not measured yet:
${" "}${missing.map((of) => titleOf({ decomposition: [], "predicate-text": of.where, ...of }, session.catalogue)).join("; ")}.</p>
		<button class="primary" disabled=${making} onClick=${() => session.library.make()}>Measure ${missing.length === 1 ? "it" : "them"}</button>
	</section>`;
}
