/* panel_menu.js - shows the menu of actions on one panel of the worksheet. */
import { Menu } from "../base/controls.js";
import { html } from "../base/html.js";
import { changed, moved, SIZE_STEP, sized, weightsOf, without } from "../model/worksheet.js";

/** As its panel's in the panels. */
export const placeOf = (map) => map.session.maps.indexOf(map);

/** Another height, in parts of a usual one's. */
export const resize = (map, size) => map.session.arrangeAs(sized(map.session.panels, placeOf(map), size));

/** To another place among the panels. */
export const carry = (map, to) => map.session.arrangeAs(moved(map.session.panels, placeOf(map), to));

/* An axis of its own; chosen again, that of all panels. */
const axis = (label, y) => ({
	label, fits: (map) => map.panel.show === "map", on: (map) => map.panel.y === y,
	run: (map) => map.session.arrangeAs(changed(map.session.panels, placeOf(map), { y: map.panel.y === y ? null : y })),
});

const ACTIONS = [
	{ label: "Move up", fits: (map) => placeOf(map) > 0, run: (map) => carry(map, placeOf(map) - 1) },
	{ label: "Move down", fits: (map) => placeOf(map) < map.session.panels.length - 1, run: (map) => carry(map, placeOf(map) + 1) },
	{ label: "Higher", fits: () => true, run: (map) => resize(map, map.panel.size + 2 * SIZE_STEP) },
	{ label: "Lower", fits: () => true, run: (map) => resize(map, map.panel.size - 2 * SIZE_STEP) },
	axis("Logarithmic axis here", "log"),
	axis("Linear axis here", "linear"),
	{ label: "Add a note (n)", fits: (map) => Boolean(map.grid), run: (map) => map.session.annotations.write(map) },
	{ label: "Remove", fits: (map) => map.session.panels.length > 1, run: remove },
];

function remove(map) {
	map.session.arrangeAs(without(map.session.panels, placeOf(map)));
}

export function PanelMenu({ map }) {
	return html`<${Menu} label="⋯" name=${`Panel ${map.title}`}>${() => ACTIONS.map(({ label, fits, on, run }) =>
		html`<button key=${label} disabled=${!fits(map)} aria-pressed=${on?.(map)} onClick=${() => run(map)}>${label}</button>`)}<//>`;
}

/** Chooses the contents of a map's cells: events, or sums of a weight. */
export function Cells({ map }) {
	const { session, inst, panel } = map, weights = inst ? weightsOf(inst, map.measure) : [];
	const change = (e) => session.arrangeAs(changed(session.panels, placeOf(map), { weight: e.target.value || null }));

	return weights.length > 0 && html`<label class="cells-of"><span>cells</span>
		<select value=${panel.weight ?? ""} onChange=${change}>
			<option value="">${map.counted}</option>
			${weights.map((w) => html`<option key=${w} value=${w}>${map.nameOf(w)}</option>`)}</select></label>`;
}
