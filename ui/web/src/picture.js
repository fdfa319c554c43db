/* picture.js - paints a grid's cells on a canvas, snapped to device pixels.
 *
 *      grid + axes + shade -> rectangles of one colour each; nothing is blended but highlighted keys
 */
import { isOverflow, isUnderflow, rowMap, rowRange } from "./grid.js";
import { levelIndex, rowScale } from "./shade.js";
import { STRIP } from "./axis.js";

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

/** Paints all cells.  keys: highlighted keys' grids, [{hue, grid}]; the total is dimmed under them. */
export function paintCells(canvas, { grid, view, shade, sharedEdge, keys, ratio }) {
	const g = prepare(canvas, view, ratio);
	const scale = rowScale(grid, shade, sharedEdge);
	const rows = rowSpans(grid, view.y).map((span) => span && snap(span[0], span[1], ratio));

	const overlays = keys.filter((key) => key.grid).map((key) => ({ ...key, rows: rowMap(key.grid, grid) }));

	g.fillStyle = shade.zero;
	g.fillRect(0, 0, canvas.width, canvas.height);
	grid.columns.forEach((column, i) => {
		const from = grid.from + i * grid.column;
		const [x, w] = snap(view.x.x(from), view.x.x(from + grid.column), ratio);
		const cells = shadedCells(column, scale, shade);

		g.globalAlpha = keys.length ? 0.28 : 1;
		for (const { row, level } of cells)
			if (rows[row]) {
				g.fillStyle = shade.palette[level];
				g.fillRect(x, rows[row][0], w, rows[row][1]);
			}
		if (overlays.length)
			paintKeys(g, { from, x, w, rows, scale, shade, overlays });
	});
	g.globalAlpha = 1;
}

/* Faint ones first: where rows share a pixel the brightest stays to be seen. */
function shadedCells(column, scale, shade) {
	return column.cells
		.map(([row, n]) => ({ row, n, level: levelIndex(shade.levels, n * scale[row]) }))
		.sort((a, b) => a.level - b.level);
}

/* In a cell of several highlighted keys the one with most events is seen. */
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

function paintKeys(g, { from, x, w, rows, scale, shade, overlays }) {
	for (const [row, { n, hue }] of dominantKeys(overlays, from)) {
		if (!rows[row])
			continue;
		g.globalAlpha = 1;
		g.fillStyle = shade.zero;
		g.fillRect(x, rows[row][0], w, rows[row][1]);
		g.globalAlpha = 0.4 + 0.6 * levelIndex(shade.levels, n * scale[row]) / shade.levels.length;
		g.fillStyle = hue;
		g.fillRect(x, rows[row][0], w, rows[row][1]);
	}
}
