/* zooming.js - zooms and moves a map by keys and the wheel around the place under the pointer; or draws a line there.
 *
 *                  time                    values
 *      nearer      Ctrl and the wheel      Ctrl, Shift and the wheel
 *      along       Shift, or sideways      Alt and the wheel
 *
 * Alone the wheel is the page's; without the focus on the map it is the browser's: with Ctrl it makes the page larger, which some
 * need.
 */

const TIME = { "+": 0.5, "=": 0.5, "-": 2 }, VALUES = { "]": 0.5, "[": 2 };
const TURN = 1.25, PART = 0.1;		/* a turn: so many times as long, or so much of what is shown farther */
const TURN_MS = 80;			/* a turn asks the server: not more often */
let turned = -Infinity;

/** False: not one of those keys. */
export function zoomByKey(map, { key, ctrlKey, metaKey, altKey }, { time, value }) {
	const { session } = map;

	if (ctrlKey || metaKey || altKey)
		return false;
	if (key in TIME)
		session.zoomTime(TIME[key], time);
	else if (key in VALUES)
		session.zoomValues(map, VALUES[key], value);
	else if (key === "z" && session.explain.rectangle)
		session.zoomTo(session.explain.rectangle);
	else if (key === "s")
		session.setThreshold(map.unit, value);
	else if (key === "0")
		session.fit();
	else
		return false;
	return true;
}

/** The meaning of a turn of the wheel: null, or {zoom: "time"|"values", factor}, or {move: "time"|"values", part}. */
export function turnOf({ ctrlKey, shiftKey, altKey, deltaX, deltaY }) {
	const away = deltaY || deltaX, sign = Math.sign(away);

	if (!away)
		return null;
	if (ctrlKey)
		return { zoom: shiftKey ? "values" : "time", factor: sign > 0 ? TURN : 1 / TURN };
	if (altKey)
		return { move: "values", part: -sign * PART };		/* away from oneself is up */
	if (shiftKey || Math.abs(deltaX) > Math.abs(deltaY))
		return { move: "time", part: Math.sign(deltaX || deltaY) * PART };
	return null;
}

/** Acts at a place of the map that has the focus. */
export function turn(map, event, { time, value }) {
	const { session } = map, way = turnOf(event);

	if (!way)
		return;
	event.preventDefault();
	if (event.timeStamp - turned < TURN_MS)
		return;
	turned = event.timeStamp;
	if (way.zoom === "time")
		session.zoomTime(way.factor, time);
	else if (way.zoom)
		session.zoomValues(map, way.factor, value);
	else if (way.move === "values")
		session.moveValues(map, way.part);
	else if (!session.live || way.part < 0)
		session.move(way.part);
}
