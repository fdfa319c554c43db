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
		this.on.state("connecting");
		this.source = new EventSource(api.streamUrl(this.id, this.parameters));
		this.source.addEventListener("grid", (e) => this.take(JSON.parse(e.data)));
		this.source.addEventListener("column", (e) => {
			const { from, column } = JSON.parse(e.data);

			if (this.grid && !fitsRows(this.grid, column))
				this.reopen();
			else if (this.grid)
				this.take(applyColumn(this.grid, from, column));
		});
		this.source.addEventListener("shade", (e) => {
			const { levels } = JSON.parse(e.data);

			if (this.grid)
				this.take({ ...this.grid, shade: { ...this.grid.shade, levels } });
		});
		this.source.onerror = () => this.failed();
	}

	/* A value beyond the rows of the grid: the next one has them. */
	reopen() {
		this.source.close();
		this.open();
	}

	take(grid) {
		this.grid = grid;
		this.on.state("live");
		this.on.grid(grid);
	}

	/* The browser does not say why a stream broke; the grid tells, and serves in its stead. */
	failed() {
		this.source.close();
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
		this.source.close();
		this.on = { grid() {}, state() {} };
	}
}
