/* session.js - the page's state and the only place that talks to the server on its behalf.
 *
 *      person -> set(), select(), point() ... -> session -> changed() -> views draw what is here
 *      server -> feeds, lists ------------------^
 *
 * A hidden tab holds no connection; a view that stands still (end is not null) asks once.
 */
import * as api from "./api.js";
import { Explain } from "./explain.js";
import { Feed } from "./feed.js";
import { cellCount, columnAt, gridEnd, mergeGrid, rowAt, rowRange, runningAt } from "./grid.js";
import { presentRows, toggleKey, withOnCpu } from "./keys.js";
import { whenNeeded } from "./token.js";
import { anew, columnsFor, panelsOf, readHash, weightOf, writeHash } from "./state.js";
import { domainAt, timeOf, valuesOf, zoomTime, zoomValues } from "./zoom.js";

const LIST_MS = 5000;

export class Session {
	constructor(changed) {
		this.changed = changed;
		this.state = readHash(location.hash);
		this.catalogue = null;
		this.instrumentations = null;
		this.inst = null;
		this.error = null;		/* {code, message} of the newest failure that still holds */
		this.creating = false;
		this.asking = null;		/* {why, answer(token or null)} while a person is asked */
		this.feeds = new Map();		/* measure -> Feed, while live */
		this.grids = new Map();		/* measure -> Grid */
		this.linked = new Map();	/* measure -> state of its feed */
		this.overlays = new Map();	/* key -> Map(measure -> Grid) */
		this.summaries = new Map();	/* measure -> summary of the view */
		this.rows = null;		/* the key list */
		this.lowerBound = false;
		this.cursor = null;		/* {measure, time, value} */
		this.picked = null;		/* {measure, time, low, high, rows, total} of a clicked cell */
		this.explain = new Explain(this);
		this.axes = new Map();		/* unit -> the y domain, kept so that it holds still */
		this.epoch = 0;			/* of the view: replies for an older one are dropped */
	}

	start() {
		whenNeeded((why) => this.ask(why));
		addEventListener("hashchange", () => this.follow());
		document.addEventListener("visibilitychange", () => document.hidden ? this.stop() : this.resume());
		this.resume();
	}

	/* Until the person has answered; the answer closes the dialogue. */
	ask(why) {
		return new Promise((done) => {
			this.asking = { why, answer: (token) => {
				this.asking = null;
				this.changed();
				done(token);
			} };
			this.changed();
		});
	}

	stop() {
		clearInterval(this.timer);
		this.closeFeeds();
		this.changed();
	}

	async resume() {
		clearInterval(this.timer);
		this.timer = setInterval(() => this.refreshLists(), LIST_MS);
		this.inst = null;		/* whatever is found is opened anew */
		await this.refreshLists();
	}

	/* The address was changed by hand, or by going back. */
	follow() {
		if (writeHash(this.state) === (location.hash === "#" ? "" : location.hash))
			return;
		this.state = readHash(location.hash);
		this.inst = null;
		this.choose();
		this.show();
	}

	/** Changes what a person chose; asks again for what depends on it. */
	set(change, push = false) {
		const before = this.state;

		this.state = { ...before, ...change };
		const hash = writeHash(this.state);
		history[push ? "pushState" : "replaceState"](null, "", hash || location.pathname);
		const only = (...names) => Object.keys(change).every((name) => names.includes(name));

		if (only("view", "values", "threshold"))
			this.changed();
		else if (only("keys"))
			this.refreshOverlays();
		else if (only("by"))
			this.refreshKeys();
		else
			this.show();
	}

	async refreshLists() {
		try {
			[this.catalogue, this.instrumentations] = await Promise.all([api.catalogue(), api.instrumentations()]);
			const back = this.error?.code === "UNREACHABLE";

			if (back)
				this.error = null;
			if (this.choose() || back)
				this.show();
		} catch (e) {
			this.error = e;
		}
		this.changed();
	}

	/* The instrumentation of the address, or the first; its newest description.  True: another one. */
	choose() {
		const all = this.instrumentations ?? [];
		const wanted = this.state.inst ?? all[0]?.id;
		const before = this.inst?.id;

		this.inst = all.find((i) => i.id === wanted) ?? null;
		return this.inst?.id !== before;
	}

	select(id) {
		this.inst = this.instrumentations.find((i) => i.id === id) ?? null;
		this.creating = false;
		this.set(anew(id), true);
	}

	async create(properties) {
		const made = await api.create(properties);

		await this.refreshLists();
		this.select(made.id);
	}

	async remove(id) {
		await api.remove(id);
		this.state = { ...this.state, inst: null };
		this.closeFeeds();
		this.inst = null;
		this.clear();
		await this.refreshLists();
		this.set(anew(this.inst?.id ?? null));
	}

	get measures() {
		return this.inst ? panelsOf(this.state, this.inst) : [];
	}

	get dark() {
		return this.state.theme === "dark" ||
			(this.state.theme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
	}

	get live() {
		return this.state.end === null;
	}

	/** The time shown, the same for every panel: {start, duration}; null before the first grid. */
	get span() {
		const shown = this.measures.map((m) => this.grids.get(m)).filter(Boolean);

		if (!shown.length)
			return null;
		const end = Math.max(...shown.map(gridEnd));
		const length = shown[0].ncols * shown[0].column;

		return { start: end - length, duration: length };
	}

	/** What to ask for; null leaves it to the server, which knows the unit. */
	get yscale() {
		return this.state.y === "auto" ? null : this.state.y;
	}

	parameters(measure) {
		return {
			measure,
			weight: weightOf(this.state, this.inst, measure),
			duration: this.state.duration,
			ncols: columnsFor(this.state.duration, this.inst.granularity),
			transfer: this.state.transfer,
			yscale: this.yscale,
			theme: this.dark ? "dark" : "light",
			end_time: this.state.end,
		};
	}

	clear() {
		this.grids.clear();
		this.linked.clear();
		this.overlays.clear();
		this.summaries.clear();
		this.rows = null;
		this.picked = null;
		this.cursor = null;
		this.axes.clear();
	}

	closeFeeds() {
		for (const feed of this.feeds.values())
			feed.close();
		this.feeds.clear();
	}

	/** Opens the view anew. */
	show() {
		const epoch = ++this.epoch;
		const key = this.inst && [this.inst.id, this.measures, this.state.duration, this.state.weight].join();

		this.closeFeeds();
		this.linked.clear();
		if (key !== this.shown)
			this.clear();
		this.shown = key;
		if (this.inst?.id !== this.explain.of)
			this.explain.forget();
		this.overlays.clear();
		this.listed = 0;
		if (this.error && this.error.code !== "UNREACHABLE")
			this.error = null;
		if (this.inst && !document.hidden)
			for (const measure of this.measures)
				this.live ? this.follows(measure, epoch) : this.fetches(measure, epoch);
		this.changed();
	}

	follows(measure, epoch) {
		const { end_time, ...parameters } = this.parameters(measure);

		this.feeds.set(measure, new Feed(this.inst.id, parameters, {
			grid: (grid) => epoch === this.epoch && this.took(measure, grid),
			state: (state, why) => {
				if (epoch !== this.epoch)
					return;
				this.linked.set(measure, state);
				if (state === "lost")
					this.error = why;
				else if (state !== "connecting")
					this.error = null;
				this.changed();
			},
		}));
	}

	async fetches(measure, epoch) {
		try {
			const grid = await api.grid(this.inst.id, this.parameters(measure));

			if (epoch === this.epoch)
				this.took(measure, grid);
		} catch (e) {
			if (epoch === this.epoch) {
				this.error = e;
				this.changed();
			}
		}
	}

	took(measure, grid) {
		this.grids.set(measure, grid);
		this.changed();
		clearTimeout(this.soon);
		this.soon = setTimeout(() => this.behind(), 150);
	}

	/* What follows the grids: highlighted keys at once, the lists less often for longer durations. */
	behind() {
		const every = Math.min(30000, Math.max(2000, this.state.duration * 1000 / 60));

		this.refreshOverlays();
		if (Date.now() - (this.listed ?? 0) >= every - 200) {
			this.listed = Date.now();
			this.refreshKeys();
		}
	}

	async refreshKeys() {
		const epoch = this.epoch, span = this.span, { inst } = this;

		if (!inst || !span)
			return;
		const ask = (measure) => api.keys(inst.id, span, { measure, by: this.state.by });
		const whole = (measure) => api.grid(inst.id, {
			measure, start_time: span.start, duration: span.duration, ncols: 1, row_bits: 0 });
		const of = inst.measures.includes("latency") ? "latency" : this.measures[0];
		const both = of === "latency" && inst.measures.includes("cputime");

		try {
			const [list, on, ...grids] = await Promise.all(
				[ask(of), both ? ask("cputime") : null, ...this.measures.map(whole)]);

			if (epoch !== this.epoch)
				return;
			this.rows = withOnCpu(list.keys, list.keys, on?.keys);
			this.rowsOf = of;
			this.lowerBound = Boolean(list.lower_bound);
			this.measures.forEach((measure, i) => this.summaries.set(measure, grids[i].summary));
		} catch (e) {
			if (epoch === this.epoch && e.code !== "UNREACHABLE")
				this.error = e;
		}
		this.changed();
	}

	toggle(key, alone) {
		this.set({ keys: toggleKey(this.state.keys, key, alone) });
	}

	/* A highlighted key has grids of its own; only their newest columns are asked for again. */
	async refreshOverlays() {
		const epoch = this.epoch, wanted = this.selected, jobs = [];

		for (const key of this.overlays.keys())
			if (!wanted.includes(key))
				this.overlays.delete(key);
		for (const key of wanted) {
			if (!this.overlays.has(key))
				this.overlays.set(key, new Map());
			for (const measure of this.measures)
				jobs.push(this.refreshOverlay(key, measure, epoch));
		}
		this.changed();
		await Promise.all(jobs);
		this.changed();
	}

	async refreshOverlay(key, measure, epoch) {
		const total = this.grids.get(measure), held = this.overlays.get(key).get(measure);

		if (!total)
			return;
		const fits = held && held.column === total.column && gridEnd(held) > total.from;
		const from = fits ? Math.max(total.from, gridEnd(held) - 2 * total.column) : total.from;
		const ncols = Math.round((gridEnd(total) - from) / total.column);

		try {
			const part = await api.grid(this.inst.id, {
				...this.parameters(measure), end_time: null, selected: api.keyList([key]),
				start_time: from, duration: ncols * total.column, ncols,
			});

			if (epoch !== this.epoch || !this.overlays.has(key))
				return;
			const grid = fits ? mergeGrid(held, part) : part;
			this.overlays.get(key).set(measure, grid);
			if (!grid)
				await this.refreshOverlay(key, measure, epoch);
		} catch (e) {
			if (epoch === this.epoch && e.code !== "UNREACHABLE")
				this.error = e;
		}
	}

	/** Highlighted keys. */
	get selected() {
		return this.state.keys.filter(Boolean);
	}

	/** Highlighted keys of a panel, as picture.js wants them. */
	highlights(measure, hueOf) {
		return this.selected.map((key) => ({
			key, hue: hueOf(this.state.keys, key), grid: this.overlays.get(key)?.get(measure) ?? null,
		}));
	}

	point(cursor) {
		this.cursor = cursor;
		this.changed();
	}

	/** The cursor, where its value is one of that unit; else null. */
	cursorOf(unit) {
		return this.cursor && this.grids.get(this.cursor.measure)?.unit === unit ? this.cursor : null;
	}

	/** What the cursor points at in a panel: {grid, i, column, row, n, running, range} or null; range: of the row, or of what runs. */
	pointed(measure) {
		const grid = this.grids.get(measure);
		const i = grid && this.cursor ? columnAt(grid, this.cursor.time) : -1;

		if (i < 0)
			return null;
		const alike = this.cursorOf(grid.unit) !== null;
		const row = alike ? rowAt(grid, this.cursor.value) : -1;
		const column = grid.columns[i];
		const running = alike ? runningAt(column, this.cursor.value) : undefined;

		return {
			grid, i, column, row, running, n: row < 0 ? 0 : cellCount(column, row),
			range: row < 0 ? running?.slice(0, 2) ?? null : rowRange(grid, row),
		};
	}

	/** Lists the keys of the cell under the cursor. */
	async pick() {
		const measure = this.cursor?.measure, at = measure && this.pointed(measure);

		if (!at || at.row < 0 || !at.n) {
			this.picked = null;
			this.changed();
			return;
		}
		const { grid, i, row, column } = at;
		const span = { start: grid.from + i * grid.column, duration: grid.column };
		const low = grid.edge[row], high = grid.edge[row + 1];
		const cell = { measure, ...span, low, high, unit: grid.unit, weight: grid.weight, slot: grid.slot, rows: null, total: at.n };

		this.picked = cell;
		this.changed();
		try {
			const { present, total } = await api.cell(this.inst.id, measure, span, low, high ?? column.max + 1, grid.weight);

			if (this.picked === cell)
				this.picked = { ...cell, rows: presentRows(present), total };
		} catch (e) {
			if (this.picked === cell)
				this.picked = { ...cell, rows: [], problem: e.message };
		}
		this.changed();
	}

	unpick() {
		this.picked = null;
		this.changed();
	}

	/** Stands still at what is shown, or follows again. */
	pause() {
		this.set({ end: this.live ? this.span && this.span.start + this.span.duration : null });
	}

	/** To a rectangle's time and values; the way back is the browser's. */
	zoomTo(rectangle) {
		const { unit } = this.grids.get(rectangle.measure), { low, high } = valuesOf(rectangle, this.axes.get(unit));
		const time = timeOf(rectangle, this.span.start + this.span.duration, this.inst.granularity);

		this.set({ ...time, values: { unit, low, high } }, true);
	}

	/** A live view stays live, and its end where it is. */
	zoomTime(factor, at) {
		if (!this.span)
			return;
		const { duration, end } = zoomTime(this.span, factor, at, this.inst.granularity), { cursor } = this;

		this.set(this.live ? { duration } : { duration, end });
		this.cursor = cursor;
	}

	zoomValues(unit, factor, at) {
		const used = this.axes.get(unit), { values } = this.state;

		if (!used)
			return;
		const now = values?.unit === unit ? domainAt(used, values) : used;
		const { low, high } = zoomValues(now, used, factor, at);

		this.set({ values: low <= used.low && high >= used.high ? null : { unit, low, high } });
	}

	/** A line there; where it is already it is taken away. */
	setThreshold(unit, value) {
		const { threshold } = this.state;

		this.set({ threshold: value > 0 && (threshold?.unit !== unit || threshold.value !== value) ? { unit, value } : null });
	}

	/** The value axis is what is shown, and no more. */
	fit() {
		this.axes.clear();
		this.set({ values: null });
	}

	/** Moves the view by a part of its duration; it then stands still. */
	move(part) {
		if (!this.span)
			return;
		const end = this.span.start + this.span.duration + part * this.state.duration;

		this.set({ end: Math.round(end / this.inst.granularity) * this.inst.granularity });
	}
}
