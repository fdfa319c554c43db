/* map_keys.js - moves the cursor of a map by keys: to the extremes, to single events, along both axes. */
import { extremesOf } from "../model/extremes.js";

const PART = 0.25;			/* of what is shown, a step along an axis */

export const MAP_KEYS = {
	h: (map) => leap(map, "highest"),
	l: (map) => leap(map, "lowest"),
	e: (map) => map.session.exemplars.step(map, 1),
	E: (map) => map.session.exemplars.step(map, -1),
	",": ({ session }) => session.move(-PART),
	".": ({ session }) => session.live || session.move(PART),
	"{": (map) => map.session.moveValues(map, -PART),
	"}": (map) => map.session.moveValues(map, PART),
};

/** Points at the highest or the lowest cell that is shown. */
export function leap(map, which) {
	const place = map.grid && extremesOf(map.grid)[which];

	if (place)
		map.session.point({ map, ...place });
}

/** False: not one of those keys. */
export function actByKey(map, { key, ctrlKey, metaKey, altKey }) {
	if (ctrlKey || metaKey || altKey || !Object.hasOwn(MAP_KEYS, key))
		return false;
	MAP_KEYS[key](map);
	return true;
}
