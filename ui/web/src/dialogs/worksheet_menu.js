/* worksheet_menu.js - shows the menu of a worksheet's actions, and the dialogue that asks for a name. */
import { useRef, useState } from "preact/hooks";
import { Menu } from "../base/controls.js";
import { html } from "../base/html.js";

function download(library) {
	const text = JSON.stringify(library.document(library.name), null, "\t");
	const href = URL.createObjectURL(new Blob([`${text}\n`], { type: "application/json" }));
	const file = `${library.name.replace(/[^\p{L}\p{N}]+/gu, "-").toLowerCase()}.worksheet.json`;

	Object.assign(document.createElement("a"), { href, download: file }).click();
	setTimeout(() => URL.revokeObjectURL(href), 10000);
}

export function WorksheetMenu({ session }) {
	const { library } = session, { current } = library, file = useRef();
	const own = current && !current.ready, there = session.maps.length > 0;
	const remove = () => confirm(`Delete the worksheet ${current.name}?  Its instrumentations are still measured.`) && library.remove();
	const actions = [
		own && ["Save", () => library.save()],
		there && ["Save as …", () => library.saveAs()],
		current && ["Clone …", () => library.clone()],
		own && ["Rename …", () => library.rename()],
		own && ["Delete worksheet", remove],
		there && ["Export", () => download(library)],
		["Import …", () => file.current.click()],
	].filter(Boolean);
	const take = ({ target }) => {
		if (target.files[0])
			library.import(target.files[0]);
		target.value = "";
	};

	return html`<${Menu} label="Worksheet">${actions.map(([label, run]) => html`<button key=${label} onClick=${run}>${label}</button>`)}<//>
		<input ref=${file} class="quiet" type="file" accept=".json,application/json" aria-label="Worksheet file" tabindex="-1" onChange=${take} />`;
}

export function AskName({ session }) {
	const { asking } = session.library;

	return asking && html`<${NameDialog} asking=${asking} />`;
}

function NameDialog({ asking }) {
	const [name, setName] = useState(asking.name);
	const submit = (e) => {
		e.preventDefault();
		asking.answer(name.trim() || null);
	};
	const cancel = (e) => {
		e.preventDefault();
		asking.answer(null);
	};

	return html`<dialog class="ask" aria-labelledby="ask-name" ref=${(dialog) => dialog && !dialog.open && dialog.showModal()} onCancel=${cancel}>
		<form onSubmit=${submit}>
			<h2 id="ask-name">${asking.label}</h2>
			<label class="row">Name <input name="name" value=${name} onInput=${(e) => setName(e.target.value)} maxlength="100" autocomplete="off" required autofocus /></label>
			<p class="row"><button class="primary">${asking.label}</button><button type="button" onClick=${cancel}>Cancel</button></p>
		</form>
	</dialog>`;
}
