/* zooming.js - the keys and the wheel that zoom a map around the place that is pointed at, or draw a line there. */

const TIME = { "+": 0.5, "=": 0.5, "-": 2 }, VALUES = { "]": 0.5, "[": 2 };
const TURN = 1.25;
const TURN_MS = 80;			/* a turn asks the server: not more often */
let turned = -Infinity;

/** False: it is none of those keys. */
export function zoomByKey(session, { key, ctrlKey, metaKey, altKey }, unit, { time, value }) {
	if (ctrlKey || metaKey || altKey)
		return false;
	if (key in TIME)
		session.zoomTime(TIME[key], time);
	else if (key in VALUES)
		session.zoomValues(unit, VALUES[key], value);
	else if (key === "z" && session.explain.rectangle)
		session.zoomTo(session.explain.rectangle);
	else if (key === "s")
		session.setThreshold(unit, value);
	else if (key === "0")
		session.fit();
	else
		return false;
	return true;
}

/** The wheel with Ctrl, as it zooms elsewhere: the time; with Shift, too: the values. */
export function zoomByWheel(session, event, unit, { time, value }) {
	const factor = (event.deltaY || event.deltaX) > 0 ? TURN : 1 / TURN;

	event.preventDefault();
	if (event.timeStamp - turned < TURN_MS)
		return;
	turned = event.timeStamp;
	if (event.shiftKey)
		session.zoomValues(unit, factor, value);
	else
		session.zoomTime(factor, time);
}
