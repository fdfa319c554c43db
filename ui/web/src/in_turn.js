/* in_turn.js - a panel that is drawn in its turn (turns.js). */
import { Component } from "preact";
import { ErrorBoundary } from "./error_boundary.js";
import { html } from "./html.js";
import { Turns } from "./turns.js";

const turns = new Turns();

/** of: the panel's component, which has all other properties; now: it waits for none, as what the pointer is over. */
export class InTurn extends Component {
	shouldComponentUpdate({ now, of }) {
		return now || of !== this.props.of || turns.take(this);
	}

	componentWillUnmount() {
		turns.forget(this);
	}

	render({ now, of, ...properties }) {
		return html`<${ErrorBoundary} session=${properties.map.session} name=${properties.map.label}><${of} ...${properties} /></${ErrorBoundary}>`;
	}
}
