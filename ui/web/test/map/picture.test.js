import assert from "node:assert/strict";
import test from "node:test";
import { timeAxis, valueAxis } from "../../src/base/axis.js";
import { applyColumn, gridEnd } from "../../src/model/grid.js";
import { paintCells } from "../../src/map/picture.js";

globalThis.ImageData ??= class {
	constructor(width, height) {
		Object.assign(this, { width, height, data: new Uint8ClampedArray(4 * width * height) });
	}
};

/* A canvas that keeps the pixels it was given. */
function canvas() {
	return { getContext() { return { putImageData: ({ data }) => { this.pixels = new Uint32Array(data.slice().buffer); } }; } };
}

const shadeOf = (top) => ({
	yscale: "log", scale: [1, 2, 0.5, 1, 3, 1], levels: Array.from({ length: 255 }, (_, i) => (i + 1) * top / 255),
	palette: Array.from({ length: 256 }, (_, i) => `#${i.toString(16).padStart(2, "0")}40${(255 - i).toString(16).padStart(2, "0")}`), zero: "#ffffff",
});

let seed = 1;
const chance = (n) => (seed = seed * 48271 % 0x7fffffff) % n;

const column = () => ({ state: "ok", count: 1, cells: Array.from({ length: 6 }, (_, row) => [row, chance(40)]).filter(([, n]) => n > 20) });

const gridOf = (ncols) => ({
	unit: "ns", edge: [0, 1e3, 4e3, 1e4, 1e5, 1e6, null], nrows: 6, ncols, from: 1700000000, column: 10, shade: shadeOf(40),
	columns: Array.from({ length: ncols }, column),
});

const VALUES = valueAxis({ kind: "log", low: 1e3, high: 1e6, under: true, over: true }, 0, 53);

function paint(on, grid, width) {
	const view = { width, height: 53, x: timeAxis(grid.from, gridEnd(grid), 0, width), y: VALUES };

	paintCells(on, { grid, view, shade: grid.shade, sharedEdge: grid.edge, keys: [], ratio: 1 });
	return on.pixels;
}

const width = { "wider than a pixel": 611, "thinner than a pixel": 37, "of whole pixels": 120 };

for (const [name, px] of Object.entries(width))
	test(`columns ${name}, drawn as they come, are the picture that is drawn whole, pixel by pixel`, () => {
		const live = canvas();
		let grid = gridOf(60);

		paint(live, grid, px);
		for (let step = 0; step < 200; step++) {
			const end = gridEnd(grid), what = chance(10);

			if (what < 7)			/* the newest is still counting, or a new one; sometimes some are left out */
				grid = applyColumn(grid, end - grid.column + chance(3) * grid.column, column());
			else if (what < 9)		/* what is late amends an older one */
				grid = applyColumn(grid, end - (2 + chance(58)) * grid.column, column());
			else
				grid = { ...grid, shade: { ...grid.shade, levels: shadeOf(20 + chance(40)).levels } };
			assert.deepEqual(paint(live, grid, px), paint(canvas(), grid, px), `step ${step}`);
		}
	});

test("a gap longer than what is shown leaves nothing of before", () => {
	const live = canvas(), grid = gridOf(60);

	paint(live, grid, 611);
	const later = applyColumn(grid, gridEnd(grid) + 1000 * grid.column, column());

	assert.deepEqual(paint(live, later, 611), paint(canvas(), later, 611));
});
