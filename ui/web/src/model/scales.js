/* scales.js - shares a value axis among maps with the same unit and scale, and colours among maps with the same kind
 * of cells.
 *
 *      maps -> Map(HeatMap -> {all, domain, shade, sharedEdge, under, end})
 *
 * end: from where on values are cropped; undefined: none are.
 * Milliseconds lie on one axis with milliseconds and % with %; counts of one instrumentation have one colour scale, sums another.
 */
import { domainOf } from "../base/axis.js";
import { cropEnd } from "./crop.js";
import { usedRange } from "./grid.js";
import { sharedShade } from "./shade.js";
import { domainAt } from "./zoom.js";

const NO_EVENTS = { low: 1e3, high: 1e9, under: false, over: false };

/* The axis of maps that share it.  axes: the domains so far, which are only widened. */
function axisOf(maps, { axes, state: { values, crop } }) {
	const [{ axis, unit, yscale }] = maps, grids = maps.map((map) => map.grid);
	const used = usedRange(grids);
	const kind = yscale ?? grids[0].shade.yscale;
	const least = unit === "%" ? grids[0].edge.find((edge) => edge > 100) : 0;

	if (used)
		axes.set(axis, domainOf(used, kind, axes.get(axis), least));
	/* A time without events has columns, too, which may be marked as not observed. */
	const all = axes.get(axis) ?? domainOf(NO_EVENTS, kind);

	const under = grids.find((g) => g.edge[0] === 0)?.edge[1], end = cropEnd(grids, crop);

	if (values?.unit === unit)
		return { all, domain: domainAt(all, values), under };
	if (end === null || end <= all.low)
		return { all, domain: all, under };
	/* Cropped values are drawn in the strip beyond the axis. */
	return { all, domain: { ...domainAt(all, { low: all.low, high: end }), over: true }, under, end };
}

export function scalesOf(session) {
	const maps = session.maps.filter((map) => map.grid && map.unit !== undefined);	/* of counts it is "" */
	const byAxis = new Map(), scales = new Map();

	for (const { axis } of maps)
		if (!byAxis.has(axis))
			byAxis.set(axis, axisOf(maps.filter((map) => map.axis === axis), session));
	for (const map of maps) {
		const alike = maps.filter((other) => other.kind === map.kind);
		const shade = sharedShade(alike.map(({ grid }) => grid.shade));

		scales.set(map, { ...byAxis.get(map.axis), shade, sharedEdge: alike.find(({ grid }) => grid.shade === shade).grid.edge });
	}
	return scales;
}
