/* in_turn.js - a panel that is drawn in its turn (turns.js), and what the page shows where a part of it fails. */
import { Component } from "preact";
import { html } from "./html.js";
import { Turns } from "./turns.js";

const turns = new Turns();

/** Shows its children.  Where drawing one throws, it says so in their place and reports it; the rest of the page goes on. */
export class Guard extends Component {
	componentDidCatch(error) {
		console.warn(error);		/* for whoever looks into it */
		this.setState({ error });
		this.props.session.refuse({ message: `${this.props.name}: the page failed to draw it: ${error.message}` });
	}

	render({ name, children }, { error }) {
		return !error ? children : html`<section class="panel gone" aria-label=${`Failed: ${name}`}>
			<header><h2>${name}</h2></header>
			<p class="waiting">This part of the page failed: ${error.message}. <button onClick=${() => this.setState({ error: null })}>Try again</button></p>
		</section>`;
	}
}

/** of: the panel's component, which has all other properties; now: it waits for none, as what the pointer is over. */
export class InTurn extends Component {
	shouldComponentUpdate({ now, of }) {
		return now || of !== this.props.of || turns.take(this);
	}

	componentWillUnmount() {
		turns.forget(this);
	}

	render({ now, of, ...properties }) {
		return html`<${Guard} session=${properties.map.session} name=${properties.map.label}><${of} ...${properties} /></${Guard}>`;
	}
}
