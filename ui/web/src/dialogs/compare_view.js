/* compare_view.js - compares two times, keys or measures: a form, one sentence, heatscoped's picture, and its
 * numbers. */
import { useState } from "preact/hooks";
import * as api from "../net/api.js";
import { alike, chosenFirst, comparable, differs, openComparison, optionOf, OTHERS, parametersOf, PERS, settled, TIMES, VIEWS } from "../model/compare.js";
import * as format from "../base/format.js";
import { html } from "../base/html.js";
import { pictureWidth, usePictureReply } from "../base/picture_reply.js";
import { labelOf } from "../panels/sidebar.js";
import { useSorted } from "../base/sorted_table.js";

const stampOf = (time) => `${format.date(time)}T${format.clock(time)}`;
const KEYS_OFFERED = 100;
const NOTHING = "B is as A: choose another time, measure or key for it.";

function Select({ of, label, value, options, change }) {
	return html`<label>${label} <select aria-label=${`${of} ${label}`} value=${value} onChange=${(e) => change(e.target.value)}>
		${options.map(([v, text]) => html`<option key=${v} value=${v}>${text}</option>`)}</select></label>`;
}

function Form({ session, span, choice, change }) {
	const { inst, catalogue } = session, b = choice.with;
	const measures = (names) => names.map((m) => [m, labelOf(session, session.inst, m)]);
	const listed = (session.ranking.rows ?? []).slice(0, KEYS_OFFERED).filter(({ key }) => key).map(({ key }) => [optionOf(key), key]);
	const keys = choice.key && !listed.some(([key]) => key === choice.key) ? [[choice.key, choice.key.slice(1)], ...listed] : listed;
	const set = (part) => change(settled({ ...choice, ...part })), setB = (part) => set({ with: { ...b, ...part } });

	return html`<form onSubmit=${(e) => e.preventDefault()}>
		<fieldset><legend class="a">A</legend>
			<span>${format.date(span.start)} ${format.whenBoth(span.start, span.start + span.duration, span).replace(`${format.date(span.start)} `, "")}</span>
			<${Select} of="A" label="measure" value=${choice.measure} options=${measures(comparable(inst, catalogue))} change=${(measure) => set({ measure, with: { ...b, measure: "" } })} />
			${keys.length > 0 && html`<${Select} of="A" label="key" value=${choice.key} options=${[["", "all"], ...keys]} change=${(key) => set({ key })} />`}
		</fieldset>
		<fieldset><legend class="b">B</legend>
			<${Select} of="B" label="time" value=${b.time} options=${TIMES} change=${(time) => setB({ time, at: b.at ?? stampOf(span.start - span.duration) })} />
			${b.time === "at" && html`<input aria-label="B begins" type="datetime-local" step="1" value=${b.at} onChange=${(e) => setB({ at: e.target.value })} />`}
			<${Select} of="B" label="measure" value=${b.measure} change=${(measure) => setB({ measure })}
				options=${[["", "as A"], ...measures(alike(choice.measure, inst, catalogue).filter((m) => m !== choice.measure))]} />
			${keys.length > 0 && html`<${Select} of="B" label="key" value=${b.key} change=${(key) => setB({ key })}
				options=${[["", "as A"], ...(choice.key ? [[OTHERS, "all but A's"]] : []), ...keys.filter(([key]) => key !== choice.key)]} />`}
		</fieldset>
		<fieldset><legend>Map</legend>
			<${Select} of="map" label="of" value=${choice.view} options=${VIEWS} change=${(view) => set({ view })} />
			<${Select} of="map" label="cells are" value=${choice.per} options=${PERS} change=${(per) => set({ per })} />
		</fieldset>
	</form>`;
}

const amountOf = ({ name }, value, unit) => value === null ? "–" : name === "events" ? format.count(value) : format.amount(value, unit);

function Lines({ reply }) {
	const sign = (d) => d > 0 ? "+" : d < 0 ? "−" : "";
	const { rows, heads } = useSorted(reply.lines, [
		{ id: "name", head: "of", of: (line) => line.name, text: true }, { id: "a", head: "A", of: (line) => line.a }, { id: "b", head: "B", of: (line) => line.b },
		{ id: "difference", head: "A − B", of: (line) => line.difference },
		{ id: "q", head: "q", title: "the rate of false alarms among the rows with no greater q", of: (line) => line.q }]);

	return html`<details><summary>The numbers</summary><table>
		<thead><tr>${heads}</tr></thead>
		<tbody>${rows.map((line) => html`<tr key=${line.name} class=${line.significant ? "significant" : ""} data-line=${line.name}>
			<th scope="row">${line.name}</th><td>${amountOf(line, line.a, reply.unit)}</td><td>${amountOf(line, line.b, reply.unit)}</td>
			<td>${sign(line.difference)}${amountOf(line, line.difference && Math.abs(line.difference), reply.unit)}</td>
			<td>${line.q === null ? "–" : line.q < 0.001 ? "< 0.001" : line.q.toPrecision(2)}</td></tr>`)}</tbody>
	</table></details>`;
}

/* A narrow picture has its table below its distributions, if it is high enough. */
const sizeOf = (width) => width < 640 ? { width, height: 960 } : { width };

/* The sentence and numbers, and the picture, of the newest choice. */
const useComparison = (id, parameters, look) => usePictureReply(parameters && JSON.stringify([id, parameters, look]),
	(signal) => Promise.all([api.compare(id, parameters, signal), api.comparePicture(id, { ...parameters, ...look }, signal)]));

function Comparison({ session, span, first, close }) {
	const { inst } = session;
	const [choice, setChoice] = useState(first);
	const parameters = differs(choice) ? parametersOf(choice, span, session.state.by) : null;
	const look = { view: choice.view, theme: session.dark ? "dark" : "light", scale: devicePixelRatio > 1 ? 2 : 1 };
	const { reply, url, problem, busy } = useComparison(inst.id, parameters, { ...look, ...sizeOf(pictureWidth()) });
	const name = (type) => `heatscope-${inst.module}-${inst.stat}-compare.${type}`;
	const take = (e) => api.download(e).catch((why) => session.refuse(why));
	const said = !parameters ? NOTHING : problem ?? reply?.sentence ?? "asking …";

	return html`<dialog class="compare" aria-labelledby="compare" onClose=${close} ref=${(dialog) => dialog && !dialog.open && dialog.showModal()}>
		<h2 id="compare">Compare <button type="button" class="plain" onClick=${close} aria-label="Close the comparison">×</button></h2>
		<${Form} session=${session} span=${span} choice=${choice} change=${setChoice} />
		<p class=${`said ${problem ? "problem" : ""}`} aria-live="polite">${said}</p>
		${url && html`<img class=${busy ? "old" : ""} src=${url} alt=${`${reply.a.name} against ${reply.b.name}: ${reply.sentence}`} />
			<${Lines} reply=${reply} />
			<p class="downloads">${["png", "pdf", "svg"].map((type) => html`<a key=${type} download=${name(type)} onClick=${take}
				href=${api.compareUrl(inst.id, { ...parameters, ...look, format: type })}>${type.toUpperCase()}</a>`)}</p>`}
	</dialog>`;
}

/** The button, and the dialogue while it is open. */
export function Compare({ session }) {
	const { comparing, inst } = session;
	const close = () => {
		session.comparing = null;
		session.changed();
	};

	const possible = inst && session.current && comparable(inst, session.catalogue).length > 0;

	return html`<button disabled=${!possible} title=${possible ? "" : "States at the ends of slots have no events to compare"} onClick=${() => openComparison(session, chosenFirst(session.current.measure))} aria-haspopup="dialog">Compare</button>
		${comparing && inst && html`<${Comparison} session=${session} ...${comparing} close=${close} />`}`;
}
