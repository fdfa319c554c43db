/* toolbar.js - shows the controls that choose what the page shows, and how. */
import { useState } from "preact/hooks";
import * as api from "./net/api.js";
import { Compare } from "./dialogs/compare_view.js";
import * as format from "./base/format.js";
import { Hosts } from "./dialogs/hosts_view.js";
import { GoTo } from "./panels/go_to.js";
import { Choice, Menu } from "./base/controls.js";
import { CROPS } from "./model/crop.js";
import { html } from "./base/html.js";
import { DURATIONS, keptSpan, LINES, PALETTES, TRANSFERS } from "./model/state.js";
import { fieldOf, titleOf } from "./base/text.js";
import { hasParts, MAPS_MAX, panelOf, withPanel, without } from "./model/worksheet.js";
import { WorksheetMenu } from "./dialogs/worksheet_menu.js";
import { pictureEnds } from "./model/zoom.js";

/* Chooses the lines over the cells. */
function Lines({ session }) {
	const has = (line) => session.state.lines.includes(line);
	const flip = (line) => session.set({ lines: LINES.filter((l) => has(l) !== (l === line)) });

	return html`<fieldset><legend>Lines over the cells</legend>${LINES.map((line) => html`<label key=${line}>
		<input type="checkbox" checked=${has(line)} onChange=${() => flip(line)} /><i class=${`step ${line}`} />${line}</label>`)}</fieldset>`;
}

const WEIGHTS = [["count", "how many"], ["weight", "how much: each times its value"]];

/* Chooses what the colours of counts mean. */
function Weights({ session }) {
	return html`<fieldset><legend>Colours show</legend>${WEIGHTS.map(([weights, text]) => html`<label key=${weights}>
		<input type="radio" name="weights" checked=${session.state.weights === weights} onChange=${() => session.set({ weights })} />${text}</label>`)}</fieldset>`;
}

/* Chooses the measures and instrumentations that have a map, and the marks over it.  A second press may come before the first one
 * is drawn, so a press looks at the panels there are then. */
function Maps({ session }) {
	const { catalogue } = session;
	const find = (inst, measure, show) => session.panels.findIndex((p) => p.inst === inst.id && p.measure === measure && p.show === show);
	const flip = (inst, measure, show) => {
		const at = find(inst, measure, show), { panels } = session;

		session.arrangeAs(at < 0 ? withPanel(panels, panelOf(inst.id, measure, { show })) : without(panels, at));
	};
	const has = (...what) => find(...what) >= 0;

	return html`<${Menu} label="Maps">${session.instrumentations.map((inst) => html`<fieldset key=${inst.id}><legend>${titleOf(inst, catalogue)}</legend>
		${inst.measures.flatMap((m) => [[m, "map"], ...hasParts(inst, m) ? [[m, "parts"]] : []]).map(([m, show]) => html`<label key=${`${m} ${show}`}>
			<input type="checkbox" checked=${has(inst, m, show)} onChange=${() => flip(inst, m, show)}
			disabled=${has(inst, m, show) ? session.panels.length === 1 : session.panels.length >= MAPS_MAX} />${show === "parts" ? "parts of " : ""}${fieldOf(catalogue, inst, m)?.label ?? m}</label>`)}</fieldset>`)}
		<${Lines} session=${session} /><${Weights} session=${session} /><//>`;
}

function Downloads({ session }) {
	const { inst, state } = session, span = keptSpan(session.span, inst), shown = session.shown.filter(({ panel }) => panel.show === "map");
	const theme = session.dark ? "dark" : "light";
	const look = { transfer: state.transfer, weights: state.weights, palette: state.palette, theme };
	const yscale = state.y === "auto" ? null : state.y;
	const ends = ({ unit, axis }) => pictureEnds(state.values, unit, session.axes.get(axis));
	const take = (e) => api.download(e).catch((problem) => session.refuse(problem));
	const name = ({ module, stat }, what, type) => `heatscope-${module}-${stat}-${what}.${type}`;
	const cells = ({ measure, panel: { weight } }) => ({ measure, weight, ...weight ? { weights: null } : {} });

	return html`<${Menu} label="Download">
		${shown.map((map) => html`<a key=${map.id} onClick=${take} download=${name(map.inst, map.measure, "png")}
			href=${api.figureUrl(map.inst.id, keptSpan(session.span, map.inst), { ...look, yscale: map.yscale, ...ends(map), crop: state.crop || null, ...cells(map), ...map.asked, isolate: state.only === "isolate" && map.selected.length > 0 ? true : null })}>${map.title}, PNG</a>`)}
		<a onClick=${take} download=${name(inst, "report", "png")} href=${api.reportUrl(inst.id, span, { ...look, yscale })}>Report, PNG</a>
		<a onClick=${take} download=${name(inst, "report", "pdf")} href=${api.reportUrl(inst.id, span, { ...look, yscale, format: "pdf" })}>Report, PDF</a>
		<a onClick=${take} download=${name(inst, "report", "html")} href=${api.reportUrl(inst.id, span, { ...look, yscale, theme: null, format: "html" })}>Report, HTML</a>
		${shown.map((map) => html`<a key=${map.id} onClick=${take} download=${name(map.inst, map.measure, "csv")}
			href=${api.cellsUrl(map.inst.id, keptSpan(session.span, map.inst), cells(map))}>${map.title}, CSV</a>`)}<//>`;
}

function Remove({ session }) {
	const remove = async () => {
		if (!confirm(`Delete instrumentation ${session.inst.id} (${session.title}) and all its data?`))
			return;
		try {
			await session.remove(session.inst.id);
		} catch (e) {
			session.refuse(e);
		}
	};

	return html`<button onClick=${remove} title=${`Delete instrumentation ${session.inst.id}`}>Delete</button>`;
}

const PALETTE_NAMES = { ramp: "yellow–blue" };

/* Chooses the palette: like the theme, by how the user sees best. */
function Palette({ session }) {
	return html`<label class="choice" title="In each, lightness alone shows the order"><span>Palette</span>
		<select aria-label="Palette" value=${session.state.palette} onChange=${(e) => session.set({ palette: e.target.value })}>
			${PALETTES.map((p) => html`<option key=${p} value=${p}>${PALETTE_NAMES[p] ?? p}</option>`)}</select></label>`;
}

/** Top line: name, instrumentations, state. */
export function Masthead({ session, status }) {
	const { catalogue, instrumentations, inst, state, library } = session;
	const value = library.current ? `sheet ${library.current.id}` : inst && !session.mixed ? `inst ${inst.id}` : "";
	const choose = ({ target }) => {
		const [kind, id] = target.value.split(" ");

		return kind === "sheet" ? library.open(id) : session.select(id);
	};

	return html`<header class="masthead">
		<h1>Heatscope</h1>
		${catalogue && instrumentations && html`<label class="pick"><span class="quiet">Instrumentation or worksheet</span>
			<select value=${value} onChange=${choose}>
				${!value && html`<option value="">${session.mixed ? "several instrumentations" : "choose …"}</option>`}
				<optgroup label="Instrumentations">${instrumentations.map((i) => html`<option key=${i.id} value=${`inst ${i.id}`}>${i.id}: ${titleOf(i, catalogue)}</option>`)}</optgroup>
				${[["Worksheets", false], ["Ready-made worksheets", true]].map(([label, ready]) => library.list.some((w) => w.ready === ready) && html`<optgroup key=${label} label=${label}>
					${library.list.filter((w) => w.ready === ready).map((w) => html`<option key=${w.id} value=${`sheet ${w.id}`}>${w.name}</option>`)}</optgroup>`)}
			</select></label>
			<${WorksheetMenu} session=${session} />`}
		${catalogue && html`<button id="new" aria-pressed=${Boolean(session.creating)} onClick=${() => { session.creating = !session.creating; session.changed(); }}>New</button>`}
		${catalogue && html`<${Hosts} session=${session} />`}
		${inst && html`<${Remove} session=${session} />`}
		<span class="space" />
		<span class=${`state ${status.kind}`} role="status">${status.word}</span>
		<${Palette} session=${session} />
		<${Choice} label="Theme" value=${state.theme} options=${[["auto", "auto"], ["light", "light"], ["dark", "dark"]]}
			change=${(theme) => session.set({ theme })} />
	</header>`;
}

/* A line at a value, of the unit of the map that is looked at. */
function Threshold({ session }) {
	const { threshold } = session.state, unit = session.current?.unit ?? threshold?.unit ?? "ns";
	const [wrong, setWrong] = useState(false), [typed, setTyped] = useState(null);	/* a live page is drawn while a person types */
	const change = ({ target: { value } }) => {
		const parsed = format.parse(value, unit), refused = Boolean(value.trim()) && !parsed;

		setWrong(refused);
		setTyped(refused ? value : null);
		if (parsed || !value.trim())
			session.set({ threshold: parsed ? { unit, value: parsed } : null });
	};

	return html`<label class="field" title="A line, and the share of ${session.unit} from there on (s on the map)"><span aria-hidden="true">≥</span>
		<input aria-label="Threshold" placeholder=${`e.g. ${format.amount(unit === "ns" ? 1e7 : 64, unit)}`} aria-invalid=${wrong}
			value=${typed ?? (threshold?.unit === unit ? format.exact(threshold.value, unit) : "")}
			onInput=${(e) => setTyped(e.target.value)} onChange=${change} /></label>`;
}

/* Chooses the scale of the value axes, and how much these may leave out at their top. */
function Axis({ session }) {
	const { y, crop } = session.state, crops = CROPS.includes(crop) ? CROPS : [...CROPS, crop];

	return html`<${Menu} label="Axis">
		<label title="auto: as the unit asks">Scale <select aria-label="Scale" value=${y} onChange=${(e) => session.set({ y: e.target.value, values: null })}>
			${["auto", "log", "linear"].map((scale) => html`<option key=${scale} value=${scale}>${scale}</option>`)}</select></label>
		<label title=${`The value axis leaves out at most this share of the ${session.unit}; the map says how many`}>Crop
			<select aria-label="Crop" value=${crop} onChange=${(e) => session.set({ crop: Number(e.target.value), values: null })}>
				${crops.map((share) => html`<option key=${share} value=${share}>${share ? `${100 * share} %` : "none"}</option>`)}</select></label>
		<button onClick=${() => session.fit()} title="0 on the map">Fit to what is shown</button><//>`;
}

const TRANSFER_NAMES = { percent: "% of column" };

function Colours({ session }) {
	return html`<label class="choice" title="From how many to which colour"><span>Colours</span>
		<select aria-label="Colours" value=${session.state.transfer} onChange=${(e) => session.set({ transfer: e.target.value })}>
			${TRANSFERS.map((t) => html`<option key=${t} value=${t}>${TRANSFER_NAMES[t] ?? t}</option>`)}</select></label>`;
}

/* The usual ones, and what was zoomed to. */
const ranges = (duration) => [...DURATIONS.map((r) => [r, r >= 3600 ? `${r / 3600} h` : format.seconds(r)]),
	...DURATIONS.includes(duration) ? [] : [[duration, format.seconds(duration)]]];

export function Toolbar({ session }) {
	const { state } = session;

	return html`<div class="toolbar" role="toolbar" aria-label="View">
		<${Choice} label="Range" bare value=${state.duration} options=${ranges(state.duration)} change=${(duration) => session.set({ duration })} />
		<div class="choice" role="group" aria-label="Time">
			<button title="Earlier" aria-label="Earlier" onClick=${() => session.move(-0.25)}>◂</button>
			<button class="pause" aria-pressed=${!session.live} onClick=${() => session.pause()}>${session.live ? "Pause" : "Resume"}</button>
			<button title="Later" aria-label="Later" disabled=${session.live} onClick=${() => session.move(0.25)}>▸</button>
		</div>
		<${GoTo} session=${session} />
		<${Axis} session=${session} />
		<${Colours} session=${session} />
		<${Choice} label="View" bare value=${state.view} options=${[["map", "map"], ["table", "table"]]} change=${(view) => session.set({ view })} />
		<span class="space" />
		<${Threshold} session=${session} />
		<${Maps} session=${session} />
		${session.span && html`<${Compare} session=${session} />`}
		${session.span && html`<${Downloads} session=${session} />`}
	</div>`;
}
