/* marks.js - draws the marks over the cells: coverage, mean and percentile steps, the cursor.
 *
 *      not observed   blank with sparse hatching /      no source looked
 *      partly lost    dense hatching \ over the cells   part was lost
 *      in progress    a bar below and a veil            still counting
 *      zero           nothing at all                    nothing happened
 *
 * The hatching of running events lies between cells and marks: running.js.
 */
import { meanOf } from "../base/format.js";
import { gridEnd } from "../model/grid.js";
import { prepare, spanOf } from "./picture.js";

const BEHIND = 2;			/* columns a panel may be late by */
export const P99_EVENTS = 100;		/* a p99 of fewer events is just their maximum */

/* Told apart by their dashes, too; least: events of a column that a line takes. */
const STEPS = { mean: { least: 0, dash: [8, 2, 2, 2] }, p50: { least: 1, dash: [5, 2] }, p99: { least: P99_EVENTS, dash: [] } };

/** The value of a line's step in a column; null: the column has no value for it. */
export function stepOf(column, line) {
	if (!(column.count > 0) || column.count < STEPS[line].least || column.state === "in_progress")
		return null;
	return (line === "mean" ? meanOf(column) : column[line]) ?? null;
}

/* A tile is drawn once: to make a canvas takes longer than to paint with it. */
const tiles = new Map();

export function hatch(g, colour, size, rising, ratio) {
	const name = [colour, size, rising, ratio].join();

	if (!tiles.has(name))
		tiles.set(name, hatchTile(colour, Math.round(size * ratio), rising, ratio));
	return g.createPattern(tiles.get(name), "repeat");
}

function hatchTile(colour, n, rising, ratio) {
	const tile = document.createElement("canvas");
	const t = tile.getContext("2d");

	tile.width = tile.height = n;
	t.strokeStyle = colour;
	t.lineWidth = ratio;
	for (const shift of [-n, 0, n]) {
		t.beginPath();
		t.moveTo(shift, rising ? n : 0);
		t.lineTo(shift + n, rising ? 0 : n);
		t.stroke();
	}
	return tile;
}

/** Colours the style sheet gives to what is drawn on canvas. */
export function themeColours() {
	const style = getComputedStyle(document.documentElement);
	const of = (name) => style.getPropertyValue(`--${name}`).trim();

	return {
		hatch: of("hatch"), bars: of("bars"), accent: of("accent"), veil: of("veil"), casing: of("casing"),
		mean: of("mean"), p50: of("p50"), p99: of("p99"), cursor: of("ink"),
	};
}

/** The marks of a panel; lines: names of STEPS; cursor: {column, range} or null, range: [low, high) or null; threshold: a value or undefined. */
export function paintMarks(canvas, { grid, view, shade, cursor, lines, threshold, colours, ratio }) {
	const g = prepare(canvas, view, ratio);

	g.setTransform(ratio, 0, 0, ratio, 0, 0);
	g.clearRect(0, 0, view.width, view.height);
	paintCoverage(g, grid, view, shade, colours, ratio);
	for (const line of grid.weight ? [] : lines)
		paintSteps(g, grid, view, line, colours);
	if (threshold !== undefined)
		paintThreshold(g, grid, view, threshold, colours);
	if (cursor)
		paintCursor(g, grid, view, cursor, colours);
}

function paintCoverage(g, grid, view, shade, colours, ratio) {
	const unobserved = hatch(g, colours.hatch, 9, true, ratio);
	const partial = hatch(g, shade.partial, 5, false, ratio);
	const box = (from, to, style, top = 0, height = view.height) => {
		g.fillStyle = style;
		g.fillRect(view.x.x(from), top, view.x.x(to) - view.x.x(from), height);
	};
	/* Patterns tile in device pixels, whatever the transform. */
	for (const p of [unobserved, partial])
		p.setTransform(new DOMMatrix([1 / ratio, 0, 0, 1 / ratio, 0, 0]));

	const blank = (from, to) => {
		box(from, to, shade.unobserved);
		box(from, to, unobserved);
	};

	/* A panel whose stream fell behind must not look as if nothing had happened. */
	if (view.x.to - gridEnd(grid) > BEHIND * grid.column)
		blank(gridEnd(grid), view.x.to);
	grid.columns.forEach((column, i) => {
		const from = grid.from + i * grid.column, to = from + grid.column;

		if (column.state === "unobserved" || column.state === "dropped") {
			blank(from, to);
		} else if (column.state === "partial") {
			box(from, to, partial);
		} else if (column.state === "in_progress") {
			box(from, to, colours.veil);
			box(from, to, colours.accent, view.height - 2, 2);
		}
		for (let x = Math.ceil(view.x.x(from) / 4) * 4; column.sampled && x < view.x.x(to); x += 4) {
			g.fillStyle = colours.accent;
			g.fillRect(x, 0, 2, 2);
		}
	});
}

/** One step per column; the line breaks where it has none, and where the axis does not reach. */
function paintSteps(g, grid, view, which, colours) {
	const path = new Path2D();
	let open = false;

	grid.columns.forEach((column, i) => {
		const x = view.x.x(grid.from + i * grid.column), x2 = view.x.x(grid.from + (i + 1) * grid.column);

		const value = stepOf(column, which), at = value === null ? null : yOf(grid, view, value);

		if (at === null) {
			open = false;
			return;
		}
		const y = Math.min(Math.max(at, 1), view.height - 1);

		if (open)
			path.lineTo(x, y);
		else
			path.moveTo(x, y);
		path.lineTo(x2, y);
		open = true;
	});
	g.lineJoin = "miter";
	g.setLineDash([]);
	g.strokeStyle = colours.casing;
	g.lineWidth = 3;
	g.stroke(path);
	g.setLineDash(STEPS[which].dash);
	g.strokeStyle = colours[which];
	g.lineWidth = 1.25;
	g.stroke(path);
	g.setLineDash([]);
}

/** The y of a value, also in a strip; null: beyond the axis. */
function yOf(grid, view, value) {
	const { domain } = view.y;

	if (domain.under && grid.edge[0] === 0 && value < grid.edge[1])
		return view.y.bottom - 3;
	if ((value < domain.low && !domain.under) || (value > domain.high && !domain.over))
		return null;
	return Math.min(view.y.lower, Math.max(view.y.upper, view.y.y(value)));
}

function paintThreshold(g, grid, view, threshold, colours) {
	const y = yOf(grid, view, threshold);

	if (y === null)
		return;
	g.setLineDash([2, 3]);
	g.strokeStyle = colours.cursor;
	g.lineWidth = 1.5;
	g.beginPath();
	g.moveTo(0, y);
	g.lineTo(view.width, y);
	g.stroke();
	g.setLineDash([]);
}

function paintCursor(g, grid, view, cursor, colours) {
	const from = grid.from + cursor.column * grid.column;
	const x = view.x.x(from), w = Math.max(1, view.x.x(from + grid.column) - x);
	const span = cursor.range && spanOf(grid, view.y, cursor.range);

	g.strokeStyle = colours.cursor;
	g.lineWidth = 1;
	g.globalAlpha = 0.55;
	for (const at of [x - 0.5, x + w + 0.5]) {
		g.beginPath();
		g.moveTo(at, 0);
		g.lineTo(at, view.height);
		g.stroke();
	}
	g.globalAlpha = 1;
	if (!span)
		return;
	g.strokeStyle = colours.casing;
	g.lineWidth = 3;
	g.strokeRect(x - 1, span[0] - 1, w + 2, span[1] - span[0] + 2);
	g.strokeStyle = colours.cursor;
	g.lineWidth = 1.25;
	g.strokeRect(x - 1, span[0] - 1, w + 2, span[1] - span[0] + 2);
}
