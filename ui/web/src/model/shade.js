/* shade.js - looks colours up.  Transfer and palette come from the server as data; there is no
 * arithmetic of colours here.
 */

/**
 * @typedef {Object} Shade
 * @property {"linear"|"log"|"sqrt"|"rank"|"percent"} transfer
 * @property {"log"|"linear"} yscale
 * @property {number[]} scale    per row: density = count * scale[row] * shareOf(column)
 * @property {number[]} levels   255, ascending
 * @property {string[]} palette  256 colours
 * @property {string} zero
 * @property {string} unobserved
 * @property {string} partial
 * @property {string} running
 */

/** The index of the colour: the number of levels <= density, at least 1 if there are events. */
export function levelIndex(levels, density) {
	let low = 0, high = levels.length;

	if (!(density > 0))
		return 0;
	while (low < high) {
		const middle = (low + high) >> 1;

		if (levels[middle] <= density)
			low = middle + 1;
		else
			high = middle;
	}
	return Math.max(1, low);
}

/** The factor of a cell's density: where densities are parts of the column, the server sends it. */
export const shareOf = (column) => column.share ?? 1;

/** One colour scale for several panels: of those given, the shade with the greatest top level. */
export function sharedShade(shades) {
	let shared = null;

	for (const shade of shades)
		if (shade && (!shared || shade.levels.at(-1) > shared.levels.at(-1)))
			shared = shade;
	return shared;
}

/** The scale to use for a grid's rows under a shared shade.  On a linear axis a density's unit
 * depends on its grid's range, so rows take the shared grid's scale where it has the same row. */
export function rowScale(grid, shared, sharedEdge) {
	if (grid.shade.yscale !== "linear" || shared === grid.shade)
		return grid.shade.scale;
	const at = new Map(sharedEdge.map((edge, row) => [edge, row]));

	return grid.shade.scale.map((own, row) => shared.scale[at.get(grid.edge[row])] ?? own);
}

/** The place of a density along the legend, 0..1. */
export const legendPosition = (levels, density) => levelIndex(levels, density) / levels.length;
