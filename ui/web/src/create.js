/* create.js - switching a metric on: which fields are kept apart, which measures are quantized. */
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { choicesFor, exampleOf, isMeasured, requestOf, sameAs, whereProblem, whereWith } from "./choices.js";
import { metricTitle } from "./text.js";

const GRAMMAR = "Compared by = != < <= > >=, joined by and, or, ( ); texts with blanks in quotation marks.";
const FIELDS_MAX = 4;
const SLOTS = [[0.01, "10 ms"], [0.1, "100 ms"], [1, "1 s"], [10, "10 s"], [60, "1 min"]];
const KEPT = [[3600, "1 hour"], [21600, "6 hours"], [86400, "1 day"], [604800, "1 week"]];

function Checks({ legend, names, chosen, change, most, session }) {
	const flip = (name) => change(chosen.includes(name) ? chosen.filter((n) => n !== name) : [...chosen, name]);

	return html`<fieldset><legend>${legend}</legend>${names.map((name) => html`<label key=${name}>
		<input type="checkbox" checked=${chosen.includes(name)} disabled=${!chosen.includes(name) && chosen.length >= most}
			onChange=${() => flip(name)} />${session.catalogue.fields[name]?.label ?? name}</label>`)}</fieldset>`;
}

/* Which events: an expression as `heatscope create --where` takes it.  A field is put in by its button. */
function Where({ session, metric, where, change, problem }) {
	return html`<fieldset class="where"><legend>Only events for which this holds (all, if it is empty)</legend>
		<label>Where <input name="where" value=${where} maxlength="4000" spellcheck=${false} autocomplete="off" autocapitalize="off"
			placeholder=${metric.fields.slice(0, 1).map((f) => exampleOf(session.catalogue, f))}
			aria-invalid=${problem ? "true" : "false"} aria-describedby="where-help${problem ? " where-problem" : ""}"
			onInput=${(e) => change(e.target.value)} /></label>
		${problem && html`<p class="problem" id="where-problem" role="alert">${problem}</p>`}
		<p class="muted" id="where-help">${GRAMMAR} Fields: ${
			metric.fields.map((f) => html`<button type="button" class="plain" key=${f} title=${exampleOf(session.catalogue, f)}
				onClick=${() => change(whereWith(where, exampleOf(session.catalogue, f)))}>${f}</button> `)}</p>
	</fieldset>`;
}

export function Create({ session }) {
	const { metrics } = session.catalogue;

	return metrics.length
		? html`<${Form} session=${session} metrics=${metrics} />`
		: html`<section class="create"><h2>New instrumentation</h2>
			<p class="muted">No collector offers a metric yet. Metrics appear here as soon as a collector connects.</p></section>`;
}

/* What is looked at now; else the metric people come for. */
function firstOf(session, metrics) {
	const { module, stat } = session.inst ?? { module: "mysql", stat: "queries" };

	return Math.max(0, metrics.findIndex((m) => m.module === module && m.stat === stat));
}

function Form({ session, metrics }) {
	const [index, setIndex] = useState(firstOf(session, metrics));
	const metric = metrics[Math.min(index, metrics.length - 1)];
	const choices = choicesFor(session.catalogue, metric);
	const [fields, setFields] = useState(choices.fields);
	const [measures, setMeasures] = useState(choices.measures);
	const [granularity, setGranularity] = useState(1);
	const [retention, setRetention] = useState(86400);	/* as heatscoped by itself */
	const [where, setWhere] = useState("");
	const [problem, setProblem] = useState("");
	const request = requestOf(metric, choices, fields, measures, granularity, retention, where);
	const same = sameAs(request, session.instrumentations ?? []);
	const pick = (i) => {
		const fresh = choicesFor(session.catalogue, metrics[i]);

		setIndex(i);
		setProblem("");
		setFields(fresh.fields);
		setMeasures(fresh.measures);
	};
	const submit = async (e) => {
		e.preventDefault();
		try {
			await (same ? session.select(same.id) : session.create(request));
		} catch (error) {
			setProblem(error.message);
		}
	};

	return html`<form class="create" onSubmit=${submit}>
		<h2>New instrumentation</h2>
		<label class="row">Metric <select value=${index} onChange=${(e) => pick(Number(e.target.value))}>
			${metrics.map((m, i) => html`<option value=${i}>${metricTitle(m, session.catalogue)}</option>`)}</select></label>
		<${Checks} legend="Kept apart by (up to four)" names=${choices.discrete} chosen=${fields} change=${setFields} most=${FIELDS_MAX} session=${session} />
		<${Checks} legend="Measures" names=${choices.numeric} chosen=${measures} change=${setMeasures} most=${8} session=${session} />
		<${Where} session=${session} metric=${metric} where=${where} problem=${whereProblem(problem)}
			change=${(text) => { setWhere(text); setProblem(""); }} />
		<div class="row">
			<label>Slot <select value=${granularity} onChange=${(e) => setGranularity(Number(e.target.value))}>
				${SLOTS.map(([v, text]) => html`<option value=${v}>${text}</option>`)}</select></label>
			<label>Kept for <select value=${retention} onChange=${(e) => setRetention(Number(e.target.value))}>
				${KEPT.map(([v, text]) => html`<option value=${v}>${text}</option>`)}</select></label>
		</div>
		${problem && !whereProblem(problem) && html`<p class="problem" role="alert">${problem}</p>`}
		<p class="row"><button class="primary" disabled=${!isMeasured(request)}>${same ? `Open the existing one (${same.id})` : "Create"}</button>
			${session.inst && html`<button type="button" onClick=${() => { session.creating = false; session.changed(); }}>Cancel</button>`}</p>
	</form>`;
}
