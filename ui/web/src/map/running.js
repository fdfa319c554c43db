/* running.js - draws the running events hatched over the cells, with an outline around those that touch.  They are not
 * counted yet and have no cell.
 *
 *      each cell, one pixel larger, in full  ->  each cell cut out  ->  each cell hatched, more of it more densely
 */
import { hatch } from "./marks.js";
import { prepare, snap, spanOf } from "./picture.js";

const DIMMED = 0.28;			/* the total under highlighted keys, as its cells */

const SPACING = [6, 4, 2];		/* px from line to line: of few, of tens, of hundreds */

/** The index of the hatch for n running events. */
export const densityOf = (n) => n < 10 ? 0 : n < 100 ? 1 : 2;

const inked = new WeakSet();		/* canvases that show something */

/* On most maps nothing does: a canvas that stays empty is not handed to the screen again. */
function needsPaint(canvas, grids) {
	const runs = grids.some((grid) => grid.columns.some((column) => column.running?.length)), shows = inked.has(canvas);

	inked[runs ? "add" : "delete"](canvas);
	return runs || shows;
}

/** Paints what runs; keys: highlighted keys' grids, [{hue, grid}], which have their own. */
export function paintRunning(canvas, { grid, view, shade, keys, ratio }) {
	const layers = keys.filter((key) => key.grid).map((key) => ({ grid: key.grid, colour: key.hue, alpha: 1 }));

	if (!needsPaint(canvas, [grid, ...layers.map((layer) => layer.grid)]))
		return;
	const g = prepare(canvas, view, ratio);

	g.clearRect(0, 0, canvas.width, canvas.height);
	for (const layer of [{ grid, colour: shade.running, alpha: keys.length ? DIMMED : 1 }, ...layers])
		paintLayer(g, layer, view, ratio);
}

function paintLayer(g, { grid, colour, alpha }, view, ratio) {
	const boxes = boxesOf(grid, view, ratio);
	const rim = Math.round(ratio);

	g.globalAlpha = alpha;
	g.fillStyle = colour;
	for (const { x, y, w, h } of boxes)
		g.fillRect(x - rim, y - rim, w + 2 * rim, h + 2 * rim);
	for (const { x, y, w, h } of boxes)
		g.clearRect(x, y, w, h);
	const hatches = SPACING.map((size) => hatch(g, colour, size, false, ratio));
	for (const { x, y, w, h, n } of boxes) {
		g.fillStyle = hatches[densityOf(n)];
		g.fillRect(x, y, w, h);
	}
	g.globalAlpha = 1;
}

/** The places of the hatching, in device pixels: [{x, y, w, h, n}]. */
export function boxesOf(grid, view, ratio) {
	const boxes = [];

	grid.columns.forEach((column, i) => {
		const from = grid.from + i * grid.column;
		const [x, w] = snap(view.x.x(from), view.x.x(from + grid.column), ratio);

		for (const [low, high, n] of column.running ?? []) {
			const span = spanOf(grid, view.y, [low, high]);

			if (!span)
				continue;
			const [y, h] = snap(...span, ratio);
			boxes.push({ x, y, w, h, n });
		}
	});
	return boxes;
}
