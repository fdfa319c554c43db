/* histogram.js - draws the distribution of the whole view to the right of its map, on the map's value axis.
 *
 *      grid -> sums of rows -> bars: length by density, as the cells' colours take it; highlighted keys as steps of their hue
 */
import { rowRange, rowSums } from "../model/grid.js";
import { prepare, snap, spanOf } from "./picture.js";

/** Where each row that the axis reaches lies, and its events per pixel, or with scale (per row) how much it is, as the colours
 * have it: [{top, bottom, density}], in CSS pixels. */
export function profileOf(grid, y, scale = null) {
	return rowSums(grid).flatMap((n, row) => {
		const span = spanOf(grid, y, rowRange(grid, row));

		return span ? [{ top: span[0], bottom: span[1], density: scale ? n * scale[row] : n / (span[1] - span[0]) }] : [];
	});
}

/* For rank, which has no distances, as for log. */
const KINDS = { linear: "linear", percent: "linear", sqrt: "root" };

/** The scale of the bars' lengths for the transfer of the colours: "linear", "root" or "log". */
export const kindOf = (transfer) => KINDS[transfer] ?? "log";

/** Length of a bar, 0..1. */
export function lengthOf(density, most, transfer) {
	const kind = kindOf(transfer);

	if (!(density > 0))
		return 0;
	return kind === "linear" ? density / most : kind === "root" ? Math.sqrt(density / most)
		: Math.log1p(density * LEAST_SEEN) / Math.log1p(most * LEAST_SEEN);
}

const SUM_RANGE = 1000;			/* of sums, a thousandth of the most is seen */
const LEAST_SEEN = 10;			/* a tenth of an event per pixel is a good part of a log bar's first decade */

function paintBars(g, profile, length, width, ratio) {
	for (const { top, bottom, density } of profile) {
		const [y, h] = snap(top, bottom, ratio);

		if (density > 0)
			g.fillRect(0, y, Math.max(ratio, Math.round(length(density) * width * ratio)), h);
	}
}

function paintOutline(g, profile, length, width, ratio) {
	g.beginPath();
	[...profile].sort((a, b) => a.top - b.top).forEach(({ top, bottom, density }, i) => {
		const x = length(density) * width * ratio;

		g[i ? "lineTo" : "moveTo"](x, top * ratio);
		g.lineTo(x, bottom * ratio);
	});
	g.stroke();
}

/** keys: highlighted keys' grids, [{hue, grid}]; weighted: bars show how much. */
export function paintHistogram(canvas, { grid, view, transfer, weighted, keys, colours, ratio }) {
	const g = prepare(canvas, view, ratio), profileIn = (of) => profileOf(of, view.y, weighted ? of.shade.scale : null), profile = profileIn(grid);
	const most = Math.max(0, ...profile.map((row) => row.density));
	const unit = grid.weight || weighted ? most / SUM_RANGE : 1;	/* sums have no least one to begin at */
	const length = (density) => lengthOf(density / unit, most / unit, transfer);

	g.clearRect(0, 0, canvas.width, canvas.height);
	if (!most)
		return;
	g.fillStyle = colours.bars;
	paintBars(g, profile, length, view.width, ratio);
	g.lineWidth = 1.5 * ratio;
	for (const { grid: own, hue } of keys.filter((key) => key.grid)) {
		g.strokeStyle = hue;
		paintOutline(g, profileIn(own), length, view.width, ratio);
	}
}
