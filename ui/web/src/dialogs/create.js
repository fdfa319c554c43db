/* create.js - shows the form that creates an instrumentation: which fields are kept apart, which measures are
 * quantized. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { chosenAtFirst, choicesFor, exampleOf, isMeasured, requestOf, sameAs, whereProblem, whereWith } from "../model/choices.js";
import * as format from "../base/format.js";
import { html } from "../base/html.js";
import { labelOf } from "../panels/sidebar.js";
import { metricTitle, statusOf, titleOf } from "../base/text.js";

const GRAMMAR = "Compared by = != < <= > >=, joined by and, or, ( ); texts with blanks in quotation marks.";
const FIELDS_MAX = 4;
const SLOTS = [[0.01, "10 ms"], [0.1, "100 ms"], [1, "1 s"], [10, "10 s"], [60, "1 min"]];
const EXEMPLARS = [[0, "no single events"], [1, "the slowest"], ...[3, 5, 10, 20].map((n) => [n, `the ${n} slowest`])];
const KEPT = [[3600, "1 hour"], [21600, "6 hours"], [86400, "1 day"], [604800, "1 week"]];

/* A value of an existing instrumentation may differ from all usual ones. */
const withOwn = (options, value, text) => options.some(([v]) => v === value) ? options : [...options, [value, text(value)]].sort(([a], [b]) => a - b);

function Checks({ legend, metric, names, chosen, change, most, session }) {
	const flip = (name) => change(chosen.includes(name) ? chosen.filter((n) => n !== name) : [...chosen, name]);

	return html`<fieldset><legend>${legend}</legend>${names.map((name) => html`<label key=${name}>
		<input type="checkbox" checked=${chosen.includes(name)} disabled=${!chosen.includes(name) && chosen.length >= most}
			onChange=${() => flip(name)} />${labelOf(session, metric, name)}</label>`)}</fieldset>`;
}

/* Chooses the events: an expression as `heatscope create --where` takes it.  A field's button inserts the field. */
function Where({ session, metric, where, change, problem }) {
	return html`<fieldset class="where"><legend>Only events for which this holds (all, if it is empty)</legend>
		<label>Where <input name="where" value=${where} maxlength="4000" spellcheck=${false} autocomplete="off" autocapitalize="off"
			placeholder=${metric.fields.slice(0, 1).map((f) => exampleOf(session.catalogue, metric, f))}
			aria-invalid=${problem ? "true" : "false"} aria-describedby=${`where-help${problem ? " where-problem" : ""}`}
			onInput=${(e) => change(e.target.value)} /></label>
		${problem && html`<p class="problem" id="where-problem" role="alert">${problem}</p>`}
		<p class="muted" id="where-help">${GRAMMAR} Fields: ${
			metric.fields.map((f) => html`<button type="button" class="plain" key=${f} title=${exampleOf(session.catalogue, metric, f)}
				onClick=${() => change(whereWith(where, exampleOf(session.catalogue, metric, f)))}>${f}</button> `)}</p>
	</fieldset>`;
}

export function Create({ session }) {
	const { metrics } = session.catalogue;

	return metrics.length
		? html`<${Form} session=${session} metrics=${metrics} />`
		: html`<section class="create"><h2>New instrumentation</h2>
			<p class="muted">No collector offers a metric yet. Metrics appear here as soon as a collector connects.</p></section>`;
}

/* Its metric; else the one people come for. */
function firstOf(inst, metrics) {
	const { module, stat } = inst ?? { module: "mysql", stat: "queries" };

	return Math.max(0, metrics.findIndex((m) => m.module === module && m.stat === stat));
}

/* Single events that are kept as they were. */
function Exemplars({ chosen, change }) {
	return html`<label class="row">Of each slot keep <select value=${chosen} onChange=${(e) => change(Number(e.target.value))}>
		${withOwn(EXEMPLARS, chosen, (n) => `the ${n} slowest`).map(([v, text]) => html`<option key=${v} value=${v}>${text}</option>`)}</select>
		<span class="muted">as they were</span></label>`;
}

/* The first choices of the form: a part of an instrumentation, or the metric that most users want. */
function beginning(session, metrics) {
	const { from = null, where = "" } = session.creating || {}, index = firstOf(from ?? session.inst, metrics);

	return { from, index, chosen: { ...chosenAtFirst(choicesFor(session.catalogue, metrics[index]), from), where } };
}

function Form({ session, metrics }) {
	const [{ from, ...first }] = useState(() => beginning(session, metrics));
	const [index, setIndex] = useState(first.index);
	const [chosen, setChosen] = useState(first.chosen);
	const [problem, setProblem] = useState("");
	const metric = metrics[Math.min(index, metrics.length - 1)], choices = choicesFor(session.catalogue, metric);
	const request = requestOf(metric, choices, chosen);
	const same = sameAs(request, session.instrumentations ?? []);
	const weights = choices.weights(request.measures);
	const change = (name) => (value) => {
		setChosen({ ...chosen, [name]: value });
		setProblem("");
	};
	const pick = (i) => {
		setIndex(i);
		setProblem("");
		setChosen({ ...chosenAtFirst(choicesFor(session.catalogue, metrics[i])), where: chosen.where });
	};
	const submit = async (e) => {
		e.preventDefault();
		try {
			await (same ? session.select(same.id) : session.create(request, from));
		} catch (error) {
			setProblem(error.message);
		}
	};

	const close = () => {
		session.creating = false;
		session.changed();
	};
	const form = useRef(), metricField = useRef();
	const escape = (e) => {
		if (e.key === "Escape" && !e.isComposing && !e.defaultPrevented && session.inst)
			close();
	};

	/* A form that a person asked for takes the focus, and gives it back to New when it goes, if it has it then. */
	useLayoutEffect(() => {
		if (session.creating)
			metricField.current.focus();
	}, [session.creating]);
	useLayoutEffect(() => {
		const element = form.current;

		return () => element.contains(document.activeElement) && document.getElementById("new")?.focus();
	}, []);
	const { word, text } = statusOf(session);	/* of a link to an instrumentation that is gone */

	return html`<form class="create" ref=${form} onSubmit=${submit} onKeyDown=${escape}>
		${word === "gone" && html`<p class="problem">${text}</p>`}
		<h2>${from ? "Drill down" : "New instrumentation"}</h2>
		${from && html`<p class="muted">A part of ${titleOf(from, session.catalogue)}, counted by itself from now on: in the kernel, so it can be kept apart by other fields.</p>`}
		<label class="row">Metric <select ref=${metricField} value=${index} onChange=${(e) => pick(Number(e.target.value))}>
			${metrics.map((m, i) => html`<option value=${i}>${metricTitle(m, session.catalogue)}</option>`)}</select></label>
		<${Checks} legend="Kept apart by (up to four)" metric=${metric} names=${choices.discrete} chosen=${chosen.fields} change=${change("fields")} most=${FIELDS_MAX} session=${session} />
		<${Checks} legend="Measures" metric=${metric} names=${choices.numeric} chosen=${chosen.measures} change=${change("measures")} most=${8} session=${session} />
		${weights.length > 0 && html`<${Checks} legend=${`Added up along the ${labelOf(session, metric, weights[0])}, to see what its time was`} metric=${metric} names=${weights}
			chosen=${request.weights ?? []} change=${change("weights")} most=${weights.length} session=${session} />`}
		<${Where} session=${session} metric=${metric} where=${chosen.where} problem=${whereProblem(problem)} change=${change("where")} />
		${choices.exemplars(request.measures) && html`<${Exemplars} chosen=${chosen.exemplars} change=${change("exemplars")} />`}
		<div class="row">
			<label>Slot <select value=${chosen.granularity} onChange=${(e) => change("granularity")(Number(e.target.value))}>
				${withOwn(SLOTS, chosen.granularity, format.seconds).map(([v, text]) => html`<option value=${v}>${text}</option>`)}</select></label>
			<label>Kept for <select value=${chosen.retention} onChange=${(e) => change("retention")(Number(e.target.value))}>
				${withOwn(KEPT, chosen.retention, format.seconds).map(([v, text]) => html`<option value=${v}>${text}</option>`)}</select></label>
		</div>
		${problem && !whereProblem(problem) && html`<p class="problem" role="alert">${problem}</p>`}
		<p class="row"><button class="primary" disabled=${!isMeasured(request)}>${same ? `Open the existing one (${same.id})` : "Create"}</button>
			${session.inst && html`<button type="button" onClick=${close}>Cancel</button>`}</p>
	</form>`;
}
