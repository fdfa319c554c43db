/* feed.js - keeps the grids of several maps up to date, by one stream of server-sent events, or by requests if that
 * fails.
 *
 *      stream: grid, column, column, shade, ...  ->  on.grid(i, grid), one per change; i: of the views, in their order
 *      states: "connecting" -> "live" | "polling" | "lost"     (on.state(i, state, why))
 *
 * One stream, because a browser has six connections to a host.
 */
import * as api from "../net/api.js";
import { applyColumn, fitsRows } from "./grid.js";

const RETRY_MS = 3000;

export class Feed {
	/** @param {{id: string, parameters: Object}[]} views   of which instrumentations, and what of them
	 *  @param {{grid: Function, state: Function}} on */
	constructor(views, on) {
		this.views = views.map((view) => ({ ...view, grid: null, gone: false }));
		this.on = on;
		this.open();
	}

	open() {
		const reading = this.reading = new AbortController();
		const failed = () => reading.signal.aborted || this.failed();
		const asked = this.present;

		for (const i of asked)
			this.on.state(i, "connecting");
		api.stream(asked.map((i) => this.views[i]), reading.signal, (type, { view, ...data }) =>
			reading.signal.aborted || this.event(type, asked[view], data)).then(failed, failed);
	}

	/** The views that are not gone. */
	get present() {
		return this.views.flatMap((view, i) => view.gone ? [] : [i]);
	}

	event(type, i, data) {
		if (type === "dropped")		/* of the whole stream, which ends: failed() goes on */
			return;

		const { grid } = this.views[i];

		if (type === "grid")
			this.take(i, data);
		else if (type === "gone")
			this.lose(i, new api.ApiError(data.code, data.message));
		else if (type === "column" && grid && !fitsRows(grid, data.column))
			this.reopen();
		else if (type === "column" && grid)
			this.take(i, applyColumn(grid, data.from, data.column));
		else if (type === "shade" && grid)
			this.take(i, { ...grid, shade: { ...grid.shade, levels: data.levels } });
	}

	/* A value beyond the rows of the grid: the next one has them. */
	reopen() {
		this.reading.abort();
		this.open();
	}

	take(i, grid, state = "live") {
		this.views[i].grid = grid;
		this.on.state(i, state);
		this.on.grid(i, grid);
	}

	/* A view that is gone stays gone. */
	lose(i, why) {
		this.views[i].gone ||= why.code === "ECA_NOENT";
		this.on.state(i, "lost", why);
	}

	/* A stream may break for many reasons; requests for grids show the reason, and replace the stream. */
	failed() {
		clearTimeout(this.timer);
		this.reading.abort();		/* what could not be read may still be sent */
		if (this.present.length)
			this.timer = setTimeout(() => this.poll(0), 500);
	}

	async poll(round) {
		const answered = await Promise.all(this.present.map((i) => this.ask(i)));

		if (this.closed || !this.present.length)
			return;
		const again = () => answered.every(Boolean) && round % 5 === 1 ? this.open() : this.poll(round + 1);

		this.timer = setTimeout(again, answered.every(Boolean) && round === 0 ? 200 : RETRY_MS);
	}

	/* True: there is its grid, or none any more: the others need not wait for it. */
	async ask(i) {
		const { id, parameters } = this.views[i];

		try {
			const grid = await api.grid(id, parameters);

			if (!this.closed)
				this.take(i, grid, "polling");
			return true;
		} catch (e) {
			if (!this.closed)
				this.lose(i, e);
			return this.views[i].gone;
		}
	}

	close() {
		this.closed = true;
		clearTimeout(this.timer);
		this.reading.abort();
		this.on = { grid() {}, state() {} };
	}
}
