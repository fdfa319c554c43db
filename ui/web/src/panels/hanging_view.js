/* hanging_view.js - shows the line that names long-running queries, at the top of the sidebar.  If a source reports
 * running events the line is always there, so that nothing moves when its text appears. */
import * as format from "../base/format.js";
import { LONG_NS, summaryOf } from "../model/hanging.js";
import { runningColumn } from "../model/grid.js";
import { emptyText } from "../base/text.js";
import { html } from "../base/html.js";

/* Without a report it is not known if something runs. */
const noneText = (grid) => runningColumn(grid) ? `nothing has run for ${format.amount(LONG_NS)} or longer` : emptyText(false);

/** "9 running, oldest 23 s: update t set v = ? (8)" */
export function Hanging({ session }) {
	const { hanging } = session, { reporting: map } = hanging;

	if (!map)
		return null;
	const sum = hanging.map?.inst && summaryOf(hanging.rows), unit = map.grid.unit;

	if (!sum)
		return html`<section class="hanging" aria-label="Still running"><p class="muted">${noneText(map.grid)}</p></section>`;
	const { count, oldest, most } = sum, name = most.key || "all";

	return html`<section class="hanging" aria-label="Still running">
		<button onClick=${() => hanging.show()} title=${`${name}\nDraw a rectangle around them, and explain it`}>
			<i class="running" style=${{ color: map.grid.shade.running }} /><b>${format.count(count)} running, oldest ${format.amount(oldest, unit)}:</b>
			<span>${name}</span> (${format.count(most.running)})</button></section>`;
}
