/* map.js - holds the data of one map of the page: its grid, the grids of highlighted keys, its summary.
 *
 *      session.feed, or asking once -> take(grid) -> grid, in a while overlays and summary
 */
import * as api from "../net/api.js";
import { cellCount, columnAt, gridEnd, mergeGrid, rowAt, rowRange, runningAt } from "./grid.js";
import { hueOf } from "./keys.js";
import { columnsFor, keptColumns, keptOf, keptSpan } from "./state.js";
import { fieldOf, metricOf, subjectOf } from "../base/text.js";

export class HeatMap {
	/** id: its own, as worksheet.js gives it; inst: null where it is not there. */
	constructor(session, { id, panel, inst }) {
		this.session = session;
		this.id = id;
		this.place({ panel, inst });
		this.clear();
	}

	/** The newest of its panel and instrumentation; of one that is gone nothing is shown any more. */
	place({ panel, inst }) {
		const other = this.panel && panel.y !== this.panel.y;	/* its rows have other colours then */

		this.panel = panel;
		this.inst = inst;
		if (!inst || other)
			this.clear();
	}

	clear() {
		this.grid = null;
		this.linked = null;		/* state of its feed; null while it stands still */
		this.overlays = new Map();	/* key -> Grid */
		this.summary = null;		/* of the view */
	}

	get measure() {
		return this.panel.measure;
	}

	get unit() {
		return this.grid?.unit;
	}

	/** Is its value axis logarithmic or linear?  As the panel says, else as all are; null: as the server has it for the unit. */
	get yscale() {
		const y = this.panel.y ?? this.session.state.y;

		return y === "auto" ? null : y;
	}

	/** Maps in which this is the same have one value axis. */
	get axis() {
		return `${this.unit} ${this.yscale ?? this.grid?.shade?.yscale}`;
	}

	/** Maps of a kind have cells that are alike: counts of the same events, or sums of the same weight, on the same scale; means of
	 *  what was so at a time are another kind. */
	get kind() {
		return [this.unit, this.inst?.id, this.grid?.scope, this.grid?.weight, this.grid?.shade?.yscale].join(" ");
	}

	get label() {
		return this.nameOf(this.measure);
	}

	nameOf(field) {
		return fieldOf(this.session.catalogue, this.inst, field)?.label ?? field;
	}

	/** The things that it counts. */
	get counted() {
		return (this.inst && metricOf(this.inst, this.session.catalogue)?.unit) || "events";
	}

	/** Its subject, if maps of other instrumentations are shown; else "". */
	get subject() {
		return subjectOf(this);
	}

	/** A title that distinguishes it from the other maps: several may show one measure and add up different
	 * weights. */
	get title() {
		const { weight, y } = this.panel;

		return [this.label, weight && `sums of ${this.nameOf(weight)}`, y && `${y} axis`, this.subject].filter(Boolean).join(", ");
	}

	/** The parameters of its request. */
	get parameters() {
		const { session, inst, panel } = this, { duration, transfer, weights, palette, end } = session.state;

		return {
			measure: panel.measure,
			weight: panel.weight,
			duration: Math.min(duration, keptOf(inst)),
			ncols: columnsFor(Math.min(duration, keptOf(inst)), inst.granularity),
			transfer,
			weights: panel.weight ? null : weights,		/* sums of a weight show how much by themselves */
			palette,
			yscale: this.yscale,
			theme: session.dark ? "dark" : "light",
			end_time: end,
			...this.narrowed,
		};
	}

	/** The keys to request: only the highlighted ones, or all except these, if the user wants that. */
	get narrowed() {
		const { only } = this.session.state, keys = only ? this.selected : [];

		return keys.length ? { selected: api.keyList(keys), ...only === "exclude" ? { exclude: true } : {} } : {};
	}

	/** The same for what asks of highlighted keys anyway. */
	get asked() {
		return { selected: api.keyList(this.selected), ...this.narrowed };
	}

	/** The grids that its feed requests, as parameters of each. */
	get views() {
		return [this.parameters];
	}

	/** i: of which view. */
	take(grid, i = 0) {
		this.grid = grid;
		this.session.took();
	}

	/** Requests the grids once, for a view that stands still; false: no answer. */
	async fetch() {
		const got = await Promise.all(this.views.map((view, i) => this.session.reply(api.grid(this.inst.id, view), (grid) => this.take(grid, i))));

		return got.every(Boolean);
	}

	async refreshSummary(all) {
		const span = keptSpan(all, this.inst);

		await this.session.reply(api.grid(this.inst.id, { measure: this.measure, start_time: span.start, duration: span.duration,
			ncols: 1, row_bits: 0 }), ({ summary }) => { this.summary = summary; });
	}

	/** The highlighted keys that its instrumentation can have. */
	get selected() {
		return this.inst ? this.session.selectedOf(this.inst) : [];
	}

	/* The keys that are shown in their hue. */
	get coloured() {
		return this.session.state.only === "exclude" ? [] : this.selected;
	}

	/** A highlighted key has a grid of its own; only its newest columns are asked for again. */
	async refreshOverlays() {
		for (const key of this.overlays.keys())
			if (!this.coloured.includes(key))
				this.overlays.delete(key);
		await Promise.all(this.coloured.map((key) => this.refreshOverlay(key)));
	}

	async refreshOverlay(key) {
		const total = this.grid, held = this.overlays.get(key);

		if (!total)
			return;
		const fits = held && held.column === total.column && gridEnd(held) > total.from;
		const kept = keptColumns(total, this.inst);
		const from = fits ? Math.max(kept.from, gridEnd(held) - 2 * total.column) : kept.from;
		const ncols = Math.round((gridEnd(total) - from) / total.column);

		await this.session.reply(api.grid(this.inst.id, {
			...this.parameters, end_time: null, exclude: null, selected: api.keyList([key]), start_time: from, duration: ncols * total.column, ncols,
		}), async (part) => {
			const grid = fits ? mergeGrid(held, part) : part;

			if (!this.coloured.includes(key))
				return;
			this.overlays.delete(key);
			if (grid)
				this.overlays.set(key, grid);
			else
				await this.refreshOverlay(key);
		});
	}

	/** Highlighted keys, as picture.js wants them. */
	get highlights() {
		return this.coloured.map((key) => ({ key, hue: hueOf(this.session.state.keys, key), grid: this.overlays.get(key) ?? null }));
	}

	/** Do the colours show how much, and not how many?  Those of sums do so by themselves. */
	get weighted() {
		return this.session.state.weights === "weight" && Boolean(this.grid) && !this.grid.weight;
	}

	/** Lines over the cells: of sums, and of highlighted keys, there are none. */
	get lines() {
		return this.grid?.weight || this.highlights.length ? [] : this.session.state.lines;
	}

	/** The cursor, where its value is one of this unit; else null. */
	get cursor() {
		const { cursor } = this.session;

		return cursor && this.grid && cursor.map.unit === this.unit ? cursor : null;
	}

	/** The place of the cursor: {grid, i, column, row, n, running, range} or null; range: the row's or the
	 * running event's. */
	get pointed() {
		const { grid } = this, { cursor } = this.session;
		const i = grid && cursor ? columnAt(grid, cursor.time) : -1;

		if (i < 0)
			return null;
		const column = grid.columns[i];
		const row = this.cursor ? rowAt(grid, cursor.value) : -1;
		const running = this.cursor ? runningAt(column, cursor.value) : undefined;

		return {
			grid, i, column, row, running, n: row < 0 ? 0 : cellCount(column, row),
			range: row < 0 ? running?.slice(0, 2) ?? null : rowRange(grid, row),
		};
	}
}
