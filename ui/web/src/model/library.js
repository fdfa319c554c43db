/* library.js - lists the worksheets on the server, and opens, saves and removes them.
 *
 *      list <- GET /ca/worksheets;   open(id) -> the session's panels;   the session's panels -> save()
 */
import * as api from "../net/api.js";
import { freshState, lookOf } from "./state.js";
import { missing, panelsFrom, worksheetOf } from "./worksheet.js";

export class Library {
	constructor(session) {
		this.session = session;
		this.list = [];			/* {id, name, ready} */
		this.asking = null;		/* {label, name, answer(name)}, while a name is asked for */
		this.making = false;
		this.opening = null;		/* id of the one that is wanted; what is answered of another comes too late */
	}

	/** The one that is open; null: none that is there. */
	get current() {
		return this.list.find(({ id }) => id === this.session.state.sheet) ?? null;
	}

	/** The instrumentations to create so that all panels show something. */
	get missing() {
		return missing(this.session.panels, this.session.instrumentations ?? []);
	}

	async refresh() {
		this.list = await api.worksheets();
	}

	/* Shows an error of the work, and requests the list again. */
	async does(work) {
		try {
			await work();
			await this.refresh();
		} catch (e) {
			return this.session.refuse(e);
		}
		this.session.changed();
	}

	/** chosen: what counts more than what the worksheet says; push: the browser's way back leads back. */
	open(id, { chosen = {}, push = true } = {}) {
		this.opening = id;
		return this.does(async () => {
			const sheet = await api.worksheet(id);

			if (this.opening !== id)
				return;
			const { duration, yscale: y, transfer, threshold = null } = sheet, base = { duration, y, transfer, threshold };

			this.session.creating = false;
			this.session.set({ ...freshState(null), sheet: id, panels: panelsFrom(sheet), base, ...base, ...chosen }, push);
		});
	}

	document(name) {
		return worksheetOf(name, this.session.state, this.session.maps);
	}

	/** The title of the page. */
	get title() {
		return this.current?.name ?? this.session.title;
	}

	/** The name to save it under. */
	get name() {
		return this.current?.name ?? (this.session.mixed ? "Worksheet" : this.session.title);
	}

	save() {
		const { id, name } = this.current;

		return this.does(async () => {
			const { state } = this.session;

			await api.changeWorksheet(id, this.document(name));
			this.session.set({ base: lookOf(state) });
		});
	}

	/* A name, by a dialogue; what is done with it. */
	ask(label, name, work) {
		this.asking = { label, name, answer: (given) => {
			this.asking = null;
			this.session.changed();
			if (given)
				this.does(() => work(given));
		} };
		this.session.changed();
	}

	saveAs() {
		this.ask("Save as", this.name, async (name) => {
			const { state } = this.session, { id } = await api.saveWorksheet(this.document(name));

			this.session.set({ sheet: id, base: lookOf(state) });
		});
	}

	clone() {
		const { id, name } = this.current;

		this.ask("Clone as", `${name}, copy`, async (given) => {
			const made = await api.cloneWorksheet(id, { name: given });

			await this.open(made.id);
		});
	}

	rename() {
		const { id, name } = this.current;

		this.ask("Rename", name, (given) => api.changeWorksheet(id, { name: given }));
	}

	remove() {
		const { id } = this.current;

		return this.does(async () => {
			await api.removeWorksheet(id);
			this.session.set({ sheet: null, base: null });
		});
	}

	/** A file that was exported: it is saved and opened. */
	import(file) {
		return this.does(async () => {
			let given;

			try {
				given = JSON.parse(await file.text());
			} catch {
				throw new api.ApiError("ECA_INVAL", `${file.name} is no worksheet: it is not JSON`);
			}
			const { id } = await api.saveWorksheet(given);

			await this.open(id);
		});
	}

	/** Makes what is missing; it costs, so a person has said so. */
	async make() {
		this.making = true;
		await this.does(async () => {
			for (const of of this.missing)
				await api.create(of);
		});
		this.making = false;
		await this.session.refreshLists();
	}
}
