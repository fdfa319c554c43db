/* picture.js - paints a grid's cells on a canvas, snapped to device pixels.
 *
 *      column -> a strip of levels, kept -> levels of all pixels -> colours;  highlighted keys over them
 *
 * A live map changes by a column a second: only that column's strip is drawn again, and the rest is copied.
 */
import { isOverflow, isUnderflow, rowMap, rowRange } from "../model/grid.js";
import { levelIndex, rowScale, shareOf } from "../model/shade.js";
import { STRIP } from "../base/axis.js";

/**
 * @typedef {Object} View   what a panel is drawn with; CSS pixels
 * @property {number} width
 * @property {number} height
 * @property {ReturnType<import("./axis.js").timeAxis>} x
 * @property {ReturnType<import("./axis.js").valueAxis>} y
 */

/** Sizes the canvas for the screen's pixels. */
export function prepare(canvas, view, ratio) {
	const width = Math.round(view.width * ratio), height = Math.round(view.height * ratio);

	if (canvas.width !== width || canvas.height !== height) {
		canvas.width = width;
		canvas.height = height;
	}
	return canvas.getContext("2d");
}

/** Top and bottom of the values [low, high) in CSS pixels; null where the axis does not reach. */
export function spanOf(grid, y, [low, high]) {
	if (isUnderflow(grid, low))
		return y.domain.under ? [y.bottom - STRIP, y.bottom] : null;
	if (isOverflow(high))
		return y.domain.over ? [y.top, y.top + STRIP] : null;
	const top = Math.max(y.upper, y.y(high));
	const bottom = Math.min(y.lower, y.y(low));

	return bottom > top ? [top, bottom] : null;
}

const rowSpans = (grid, y) => Array.from({ length: grid.nrows }, (_, row) => spanOf(grid, y, rowRange(grid, row)));

/** Snaps [from, to) to device pixels; never thinner than one. */
export function snap(from, to, ratio) {
	const a = Math.round(from * ratio), b = Math.round(to * ratio);

	return [a, Math.max(1, b - a)];
}

/* The mapping of columns to pixels; the same object as long as the mapping is the same. */
const plans = new WeakMap();		/* canvas -> plan */

function planOf(canvas, { grid, view: { y }, shade: { levels }, scale, ratio }) {
	const { kind, low, high, under, over } = y.domain, { width, height } = canvas;
	const of = [grid.edge, grid.ncols, grid.column, levels, grid.shade.scale, scale.length, kind, low, high, under, over, y.top, y.bottom, ratio, width, height];
	const before = plans.get(canvas);

	if (before && of.every((value, i) => value === before.of[i]))
		return before;
	const plan = {
		of, scale, levels, height,
		rows: rowSpans(grid, y).map((span) => span && snap(span[0], span[1], ratio)),
		held: new Array(grid.ncols),	/* WeakRefs of columns whose strips there are: a time has its place, so a new column takes the oldest's */
		strips: new Uint8Array(grid.ncols * height),	/* of each its level at each pixel of the height */
		levelAt: new Uint8Array(width * height),
		image: new ImageData(width, height),
	};

	plans.set(canvas, plan);
	return plan;
}

/* If rows share a pixel, it shows the brightest. */
function drawStrip(plan, strip, column) {
	const share = shareOf(column);

	strip.fill(0);
	for (const [row, n] of column.cells) {
		if (!plan.rows[row])
			continue;
		const [top, height] = plan.rows[row], level = levelIndex(plan.levels, n * plan.scale[row] * share), end = Math.min(plan.height, top + height);

		for (let py = Math.max(0, top); py < end; py++)
			if (strip[py] < level)
				strip[py] = level;
	}
}

/* Of the grid's column i. */
function stripOf(plan, grid, i) {
	const { held, strips, height } = plan, column = grid.columns[i];
	const at = (Math.round(grid.from / grid.column) + i) % held.length, strip = strips.subarray(at * height, (at + 1) * height);

	if (held[at]?.deref() !== column) {
		drawStrip(plan, strip, column);
		held[at] = new WeakRef(column);	/* a map out of sight keeps its plan, not what it was of */
	}
	return strip;
}

/* ... and where columns do. */
function join(levelAt, at, strip) {
	for (let py = 0; py < strip.length; py++)
		if (levelAt[at + py] < strip[py])
			levelAt[at + py] = strip[py];
}

/* The levels of all pixels, column after column of them; edges: of the grid's columns, in pixels. */
function layOut(plan, grid, edges, width) {
	const { levelAt, height } = plan;
	let next = 0;			/* nothing is from there on */

	levelAt.fill(0);
	for (let i = 0; i < grid.ncols; i++) {
		const strip = stripOf(plan, grid, i), end = Math.min(width, Math.max(edges[i] + 1, edges[i + 1]));

		for (let px = Math.max(0, edges[i]); px < end; px++)
			if (px >= next)
				levelAt.set(strip, px * height);
			else
				join(levelAt, px * height, strip);
		next = Math.max(next, end);
	}
}

const DIMMED = 0.28;			/* the total under highlighted keys */

const channels = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));

const inks = new WeakMap();		/* palette -> Map(zero and dimmed -> its inks): read once */

/* The colours of the levels as pixels have them in memory; dimmed: mixed with what zero has. */
function inksOf({ palette, zero }, dimmed) {
	const name = `${zero} ${dimmed}`, known = inks.get(palette) ?? new Map();

	inks.set(palette, known);
	if (!known.has(name))
		known.set(name, readInks(palette, zero, dimmed));
	return known.get(name);
}

function readInks(palette, zero, dimmed) {
	const all = new Uint8ClampedArray(4 * palette.length), ground = channels(zero);

	palette.forEach((colour, level) => {
		const own = channels(level ? colour : zero).map((v, i) => dimmed ? DIMMED * v + (1 - DIMMED) * ground[i] : v);

		all.set([...own, 255], 4 * level);
	});
	return new Uint32Array(all.buffer);
}

function ink({ levelAt, image, height }, colours) {
	const pixels = new Uint32Array(image.data.buffer), { width } = image;

	for (let px = 0, at = 0; px < width; px++)
		for (let py = 0; py < height; py++, at++)
			pixels[py * width + px] = colours[levelAt[at]];
}

/** Paints all cells.  keys: highlighted keys' grids, [{hue, grid}]; the total is dimmed under them. */
export function paintCells(canvas, { grid, view, shade, sharedEdge, keys, ratio }) {
	const g = prepare(canvas, view, ratio);
	const scale = rowScale(grid, shade, sharedEdge);
	const plan = planOf(canvas, { grid, view, shade, scale, ratio });
	const edges = Int32Array.from({ length: grid.ncols + 1 }, (_, i) => Math.round(view.x.x(grid.from + i * grid.column) * ratio));
	const overlays = keys.filter((key) => key.grid).map((key) => ({ ...key, rows: rowMap(key.grid, grid) }));

	layOut(plan, grid, edges, canvas.width);
	ink(plan, inksOf(shade, keys.length > 0));
	g.putImageData(plan.image, 0, 0);
	if (overlays.length)
		grid.columns.forEach((column, i) => paintKeys(g, {
			from: grid.from + i * grid.column, share: shareOf(column), x: edges[i], w: Math.max(1, edges[i + 1] - edges[i]),
			rows: plan.rows, scale, shade, overlays,
		}));
	g.globalAlpha = 1;
}

/* A cell with several highlighted keys shows the one with the most events. */
function dominantKeys(overlays, from) {
	const best = new Map();

	for (const { hue, grid, rows } of overlays) {
		const column = grid.columns[Math.round((from - grid.from) / grid.column)];

		for (const [row, n] of column?.cells ?? [])
			if (n > (best.get(rows[row])?.n ?? 0))
				best.set(rows[row], { n, hue });
	}
	return best;
}

function paintKeys(g, { from, share, x, w, rows, scale, shade, overlays }) {
	for (const [row, { n, hue }] of dominantKeys(overlays, from)) {
		if (!rows[row])
			continue;
		g.globalAlpha = 1;
		g.fillStyle = shade.zero;
		g.fillRect(x, rows[row][0], w, rows[row][1]);
		g.globalAlpha = 0.4 + 0.6 * levelIndex(shade.levels, n * scale[row] * share) / shade.levels.length;
		g.fillStyle = hue;
		g.fillRect(x, rows[row][0], w, rows[row][1]);
	}
}
