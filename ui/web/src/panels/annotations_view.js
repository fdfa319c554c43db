/* annotations_view.js - shows notes and alerts on the maps and in the sidebar, and the form in which the user writes
 * a note.
 *
 *      |>  a moment        |""""|  a time        |=====|  an alert, over        |====!firing  to the end of the map
 */
import { useState } from "preact/hooks";
import * as format from "../base/format.js";
import { html } from "../base/html.js";
import { annotationsOf, isFiring, isMoment, noteOf, spansOf } from "../model/annotations.js";
import { titleOf } from "../base/text.js";

const TEXT_MAX = 240;			/* bytes, says doc/api.md */
const LISTED = 20;

/** Over the cells of a map; what is pointed at says its text. */
export function Annotations({ map, view }) {
	const { annotations, cursor } = map.session, spans = spansOf(annotationsOf(annotations.annotations, map.inst), view.x, view.width);
	const here = cursor?.map === map ? annotations.at(map) : [];
	const at = here.length ? view.x.x(cursor.time) : 0;

	return spans.length > 0 && html`<div class="annotations" aria-hidden="true">
		${spans.map(({ annotation: a, left, width, begins, ends }) => html`<i key=${a.id} data-annotation=${a.id}
			class=${`${a.kind} ${isMoment(a) ? "moment" : ""} ${begins ? "begins" : ""} ${ends ? "ends" : ""}`}
			style=${{ left: `${left}px`, width: `${width}px` }} />`)}
		${spans.some(({ annotation }) => isFiring(annotation)) && html`<b>! firing</b>`}
		${here.length > 0 && html`<p style=${at > view.width / 2 ? { right: `${view.width - at + 8}px` } : { left: `${at + 12}px` }}>
			${here.map((a) => html`<span key=${a.id}>${a.text}<br /></span>`)}</p>`}
	</div>`;
}

const STATES = { ok: "ok", pending: "pending", firing: "firing", no_data: "no data" };

/* The newest of a list, and how many more there are. */
const firstOf = (items, row) => html`<ul>${items.slice(0, LISTED).map(row)}
	${items.length > LISTED && html`<li class="muted">and ${items.length - LISTED} more</li>`}</ul>`;

function when({ start_time, end_time }, span) {
	if (end_time === start_time)
		return format.when(start_time, span);
	return end_time === null ? `${format.when(start_time, span)} – now` : format.whenBoth(start_time, end_time, span);
}

/** Beside the maps: how the alerts are, and what is noted of the time shown, newest first. */
export function Noted({ session }) {
	const { annotations, current, cursor } = session, { alerts, shown } = annotations;
	const here = new Set(cursor ? annotations.at(cursor.map) : []);
	const remove = ({ id, kind, text }) => confirm(`Remove the ${kind} "${text}"?`) && annotations.remove(id);

	return html`<section class="noted" aria-label="Notes and alerts">
		<h3>Notes and alerts <span>${shown.length ? "" : "none in this time"}</span>
			${current?.grid && html`<button class="plain" title="n on a map, at the cursor" onClick=${() => annotations.write(current)}>add a note</button>`}</h3>
		${alerts.length > 0 && firstOf(alerts, ({ id, name, state, sentence }) => html`<li key=${id} data-alert=${id}>
			<b class=${state}>${STATES[state]}</b><span title=${sentence}>${name}${state === "firing" ? `: ${sentence}` : ""}</span></li>`)}
		${shown.length > 0 && firstOf(shown, (a) => html`<li key=${a.id} data-annotation=${a.id} class=${here.has(a) ? "here" : ""}>
			<button class="plain" title=${`Point at it: ${format.date(a.start_time)}`} onClick=${() => annotations.point(a)}>${when(a, session.span)}</button>
			<span>${a.kind === "alert" ? "alert: " : ""}${a.text}</span>
			${!isFiring(a) && html`<button class="plain" onClick=${() => remove(a)} aria-label=${`Remove ${a.kind}: ${a.text}`}>×</button>`}</li>`)}
	</section>`;
}

const stamp = (time) => `${format.date(time)}T${format.clock(time)}`;

/* Keeps the exact time unless the user has changed it: the field has whole seconds. */
const timeOf = (written, was) => !written ? null : written === stamp(was) ? was : Date.parse(written) / 1000;

export const NoteForm = ({ session }) => session.annotations.draft && html`<${Form} session=${session} draft=${session.annotations.draft} />`;

/* The browser keeps the fields' contents, while the page under the form is drawn again each second. */
function Form({ session, draft }) {
	const { annotations, catalogue } = session, { start, end, inst } = draft;
	const [problem, setProblem] = useState("");
	const submit = async (e) => {
		const form = e.currentTarget, { text, from, until, only } = form.elements;

		e.preventDefault();
		try {
			await annotations.save(noteOf({ text: text.value, start: timeOf(from.value, start), end: timeOf(until.value, end), inst: only.checked ? inst : null }));
			form.parentElement.close();
		} catch (error) {
			setProblem(error.message);
		}
	};

	return html`<dialog class="ask" aria-labelledby="note" onClose=${() => annotations.drop()} ref=${(dialog) => dialog && !dialog.open && dialog.showModal()}>
		<form onSubmit=${submit}>
			<h2 id="note">Note</h2>
			<label class="row">Text <input name="text" maxlength=${TEXT_MAX} autocomplete="off" required autofocus /></label>
			<label class="row">From <input name="from" type="datetime-local" step="1" required defaultValue=${stamp(start)} /></label>
			<label class="row">Until <input name="until" type="datetime-local" step="1" defaultValue=${end === start ? "" : stamp(end)} /></label>
			<p class="muted">Without an end it is a moment. Times are local, ${format.zones(start, end)}.</p>
			<label><input name="only" type="checkbox" />only on maps of ${titleOf(inst, catalogue)}</label>
			${problem && html`<p class="problem" role="alert">${problem}</p>`}
			<p class="row"><button class="primary">Save</button><button type="button" onClick=${(e) => e.currentTarget.closest("dialog").close()}>Cancel</button></p>
		</form>
	</dialog>`;
}
