/* gestures.js - lists the gestures and keys of a map: the list under the read-out shows them, and a map's description
 * for screen readers names them.
 *
 * Some maps lack something: bars of parts have no values, a map without single events has none to step through.
 */
const ANY = "any", VALUES = "values", RECTANGLE = "rectangle", EXEMPLARS = "exemplars";

/* spoken: the keys in words, for a screen reader, which skips signs; only keys have it.  of: which maps know it. */
export const GESTURES = [
	{ pressed: "drag", does: "a rectangle: what is different in it?", of: RECTANGLE },
	{ pressed: "click", does: "a cell: its keys; a dot: that statement", of: VALUES },
	{ pressed: "Ctrl + wheel", does: "zoom the time; with Shift too, the values", of: ANY },
	{ pressed: "Shift + wheel", does: "move along the time; with Alt, along the values", of: ANY },
	{ pressed: "← → ↑ ↓", spoken: "Arrow keys", does: "move the cursor", of: ANY },
	{ pressed: "Shift + ← → ↑ ↓", spoken: "Shift and arrow keys", does: "draw a rectangle", of: RECTANGLE },
	{ pressed: "Enter", spoken: "Enter", does: "list the keys of the cell; of a rectangle: what is different in it?", of: VALUES },
	{ pressed: "z", spoken: "z", does: "zoom to the rectangle", of: RECTANGLE },
	{ pressed: "+ −", spoken: "plus and minus", does: "zoom the time", of: ANY },
	{ pressed: "[ ]", spoken: "brackets", does: "zoom the values", of: VALUES },
	{ pressed: "0", spoken: "0", does: "show all values", of: VALUES },
	{ pressed: ", .", spoken: "comma and dot", does: "move along the time", of: VALUES },
	{ pressed: "{ }", spoken: "braces", does: "move along the values", of: VALUES },
	{ pressed: "h l", spoken: "h and l", does: "go to the highest and the lowest", of: VALUES },
	{ pressed: "s", spoken: "s", does: "draw a line at the value: how much is above?", of: VALUES },
	{ pressed: "e E", spoken: "e and Shift e", does: "step through the slowest statements and back", of: EXEMPLARS },
	{ pressed: "n", spoken: "n", does: "write a note at the time", of: ANY },
	{ pressed: "Esc", spoken: "Escape", does: "let go of rectangle and cursor", of: ANY },
	{ pressed: "?", spoken: "Question mark", does: "open and close the list of keys", of: ANY },
];

/** The keys of a map in sentences, which a screen reader reads when the map gets the focus. */
export function spokenKeys({ values = false, rectangle = false, exemplars = false }) {
	const known = { any: true, values, rectangle, exemplars };
	const sentence = ({ spoken, does }) => `${spoken}: ${does}.`.replace("?.", "?");

	return GESTURES.filter(({ spoken, of }) => spoken && known[of]).map(sentence).join(" ");
}
