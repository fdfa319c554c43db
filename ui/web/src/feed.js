/* feed.js - one measure's grid, kept up to date: by server-sent events, or by asking where those fail.
 *
 *      stream: grid, column, column, shade, ...  ->  on.grid(grid), one per change
 *      states: "connecting" -> "live" | "polling" | "lost"     (on.state(state, why))
 */
import * as api from "./api.js";
import { applyColumn, fitsRows } from "./grid.js";

const RETRY_MS = 3000;

export class Feed {
	/** @param {{grid: Function, column: Function, state: Function}} on */
	constructor(id, parameters, on) {
		this.id = id;
		this.parameters = parameters;
		this.on = on;
		this.grid = null;
		this.open();
	}

	open() {
		const reading = this.reading = new AbortController();
		const failed = () => reading.signal.aborted || this.failed();

		this.on.state("connecting");
		api.stream(this.id, this.parameters, reading.signal, (type, data) =>
			reading.signal.aborted || this.event(type, JSON.parse(data))).then(failed, failed);
	}

	event(type, data) {
		if (type === "grid")
			this.take(data);
		else if (type === "column" && this.grid && !fitsRows(this.grid, data.column))
			this.reopen();
		else if (type === "column" && this.grid)
			this.take(applyColumn(this.grid, data.from, data.column));
		else if (type === "shade" && this.grid)
			this.take({ ...this.grid, shade: { ...this.grid.shade, levels: data.levels } });
	}

	/* A value beyond the rows of the grid: the next one has them. */
	reopen() {
		this.reading.abort();
		this.open();
	}

	take(grid) {
		this.grid = grid;
		this.on.state("live");
		this.on.grid(grid);
	}

	/* A stream may break for many reasons; the grid tells, and serves in its stead. */
	failed() {
		clearTimeout(this.timer);
		this.timer = setTimeout(() => this.poll(0), 500);
	}

	async poll(round) {
		let next = () => this.poll(round + 1);

		try {
			const grid = await api.grid(this.id, this.parameters);

			if (this.closed)
				return;
			this.grid = grid;
			this.on.state("polling");
			this.on.grid(grid);
			if (round % 5 === 1)
				next = () => this.open();
		} catch (e) {
			if (this.closed)
				return;
			this.on.state("lost", e);
			if (e.code === "ECA_NOENT")
				return;
		}
		this.timer = setTimeout(next, this.grid && round === 0 ? 200 : RETRY_MS);
	}

	close() {
		this.closed = true;
		clearTimeout(this.timer);
		this.reading.abort();
		this.on = { grid() {}, state() {} };
	}
}
