/* session.js - holds the user's choices and the maps that show them on one time axis, and decides when they
 * request their data.
 *
 *      person -> set(), select(), point() ... -> session -> changed() -> views draw what is here
 *      server -> feed, lists -------------------^
 *
 *      state (the address) + instrumentations -> maps, one HeatMap per panel;  those of one instrumentation are a worksheet, too
 *
 * A hidden tab holds no connection; a view that stands still (end is not null) asks once.
 */
import * as api from "../net/api.js";
import { whereAll } from "./drill.js";
import { Exemplars } from "./exemplars.js";
import { Explain } from "./explain.js";
import { Feed } from "./feed.js";
import { gridEnd } from "./grid.js";
import { Hanging } from "./hanging.js";
import { Annotations } from "./annotations.js";
import { discreteFields, toggleKey } from "./keys.js";
import { Library } from "./library.js";
import { HeatMap } from "./map.js";
import { PartsMap } from "./parts.js";
import { CellKeys } from "./cell_keys.js";
import { Ranking } from "./ranking.js";
import { successorOf } from "./rectangle.js";
import { whenNeeded } from "../net/token.js";
import { freshState, chosenIn, readHash, writeHash, wrongTime } from "./state.js";
import { titleOf } from "../base/text.js";
import { bound, panelsOf, placed } from "./worksheet.js";
import { domainAt, moveTime, moveValues, timeOf, valuesOf, zoomTime, zoomValues } from "./zoom.js";

const LIST_MS = 5000;

/* Returns why an address cannot be shown, as an Error; null: it can be. */
function wrongIn(hash) {
	const text = wrongTime(hash, Date.now() / 1000);

	return text ? new Error(`The address: ${text}`) : null;
}

export class Session {
	constructor(changed) {
		this.changed = changed;
		this.scheme = matchMedia("(prefers-color-scheme: dark)");	/* the theme "auto" */
		this.state = readHash(location.hash);
		this.catalogue = null;
		this.instrumentations = null;
		this.unlisted = null;		/* why the last request for the lists failed */
		this.failed = null;		/* why the last request for a map of this view failed */
		this.refused = wrongIn(location.hash);	/* Error of the user's request; shown until something else is chosen */
		this.creating = false;		/* or what begins New: {from: instrumentation, where} */
		this.comparing = null;		/* {span, first}: the comparison is open, with this choice at first */
		this.flame = null;		/* the rectangle whose flame graph is shown */
		this.asking = null;		/* {why, answer(token or null)} while a person is asked */
		this.maps = [];			/* HeatMap, from top to bottom */
		this.focused = null;		/* the map whose instrumentation is looked at; null: the first */
		this.feed = null;		/* of all maps, while live */
		this.cursor = null;		/* {map, time, value} */
		this.axes = new Map();		/* a map's `axis` -> the y domain, kept so that it holds still */
		this.ranking = new Ranking(this);
		this.cellKeys = new CellKeys(this);
		this.explain = new Explain(this);
		this.annotations = new Annotations(this);
		this.library = new Library(this);
		this.exemplars = new Exemplars(this);
		this.hanging = new Hanging(this);
		this.epoch = 0;			/* of the view: replies for an older one are dropped */
	}

	start() {
		whenNeeded((why) => this.ask(why));
		addEventListener("hashchange", () => this.follow());
		document.addEventListener("visibilitychange", () => document.hidden ? this.stop() : this.resume());
		this.resume();
	}

	/* Resolves when the user has answered; the answer closes the dialogue. */
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
		clearTimeout(this.later);
		this.closeFeed();
		this.changed();
	}

	async resume() {
		clearInterval(this.timer);
		this.timer = setInterval(() => this.listing || this.refreshLists(), LIST_MS);
		await this.list();
		this.enter();
	}

	/* A link may name a worksheet instead of panels: what else it says is of that worksheet's maps. */
	enter() {
		if (this.state.sheet && !this.state.panels.length)
			this.library.open(this.state.sheet, { chosen: chosenIn(location.hash), push: false });
		else
			this.show();
	}

	/* The address was changed by hand, or by going back; it may name what was made a moment ago. */
	async follow() {
		if (writeHash(this.state) === (location.hash === "#" ? "" : location.hash))
			return;
		this.library.opening = null;
		await this.list();
		this.state = readHash(location.hash);
		this.refused = wrongIn(location.hash);
		this.enter();
	}

	/** Changes what a person chose; asks again for what depends on it. */
	set(change, push = false) {
		this.refused = null;
		this.state = { ...this.state, ...change };
		if ("duration" in change)
			this.state.end = this.endFor(this.state.end);
		this.record(push);
		const only = (...names) => Object.keys(change).every((name) => names.includes(name));

		if (only("view", "values", "threshold", "crop", "lines", "sort"))
			this.changed();
		else if (only("keys", "of") && !this.state.only)
			this.refreshOverlays();
		else if (only("by"))
			this.ranking.refresh();
		else if (only("panels", "inst", "sheet", "base"))
			this.arrange();
		else
			this.show();
	}

	/* Moves an end that lies after the present back to it: the last column of a paused view may end hours later. */
	endFor(end) {
		if (end === null || !this.shown.length)
			return end;
		return Math.min(end, Math.floor(Date.now() / 1000 / this.slot) * this.slot);
	}

	record(push) {
		history[push ? "pushState" : "replaceState"](null, "", writeHash(this.state) || location.pathname);
	}

	/** {code, message} of what fails now; null: nothing. */
	get error() {
		return this.unlisted ?? this.failed;
	}

	/* Requests the catalogue and the instrumentations; without an answer they stay as they were.  listing: while
	 * a poll has no answer yet, or waits for the token, no other poll begins. */
	async list() {
		this.listing = true;
		try {
			[this.catalogue, this.instrumentations] = await Promise.all([api.catalogue(), api.instrumentations(), this.library.refresh()]);
			this.unlisted = null;
		} catch (e) {
			this.unlisted = e;
		}
		this.listing = false;
	}

	/* Brings the maps up to date with the newest lists; if heatscoped is back, opens all again. */
	async refreshLists() {
		const away = this.unlisted?.code === "UNREACHABLE";

		await this.list();
		if (this.unlisted)
			return this.changed();
		if (away)
			this.enter();
		else
			this.arrange();
		this.annotations.refresh();
	}

	/** Gives a reply to take() if the view is still the one that requested it; shows a failure, and returns
	 * false.  If heatscoped is not reached, the feed says so, or fetch(). */
	async reply(asked, take) {
		const { epoch } = this;
		let done = true;

		try {
			const value = await asked;

			if (epoch === this.epoch)
				await take(value);
		} catch (e) {
			if (epoch === this.epoch && e.code !== "UNREACHABLE")
				this.failed = e;
			done = e.code !== "UNREACHABLE";
		}
		this.changed();
		return done;
	}

	/** Shows that the user's request failed; `failed` would be lost at the next column.  null: the user has read
	 * it. */
	refuse(why) {
		this.refused = why;
		this.changed();
	}

	/* ---- instrumentations ---- */

	select(id) {
		this.creating = false;
		this.library.opening = null;
		this.set(freshState(id), true);
	}

	/** A part of an instrumentation is to be made. */
	drill(from, where) {
		this.creating = { from, where: whereAll(from["predicate-text"], where) };
		this.changed();
	}

	/** Properties that are not given are those of `from`, if it has the same metric; null: the defaults. */
	async create(properties, from = null) {
		const same = from?.module === properties.module && from.stat === properties.stat;
		const made = await (same ? api.clone(from.id, { weights: [], exemplars: 0, ...properties.where ? {} : { predicate: {} }, ...properties })
			: api.create(properties));

		await this.refreshLists();
		this.select(made.id);
	}

	async remove(id) {
		await api.remove(id);
		this.closeFeed();
		if (!this.mixed)
			this.state = { ...this.state, ...freshState(null) };
		await this.refreshLists();
		this.set({});
	}

	/** The map that is looked at: the one which was focused last, or the first. */
	get current() {
		return this.shown.includes(this.focused) ? this.focused : this.shown[0];
	}

	/** Its instrumentation; null: there is none. */
	get inst() {
		return this.current?.inst ?? null;
	}

	/** Title and the name of what is counted, of the instrumentation that is looked at. */
	get title() {
		return this.inst ? titleOf(this.inst, this.catalogue) : "";
	}

	get unit() {
		return this.current?.counted ?? "events";
	}

	/** The things that all maps together count. */
	get counted() {
		return this.mixed ? "events" : this.unit;
	}

	focus(map) {
		const before = this.inst;

		this.focused = map;
		if (this.inst?.id === before?.id)
			return;
		this.ranking.clear();
		this.ranking.refresh();
		this.changed();
	}

	/* ---- maps ---- */

	/** The panels that the address names; else the default panels of its instrumentation, or of the first one. */
	get panels() {
		const { panels, sheet, inst } = this.state, all = this.instrumentations ?? [];
		const one = inst ? all.find((i) => i.id === inst) : all[0];

		return panels.length ? panels : one && !sheet ? panelsOf(one) : [];
	}

	/** Maps whose instrumentation is there. */
	get shown() {
		return this.maps.filter((map) => map.inst);
	}

	/** Are there maps of several instrumentations? */
	get mixed() {
		return this.shown.some((map) => map.inst.id !== this.shown[0].inst.id);
	}

	/** The maps' grids. */
	get grids() {
		return this.maps.map((map) => map.grid).filter(Boolean);
	}

	/* The maps that are asked for; one that is there already stays what it is.  True: others came or went. */
	lay() {
		const held = new Map(this.maps.map((map) => [map.id, map])), before = this.laid, all = this.instrumentations ?? [];
		const panels = bound(this.state.panels, all);

		if (panels !== this.state.panels) {
			this.state = { ...this.state, panels };
			this.record();
		}
		this.maps = placed(this.panels, all).map((place) => {
			const map = held.get(place.id) ?? new (place.panel.show === "parts" ? PartsMap : HeatMap)(this, place);

			map.place(place);
			return map;
		});
		this.laid = this.maps.map((map) => `${map.id} ${Boolean(map.inst)} ${map.panel.y}`).sort().join();
		return this.laid !== before;
	}

	/** Other panels, as worksheet.js makes them of these. */
	arrangeAs(panels) {
		this.set({ panels, inst: null, base: null });
	}

	/* Panels came, went or moved. */
	arrange() {
		if (!this.lay())
			return this.changed();
		this.epoch++;
		this.settle();
		this.open(this.shown.filter((map) => !map.grid));
	}

	/* Forgets what belongs to maps that are no longer shown, or to another time. */
	settle() {
		const { shown } = this;

		this.axes.clear();
		if (!shown.includes(this.cursor?.map))
			this.cursor = null;
		if (!shown.includes(this.cellKeys.cell?.map))
			this.cellKeys.cell = null;
		if (!shown.includes(this.flame?.map))
			this.flame = null;
		if (!shown.includes(this.exemplars.chosen?.map))
			this.exemplars.chosen = null;
		if (!shown.includes(this.hanging.map))
			this.hanging.clear();
		this.settleRectangle();
		if (this.ranking.inst !== this.inst?.id)
			this.ranking.clear();
	}

	/* Time and values are the page's: of another instrumentation the same are explained.  Where its map alone was taken away it goes with it. */
	settleRectangle() {
		const { shown, catalogue, explain: { rectangle } } = this, { map } = rectangle ?? {};

		if (!map || shown.includes(map))
			return;
		const alone = !map.inst || shown.some((other) => other.inst.id === map.inst.id);

		this.explain.move(alone ? undefined : successorOf(map, shown, catalogue));
	}

	/** Opens the view again. */
	show() {
		const before = this.duration;

		this.epoch++;
		this.duration = this.state.duration;
		if (this.duration !== before) {
			this.maps.forEach((map) => map.clear());
			this.ranking.clear();
			this.cursor = this.cellKeys.cell = null;
		}
		if (this.lay() || this.duration !== before)
			this.settle();
		for (const map of this.maps) {
			map.linked = null;
			map.overlays.clear();
		}
		this.open(this.shown);
	}

	/* Live, one feed is for all maps; a view that stands still asks for those given. */
	open(maps) {
		this.closeFeed();
		this.failed = null;
		this.listed = 0;		/* of a new map nothing is listed yet */
		if (document.hidden)
			return this.changed();
		if (!this.live)
			this.fetch(maps);
		else if (this.shown.length)
			this.follows(this.shown);
		this.changed();
	}

	/* Requests the grids once, for a view that stands still.  It has no feed, so this function says if heatscoped
	 * cannot be reached, and asks again. */
	async fetch(maps) {
		const { epoch } = this, got = await Promise.all(maps.map((map) => map.fetch()));
		const lacking = maps.filter((map, i) => !got[i]);

		if (epoch !== this.epoch || this.live || document.hidden)
			return;
		if (lacking.length) {
			this.failed = new api.ApiError("UNREACHABLE", "heatscoped does not answer");
			this.later = setTimeout(() => epoch === this.epoch && this.fetch(lacking), LIST_MS);
		} else if (this.failed?.code === "UNREACHABLE") {
			this.failed = null;
		}
		this.changed();
	}

	follows(maps) {
		const views = maps.flatMap((map) => map.views.map(({ end_time, ...parameters }, i) => ({ map, i, id: map.inst.id, parameters })));

		this.feed = new Feed(views.map(({ id, parameters }) => ({ id, parameters })), {
			grid: (at, grid) => views[at].map.take(grid, views[at].i),
			state: (at, state, why) => {
				views[at].map.linked = state;
				if (state === "lost")
					this.failed = why;
				else if (state !== "connecting")
					this.failed = null;
				this.changed();
			},
		});
	}

	closeFeed() {
		this.feed?.close();
		this.feed = null;
	}

	/* A map has another grid. */
	took() {
		this.changed();
		clearTimeout(this.soon);
		this.soon = setTimeout(() => {
			if (this.state.keys.some(Boolean))
				this.refreshOverlays();
			this.keepUp();
			this.hanging.keepUp();
			this.annotations.keepUp();
		}, 150);
	}

	/* The lists: at once where there is none, else less often for longer durations. */
	keepUp() {
		const every = Math.min(30000, Math.max(2000, this.state.duration * 1000 / 60));

		if (Date.now() - this.listed < (this.ranking.rows ? every : 2000) - 200)	/* also of what was refused */
			return;
		this.listed = Date.now();
		this.ranking.refresh();
		this.exemplars.refresh();
	}

	get dark() {
		return this.state.theme === "dark" || (this.state.theme === "auto" && this.scheme.matches);
	}

	/* ---- keys and the cursor ---- */

	/* The fields of the highlighted keys. */
	get keyFields() {
		return this.state.of ?? this.fieldsOf(this.shown[0]?.inst);
	}

	fieldsOf(inst) {
		return inst ? discreteFields(inst, this.catalogue).join() : "";
	}

	/** Highlighted keys that an instrumentation can have: a key is one wherever the same fields are kept apart. */
	selectedOf(inst) {
		return this.fieldsOf(inst) === this.keyFields ? this.state.keys.filter(Boolean) : [];
	}

	toggle(key, alone) {
		const before = this.fieldsOf(this.inst) === this.keyFields ? this.state.keys : [];

		this.highlight(toggleKey(before, key, alone));
	}

	/** Keys of the instrumentation that is looked at. */
	highlight(keys, more = {}) {
		const of = this.fieldsOf(this.inst);

		this.set({ keys, of: of === this.fieldsOf(this.shown[0].inst) ? null : of, ...more });
	}

	async refreshOverlays() {
		this.changed();
		await Promise.all(this.shown.map((map) => map.refreshOverlays()));
		this.changed();
	}

	point(cursor) {
		this.cursor = cursor;
		this.changed();
	}

	/* ---- time and values ---- */

	get live() {
		return this.state.end === null;
	}

	/** The time shown, the same for every map: {start, duration}; null before the first grid. */
	get span() {
		const { grids } = this;

		if (!grids.length)
			return null;
		const end = Math.max(...grids.map(gridEnd));
		const duration = Math.max(...grids.map((grid) => grid.ncols * grid.column));

		return { start: end - duration, duration };
	}

	/* Times are whole slots of all maps. */
	get slot() {
		return Math.max(...this.shown.map((map) => map.inst.granularity));
	}

	/** Stands still at what is shown, or follows again. */
	pause() {
		this.set({ end: this.live ? this.span && this.span.start + this.span.duration : null });
	}

	/** The range so that a time is in its middle; where that would reach beyond now, it stands still at now. */
	goTo(time) {
		const now = Date.now() / 1000, end = Math.min(time + this.state.duration / 2, now);

		this.set({ end: Math.floor(end / this.slot) * this.slot }, true);
	}

	/** To a rectangle's time and values; the way back is the browser's. */
	zoomTo({ map, ...rectangle }) {
		const time = timeOf(rectangle, this.span.start + this.span.duration, this.slot);
		const used = this.axes.get(map.axis);

		if (!used)		/* of a range without an event there is no axis */
			return this.set(time, true);
		const { low, high } = valuesOf(rectangle, used);

		return this.set({ ...time, values: { unit: map.unit, low, high } }, true);
	}

	/** A live view stays live, and its end where it is. */
	zoomTime(factor, at) {
		if (!this.span)
			return;
		const { duration, end } = zoomTime(this.span, factor, at, this.slot), { cursor } = this;

		this.set(this.live ? { duration } : { duration, end });
		this.cursor = cursor;
	}

	/** The value axis of a map, where a person has chosen its ends; else null. */
	endsOf({ axis, unit }) {
		const used = this.axes.get(axis), { values } = this.state;

		return used && values?.unit === unit ? domainAt(used, values) : null;
	}

	zoomValues(map, factor, at) {
		const used = this.axes.get(map.axis);

		if (used)
			this.reach(map, zoomValues(this.endsOf(map) ?? used, used, factor, at));
	}

	/** The axis reaches these values; where they are all there is not kept. */
	reach(map, values) {
		const used = this.axes.get(map.axis), { low, high } = valuesOf(values, used);

		this.set({ values: low <= used.low && high >= used.high ? null : { unit: map.unit, low, high } });
	}

	moveValues(map, part) {
		const ends = this.endsOf(map);

		if (ends)
			this.reach(map, moveValues(ends, this.axes.get(map.axis), part));
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

	/** Moves the view by a part of its duration; it then stands still, or, where it reaches now, follows again. */
	move(part) {
		const { span, state: { end, duration } } = this;
		const to = span && moveTime(end ?? span.start + span.duration, part * duration, this.slot, Date.now() / 1000);

		if (span && to !== end)
			this.set({ end: to });
	}
}
