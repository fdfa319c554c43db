/* app.js - lays out the page: masthead, toolbar, maps one above the other, sidebar, status line. */
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Ask } from "./dialogs/ask_token.js";
import { XAxis } from "./map/axes.js";
import { Create } from "./dialogs/create.js";
import { ErrorBoundary } from "./base/error_boundary.js";
import { Exemplar, Exemplars } from "./panels/exemplar_views.js";
import { Explained } from "./panels/explain_view.js";
import { Flame } from "./panels/flame.js";
import * as format from "./base/format.js";
import { GonePanel, Missing } from "./panels/gone_panel.js";
import { Hanging } from "./panels/hanging_view.js";
import { Hint } from "./panels/hint.js";
import { html } from "./base/html.js";
import { QueuedPanel } from "./map/queued_panel.js";
import { KeyList } from "./panels/key_list.js";
import { NoteForm, Noted } from "./panels/annotations_view.js";
import { Panel } from "./panels/panel.js";
import { PartsAt, PartsPanel } from "./panels/parts_panel.js";
import { scalesOf } from "./model/scales.js";
import { Session } from "./model/session.js";
import { keptOf } from "./model/state.js";
import { Legend, Picked, Readout, sentence, TableView } from "./panels/sidebar.js";
import { statusOf } from "./base/text.js";
import { Masthead, Toolbar } from "./toolbar.js";
import { AskName } from "./dialogs/worksheet_menu.js";
import { Breadcrumbs } from "./panels/breadcrumbs.js";

/* Beside the maps, from top to bottom: components of {session}, of which each knows by itself whether there is anything. */
const SECTIONS = [Readout, Hint, Explained, Exemplar, Picked, Noted, KeyList, Exemplars];

function Maps({ session, scales }) {
	const { maps, span, grids } = session;
	const finest = grids.reduce((a, b) => b.column < a.column ? b : a, grids[0]);

	return html`<main class="maps" aria-label="Heat maps">
		<${Missing} session=${session} />
		${maps.map((map) => {
			const One = !map.inst ? GonePanel : map.panel.show === "parts" ? PartsPanel : Panel;

			return html`<${QueuedPanel} key=${map.id} of=${One} now=${session.cursor?.map === map} map=${map} span=${span} scale=${scales.get(map)} />`;
		})}
		<${XAxis} span=${span} column=${finest?.column} slot=${finest?.slot} />
	</main>`;
}

function Work({ session }) {
	const scales = scalesOf(session);

	return html`<div class="work">
		${session.state.view === "table" ? html`<main class="maps"><${TableView} session=${session} /></main>` : html`<${Maps} session=${session} scales=${scales} />`}
		<aside class="side" aria-label="Details">
			<${ErrorBoundary} session=${session} name="Still running"><${Hanging} session=${session} /></${ErrorBoundary}>
			${session.maps.filter((map) => map.panel.show === "parts").map((map) => html`<${ErrorBoundary} key=${map.id} session=${session} name=${map.label}>
				<${PartsAt} session=${session} map=${map} /></${ErrorBoundary}>`)}
			${SECTIONS.map((Section) => html`<${ErrorBoundary} session=${session} name="Details"><${Section} session=${session} /></${ErrorBoundary}>`)}
			<${ErrorBoundary} session=${session} name="Legend"><${Legend} session=${session} scales=${scales} /></${ErrorBoundary}>
		</aside>
	</div>`;
}

function StatusLine({ session, status }) {
	const { inst, current, span, refused } = session, { grid, summary } = current ?? {};
	const newest = grid?.columns.findLast((c) => c.expected && c.state !== "in_progress");
	const lost = summary?.lost, total = summary?.count;
	/* For a longer column, reporting and expected count slots of sources. */
	const of = newest && grid.column === grid.slot ? `${newest.reporting} of ${newest.expected}` : null;
	const active = (inst?.sources ?? []).filter((s) => s.state === "active" || s.state === "partial");

	return html`<footer class="statusline">
		${status.text && html`<span class=${`message ${status.kind}`} role="alert">${status.text}</span>`}
		${refused && html`<span class="message bad" role="alert">${refused.message}
			<button class="plain" onClick=${() => session.refuse(null)} aria-label="Close the message">×</button></span>`}
		${inst && html`<span>sources <b>${of ?? active.length}</b>${active.length ? `: ${active.map((s) => s.source).join(", ")}` : ""}</span>
			${total !== undefined && html`<span>${session.unit} <b>${format.count(total)}</b></span>`}
			<span class=${lost ? "warn" : ""}>lost <b>${lost === undefined ? "–" : format.count(lost)}</b></span>
			<span>slot <b>${format.seconds(inst.granularity)}</b></span>
			<span class=${session.state.duration > keptOf(inst) ? "warn" : ""}>kept <b>${format.seconds(keptOf(inst))}</b></span>`}
		${span && html`<span>until <b>${format.when(span.start + span.duration, span)}</b> ${format.zone(span.start + span.duration)}</span>`}
	</footer>`;
}

/* A screen reader speaks only places reached by keys, not the pointer's way over the map. */
function Spoken({ session }) {
	return html`<p class="quiet" aria-live="polite">${session.speak && session.cursor ? sentence(session.cursor.map) : ""}</p>`;
}

function App() {
	const [session, setSession] = useState(null);
	const [, redraw] = useState(0);

	useEffect(() => {
		let asked = 0;
		const made = new Session(() => {
			asked ||= requestAnimationFrame(() => {
				asked = 0;
				redraw((n) => n + 1);
			});
		});

		made.scheme.addEventListener("change", () => made.show());
		setSession(made);
		made.start();
	}, []);
	if (!session)
		return null;
	document.documentElement.dataset.theme = session.dark ? "dark" : "light";
	const status = statusOf(session);
	const { catalogue } = session, working = session.maps.length > 0 && !session.creating;

	document.title = session.library.title ? `${session.library.title} – Heatscope` : "Heatscope";
	return html`
		<${Masthead} session=${session} status=${status} />
		${catalogue && working && html`<${Breadcrumbs} session=${session} /><${Toolbar} session=${session} />`}
		${catalogue && !working && html`<${Create} session=${session} />`}
		${catalogue && working && html`<${Work} session=${session} />`}
		<${Spoken} session=${session} />
		<${Flame} session=${session} />
		<${NoteForm} session=${session} />
		<${Ask} session=${session} />
		<${AskName} session=${session} />
		<${StatusLine} session=${session} status=${status} />`;
}

render(html`<${App} />`, document.getElementById("page"));
